//! Whether each game is linearisable: the log says in which order it was joined, started, played and ended, and every answer must be
//! explained by that order, which must agree with who was answered before somebody else asked.

use std::collections::BTreeMap;

use serde_json::Value;
use starkeep_clock::Monotonic;

use super::Violations;
use super::order::{Seen, check_seen};
use crate::records::{Acknowledged, GameChange, GameState, GameStatus};

/// The history of each game in the log.
#[derive(Default)]
pub(super) struct Games(BTreeMap<String, Vec<Step>>);

/// An event that changes what is shown of a game.
#[derive(Clone, Debug)]
struct Step {
    /// None where nobody asks for it, as for a round.
    change: Option<GameChange>,
    /// What is shown afterwards.
    state: GameState,
}

/// When each change was asked for first.
type AskedFor = BTreeMap<(String, GameChange), Monotonic>;

impl Games {
    pub(super) fn follow(&mut self, events: &[Value]) {
        for event in events {
            let payload = &event["payload"];
            let game = payload["gameId"].as_str().unwrap_or_default();
            let steps = self.0.entry(game.to_owned()).or_default();
            let before = steps.last().map(|step| step.state.clone()).unwrap_or_default();
            let step = match event["channel"].as_str() {
                Some("status") => {
                    let status = GameStatus::of(&payload["status"]);
                    let change = match status {
                        Some(GameStatus::Running) => Some(GameChange::Start),
                        Some(GameStatus::Ended) => Some(GameChange::End),
                        Some(GameStatus::Created) | None => None,
                    };
                    Step { change, state: GameState { status, ..before } }
                }
                Some("roundStatus") if payload["roundStatus"] == "started" => {
                    let round = payload["roundNumber"].as_u64().unwrap_or_default();
                    Step { change: None, state: GameState { round, ..before } }
                }
                Some("gameRoster") if payload["change"] == "joined" => {
                    let player = payload["playerId"].as_str().unwrap_or_default().to_owned();
                    let mut state = before;
                    state.players.insert(player.clone());
                    Step { change: Some(GameChange::Join { player }), state }
                }
                _ => continue,
            };
            steps.push(step);
        }
    }

    pub(super) fn check_order(
        &self,
        acknowledged: &[Acknowledged],
        asked_for: &AskedFor,
        violations: &mut Violations,
    ) {
        let mut told = BTreeMap::<&str, Vec<&Acknowledged>>::new();
        for entry in acknowledged {
            if let Acknowledged::GameChanged { game, .. } | Acknowledged::GameRead { game, .. } = entry {
                told.entry(game).or_default().push(entry);
            }
        }
        for (game, told) in told {
            let steps = self.0.get(game).map(Vec::as_slice).unwrap_or_default();
            if let Err(sentence) = explain(game, steps, &told, asked_for) {
                violations.add(format!("game {game} is not linearisable: {sentence}"));
            }
        }
    }
}

