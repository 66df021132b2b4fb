//! What bots need to come back as the same players: for each its recovery code and, once it has registered, its token.
//!
//! A file of JSON lines that is only appended to: processes can share it, and a kill loses no complete entry, also where another
//! process has written behind one that was cut off. Of a player the last entry counts. The code and the key of the registration are written before it is sent, the token after its answer. So a bot that
//! was killed in between repeats its registration with the same key, and gets the same answer.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Deserializer;
use starkeep_contract::player::RecoveryCode;
use starkeep_platform::chance::Chance;

use super::error::BotError;

/// Of an entry. It cannot be within one, where quotation marks have a backslash.
const BEGINNING: &str = r#"{"server":"#;

pub(crate) struct TokenFile {
    path: PathBuf,
    /// Tokens are shown to the server that gave them, and to no other.
    server: String,
    known: Mutex<Known>,
}

struct Known {
    players: HashMap<String, SavedPlayer>,
    has_warned: bool,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
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
        let (before, entries) = text.split_at(text.find(BEGINNING).unwrap_or(text.len()));
        // The first one may have been cut off, too.
        if !BEGINNING.starts_with(before.trim()) {
            return Err(failed("it was not written by `starkeep bot`".to_owned()));
        }
        for entry in entries.split(BEGINNING).skip(1) {
            // One that was cut off is passed over; another may have been cut off behind this one.
            let entry = format!("{BEGINNING}{entry}");
            let mut entry = Deserializer::from_str(&entry).into_iter::<Entry>().flatten();
            if let Some(entry) = entry.next().filter(|entry| entry.server == server) {
                players.insert(entry.name, entry.player);
            }
        }
        let known = Mutex::new(Known { players, has_warned: false });
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
        let entry = Entry { server: self.server.clone(), name: name.to_owned(), player: player.clone() };
        if let Err(fault) = self.append(&entry)
            && !known.has_warned
        {
            known.has_warned = true;
            let path = self.path.display();
            tracing::warn!(
                "the bots' tokens cannot be kept in {path}, so these bots cannot come back: {fault}; \
                 --token-file names another file"
            );
        }
    }

    fn append(&self, entry: &Entry) -> io::Result<()> {
        let text = serde_json::to_string(entry)? + "\n";
        // In one piece, so that the entries of two processes do not mix.
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
    fn an_entry_that_a_kill_has_cut_off_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bots.jsonl");
        let open = || TokenFile::open(&path, SERVER).unwrap();
        // A name with what an entry begins with.
        let names = ["bot-1", r#"{"server":"#];
        for name in names {
            open().player(name, &SystemChance);
        }
        let whole = std::fs::read_to_string(&path).unwrap();
        let codes = || names.map(|name| open().player(name, &SystemChance).recovery_code);
        let known = codes();
        for length in 0..whole.len() {
            // Somebody writes behind it, who has opened the file before.
            let other = open();
            std::fs::write(&path, whole[..length].to_owned() + &whole).unwrap();
            assert_eq!(codes(), known, "{length}");
            other.keep_token("bot-1", "a-token");
            assert_eq!(open().player("bot-1", &SystemChance).token.as_deref(), Some("a-token"), "{length}");
            assert_eq!(codes(), known, "{length}");
            std::fs::write(&path, &whole).unwrap();
        }
    }

    #[test]
    fn another_file_is_refused_without_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bots.jsonl");
        for text in ["a-long-secret\n", "{\"a-long-secret\":"] {
            std::fs::write(&path, text).unwrap();
            let refused = TokenFile::open(&path, SERVER).err().unwrap().to_string();
            assert!(refused.contains("bots.jsonl") && !refused.contains("a-long-secret"), "{refused}");
        }
    }
}
