//! The search behind the balance, with a fixed budget: moves are proposed at random, from near the best starts to near the
//! worst, and those that bring the values nearer to the mean that the draw had are kept.

use std::ops::Range;

use starkeep_core_types::{ResourceKind, Rng};

use super::Draft;
use super::surroundings::{Start, Surroundings};
use crate::fairness::{COAL_REACH, weight};
use crate::resource::{NewDeposit, lies_in};
use crate::spec::Style;
use crate::terrain::{Ring, Slot};

/// Starts that are evened out together.
const GROUP: Start = 512;
/// How many values may be changed for each planet, in each of two passes.
const BUDGET_PER_PLANET: usize = 30;
/// In small worlds, which are quickly made, it may be so many in all, in each pass.
const SMALL_WORLD_BUDGET: usize = 60_000;
const MOST_PLAYERS_OF_SMALL_WORLD: u32 = 19;
/// So many starts are drawn, and the best or worst of them is taken.
const CANDIDATES: usize = 8;
/// So many planets are drawn to find one that fits.
const TRIES: usize = 12;
/// A value of 1 in the search: exact enough to compare moves by, and its squares fit into 64 bits.
const SEARCH_UNIT: i64 = 1 << 16;

pub(super) struct Search<'a> {
    surroundings: &'a Surroundings,
    rings: Vec<Ring>,
    is_symmetric: bool,
    /// In no order; a deposit keeps its place in the list when it moves.
    deposits: Vec<(Slot, ResourceKind)>,
    /// Of each planet, which of the deposits it holds.
    held: Vec<Option<u32>>,
    /// Of each start, in [`SEARCH_UNIT`]s.
    values: Vec<i64>,
    mean: i64,
    /// Of each start, how many deposits of coal are near.
    coal_near: Vec<u32>,
    /// Starts without coal near them.
    without_coal: usize,
    /// How many values may still be changed now.
    budget: usize,
    budget_of_pass: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        draft: &Draft<'_>,
        surroundings: &'a Surroundings,
        starts: usize,
        deposits: &[NewDeposit],
    ) -> Self {
        let &Draft { spec, side, planets, .. } = draft;
        let mut search = Self {
            surroundings,
            rings: planets.iter().map(|planet| planet.ring(side)).collect(),
            is_symmetric: spec.style == Style::Symmetric,
            deposits: deposits.iter().map(|deposit| (deposit.slot, deposit.kind)).collect(),
            held: vec![None; planets.len()],
            values: vec![0; starts],
            mean: 0,
            coal_near: vec![0; starts],
            without_coal: starts,
            budget: 0,
            budget_of_pass: if spec.players <= MOST_PLAYERS_OF_SMALL_WORLD {
                SMALL_WORLD_BUDGET
            } else {
                planets.len() * BUDGET_PER_PLANET
            },
        };
        for (number, deposit) in (0..).zip(deposits) {
            search.held[deposit.slot as usize] = Some(number);
            search.change_values(deposit.slot, deposit.kind, 1);
        }
        search.mean = search.values.iter().sum::<i64>() / i64::try_from(starts.max(1)).expect("far fewer");
        search
    }

    /// How many starts have no coal near them.
    pub(super) fn without_coal(&self) -> usize {
        self.without_coal
    }

    /// Where everything lies now, in no order.
    pub(super) fn into_deposits(self) -> Vec<(Slot, ResourceKind)> {
        self.deposits
    }

    /// Moves coal to the starts that have none near.
    pub(super) fn bring_coal_near(&mut self, rng: &mut Rng) {
        for start in (0..).take(self.values.len()) {
            for _ in 0..TRIES * TRIES {
                if self.coal_near[start as usize] > 0 {
                    break;
                }
                let number = rng.index(self.deposits.len());
                let place = self.free_place_near(start, ResourceKind::Coal, COAL_REACH, rng);
                if let Some(place) = place.filter(|_| self.deposits[number].1 == ResourceKind::Coal) {
                    let before = self.without_coal;
                    let from = self.deposits[number].0;
                    self.move_pair(number, place);
                    if self.without_coal >= before {
                        self.move_pair(number, from);
                    }
                }
            }
        }
    }

    /// Group by group, twice: what a group needs is near in memory, and between the passes the groups shift by a half, so
    /// that deposits can move on.
    pub(super) fn even_out(&mut self, rng: &mut Rng) {
        let starts = Start::try_from(self.values.len()).expect("fewer starts than slots");
        for shift in [0, GROUP / 2] {
            let mut first = 0;
            while first < starts {
                let end = if first == 0 && shift > 0 { shift } else { first + GROUP };
                let group = first..end.min(starts);
                self.even_out_group(&group, rng);
                first = group.end;
            }
        }
    }

    fn even_out_group(&mut self, group: &Range<Start>, rng: &mut Rng) {
        self.budget = self.budget_of_pass * group.len() / self.values.len();
        while self.budget > 0 {
            // Whatever is proposed costs something, so that the search ends.
            self.budget -= 1;
            let (best, worst) = (self.best_of_some(group, rng), self.worst_of_some(group, rng));
            let (source, target) = match rng.below(3) {
                0 => (best, draw_start(group, rng)),
                1 => (draw_start(group, rng), worst),
                _ => (best, worst),
            };
            let Some(number) = self.deposit_near(source, rng) else { continue };
            let (from, kind) = self.deposits[number];
            let Some(place) = self.free_place_near(target, kind, u8::MAX, rng) else { continue };
            let before = self.without_coal;
            let change = self.move_pair(number, place);
            if change >= 0 || self.without_coal > before {
                self.move_pair(number, from);
            }
        }
    }

    fn best_of_some(&self, group: &Range<Start>, rng: &mut Rng) -> Start {
        draw_starts(group, rng)
            .into_iter()
            .max_by_key(|start| self.values[*start as usize])
            .expect("some were drawn")
    }

    fn worst_of_some(&self, group: &Range<Start>, rng: &mut Rng) -> Start {
        draw_starts(group, rng)
            .into_iter()
            .min_by_key(|start| self.values[*start as usize])
            .expect("some were drawn")
    }

    fn deposit_near(&self, start: Start, rng: &mut Rng) -> Option<usize> {
        let near = self.surroundings.of_start(start);
        let held = (0..TRIES).find_map(|_| self.held[rng.pick(near)?.number() as usize]);
        held.map(|number| number as usize)
    }

    fn free_place_near(&self, start: Start, kind: ResourceKind, most: u8, rng: &mut Rng) -> Option<Slot> {
        let near = self.surroundings.of_start(start);
        (0..TRIES).find_map(|_| {
            let near = rng.pick(near)?;
            (near.distance() <= most && self.is_free_for(near.number(), kind)).then_some(near.number())
        })
    }

    fn is_free_for(&self, slot: Slot, kind: ResourceKind) -> bool {
        let is_free = self.held[slot as usize].is_none() && lies_in(kind, self.rings[slot as usize]);
        is_free && self.twin(slot) != Some(slot)
    }

    /// Where the planet is after half a turn, in a symmetric world: slots count row by row, so it counts from the other end.
    fn twin(&self, slot: Slot) -> Option<Slot> {
        let last = Slot::try_from(self.rings.len() - 1).expect("a slot");
        self.is_symmetric.then(|| last - slot)
    }

    /// Moves a deposit and, in a symmetric world, its twin; how the squared differences from the mean changed.
    fn move_pair(&mut self, number: usize, to: Slot) -> i64 {
        let from = self.deposits[number].0;
        let twins = self.twin(from).zip(self.twin(to));
        let change = self.move_one(number, to);
        let twin_number = twins.and_then(|(from, _)| self.held[from as usize]);
        match twins.zip(twin_number) {
            Some(((_, to), number)) => change + self.move_one(number as usize, to),
            None => change,
        }
    }

    fn move_one(&mut self, number: usize, to: Slot) -> i64 {
        let (from, kind) = self.deposits[number];
        self.deposits[number].0 = to;
        self.held[to as usize] = self.held[from as usize].take();
        self.change_values(from, kind, -1) + self.change_values(to, kind, 1)
    }

    /// Adds a deposit to the values around it, or takes it out; how the squared differences from the mean changed.
    fn change_values(&mut self, slot: Slot, kind: ResourceKind, sign: i64) -> i64 {
        let near = self.surroundings.of_planet(slot);
        let worth = i64::try_from(weight(kind)).expect("a small number") * SEARCH_UNIT * sign;
        let mut change = 0;
        for near in near {
            let value = &mut self.values[near.number() as usize];
            let difference = worth / (1 + i64::from(near.distance()));
            change += difference * (2 * (*value - self.mean) + difference);
            *value += difference;
        }
        self.budget = self.budget.saturating_sub(near.len());
        if kind == ResourceKind::Coal {
            for near in near.iter().filter(|near| near.distance() <= COAL_REACH) {
                let count = &mut self.coal_near[near.number() as usize];
                if sign > 0 {
                    self.without_coal -= usize::from(*count == 0);
                    *count += 1;
                } else {
                    *count -= 1;
                    self.without_coal += usize::from(*count == 0);
                }
            }
        }
        change
    }
}

fn draw_starts(group: &Range<Start>, rng: &mut Rng) -> [Start; CANDIDATES] {
    [(); CANDIDATES].map(|()| draw_start(group, rng))
}

fn draw_start(group: &Range<Start>, rng: &mut Rng) -> Start {
    group.start + Start::try_from(rng.below(group.len() as u64)).expect("within the group")
}
