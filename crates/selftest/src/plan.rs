//! The faults of a run, drawn from its seed before it begins: so many kills, and other faults between them.

use starkeep_fault_harness::Chance;

use crate::load::ROUND_MILLIS;
use crate::targets::SERVICES;

/// After so many kills there is one fault of each other kind, in a drawn order.
const KILLS_BETWEEN: u32 = 10;

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// So many acknowledgements after the services were well again.
    pub(crate) after: u64,
    /// Then at an instant of its own.
    pub(crate) micros: u64,
    pub(crate) harm: Harm,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    /// SIGKILL. What is behind the last commit in the write-ahead logs is torn afterwards; the wall clock is another when they are
    /// back, by so many seconds.
    Kill { services: Vec<&'static str>, torn: bool, clock_shift: i64 },
    /// SIGTERM.
    Stop { service: &'static str },
    /// SIGSTOP for so long.
    Freeze { service: &'static str, millis: u64 },
    /// No file grows for so long.
    DiskFull { service: &'static str, millis: u64 },
    /// What the other services send to it, or are answered, is swallowed, slowed down or cut.
    BadLink { service: &'static str, kind: LinkFault, millis: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkFault {
    Swallowing,
    Slow,
    Cut,
}

/// What is counted of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    Kill,
    KillWithTornTail,
    KillWithOtherClock,
    Stop,
    Freeze,
    DiskFull,
    LinkSwallows,
    LinkSlow,
    LinkCut,
}

impl FaultKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Kill => "killed (SIGKILL)",
            Self::KillWithTornTail => "killed, and the tail of the write-ahead log torn",
            Self::KillWithOtherClock => "killed, and the wall clock set",
            Self::Stop => "stopped (SIGTERM)",
            Self::Freeze => "frozen for longer than a round (SIGSTOP)",
            Self::DiskFull => "disk full",
            Self::LinkSwallows => "partitioned: the link swallows",
            Self::LinkSlow => "partitioned: the link is slow",
            Self::LinkCut => "partitioned: the link is cut",
        }
    }
}

impl Harm {
    pub(crate) fn kind(&self) -> FaultKind {
        match self {
            Self::Kill { torn: true, .. } => FaultKind::KillWithTornTail,
            Self::Kill { clock_shift: 0, .. } => FaultKind::Kill,
            Self::Kill { .. } => FaultKind::KillWithOtherClock,
            Self::Stop { .. } => FaultKind::Stop,
            Self::Freeze { .. } => FaultKind::Freeze,
            Self::DiskFull { .. } => FaultKind::DiskFull,
            Self::BadLink { kind: LinkFault::Swallowing, .. } => FaultKind::LinkSwallows,
            Self::BadLink { kind: LinkFault::Slow, .. } => FaultKind::LinkSlow,
            Self::BadLink { kind: LinkFault::Cut, .. } => FaultKind::LinkCut,
        }
    }
}

/// `has_files`: what is done to files can be done.
pub(crate) fn draw(kills: u32, has_files: bool, chance: &mut Chance) -> Vec<Fault> {
    let mut faults = Vec::new();
    for number in 1..=kills {
        let harm = kill(has_files, chance);
        faults.push(at_an_instant(harm, chance));
        if number % KILLS_BETWEEN == KILLS_BETWEEN.min(kills) % KILLS_BETWEEN {
            let mut others = others(has_files, chance);
            while !others.is_empty() {
                let place = chance.draw(&(0..=others.len() as u64 - 1));
                let harm = others.swap_remove(usize::try_from(place).unwrap_or(0));
                faults.push(at_an_instant(harm, chance));
            }
        }
    }
    faults
}

fn at_an_instant(harm: Harm, chance: &mut Chance) -> Fault {
    Fault { after: chance.draw(&(40..=160)), micros: chance.draw(&(0..=20_000)), harm }
}

fn kill(has_files: bool, chance: &mut Chance) -> Harm {
    let services = if chance.one_in(4) { SERVICES.to_vec() } else { vec![*chance.pick(&SERVICES)] };
    let torn = has_files && chance.one_in(3);
    let clock_shift = match chance.draw(&(0..=5)) {
        0 if !torn => i64::try_from(chance.draw(&(1..=86_400))).unwrap_or(0),
        1 if !torn => -i64::try_from(chance.draw(&(1..=86_400))).unwrap_or(0),
        _ => 0,
    };
    Harm::Kill { services, torn, clock_shift }
}

fn others(has_files: bool, chance: &mut Chance) -> Vec<Harm> {
    let mut service = || *chance.pick(&SERVICES);
    let mut others = vec![
        Harm::Stop { service: service() },
        Harm::Freeze { service: service(), millis: ROUND_MILLIS + 500 },
        Harm::BadLink { service: service(), kind: LinkFault::Swallowing, millis: 700 },
        Harm::BadLink { service: service(), kind: LinkFault::Slow, millis: 700 },
        Harm::BadLink { service: service(), kind: LinkFault::Cut, millis: 700 },
    ];
    if has_files {
        others.push(Harm::DiskFull { service: service(), millis: 400 });
    }
    others
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_plan_is_the_same_for_its_seed_and_has_all_kinds_of_faults() {
        let plan = |seed| draw(60, true, &mut Chance(seed));
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
        let kinds: BTreeSet<_> = plan(1).iter().map(|fault| fault.harm.kind()).collect();
        assert_eq!(kinds.len(), 9);
        let kills = plan(1).iter().filter(|fault| matches!(fault.harm, Harm::Kill { .. })).count();
        assert_eq!(kills, 60);
    }

    #[test]
    fn even_a_short_plan_has_more_than_kills_and_files_are_left_alone_where_there_are_none() {
        for kills in 1..30 {
            let others = draw(kills, false, &mut Chance(kills.into())).len() - kills as usize;
            assert_eq!(others, 5 * (kills as usize / 10).max(1), "{kills}");
        }
        let plan = draw(200, false, &mut Chance(1));
        assert!(plan.iter().all(|fault| {
            ![FaultKind::DiskFull, FaultKind::KillWithTornTail].contains(&fault.harm.kind())
        }));
    }
}
