//! Whether each game is linearisable: the log says in which order it was joined, started, played and ended, and every answer must be
//! explained by that order, which must agree with who was answered before somebody else asked.

use std::collections::BTreeMap;

use serde_json::Value;
use starkeep_clock::Monotonic;

use super::Violations;
use super::order::{Seen, check_order};
use crate::records::{Acknowledged, GameChange, GameState, GameStatus};

/// The history of each game in the log.
#[derive(Default)]
pub(super) struct Games(BTreeMap<String, Vec<Step>>);

/// An event that changes what is shown of a game.
#[derive(Clone, Debug)]
struct Step {
    /// Where a client has done it.
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
            let before = steps.last().map(|step| step.state).unwrap_or_default();
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
                    let change = Some(GameChange::Join { player });
                    Step { change, state: GameState { players: before.players + 1, ..before } }
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
                let place =
                    place.ok_or_else(|| format!("{change:?} was acknowledged and is not in the log"))?;
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
    // When the last of the first so many was asked for. Rounds come by themselves, and games may end by themselves.
    let mut asked = vec![Monotonic(0)];
    for step in steps {
        let invoked = step.change.clone().and_then(|change| asked_for.get(&(game.to_owned(), change)));
        if let (None, Some(change @ (GameChange::Join { .. } | GameChange::Start))) = (invoked, &step.change)
        {
            return Err(format!("nobody asked for {change:?}"));
        }
        asked.push(asked[asked.len() - 1].max(invoked.copied().unwrap_or(Monotonic(0))));
    }
    check_order(seen, &asked)
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

    fn read(status: &str, round: u64, players: usize, invoked: u64, returned: u64) -> Acknowledged {
        let seen = GameState { status: GameStatus::of(&status.into()), round, players };
        Acknowledged::GameRead { game: GAME.to_owned(), seen, span: span(invoked, returned) }
    }

    /// Joined by two who asked at 10 and 20, started by one who asked at 30, and in its second round.
    fn is_explained(told: &[Acknowledged]) -> bool {
        let event = |channel: &str, payload: Value| {
            let mut event = json!({ "channel": channel, "payload": payload });
            event["payload"]["gameId"] = GAME.into();
            event
        };
        let events = [
            event("status", json!({ "status": "created" })),
            event("gameRoster", json!({ "change": "joined", "playerId": "a" })),
            event("gameRoster", json!({ "change": "joined", "playerId": "b" })),
            event("status", json!({ "status": "started" })),
            event("roundStatus", json!({ "roundNumber": 1, "roundStatus": "started" })),
            event("roundStatus", json!({ "roundNumber": 1, "roundStatus": "ended" })),
            event("roundStatus", json!({ "roundNumber": 2, "roundStatus": "started" })),
        ];
        let (mut games, mut violations) = (Games::default(), Violations::default());
        games.follow(&events);
        let asked = [(join("a"), 10), (join("b"), 20), (GameChange::Start, 30)];
        let asked_for =
            asked.into_iter().map(|(change, at)| ((GAME.to_owned(), change), Monotonic(at))).collect();
        games.check_order(told, &asked_for, &mut violations);
        violations.count == 0
    }

    #[test]
    fn what_agrees_with_the_order_of_the_log_is_explained() {
        assert!(is_explained(&[
            changed(join("a"), 10, 15),
            read("created", 0, 1, 16, 17),
            changed(join("b"), 20, 25),
            changed(GameChange::Start, 30, 35),
            read("running", 1, 2, 36, 37),
            read("running", 2, 2, 38, 39),
        ]));
        // Overlapping calls may be seen in any order.
        assert!(is_explained(&[changed(GameChange::Start, 30, 50), read("created", 0, 2, 40, 45)]));
        // One whose answer was lost took place all the same.
        assert!(is_explained(&[read("created", 0, 1, 40, 41)]));
    }

    #[test]
    fn stale_reads_and_what_never_was_are_not() {
        let joined = changed(join("a"), 10, 15);
        assert!(!is_explained(&[joined, read("created", 0, 0, 16, 17)]), "a stale read");
        let started = changed(GameChange::Start, 30, 35);
        assert!(!is_explained(&[started, changed(join("b"), 40, 45)]), "against the order of time");
        let rounds = [read("running", 2, 2, 40, 41), read("running", 1, 2, 42, 43)];
        assert!(!is_explained(&rounds), "a round that goes back");
        assert!(!is_explained(&[read("created", 0, 3, 40, 41)]), "what it never was");
        assert!(!is_explained(&[read("created", 0, 2, 11, 19)]), "seen before it was asked for");
        assert!(!is_explained(&[changed(join("c"), 40, 41)]), "a join that is not in the log");
    }
}
