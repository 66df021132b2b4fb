//! What bots need to come back as the same players: for each its recovery code and, once it has registered, its token.
//!
//! A file of JSON lines that is only appended to: processes can share it, and a kill loses no complete line. Of a player the last
//! line counts. The code and the key of the registration are written before it is sent, the token after its answer. So a bot that
//! was killed in between repeats its registration with the same key, and gets the same answer.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use starkeep_contract::player::RecoveryCode;
use starkeep_platform::chance::Chance;

use super::error::BotError;

pub(crate) struct TokenFile {
    path: PathBuf,
    /// Tokens are shown to the server that gave them, and to no other.
    server: String,
    known: Mutex<Known>,
}

struct Known {
    players: HashMap<String, SavedPlayer>,
    /// The last line is not complete: a process was killed while it wrote it.
    ends_within_a_line: bool,
    has_warned: bool,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    server: String,
    name: String,
    #[serde(flatten)]
    player: SavedPlayer,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedPlayer {
    pub(super) recovery_code: RecoveryCode,
    /// The idempotency key of its registration.
    pub(super) registration: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
}

impl TokenFile {
    /// A file that is not there yet is made when a bot registers.
    pub(crate) fn open(path: &Path, server: &str) -> Result<Self, BotError> {
        let failed = |reason| BotError::TokenFile { path: path.to_owned(), reason };
        let text = match std::fs::read_to_string(path) {
            Err(fault) if fault.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(|fault| failed(fault.to_string()))?,
        };
        let server = server.trim_end_matches('/').to_owned();
        let mut players = HashMap::new();
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        for (number, line) in (1..).zip(text[..complete].lines()).filter(|(_, line)| !line.is_empty()) {
            // Not what is wrong with it: that might repeat a token.
            let Ok(line) = serde_json::from_str::<Line>(line) else {
                return Err(failed(format!("line {number} was not written by `starkeep bot`")));
            };
            if line.server == server {
                players.insert(line.name, line.player);
            }
        }
        let ends_within_a_line = complete < text.len();
        let known = Mutex::new(Known { players, ends_within_a_line, has_warned: false });
        Ok(Self { path: path.to_owned(), server, known })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is kept of the player; for a new one a code and a key are drawn, and kept before they are used.
    pub(super) fn player(&self, name: &str, chance: &dyn Chance) -> SavedPlayer {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(player) = known.players.get(name) {
            return player.clone();
        }
        let code = chance.uuid().simple().to_string();
        let recovery_code = RecoveryCode::try_from(code).expect("32 hexadecimal digits are a code");
        let player = SavedPlayer { recovery_code, registration: chance.uuid().to_string(), token: None };
        self.save(&mut known, name, &player);
        player
    }

    pub(super) fn keep_token(&self, name: &str, token: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(player) = known.players.get(name).filter(|player| player.token.as_deref() != Some(token))
        else {
            return;
        };
        let player = SavedPlayer { token: Some(token.to_owned()), ..player.clone() };
        self.save(&mut known, name, &player);
    }

    /// The bots play also where nothing can be written; they only cannot come back.
    fn save(&self, known: &mut Known, name: &str, player: &SavedPlayer) {
        known.players.insert(name.to_owned(), player.clone());
        let line = Line { server: self.server.clone(), name: name.to_owned(), player: player.clone() };
        match self.append(&line, known.ends_within_a_line) {
            Ok(()) => known.ends_within_a_line = false,
            Err(fault) if !known.has_warned => {
                known.has_warned = true;
                let path = self.path.display();
                tracing::warn!(
                    "the bots' tokens cannot be kept in {path}, so these bots cannot come back: {fault}; \
                     --token-file names another file"
                );
            }
            Err(_) => {}
        }
    }

    fn append(&self, line: &Line, ends_within_a_line: bool) -> io::Result<()> {
        let mut text = if ends_within_a_line { "\n".to_owned() } else { String::new() };
        text += &serde_json::to_string(line)?;
        text.push('\n');
        // In one piece, so that the lines of two processes do not mix.
        OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use starkeep_platform::chance::SystemChance;

    use super::*;

    const SERVER: &str = "http://127.0.0.1:8080";

    #[test]
    fn a_player_is_the_same_after_a_restart_and_nobody_on_another_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bots.jsonl");
        let file = TokenFile::open(&path, SERVER).unwrap();
        assert!(!path.exists());
        let before = file.player("bot-1", &SystemChance);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let again = TokenFile::open(&path, SERVER).unwrap();
        let player = again.player("bot-1", &SystemChance);
        assert_eq!(player.recovery_code, before.recovery_code);
        assert_eq!(player.registration, before.registration);
        assert_eq!(player.token, None, "it had not registered yet");
        again.keep_token("bot-1", "a-token");
        again.keep_token("bot-1", "a-token");
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        let third = TokenFile::open(&path, &format!("{SERVER}/")).unwrap();
        assert_eq!(third.player("bot-1", &SystemChance).token.as_deref(), Some("a-token"));
        let elsewhere = TokenFile::open(&path, "http://127.0.0.1:9090").unwrap();
        let other = elsewhere.player("bot-1", &SystemChance);
        assert!(other.token.is_none() && other.registration != before.registration);
    }

    #[test]
    fn a_line_that_a_kill_has_cut_off_is_passed_over_and_another_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bots.jsonl");
        let file = TokenFile::open(&path, SERVER).unwrap();
        file.player("bot-1", &SystemChance);
        file.keep_token("bot-1", "a-token");
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 10]).unwrap();
        let cut = TokenFile::open(&path, SERVER).unwrap();
        assert_eq!(cut.player("bot-1", &SystemChance).token, None);
        std::fs::write(&path, "a-long-secret\n").unwrap();
        let refused = TokenFile::open(&path, SERVER).err().unwrap().to_string();
        assert!(refused.contains("bots.jsonl: line 1") && !refused.contains("a-long-secret"), "{refused}");
    }
}
