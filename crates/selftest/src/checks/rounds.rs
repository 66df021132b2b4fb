//! Whether the life of every game is legal, by the events of the game service: created, started, rounds one after the other and whole,
//! ended; and never more games run than may.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Violations;
use crate::records::Operation;
use crate::targets::RUNNING_GAMES;

#[derive(Default)]
pub(super) struct Rounds {
    games: BTreeMap<String, Stage>,
    running: BTreeSet<String>,
    pub(super) played: u64,
}

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Created,
    /// Between two rounds; the number of the last one.
    Between(u64),
    Collecting(u64),
    Executing(u64),
    Ended,
}

impl Rounds {
    pub(super) fn follow(&mut self, events: &[Value], violations: &mut Violations) {
        for event in events {
            let payload = &event["payload"];
            let game = payload["gameId"].as_str().unwrap_or_default();
            match event["channel"].as_str() {
                Some("status") => self.status(game, &payload["status"], violations),
                Some("roundStatus") => {
                    let number = payload["roundNumber"].as_u64().unwrap_or_default();
                    self.round(game, number, &payload["roundStatus"], violations);
                }
                _ => {}
            }
        }
    }

    fn status(&mut self, game: &str, word: &Value, violations: &mut Violations) {
        let before = self.games.get(game).copied();
        let after = match (before, word.as_str()) {
            (None, Some("created")) => Stage::Created,
            (Some(Stage::Created), Some("started")) => {
                self.running.insert(game.to_owned());
                Stage::Between(0)
            }
            // A round that is under way is ended first.
            (Some(Stage::Created | Stage::Between(_)), Some("ended")) => {
                self.running.remove(game);
                Stage::Ended
            }
            (Some(_), Some(word)) => {
                let sentence = format!("game {game} was {word} when it was {before:?}");
                return violations.doubled(Operation::Game, sentence);
            }
            _ => return violations.add(format!("game {game} is told of as {word} first of all")),
        };
        self.games.insert(game.to_owned(), after);
        if self.running.len() > RUNNING_GAMES {
            violations.add(format!("{} games run, and {RUNNING_GAMES} may", self.running.len()));
        }
    }

    fn round(&mut self, game: &str, number: u64, word: &Value, violations: &mut Violations) {
        let before = self.games.get(game).copied();
        let after = match (before, word.as_str()) {
            (Some(Stage::Between(last)), Some("started")) if number == last + 1 => Stage::Collecting(number),
            (Some(Stage::Collecting(open)), Some("command input ended")) if number == open => {
                Stage::Executing(number)
            }
            (Some(Stage::Executing(open)), Some("ended")) if number == open => {
                self.played += 1;
                Stage::Between(number)
            }
            _ => return violations.add(format!("round {number} of game {game}: {word} after {before:?}")),
        };
        self.games.insert(game.to_owned(), after);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(game: &str, word: &str) -> Value {
        json!({ "channel": "status", "payload": { "gameId": game, "status": word } })
    }

    fn round(number: u64, word: &str) -> Value {
        let payload = json!({ "gameId": "a", "roundNumber": number, "roundStatus": word });
        json!({ "channel": "roundStatus", "payload": payload })
    }

    fn violations(events: &[Value]) -> u64 {
        let (mut rounds, mut violations) = (Rounds::default(), Violations::default());
        rounds.follow(events, &mut violations);
        violations.count
    }

    #[test]
    fn a_legal_game_is_none_and_every_change_of_it_is_one() {
        let legal = [
            status("a", "created"),
            status("a", "started"),
            round(1, "started"),
            round(1, "command input ended"),
            round(1, "ended"),
            round(2, "started"),
            round(2, "command input ended"),
            round(2, "ended"),
            status("a", "ended"),
        ];
        assert_eq!(violations(&legal), 0);
        for place in 0..legal.len() - 1 {
            let mut without = legal.to_vec();
            without.remove(place);
            assert!(violations(&without) > 0, "without {}", legal[place]);
            let mut twice = legal.to_vec();
            twice.insert(place, legal[place].clone());
            assert!(violations(&twice) > 0, "twice {}", legal[place]);
            let mut exchanged = legal.to_vec();
            exchanged.swap(place, place + 1);
            assert!(violations(&exchanged) > 0, "{} after its successor", legal[place]);
        }
    }

    #[test]
    fn more_games_than_may_run_are_one() {
        let games: Vec<_> = (0..=RUNNING_GAMES).map(|number| number.to_string()).collect();
        let started = |game: &String| [status(game, "created"), status(game, "started")];
        let events: Vec<_> = games.iter().flat_map(started).collect();
        assert_eq!(violations(&events), 1);
        assert_eq!(violations(&events[..2 * RUNNING_GAMES]), 0);
    }
}
