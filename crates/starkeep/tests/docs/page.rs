//! A page is played: its blocks, in order and in one shell, which stops at the first command that fails.
//! Only the default address is replaced, by that of a program that the test has started. `<!-- printed -->` marks what must come out.

use std::path::Path;
use std::process::{Command, Output};

use starkeep_fault_harness::KeptPort;

use crate::fences::{Commands, commands_of, fences, read, root};
use crate::not_run;

/// A page that hangs fails, in seconds.
const LIMIT: &str = "1800";

/// What a page shows runs as it stands, with three exceptions. The first `starkeep serve` listens on the test's own address and in the background;
/// other servers are not started, but their flags are checked. Commands that follow the services for ever are stopped after two seconds.
const SHELL: &str = r#"
for name in $(compgen -e STARKEEP_ || true); do unset "$name"; done
export STARKEEP_GAME_URL="http://$GAME_ADDRESS" PYTHONDONTWRITEBYTECODE=1 PATH="$PROGRAM_FOLDER:$PATH"
trap 'kill -9 $(jobs -p) $SERVER 2> /dev/null || true' EXIT
SERVER=
serve() {
  local flags=(--game-listen "$GAME_ADDRESS") service line
  for service in map robot trading; do flags+=("--$service-listen" 127.0.0.1:0); done
  while [ $# -gt 0 ]; do
    case "$1" in
      --*-listen) shift ;;
      *) flags+=("$1") ;;
    esac
    shift
  done
  mkfifo .server.out
  # In a shell of its own, so that a page that waits for its own jobs does not wait for the server.
  (command starkeep serve "${flags[@]}" > .server.out 2> .server.log & echo $! > .server.pid)
  exec 9< .server.out
  SERVER=$(cat .server.pid)
  while read -r line <&9; do [ "$line" != "In a browser:" ] || return 0; done
  cat .server.log >&2
  return 1
}
starkeep() {
  case "${1:-}" in
    serve | demo | -* | "")
      command starkeep "$@" --help > /dev/null
      case "${1:-} ${2:-}" in "serve " | "serve --"*) [ -n "$SERVER" ] || serve "${@:2}" ;; esac ;;
    watch | events) timeout 2 starkeep "$@" || [ $? = 124 ] ;;
    *) command starkeep "$@" ;;
  esac
}
"#;
/// For pages that begin with a server that runs already.
const SERVED: &str = "starkeep serve\n";

pub(crate) fn play(page: &str) {
    let mut script = String::new();
    for commands in commands_of(page) {
        match commands {
            Commands::Run(text) => script.push_str(&text),
            Commands::NotRun { text, reason } => {
                let faults = not_run::faults(&text);
                assert!(faults.is_empty(), "{page}: not run ({reason}), and wrong all the same: {faults:#?}");
            }
        }
    }
    let output = run(&script);
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: {}\n{printed}\n{errors}", output.status);
    let shown = fences(&read(page)).into_iter().filter(|fence| fence.mark.as_deref() == Some("printed"));
    for text in shown.map(|fence| fence.text) {
        assert!(printed.contains(&text), "{page} shows:\n{text}and printed was:\n{printed}");
    }
}

/// In a directory of its own, in which the files of the repository are found that a reader has.
pub(crate) fn run(script: &str) -> Output {
    let place = tempfile::tempdir().unwrap();
    for shared in ["examples", "scripts"] {
        std::os::unix::fs::symlink(root().join(shared), place.path().join(shared)).unwrap();
    }
    let port = KeptPort::new().unwrap();
    let address = port.address().to_string();
    let starts_server =
        script.lines().any(|line| line == "starkeep serve" || line.starts_with("starkeep serve --"));
    let before = if starts_server { "" } else { SERVED };
    let script = format!("{SHELL}{before}{}", script.replace("127.0.0.1:8080", &address));
    let executable = Path::new(env!("CARGO_BIN_EXE_starkeep"));
    Command::new("timeout")
        .args([LIMIT, "bash", "-euo", "pipefail", "-c", &script])
        .env("GAME_ADDRESS", &address)
        .env("PROGRAM_FOLDER", executable.parent().unwrap())
        .current_dir(place.path())
        .output()
        .unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn succeeds(script: &str) -> bool {
        run(script).status.success()
    }

    #[test]
    fn a_page_fails_with_its_first_command_that_does() {
        assert!(succeeds("starkeep game list\nstarkeep serve map --data-dir somewhere\ntrue"));
        assert!(!succeeds("starkeep game show no-such-game\ntrue"));
        assert!(!succeeds("starkeep serve map --no-such-flag\ntrue"));
        assert!(!succeeds("starkeep serve map --game-listen nowhere:at:all\ntrue"));
    }

    #[test]
    fn a_server_has_the_flags_of_the_page() {
        let serve = "echo a-long-secret > admin.token\nstarkeep serve --admin-token-file admin.token --game-listen 0.0.0.0:8080\n";
        assert!(succeeds(&format!("{serve}starkeep game create --admin-token-file admin.token")));
        assert!(!succeeds(&format!("{serve}starkeep game create")));
        assert!(!succeeds("starkeep serve --game-url nowhere --max-running-games 2 --dialect msd\ntrue"));
    }
}
