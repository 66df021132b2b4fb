//! Clients that register a player and let it join a game, again and again: half of the requests are registrations.
//! Which player joins is known only from the answer, so these requests are rendered while they are sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::Deserialize;

use crate::failure::{During, Failure};
use crate::http::{self, Answer};
use crate::load::Talk;
use crate::prepare::Player;

/// As many join a game before the client makes the next one, which is one request in two hundred.
const PLAYERS_OF_A_GAME: u32 = 100;

/// What the client waits for.
enum Step {
    Game,
    Registration { joined: u32 },
    Join { joined: u32 },
}

pub(crate) struct Joining {
    address: SocketAddr,
    /// How many players have a name already, of all clients.
    named: Arc<AtomicU32>,
    game: String,
    step: Step,
    request: Vec<u8>,
}

#[derive(Deserialize)]
struct Game {
    #[serde(rename = "gameId")]
    id: String,
}

impl Joining {
    pub(crate) fn new(address: SocketAddr, named: Arc<AtomicU32>) -> Self {
        Self { request: new_game(address), address, named, game: String::new(), step: Step::Game }
    }

    fn registration(&self) -> Vec<u8> {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"name":"joining {number}","email":"{number}@joining.example.org"}}"#);
        http::post(self.address, "/players", &body)
    }
}

fn new_game(address: SocketAddr) -> Vec<u8> {
    http::post(address, "/games", &format!(r#"{{"maxRounds":1,"maxPlayers":{PLAYERS_OF_A_GAME}}}"#))
}

impl Talk for Joining {
    fn request(&mut self) -> &[u8] {
        &self.request
    }

    fn answered(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        self.step = match self.step {
            Step::Game => {
                answer.must_be(201)?;
                let game: Game = serde_json::from_slice(answer.body).during("reading the new game")?;
                self.game = game.id;
                self.request = self.registration();
                Step::Registration { joined: 0 }
            }
            Step::Registration { joined } => {
                answer.must_be(201)?;
                let player: Player = serde_json::from_slice(answer.body).during("reading the new player")?;
                let path = format!("/games/{}/players/{}", self.game, player.token);
                self.request = http::put(self.address, &path, "");
                Step::Join { joined }
            }
            Step::Join { joined } => {
                answer.must_be(200)?;
                if joined + 1 < PLAYERS_OF_A_GAME {
                    self.request = self.registration();
                    Step::Registration { joined: joined + 1 }
                } else {
                    self.request = new_game(self.address);
                    Step::Game
                }
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_registered_and_join_one_by_one_until_the_game_is_full() {
        let named = Arc::new(AtomicU32::new(0));
        let mut client = Joining::new(SocketAddr::from(([127, 0, 0, 1], 7)), named.clone());
        let answer = |status, body: &'static str| Answer { status, content_type: "", body: body.as_bytes() };
        let begins = |client: &mut Joining, with: &str| client.request().starts_with(with.as_bytes());
        for game in 0..2 {
            assert!(begins(&mut client, "POST /games "), "game {game}");
            client.answered(&answer(201, r#"{"gameId":"g"}"#)).unwrap();
            for _ in 0..PLAYERS_OF_A_GAME {
                assert!(begins(&mut client, "POST /players "));
                client.answered(&answer(201, r#"{"playerId":"p","bearerToken":"t"}"#)).unwrap();
                assert!(begins(&mut client, "PUT /games/g/players/t "));
                client.answered(&answer(200, "")).unwrap();
            }
        }
        assert_eq!(named.load(Ordering::Relaxed), 2 * PLAYERS_OF_A_GAME);
        assert!(client.answered(&answer(409, "")).is_err());
    }
}
