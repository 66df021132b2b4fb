//! `starkeep completions`: scripts that the shells read, and that complete.

use std::process::Stdio;

use starkeep_test_http::within_limit;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::program::{Ended, run, start};

/// None where the shell is not installed.
async fn in_shell(shell: &str, arguments: &[&str], script: &str) -> Option<Ended> {
    let is_installed = Command::new(shell).arg("--version").stdout(Stdio::null()).status().await.is_ok();
    if !is_installed {
        return None;
    }
    let mut command = Command::new(shell);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(&mut command).await;
    child.stdin.take().unwrap().write_all(script.as_bytes()).await.unwrap();
    let output = within_limit("the shell's end", child.wait_with_output()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some(Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) })
}

#[tokio::test]
async fn every_shell_reads_its_script() {
    for (shell, begins) in [("bash", "_starkeep() {"), ("zsh", "#compdef starkeep"), ("fish", "# Print")] {
        let script = run(&["completions", shell]).await;
        assert_eq!((script.code, script.stderr.as_str()), (Some(0), ""), "{script:?}");
        assert!(script.stdout.starts_with(begins), "{shell}: {}", &script.stdout[..80]);
        for word in [
            "serve",
            "demo",
            "game",
            "watch",
            "events",
            "bot",
            "world",
            "export",
            "restore",
            "public-game-url",
        ] {
            assert!(script.stdout.contains(word), "{shell} does not complete {word}");
        }
        if let Some(read) = in_shell(shell, &["-n"], &script.stdout).await {
            assert_eq!((read.code, read.stderr.as_str()), (Some(0), ""), "{shell}: {read:?}");
        } else {
            assert_ne!(shell, "bash", "bash is everywhere where these tests run");
        }
    }
    assert_eq!(run(&["completions", "cmd"]).await.code, Some(2));
}

#[tokio::test]
async fn bash_completes_commands_and_flags() {
    let script = run(&["completions", "bash"]).await.stdout;
    for (typed, completed) in
        [("wat", "watch"), ("game pl", "players"), ("game create --na", "--name"), ("completions fi", "fish")]
    {
        let words: Vec<&str> = ["starkeep"].into_iter().chain(typed.split(' ')).collect();
        let (before, last) = (words[words.len() - 2], words[words.len() - 1]);
        let asked = format!(
            "COMP_WORDS=({}); COMP_CWORD={}; _starkeep starkeep '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\"\n",
            words.join(" "),
            words.len() - 1
        );
        let answer = in_shell("bash", &["--norc"], &format!("{script}\n{asked}")).await.unwrap();
        assert_eq!(answer.stdout.trim(), completed, "{typed}: {answer:?}");
    }
}
