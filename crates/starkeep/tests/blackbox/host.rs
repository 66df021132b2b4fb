//! All services in a process, and a host who commands their games with `starkeep game`.
//! What is commanded, and what must come of it, is the test's.

use serde_json::Value;
use starkeep_test_http::within_limit;
use tempfile::TempDir;

use crate::program::{Ended, Program, command, start};

pub(crate) struct Host {
    pub(crate) program: Program,
    pub(crate) url: String,
    _home: TempDir,
}

impl Host {
    pub(crate) async fn start(flags: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let data = ["--data-dir", home.path().to_str().unwrap()];
        let program = Program::serve("all", &[&data, flags].concat()).await;
        let url = format!("http://{}", program.address("game"));
        Self { program, url, _home: home }
    }

    /// `starkeep game` with the service's address in its environment.
    pub(crate) async fn game(&self, words: &[&str]) -> Ended {
        self.game_with(words, &[]).await
    }

    pub(crate) async fn game_with(&self, words: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut command = command();
        command.arg("game").args(words).env("STARKEEP_GAME_URL", &self.url);
        let child = start(command.envs(variables.iter().copied())).await;
        let output = within_limit("the command's end", child.wait_with_output()).await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The one document that it prints.
    pub(crate) async fn json(&self, words: &[&str]) -> Value {
        let ended = self.game(&[words, &["--json"]].concat()).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout.lines().count(), 1, "{words:?}: {}", ended.stdout);
        serde_json::from_str(&ended.stdout).unwrap()
    }

    pub(crate) async fn created(&self, words: &[&str]) -> String {
        let answer = self.json(&[&["create"], words].concat()).await;
        answer["gameId"].as_str().unwrap().to_owned()
    }
}
