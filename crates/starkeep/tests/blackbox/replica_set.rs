//! Two replicas of each service as processes on one PostgreSQL, with a round-robin in front of each pair. The services reach each
//! other through it, too. Which replica dies when, and what must hold then, is the test's.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::Value;
use starkeep_test_http::{Caller, within_limit};

use crate::program::Program;
use crate::round_robin::RoundRobin;

pub(crate) const SERVICES: [&str; 4] = ["map", "robot", "trading", "game"];
const EACH: usize = 2;

/// A replica: its service, and which of them it is.
pub(crate) type Which = (&'static str, usize);

pub(crate) struct ReplicaSet {
    flags: Vec<String>,
    fronts: BTreeMap<&'static str, RoundRobin>,
    replicas: BTreeMap<Which, Program>,
}

impl ReplicaSet {
    /// With flags that all of them are given.
    pub(crate) async fn start(database: &str, flags: &[&str]) -> Self {
        let fronts: BTreeMap<_, _> = SERVICES.map(|service| (service, RoundRobin::new())).into();
        let flags = [&["--database-url", database], flags].concat().into_iter().map(str::to_owned).collect();
        let mut set = Self { flags, fronts, replicas: BTreeMap::new() };
        for service in SERVICES {
            for number in 0..EACH {
                set.serve((service, number)).await;
            }
        }
        set
    }

    pub(crate) async fn serve(&mut self, which: Which) {
        let mut flags = self.flags.clone();
        for (service, front) in self.fronts.iter().filter(|(service, _)| **service != which.0) {
            flags.extend([format!("--{service}-url"), format!("http://{}", front.address())]);
        }
        let program = Program::serve(which.0, &flags).await;
        self.replicas.insert(which, program);
        self.lead_to_those_that_run(which.0);
    }

    /// Killed before anybody is told that it is gone.
    pub(crate) async fn kill(&mut self, which: Which) {
        self.replicas.remove(&which).unwrap().kill().await;
        self.lead_to_those_that_run(which.0);
    }

    fn lead_to_those_that_run(&self, service: &'static str) {
        let addresses = self.numbers(service).map(|number| self.program((service, number)).address(service));
        self.fronts[service].lead_to(addresses.collect());
    }

    fn numbers(&self, service: &'static str) -> impl Iterator<Item = usize> {
        self.replicas.keys().filter(move |(of, _)| *of == service).map(|(_, number)| *number)
    }

    pub(crate) fn program(&self, which: Which) -> &Program {
        &self.replicas[&which]
    }

    /// Any replica of the service.
    pub(crate) fn service(&self, service: &str) -> Caller {
        Caller::new(self.fronts[service].address())
    }

    /// Where any replica of the service is found.
    pub(crate) fn url(&self, service: &str) -> String {
        format!("http://{}", self.fronts[service].address())
    }

    /// This replica.
    pub(crate) fn replica(&self, which: Which) -> Caller {
        Caller::new(self.program(which).address(which.0))
    }

    /// Waits until one of the service's replicas leads; which.
    pub(crate) async fn leader_of(&self, service: &'static str) -> Which {
        let find = async {
            loop {
                for number in self.numbers(service) {
                    let health = self.replica((service, number)).get("/health").await;
                    if health.body["replica"]["leads"] == true {
                        return (service, number);
                    }
                }
            }
        };
        within_limit("a replica to lead", find).await
    }

    /// One that does not lead.
    pub(crate) async fn follower_of(&self, service: &'static str) -> Which {
        let (_, leader) = self.leader_of(service).await;
        (service, self.numbers(service).find(|number| *number != leader).unwrap())
    }

    /// Of all replicas of the service the digest of what they have in memory; nothing may happen meanwhile.
    pub(crate) async fn digests(&self, service: &'static str) -> Vec<Value> {
        let replicas = self.numbers(service).map(|number| self.replica((service, number)));
        let asked = replicas.map(|replica| async move {
            // A request waits until its replica has everything, so that the digest comes at the last number.
            replica.wanting_json().get("/events?limit=1&after=end").await.expect(200);
            replica.get("/health?digest=true").await.expect(200)["digest"].take()
        });
        join_all(asked).await
    }
}
