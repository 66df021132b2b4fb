//! Clients that register a player and let it join a game, again and again: half of the requests are registrations.
//! Which player joins is known only from the answer, so these requests are rendered while they are sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failure::{During, Failure};
use crate::http::{self, Answer};
use crate::load::Talk;
use crate::prepare::Player;

/// A game that is never full.
pub(crate) const GAME: &str = r#"{"maxRounds":1,"maxPlayers":10000}"#;

pub(crate) struct Joining {
    address: SocketAddr,
    /// How many players have a name already, of all clients.
    named: Arc<AtomicU32>,
    /// The client's own.
    game: String,
    is_registered: bool,
    request: Vec<u8>,
}

impl Joining {
    pub(crate) fn new(address: SocketAddr, named: Arc<AtomicU32>, game: String) -> Self {
        Self { request: registration(address, &named), address, named, game, is_registered: false }
    }
}

fn registration(address: SocketAddr, named: &AtomicU32) -> Vec<u8> {
    let number = named.fetch_add(1, Ordering::Relaxed);
    let body = format!(r#"{{"name":"joining {number}","email":"{number}@joining.example.org"}}"#);
    http::post(address, "/players", &body)
}

impl Talk for Joining {
    fn request(&mut self) -> &[u8] {
        &self.request
    }

    fn answered(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        if self.is_registered {
            answer.must_be(200)?;
            self.request = registration(self.address, &self.named);
        } else {
            answer.must_be(201)?;
            let player: Player = serde_json::from_slice(answer.body).during("reading the new player")?;
            let path = format!("/games/{}/players/{}", self.game, player.token);
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
        let mut client = Joining::new(address, named.clone(), "g".to_owned());
        let answer = |status, body: &'static str| Answer { status, content_type: "", body: body.as_bytes() };
        let begins = |client: &mut Joining, with: &str| client.request().starts_with(with.as_bytes());
        for _ in 0..2 {
            assert!(begins(&mut client, "POST /players "));
            client.answered(&answer(201, r#"{"playerId":"p","bearerToken":"t"}"#)).unwrap();
            assert!(begins(&mut client, "PUT /games/g/players/t "));
            client.answered(&answer(200, "")).unwrap();
        }
        assert_eq!(named.load(Ordering::Relaxed), 3, "the third is about to register");
        assert!(client.answered(&answer(409, "")).is_err());
    }
}
