//! A page is played: its blocks, in order and in one shell, which stops at the first command that fails.
//! Only the default address is replaced, by that of a program that the test has started. `<!-- printed -->` marks what must come out.

use std::path::Path;
use std::process::{Command, Output};

use crate::fences::{Commands, commands_of, fences, read, root};
use crate::not_run;
use crate::program::Program;

/// A page that hangs fails, in seconds.
const LIMIT: &str = "600";

/// What a page shows runs as it stands, with two exceptions. A server is not started, as one runs already: its flags are checked. Commands
/// that follow the services for ever are stopped after two seconds.
const SHELL: &str = r#"
for name in $(compgen -e STARKEEP_ || true); do unset "$name"; done
export STARKEEP_GAME_URL="$GAME_SERVICE_UNDER_TEST" PYTHONDONTWRITEBYTECODE=1 PATH="$PROGRAM_UNDER_TEST:$PATH"
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
starkeep() {
  case "${1:-}" in
    serve | demo | -* | "") command starkeep "$@" --help > /dev/null ;;
    watch | events) timeout 2 starkeep "$@" || [ $? = 124 ] ;;
    *) command starkeep "$@" ;;
  esac
}
"#;

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
    let place = tempfile::tempdir().unwrap();
    let program = Program::start(&place.path().join("data"));
    let output = run(&script, &program, place.path());
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: {}\n{printed}\n{errors}", output.status);
    let shown = fences(&read(page)).into_iter().filter(|fence| fence.mark.as_deref() == Some("printed"));
    for text in shown.map(|fence| fence.text) {
        assert!(printed.contains(&text), "{page} shows:\n{text}and printed was:\n{printed}");
    }
}

/// In a directory of its own, in which the files of the repository are found that a reader has.
pub(crate) fn run(script: &str, program: &Program, place: &Path) -> Output {
    for shared in ["examples", "scripts"] {
        let link = place.join(shared);
        if !link.exists() {
            std::os::unix::fs::symlink(root().join(shared), link).unwrap();
        }
    }
    let script = format!("{SHELL}\n{}", script.replace("http://127.0.0.1:8080", &program.game_url));
    let executable = Path::new(env!("CARGO_BIN_EXE_starkeep"));
    Command::new("timeout")
        .args([LIMIT, "bash", "-euo", "pipefail", "-c", &script])
        .env("GAME_SERVICE_UNDER_TEST", &program.game_url)
        .env("PROGRAM_UNDER_TEST", executable.parent().unwrap())
        .current_dir(place)
        .output()
        .unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn succeeds(script: &str) -> bool {
        let place = tempfile::tempdir().unwrap();
        let program = Program::start(&place.path().join("data"));
        run(script, &program, place.path()).status.success()
    }

    #[test]
    fn a_page_fails_with_its_first_command_that_does() {
        assert!(succeeds("starkeep game list\nstarkeep serve --data-dir somewhere\ntrue"));
        assert!(!succeeds("starkeep game show no-such-game\ntrue"));
        assert!(!succeeds("starkeep serve --no-such-flag\ntrue"));
        assert!(!succeeds("starkeep serve --game-listen nowhere:at:all\ntrue"));
    }
}
