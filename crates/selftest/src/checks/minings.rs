//! Whether each planet of the miners is linearisable: the log says in which order the minings took place, and every answer must be
//! explained by that order, which must agree with who was answered before somebody else asked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use starkeep_clock::Monotonic;
use uuid::Uuid;

use super::Violations;
use super::order::{Seen, check_seen};
use crate::records::{Acknowledged, Operation};

/// The minings in the log, by planet.
#[derive(Default)]
pub(super) struct Minings {
    planets: BTreeMap<String, Vec<LoggedMining>>,
    logged: BTreeSet<Uuid>,
}

#[derive(Clone, Copy, Debug)]
struct LoggedMining {
    transaction: Uuid,
    mined: i64,
    left: i64,
}

impl Minings {
    /// Of these planets; the others are mined by robots.
    pub(super) fn of(planets: &[String]) -> Self {
        let planets = planets.iter().map(|planet| (planet.clone(), Vec::new())).collect();
        Self { planets, logged: BTreeSet::new() }
    }

    pub(super) fn follow(&mut self, events: &[Value], violations: &mut Violations) {
        for event in events.iter().filter(|event| event["channel"] == "resource-mined") {
            let payload = &event["payload"];
            let planet = payload["planet_id"].as_str().unwrap_or_default();
            let Some(minings) = self.planets.get_mut(planet) else { continue };
            let transaction = payload["transaction_id"].as_str().and_then(|id| Uuid::try_parse(id).ok());
            let number = |name: &str| payload[name].as_i64();
            let (Some(transaction), Some(mined), Some(left)) =
                (transaction, number("amount_mined"), number("amount_left"))
            else {
                violations.add(format!("a mining that nobody asked for: {payload}"));
                continue;
            };
            if minings.last().is_some_and(|last| last.left - mined != left) {
                violations.add(format!("planet {planet} does not add up at mining {transaction}"));
            }
            if !self.logged.insert(transaction) {
                violations.doubled(Operation::Mining, format!("mining {transaction} took place twice"));
            }
            minings.push(LoggedMining { transaction, mined, left });
        }
    }

    pub(super) fn check_kept(&self, acknowledged: &[Acknowledged], violations: &mut Violations) {
        for entry in acknowledged {
            if let Acknowledged::Mining { transaction, .. } = entry
                && !self.logged.contains(transaction)
            {
                let sentence = format!("mining {transaction} was acknowledged and is not in the log");
                violations.lost(Operation::Mining, sentence);
            }
        }
    }

    /// Who is told that nothing was changed may do it another way.
    pub(super) fn check_not_done(&self, not_done: &[Uuid], violations: &mut Violations) {
        for transaction in not_done.iter().filter(|transaction| self.logged.contains(transaction)) {
            let sentence = format!("mining {transaction} was told as not done, and took place");
            violations.doubled(Operation::Mining, sentence);
        }
    }

    /// `asked_for`: when each mining was asked for, whatever came of it.
    pub(super) fn check_order(
        &self,
        acknowledged: &[Acknowledged],
        asked_for: &BTreeMap<Uuid, Monotonic>,
        violations: &mut Violations,
    ) {
        for (planet, minings) in &self.planets {
            let of_planet = |entry: &&Acknowledged| match entry {
                Acknowledged::Mining { planet: other, .. }
                | Acknowledged::PlanetRead { planet: other, .. } => other == planet,
                _ => false,
            };
            let told: Vec<_> = acknowledged.iter().filter(of_planet).collect();
            if let Err(sentence) = explain(minings, &told, asked_for) {
                violations.add(format!("planet {planet} is not linearisable: {sentence}"));
            }
        }
    }
}

