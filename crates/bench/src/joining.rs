//! Clients that register a player and let it join a game, again and again: half of the requests are registrations.
//! Which player joins is known only from the answer, so these requests are rendered while they are sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failure::{During, Failure};
use crate::http::{self, Answer};
use crate::load::Talk;
use crate::prepare::Player;

/// What the games are made for. A larger one takes longer to make.
pub(crate) const GAME: &str = r#"{"maxRounds":1,"maxPlayers":200}"#;
const PLAYERS_OF_A_GAME: u32 = 200;

/// More than are filled in the longest run.
pub(crate) const GAMES: u32 = 200;

pub(crate) struct Joining {
    address: SocketAddr,
    /// How many players have a name already, of all clients.
    named: Arc<AtomicU32>,
    /// Filled one after the other.
    games: Arc<[String]>,
    /// Of the player who is about to join.
    number: u32,
    is_registered: bool,
    request: Vec<u8>,
}

impl Joining {
    pub(crate) fn new(address: SocketAddr, named: Arc<AtomicU32>, games: Arc<[String]>) -> Self {
        let mut client = Self { address, named, games, number: 0, is_registered: false, request: Vec::new() };
        client.register_next();
        client
    }

    fn register_next(&mut self) {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"name":"joining {number}","email":"{number}@joining.example.org"}}"#);
        self.request = http::post(self.address, "/players", &body);
        self.number = number;
    }
}

impl Talk for Joining {
    fn request(&mut self) -> &[u8] {
        &self.request
    }

    fn answered(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        if self.is_registered {
            answer.must_be(200)?;
            self.register_next();
        } else {
            answer.must_be(201)?;
            let player: Player = serde_json::from_slice(answer.body).during("reading the new player")?;
            let game = self.games.get((self.number / PLAYERS_OF_A_GAME) as usize);
            let game = game.ok_or_else(|| Failure::new("every game is full"))?;
            let path = format!("/games/{game}/players/{}", player.token);
            self.request = http::put(self.address, &path, "");
        }
        self.is_registered = !self.is_registered;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_player_is_registered_and_joins_before_the_next_one() {
        let named = Arc::new(AtomicU32::new(0));
        let address = SocketAddr::from(([127, 0, 0, 1], 7));
        let mut client = Joining::new(address, named.clone(), ["g".to_owned(), "h".to_owned()].into());
        let answer = |status, body: &'static str| Answer { status, content_type: "", body: body.as_bytes() };
        let begins = |client: &mut Joining, with: &str| client.request().starts_with(with.as_bytes());
        for number in 0..2 * PLAYERS_OF_A_GAME {
            assert!(begins(&mut client, "POST /players "));
            client.answered(&answer(201, r#"{"playerId":"p","bearerToken":"t"}"#)).unwrap();
            let game = if number < PLAYERS_OF_A_GAME { "g" } else { "h" };
            assert!(begins(&mut client, &format!("PUT /games/{game}/players/t ")), "player {number}");
            client.answered(&answer(200, "")).unwrap();
        }
        assert!(client.answered(&answer(409, "")).is_err());
        let full = client.answered(&answer(201, r#"{"playerId":"p","bearerToken":"t"}"#));
        assert_eq!(full.unwrap_err().to_string(), "every game is full");
    }
}
