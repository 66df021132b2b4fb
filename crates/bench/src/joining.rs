//! Clients that register a player and let it join a game, again and again: half of the requests are registrations.
//! Which player joins is known only from the answer, so these requests are rendered while they are sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failure::{During, Failure};
use crate::http::{self, Answer};
use crate::load::Talk;
use crate::prepare::Player;

/// What the clients share.
pub(crate) struct Joins {
    address: SocketAddr,
    /// Open games, each with room for many players.
    games: Vec<String>,
    /// How many players have been named.
    players: AtomicU32,
}

/// As many join a game before the next one is used.
pub(crate) const PLAYERS_OF_A_GAME: u32 = 10_000;

impl Joins {
    pub(crate) fn new(address: SocketAddr, games: Vec<String>) -> Self {
        Self { address, games, players: AtomicU32::new(0) }
    }

    /// The number of a player who has no name yet.
    fn next(&self) -> Result<u32, Failure> {
        let number = self.players.fetch_add(1, Ordering::Relaxed);
        if number / PLAYERS_OF_A_GAME >= u32::try_from(self.games.len()).unwrap_or(u32::MAX) {
            return Err(Failure::new("every game is full"));
        }
        Ok(number)
    }

    fn registration(&self, number: u32) -> Vec<u8> {
        let body = format!(r#"{{"name":"joining {number}","email":"{number}@joining.example.org"}}"#);
        http::post(self.address, "/players", &body)
    }
}

pub(crate) struct Joining {
    joins: Arc<Joins>,
    number: u32,
    is_registered: bool,
    request: Vec<u8>,
}

impl Joining {
    pub(crate) fn new(joins: Arc<Joins>) -> Result<Self, Failure> {
        let number = joins.next()?;
        Ok(Self { request: joins.registration(number), number, is_registered: false, joins })
    }
}

impl Talk for Joining {
    fn request(&mut self) -> &[u8] {
        &self.request
    }

    fn answered(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        if self.is_registered {
            answer.must_be(200)?;
            self.number = self.joins.next()?;
            self.request = self.joins.registration(self.number);
        } else {
            answer.must_be(201)?;
            let player: Player = serde_json::from_slice(answer.body).during("reading the new player")?;
            let game = &self.joins.games[(self.number / PLAYERS_OF_A_GAME) as usize];
            let path = format!("/games/{game}/players/{}", player.token);
            self.request = http::put(self.joins.address, &path, "");
        }
        self.is_registered = !self.is_registered;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_registered_and_joins_before_the_next_one() {
        let joins = Arc::new(Joins::new(SocketAddr::from(([127, 0, 0, 1], 7)), vec!["g".to_owned()]));
        let mut one = Joining::new(joins.clone()).unwrap();
        let begins = |talk: &mut Joining, with: &str| talk.request().starts_with(with.as_bytes());
        assert!(begins(&mut one, "POST /players "));
        let registered = Answer { status: 201, content_type: "", body: br#"{"playerId":"p","bearerToken":"t"}"# };
        one.answered(&registered).unwrap();
        assert!(begins(&mut one, "PUT /games/g/players/t "));
        one.answered(&Answer { status: 200, content_type: "", body: b"" }).unwrap();
        assert!(begins(&mut one, "POST /players "));
        assert_eq!(joins.players.load(Ordering::Relaxed), 2);
        assert!(one.answered(&Answer { status: 409, content_type: "", body: b"" }).is_err());
    }
}
