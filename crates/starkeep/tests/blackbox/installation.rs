//! The services of one installation as processes, all in one or each in its own, which can be killed, started again where
//! they were, and frozen. When that is done, and what must hold then, is the test's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures::future::join_all;
use starkeep_fault_harness::{Chance, KeptPort};
use starkeep_test_http::Caller;
use tempfile::TempDir;

use crate::program::{Ended, Program};

const SERVICES: [&str; 4] = ["map", "robot", "trading", "game"];

/// The services of one installation, as processes that can be killed.
pub(crate) struct Installation {
    home: TempDir,
    /// By what was served; `all` or each service by its name.
    programs: BTreeMap<&'static str, Program>,
    /// Flags of all processes.
    common: Vec<String>,
    /// Where each service listens, so that it comes back where the others look for it.
    ports: BTreeMap<&'static str, KeptPort>,
}

impl Installation {
    pub(crate) async fn in_one_process() -> Self {
        let mut installation = Self::new();
        installation.serve("all").await;
        installation
    }

    pub(crate) async fn in_four_processes() -> Self {
        Self::in_four_processes_with(&[]).await
    }

    /// All of them with these flags.
    pub(crate) async fn in_four_processes_with(flags: &[&str]) -> Self {
        let mut installation = Self::new();
        installation.common = flags.iter().map(|flag| (*flag).to_owned()).collect();
        for service in SERVICES {
            installation.serve(service).await;
        }
        installation
    }

    fn new() -> Self {
        let ports = SERVICES.map(|service| (service, KeptPort::new().unwrap()));
        let (home, ports) = (tempfile::tempdir().unwrap(), BTreeMap::from(ports));
        Self { home, programs: BTreeMap::new(), common: Vec::new(), ports }
    }

    pub(crate) async fn serve(&mut self, which: &'static str) {
        let flags = self.flags(which);
        self.programs.insert(which, Program::serve(which, &flags).await);
    }

    fn flags(&self, which: &str) -> Vec<String> {
        let data = self.data(which);
        let mut flags = vec!["--data-dir".to_owned(), data.to_str().unwrap().to_owned()];
        flags.extend(self.common.iter().cloned());
        for (service, port) in &self.ports {
            flags.extend([format!("--{service}-listen"), port.address().to_string()]);
            if which != "all" && which != *service {
                flags.extend([format!("--{service}-url"), format!("http://{}", port.address())]);
            }
        }
        flags
    }

    pub(crate) fn service(&self, name: &'static str) -> Caller {
        Caller::new(self.ports[name].address())
    }

    /// Kills one of its processes, and starts it again.
    pub(crate) async fn kill_one(&mut self, chance: &mut Chance) {
        let place = usize::try_from(chance.draw(&(0..=self.programs.len() as u64 - 1))).unwrap();
        let which = *self.programs.keys().nth(place).unwrap();
        self.kill(which).await;
        self.serve(which).await;
    }

    /// Kills all of its processes before the first of them is started again.
    pub(crate) async fn kill_all(&mut self) {
        let programs = std::mem::take(&mut self.programs);
        let names: Vec<_> = programs.keys().copied().collect();
        join_all(programs.into_values().map(Program::kill)).await;
        for which in names {
            self.serve(which).await;
        }
    }

    pub(crate) async fn kill(&mut self, which: &'static str) {
        self.programs.remove(which).unwrap().kill().await;
    }

    /// Where what is served keeps its data.
    pub(crate) fn data(&self, which: &str) -> PathBuf {
        self.home.path().join(which)
    }

    pub(crate) fn program(&self, which: &'static str) -> &Program {
        &self.programs[which]
    }

    /// Asks one of its processes to stop, and gives back what it said.
    pub(crate) async fn stopped(&mut self, which: &'static str) -> Ended {
        let program = self.programs.remove(which).unwrap();
        program.terminate();
        program.ended().await
    }

    /// It takes connections and answers nothing until it is told to go on.
    pub(crate) fn freeze(&self, which: &'static str) {
        self.programs[which].freeze();
    }

    pub(crate) fn go_on(&self, which: &'static str) {
        self.programs[which].unfreeze();
    }
}