fn explain(
    minings: &[LoggedMining],
    told: &[&Acknowledged],
    asked_for: &BTreeMap<Uuid, Monotonic>,
) -> Result<(), String> {
    let places: BTreeMap<_, _> =
        minings.iter().enumerate().map(|(place, mining)| (mining.transaction, place)).collect();
    let states = States::of(minings);
    let mut seen = Vec::new();
    for entry in told {
        match entry {
            Acknowledged::Mining { transaction, mined, left, span, .. } => {
                // One that is missing is told as lost.
                let Some(place) = places.get(transaction) else { continue };
                let logged = minings[*place];
                if (logged.mined, logged.left) != (*mined, *left) {
                    return Err(format!(
                        "{transaction} was answered with {mined} and {left}, and is {logged:?}"
                    ));
                }
                seen.push(Seen { span: *span, after: (place + 1, place + 1) });
            }
            // Where nothing was ever mined, nothing is known of what it held.
            Acknowledged::PlanetRead { amount, span, .. } if !minings.is_empty() => {
                let Some(after) = states.with(*amount) else {
                    return Err(format!("{amount} was read, which it never held"));
                };
                seen.push(Seen { span: *span, after });
            }
            _ => {}
        }
    }
    // When the last of the first so many was asked for.
    let mut asked = vec![Monotonic(0)];
    for mining in minings {
        let Some(invoked) = asked_for.get(&mining.transaction) else {
            return Err(format!("nobody asked for {}", mining.transaction));
        };
        asked.push(asked[asked.len() - 1].max(*invoked));
    }
    check_seen(seen, &asked)
}

/// What the planet held before the first mining and after each: never more than before.
struct States(Vec<i64>);

impl States {
    fn of(minings: &[LoggedMining]) -> Self {
        let first = minings.first().map(|first| first.left + first.mined);
        Self(first.into_iter().chain(minings.iter().map(|mining| mining.left)).collect())
    }

    /// After how many minings it held so much: at least, and at most.
    fn with(&self, amount: i64) -> Option<(usize, usize)> {
        let first = self.0.partition_point(|held| *held > amount);
        let behind = self.0.partition_point(|held| *held >= amount);
        (first < behind).then(|| (first, behind - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Span;

    const PLANET: &str = "p";

    fn span(invoked: u64, returned: u64) -> Span {
        Span { invoked: Monotonic(invoked), returned: Monotonic(returned) }
    }

    fn mining(number: u128, left: i64, invoked: u64, returned: u64) -> Acknowledged {
        let (transaction, planet) = (Uuid::from_u128(number), PLANET.to_owned());
        Acknowledged::Mining { transaction, planet, mined: 1, left, span: span(invoked, returned) }
    }

    fn read(amount: i64, invoked: u64, returned: u64) -> Acknowledged {
        Acknowledged::PlanetRead { planet: PLANET.to_owned(), amount, span: span(invoked, returned) }
    }

    /// Three minings, one after the other, asked for at 10, 20 and 30.
    fn is_explained(told: &[Acknowledged]) -> bool {
        let logged = |number| LoggedMining {
            transaction: Uuid::from_u128(number),
            mined: 1,
            left: 10 - i64::try_from(number).unwrap_or(0),
        };
        let minings: Vec<_> = (1..=3).map(logged).collect();
        let asked_for =
            (1..=3).map(|number: u64| (Uuid::from_u64_pair(0, number), Monotonic(number * 10))).collect();
        explain(&minings, &told.iter().collect::<Vec<_>>(), &asked_for).is_ok()
    }

    #[test]
    fn what_agrees_with_the_order_of_the_log_is_explained() {
        assert!(is_explained(&[mining(1, 9, 10, 15), mining(2, 8, 20, 25), mining(3, 7, 30, 35)]));
        // Overlapping calls may be seen in any order.
        assert!(is_explained(&[
            mining(2, 8, 20, 50),
            mining(3, 7, 30, 35),
            read(10, 5, 40),
            read(8, 28, 33)
        ]));
        // One whose answer was lost took place all the same.
        assert!(is_explained(&[mining(1, 9, 10, 15), read(7, 40, 41)]));
    }

    #[test]
    fn stale_reads_and_other_answers_are_not() {
        let first = mining(1, 9, 10, 15);
        assert!(!is_explained(&[first.clone(), read(10, 16, 17)]), "a stale read");
        assert!(!is_explained(&[mining(3, 7, 30, 35), mining(2, 8, 40, 45)]), "against the order of time");
        assert!(!is_explained(&[read(6, 40, 41)]), "what it never held");
        assert!(!is_explained(&[mining(1, 8, 10, 15)]), "another amount than the log says");
        assert!(!is_explained(&[read(9, 1, 5)]), "seen before it was asked for");
        assert!(!is_explained(&[read(8, 25, 26), read(9, 27, 28)]), "a read that goes back");
    }
}
