//! A world as it was made, as bytes, version 1: its planets and first deposits, and how fair its starts are. One value instead
//! of a row for each of 122,500 planets. Numbers are big-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version: 1 |
//! | 2 | side |
//! | 4 | number of planets, then each in slot order: id (16), x (2), y (2), kind (1: 0 default, 1 space station), movement difficulty (1) |
//! | 4 | number of deposits, then each by slot: slot (4), id (16), kind (1: position in `ResourceKind::ALL`), most (8), amount (8) |
//! | 1 | 0: the fairness is not known, and nothing follows. 1: it follows |
//! | 1 | connected: 0 or 1 |
//! | 4 | least distance between two stations; 0 if there is only one station |
//! | 16 | best and worst value before deposits were moved (8 each) |
//! | 8 each | the value of each station, in slot order |

use std::fmt;
use std::sync::Arc;

use imbl::OrdMap;
use jiff::Timestamp;
use starkeep_map_core::{
    Deposit, DepositId, Fairness, Planet, PlanetId, PlanetKind, ResourceKind, Slot, Spread, Terrain, World,
};
use uuid::Uuid;

const VERSION: u8 = 1;
const PLANET_BYTES: usize = 22;
const DEPOSIT_BYTES: usize = 37;

/// What of a world is stored in this form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MadeLayout {
    pub(crate) terrain: Arc<Terrain>,
    pub(crate) deposits: OrdMap<Slot, Deposit>,
    pub(crate) fairness: Option<Arc<Fairness>>,
}

/// Why bytes are no layout: no version of ours wrote them, or a newer one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadableLayout(String);

/// Of a world that nothing has happened to.
pub(crate) fn encode(world: &World) -> Vec<u8> {
    let terrain = &world.terrain;
    let values = world.fairness.as_ref().map_or(0, |fairness| fairness.values.len());
    let size =
        40 + PLANET_BYTES * terrain.planets().len() + DEPOSIT_BYTES * world.deposits.len() + 8 * values;
    let mut bytes = Vec::with_capacity(size);
    bytes.push(VERSION);
    bytes.extend(u16::try_from(terrain.side()).expect("a side is at most 1000").to_be_bytes());
    bytes.extend(count(terrain.planets().len()));
    for planet in terrain.planets() {
        bytes.extend(planet.id.0.as_bytes());
        bytes.extend(planet.x.to_be_bytes());
        bytes.extend(planet.y.to_be_bytes());
        bytes.push(u8::from(planet.kind == PlanetKind::SpaceStation));
        bytes.push(planet.movement_difficulty);
    }
    bytes.extend(count(world.deposits.len()));
    for (slot, deposit) in &world.deposits {
        bytes.extend(slot.to_be_bytes());
        bytes.extend(deposit.id.0.as_bytes());
        bytes.push(u8::try_from(deposit.kind.index()).expect("there are five kinds"));
        bytes.extend(deposit.max_amount.to_be_bytes());
        bytes.extend(deposit.current_amount.to_be_bytes());
    }
    encode_fairness(world.fairness.as_deref(), &mut bytes);
    bytes
}

fn encode_fairness(fairness: Option<&Fairness>, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(fairness.is_some()));
    let Some(Fairness { connected, least_distance, values, before }) = fairness else { return };
    bytes.push(u8::from(*connected));
    bytes.extend(least_distance.unwrap_or(0).to_be_bytes());
    bytes.extend(before.best.to_be_bytes());
    bytes.extend(before.worst.to_be_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
}

fn count(items: usize) -> [u8; 4] {
    u32::try_from(items).expect("slots are 32 bits").to_be_bytes()
}

/// The first deposits are as old as the world.
pub(crate) fn decode(bytes: &[u8], created_at: Timestamp) -> Result<MadeLayout, UnreadableLayout> {
    let mut bytes = Bytes(bytes);
    bytes.version()?;
    let side = u32::from(bytes.u16()?);
    let planets: Vec<Planet> = bytes.list(PLANET_BYTES, Bytes::planet)?;
    let place = |planet: &Planet| (planet.y, planet.x);
    let in_order = planets.is_sorted_by(|one, next| place(one) < place(next));
    let inside = planets.iter().all(|planet| u32::from(planet.x.max(planet.y)) < side);
    if !in_order || !inside {
        return Err(unreadable("its planets do not lie row by row in their square"));
    }
    let terrain = Terrain::new(side, planets);
    let deposits = bytes.list(DEPOSIT_BYTES, |bytes| bytes.deposit(created_at))?;
    if !deposits.is_sorted_by(|(one, _), (next, _)| one < next) {
        return Err(unreadable("its deposits are not in order"));
    }
    for (slot, deposit) in &deposits {
        check_deposit(&terrain, *slot, deposit)?;
    }
    let fairness = bytes.fairness(terrain.stations().count())?;
    match bytes.0 {
        [] => Ok(MadeLayout {
            terrain: Arc::new(terrain),
            deposits: deposits.into_iter().collect(),
            fairness: fairness.map(Arc::new),
        }),
        rest => Err(unreadable(format_args!("{} bytes are left", rest.len()))),
    }
}

