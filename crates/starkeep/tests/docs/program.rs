//! The real program, serving all services on free ports until its handle is dropped.
//! It sees no variable of the test's own environment.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

pub(crate) struct Program {
    child: Child,
    /// Held so that the program never meets a closed pipe.
    _stdout: ChildStdout,
    /// The address of the game service, as `http://127.0.0.1:8080`.
    pub(crate) game_url: String,
}

impl Program {
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_on(data, SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// With a place for the game service, so that it comes back where its clients look for it.
    pub(crate) fn start_on(data: &Path, game: SocketAddr) -> Self {
        let game = game.to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_starkeep"));
        command.args(["serve", "--max-running-games", "8", "--game-listen", &game, "--data-dir"]).arg(data);
        for service in ["map", "robot", "trading"] {
            command.args([&format!("--{service}-listen"), "127.0.0.1:0"]);
        }
        let output = command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = output.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut lines = stdout.by_ref().lines().map(Result::unwrap);
        let game = lines.find_map(|line| Some(line.strip_prefix("game service listening on ")?.to_owned()));
        Self { child, game_url: game.expect("the game service"), _stdout: stdout.into_inner() }
    }
}

/// SIGKILL. Over when the process has ended.
impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