fn explain(game: &str, steps: &[Step], told: &[&Acknowledged], asked_for: &AskedFor) -> Result<(), String> {
    let mut seen = Vec::new();
    for entry in told {
        match entry {
            Acknowledged::GameChanged { change, span, .. } => {
                let place = steps.iter().position(|step| step.change.as_ref() == Some(change));
                // One that is missing is told as lost.
                let Some(place) = place else { continue };
                seen.push(Seen { span: *span, after: (place + 1, place + 1) });
            }
            Acknowledged::GameRead { seen: state, span, .. } => {
                let first = steps.iter().position(|step| step.state == *state);
                let last = steps.iter().rposition(|step| step.state == *state);
                let (Some(first), Some(last)) = (first, last) else {
                    return Err(format!("{state:?} was read, which it never was"));
                };
                seen.push(Seen { span: *span, after: (first + 1, last + 1) });
            }
            _ => {}
        }
    }
    // A game may have ended by itself before somebody asked for it.
    let is_end =
        |entry: &&Acknowledged| matches!(entry, Acknowledged::GameChanged { change: GameChange::End, .. });
    let is_ended_by_client = told.iter().any(is_end);
    // When the last of the first so many was asked for.
    let mut asked = vec![Monotonic(0)];
    for step in steps {
        let change = step.change.as_ref().filter(|change| **change != GameChange::End || is_ended_by_client);
        let invoked = change.map(|change| {
            let invoked = asked_for.get(&(game.to_owned(), change.clone()));
            invoked.copied().ok_or_else(|| format!("nobody asked for {change:?}"))
        });
        let invoked = invoked.transpose()?.unwrap_or(Monotonic(0));
        asked.push(asked[asked.len() - 1].max(invoked));
    }
    check_seen(seen, &asked)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::records::Span;

    const GAME: &str = "g";

    fn span(invoked: u64, returned: u64) -> Span {
        Span { invoked: Monotonic(invoked), returned: Monotonic(returned) }
    }

    fn join(player: &str) -> GameChange {
        GameChange::Join { player: player.to_owned() }
    }

    fn changed(change: GameChange, invoked: u64, returned: u64) -> Acknowledged {
        Acknowledged::GameChanged { game: GAME.to_owned(), change, span: span(invoked, returned) }
    }

    fn read(status: &str, round: u64, players: &[&str], invoked: u64, returned: u64) -> Acknowledged {
        let shown =
            json!({ "gameStatus": status, "currentRoundNumber": round, "participatingPlayers": players });
        let (game, seen) = (GAME.to_owned(), GameState::shown(&shown));
        Acknowledged::GameRead { game, seen, span: span(invoked, returned) }
    }

    fn event(channel: &str, mut payload: Value) -> Value {
        payload["gameId"] = GAME.into();
        json!({ "channel": channel, "payload": payload })
    }

    /// Joined by two who asked at 10 and 20, started and ended by those who asked at 30 and 60, with two rounds in between.
    fn sentences(told: &[Acknowledged], asked: &[(GameChange, u64)]) -> Vec<String> {
        let events = [
            event("status", json!({ "status": "created" })),
            event("gameRoster", json!({ "change": "joined", "playerId": "a" })),
            event("gameRoster", json!({ "change": "joined", "playerId": "b" })),
            event("status", json!({ "status": "started" })),
            event("roundStatus", json!({ "roundNumber": 1, "roundStatus": "started" })),
            event("roundStatus", json!({ "roundNumber": 1, "roundStatus": "ended" })),
            event("roundStatus", json!({ "roundNumber": 2, "roundStatus": "started" })),
            event("roundStatus", json!({ "roundNumber": 2, "roundStatus": "ended" })),
            event("status", json!({ "status": "ended" })),
        ];
        let (mut games, mut violations) = (Games::default(), Violations::default());
        games.follow(&events);
        let asked_for =
            asked.iter().map(|(change, at)| ((GAME.to_owned(), change.clone()), Monotonic(*at))).collect();
        games.check_order(told, &asked_for, &mut violations);
        violations.sentences
    }

    fn asked() -> [(GameChange, u64); 4] {
        [(join("a"), 10), (join("b"), 20), (GameChange::Start, 30), (GameChange::End, 60)]
    }

    fn is_explained(told: &[Acknowledged]) -> bool {
        sentences(told, &asked()).is_empty()
    }

    #[test]
    fn what_agrees_with_the_order_of_the_log_is_explained() {
        assert!(is_explained(&[
            changed(join("a"), 10, 15),
            read("created", 0, &["a"], 16, 17),
            changed(join("b"), 20, 25),
            changed(GameChange::Start, 30, 35),
            read("running", 1, &["a", "b"], 36, 37),
            read("running", 2, &["b", "a"], 38, 39),
            changed(GameChange::End, 60, 65),
            read("ended", 2, &["a", "b"], 66, 67),
        ]));
        // Overlapping calls may be seen in any order.
        assert!(is_explained(&[changed(GameChange::Start, 30, 50), read("created", 0, &["a", "b"], 40, 45)]));
        // One whose answer was lost took place all the same.
        assert!(is_explained(&[read("created", 0, &["a"], 40, 41)]));
        // It has ended by itself, and who asked for it afterwards was refused.
        assert!(is_explained(&[read("ended", 2, &["a", "b"], 50, 51)]));
    }

    #[test]
    fn stale_reads_and_what_never_was_are_not() {
        let joined = changed(join("a"), 10, 15);
        assert!(!is_explained(&[joined.clone(), read("created", 0, &[], 16, 17)]), "a stale read");
        assert!(!is_explained(&[joined, read("", 0, &[], 16, 17)]), "not found");
        let started = changed(GameChange::Start, 30, 35);
        assert!(!is_explained(&[started, changed(join("b"), 40, 45)]), "against the order of time");
        let rounds = [read("running", 2, &["a", "b"], 40, 41), read("running", 1, &["a", "b"], 42, 43)];
        assert!(!is_explained(&rounds), "a round that goes back");
        assert!(!is_explained(&[read("created", 0, &["b"], 40, 41)]), "what it never was");
        assert!(!is_explained(&[read("created", 0, &["a", "b"], 11, 19)]), "seen before it was asked for");
        let ended = [changed(GameChange::End, 60, 65), read("ended", 2, &["a", "b"], 50, 51)];
        assert!(!is_explained(&ended), "ended before somebody asked for it who ended it");
        let nobodys = sentences(&[read("created", 0, &["a"], 40, 41)], &asked()[1..]);
        assert_eq!(nobodys.len(), 1, "a join that nobody asked for: {nobodys:?}");
    }
}