/// Whether a planet is in a layout: looked up in its bytes, which is much faster than to make a world of them.
pub(crate) fn holds(bytes: &[u8], planet: PlanetId) -> Result<bool, UnreadableLayout> {
    let mut bytes = Bytes(bytes);
    bytes.version()?;
    bytes.u16()?;
    let count = bytes.u32()? as usize;
    let (planets, _) = bytes.0.as_chunks::<PLANET_BYTES>();
    Ok(planets.iter().take(count).any(|bytes| bytes.starts_with(planet.0.as_bytes())))
}

/// What a database without a row for each planet cannot check itself.
pub(crate) fn check_deposit(
    terrain: &Terrain,
    slot: Slot,
    deposit: &Deposit,
) -> Result<(), UnreadableLayout> {
    let planet = terrain.planets().get(slot as usize);
    if planet.is_none_or(|planet| planet.kind == PlanetKind::SpaceStation) {
        return Err(unreadable(format_args!("deposit {} lies in slot {slot}", deposit.id)));
    }
    if deposit.max_amount < 1 || !(0..=deposit.max_amount).contains(&deposit.current_amount) {
        let Deposit { current_amount, max_amount, .. } = deposit;
        return Err(unreadable(format_args!(
            "deposit {} holds {current_amount} of {max_amount}",
            deposit.id
        )));
    }
    Ok(())
}

pub(crate) fn unreadable(why: impl fmt::Display) -> UnreadableLayout {
    UnreadableLayout(why.to_string())
}

impl fmt::Display for UnreadableLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the layout cannot be read: {}", self.0)
    }
}

/// What has not been read yet.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], UnreadableLayout> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(|| unreadable("its end is missing"))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn version(&mut self) -> Result<(), UnreadableLayout> {
        match self.u8()? {
            VERSION => Ok(()),
            other => Err(unreadable(format_args!("it has version {other}"))),
        }
    }

    fn u8(&mut self) -> Result<u8, UnreadableLayout> {
        self.take().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, UnreadableLayout> {
        self.take().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32, UnreadableLayout> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, UnreadableLayout> {
        self.take().map(u64::from_be_bytes)
    }

    fn i64(&mut self) -> Result<i64, UnreadableLayout> {
        self.take().map(i64::from_be_bytes)
    }

    fn uuid(&mut self) -> Result<Uuid, UnreadableLayout> {
        self.take().map(Uuid::from_bytes)
    }

    fn flag(&mut self) -> Result<bool, UnreadableLayout> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(unreadable(format_args!("{other} is neither yes nor no"))),
        }
    }

    /// The number of items, then the items.
    fn list<T>(
        &mut self,
        item_bytes: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, UnreadableLayout>,
    ) -> Result<Vec<T>, UnreadableLayout> {
        let count = self.u32()? as usize;
        // Looked at before any room is made: a wrong number would ask for more memory than there is.
        if count.saturating_mul(item_bytes) > self.0.len() {
            return Err(unreadable("its end is missing"));
        }
        (0..count).map(|_| item(self)).collect()
    }

    fn planet(&mut self) -> Result<Planet, UnreadableLayout> {
        let (id, x, y) = (PlanetId(self.uuid()?), self.u16()?, self.u16()?);
        let kind = if self.flag()? { PlanetKind::SpaceStation } else { PlanetKind::Default };
        Ok(Planet { id, x, y, kind, movement_difficulty: self.u8()? })
    }

    fn deposit(&mut self, created_at: Timestamp) -> Result<(Slot, Deposit), UnreadableLayout> {
        let (slot, id, kind) = (self.u32()?, DepositId(self.uuid()?), self.u8()?);
        let kind = ResourceKind::ALL.get(usize::from(kind));
        let kind = *kind.ok_or_else(|| unreadable("a deposit has an unknown kind"))?;
        let full = Deposit::full(id, kind, self.i64()?, created_at);
        Ok((slot, Deposit { current_amount: self.i64()?, ..full }))
    }

    fn fairness(&mut self, stations: usize) -> Result<Option<Fairness>, UnreadableLayout> {
        if !self.flag()? {
            return Ok(None);
        }
        let connected = self.flag()?;
        let least_distance = Some(self.u32()?).filter(|distance| *distance > 0);
        let before = Spread { best: self.u64()?, worst: self.u64()? };
        let values = (0..stations).map(|_| self.u64()).collect::<Result<_, _>>()?;
        Ok(Some(Fairness { connected, least_distance, values, before }))
    }
}

#[cfg(test)]
mod tests;
