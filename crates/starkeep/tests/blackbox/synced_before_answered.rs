//! A kill leaves what the kernel holds, a power loss does not: by the system calls of the program every commit is written and synced
//! before its answer is sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;
use starkeep_fault_harness::ServerProcess;
use starkeep_test_http::{Caller, within_limit};
use tokio::process::Command;

use crate::program::STARTING;
use crate::scale::scale;
use crate::traffic::planets_of_a_new_world;

const TRACED: &str = "trace=pwrite64,fdatasync,fsync,writev,write,sendto";

/// What the program did, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Something was written into a file.
    Written { file: u32 },
    /// What was written into it so far is on the disk.
    Synced { file: u32 },
    /// A client was told that something was done.
    Answered,
}

#[tokio::test(flavor = "multi_thread")]
async fn every_commit_is_on_the_disk_before_its_answer_is_sent() {
    let home = tempfile::tempdir().unwrap();
    let trace = home.path().join("trace");
    let minings = 20 * scale();
    let map = serve_traced(&home.path().join("data"), &trace).await;
    let planets = planets_of_a_new_world(&Caller::new(map.address("map").unwrap())).await;
    for planet in planets.iter().cycle().take(minings) {
        let order = json!({ "mining": { "amount_requested": 1 } });
        let caller = Caller::new(map.address("map").unwrap());
        caller.post(&format!("/planets/{planet}/minings"), &order).await.expect(201);
    }
    map.terminate().unwrap();
    within_limit("the program's end", map.ended()).await.unwrap();
    let whole = async {
        while !std::fs::read_to_string(&trace).unwrap().trim_end().ends_with("+++ exited with 0 +++") {
            tokio::task::yield_now().await;
        }
    };
    within_limit("the end of the trace", whole).await;
    let steps = steps(&std::fs::read_to_string(&trace).unwrap());
    let answers = steps.iter().filter(|step| **step == Step::Answered).count();
    // The gameworld was one more.
    assert_eq!(answers, minings + 1);
    assert_eq!(answered_too_early(&steps), 0);
    // Without the syncs each of them would be too early.
    let unsynced: Vec<_> =
        steps.iter().copied().filter(|step| !matches!(step, Step::Synced { .. })).collect();
    assert_eq!(answered_too_early(&unsynced), answers);
}

async fn serve_traced(data: &Path, trace: &Path) -> ServerProcess {
    let mut command = Command::new("strace");
    // It traces from outside and leaves with the program, which is the process that is started and stopped here.
    command.args(["--daemonize", "--follow-forks", "--seccomp-bpf", "--string-limit=16"]);
    command.arg("--output").arg(trace).args(["-e", TRACED]);
    command.arg(env!("CARGO_BIN_EXE_starkeep")).args(["serve", "map", "--map-listen", "127.0.0.1:0"]);
    command.arg("--data-dir").arg(data).args(["--replenish-every", "0"]);
    let starting = async {
        let _nobody_else = STARTING.lock().await;
        ServerProcess::start(&mut command).await
    };
    within_limit("the traced program to serve", starting).await.unwrap()
}

/// How many answers came without a commit that was written and synced since the answer before.
fn answered_too_early(steps: &[Step]) -> usize {
    let (mut written, mut is_synced, mut early) = (BTreeSet::new(), false, 0);
    for step in steps {
        match step {
            Step::Written { file } => drop(written.insert(file)),
            Step::Synced { file } => is_synced |= written.contains(file),
            Step::Answered => {
                early += usize::from(!is_synced);
                written.clear();
                is_synced = false;
            }
        }
    }
    early
}

/// A call that another thread's call interrupts in the trace is told in two lines. It is done with the second one; but what an answer
/// says is sent with the first one, and the client's next request may be served before the second.
fn steps(trace: &str) -> Vec<Step> {
    let (mut steps, mut unfinished) = (Vec::new(), BTreeMap::new());
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        let (call, is_second) = match call.strip_prefix("<... ") {
            Some(_) => (unfinished.remove(thread).unwrap_or_default(), true),
            None => (call, false),
        };
        if call.contains("\"HTTP/1.1 201") {
            steps.extend((!is_second).then_some(Step::Answered));
        }
        if line.ends_with("<unfinished ...>") {
            unfinished.insert(thread, call);
            continue;
        }
        let file = || call.split(['(', ',', ')', ' ']).nth(1).and_then(|file| file.parse().ok());
        if call.starts_with("pwrite64(") {
            steps.extend(file().map(|file| Step::Written { file }));
        } else if call.starts_with("fdatasync(") || call.starts_with("fsync(") {
            steps.extend(file().map(|file| Step::Synced { file }));
        }
    }
    steps
}
