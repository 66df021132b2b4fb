//! A real nginx with the configuration of `deploy/nginx.conf`, in front of replicas that a test has started.
//! Only what a machine decides is replaced: names by addresses, ports by free ones, folders by one of the test's own.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use starkeep_fault_harness::KeptPort;
use starkeep_test_http::{Caller, within_limit};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::program::start;

const CONFIGURATION: &str = include_str!("../../../../deploy/nginx.conf");
/// With their ports in the configuration.
const SERVICES: [(&str, u16); 4] = [("game", 8080), ("map", 8081), ("robot", 8082), ("trading", 8083)];
/// Where nobody listens, for services that a test has none of.
const NOBODY: &str = "127.0.0.1:1";
/// One process, so that it ends with its handle; and no other user, who could not enter the test's folder.
const FOR_TESTS: &str = "daemon off; master_process off; user root;";

pub(crate) struct Nginx {
    ports: BTreeMap<&'static str, KeptPort>,
    _child: Child,
    _logging: JoinHandle<()>,
    _home: TempDir,
}

impl Nginx {
    /// In front of the replicas of each service, which get requests in this order; returns once it listens.
    pub(crate) async fn in_front_of(replicas: &[(&str, Vec<SocketAddr>)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let ports = BTreeMap::from(SERVICES.map(|(service, _)| (service, KeptPort::new().unwrap())));
        let replicas: BTreeMap<_, _> = replicas.iter().cloned().collect();
        let file = home.path().join("nginx.conf");
        std::fs::write(&file, configuration(&replicas, &ports, home.path())).unwrap();
        let mut command = Command::new(executable());
        command.arg("-c").arg(file).args(["-g", FOR_TESTS]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = start(&mut command).await;
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut logged = Vec::new();
        // It names its version when it listens.
        let listens = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.contains(" nginx/") {
                    return true;
                }
                logged.push(line);
            }
            false
        };
        assert!(within_limit("nginx to listen", listens).await, "{logged:#?}");
        let logging = tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { ports, _child: child, _logging: logging, _home: home }
    }

    pub(crate) fn address(&self, service: &str) -> SocketAddr {
        self.ports[service].address()
    }

    pub(crate) fn service(&self, service: &str) -> Caller {
        Caller::new(self.address(service))
    }
}

fn configuration(
    replicas: &BTreeMap<&str, Vec<SocketAddr>>,
    ports: &BTreeMap<&'static str, KeptPort>,
    home: &Path,
) -> String {
    let nobody = vec![NOBODY.parse().unwrap()];
    let mut text = CONFIGURATION.replace("/tmp/", &format!("{}/", home.display()));
    text = replaced(&text, "error_log stderr warn;", "error_log stderr notice;");
    for (service, port) in SERVICES {
        let (named, listens) = (format!("server {service}:{port} resolve"), format!("listen {port};"));
        text = replaced(&text, &listens, &format!("listen {};", ports[service].address()));
        let line = text.lines().find(|line| line.contains(&named));
        let line = line.unwrap_or_else(|| panic!("no `{named}` in nginx.conf")).to_owned();
        let of_service = replicas.get(service).unwrap_or(&nobody).iter();
        let lines: Vec<_> =
            of_service.map(|replica| line.replace(&named, &format!("server {replica}"))).collect();
        text = text.replace(&line, &lines.join("\n"));
    }
    text
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` in nginx.conf");
    text.replace(from, to)
}

/// Debian has it in a folder that is searched only for root.
fn executable() -> &'static str {
    let installed = "/usr/sbin/nginx";
    if Path::new(installed).exists() { installed } else { "nginx" }
}
