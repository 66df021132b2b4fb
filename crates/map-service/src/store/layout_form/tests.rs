//! What is written is read back, and what is damaged is refused.

use proptest::prelude::*;
use starkeep_map_core::{
    CustomDeposit, CustomPlanet, NewWorld, Nonce, Origin, PlanetWithoutId, ReplenishmentMode, WorldId,
    custom_layout,
};

use super::*;

fn made_of(planets: &[CustomPlanet]) -> World {
    let new = NewWorld {
        id: WorldId(Uuid::from_u128(0x0102_0304_0506 << 80)),
        player_amount: 1,
        round_amount: None,
        origin: Origin::Custom,
        replenishment: ReplenishmentMode::Automatic,
        seed: 1,
        nonce: Nonce::from_bits(1),
        id_seed: 1,
        created_at: Timestamp::UNIX_EPOCH,
    };
    World::create(&new, custom_layout(planets, 1).unwrap())
}

fn planet(x: u16, kind: PlanetKind, deposit: Option<CustomDeposit>) -> CustomPlanet {
    CustomPlanet { planet: PlanetWithoutId { x, y: 0, kind, movement_difficulty: 20 }, deposit }
}

fn small_world() -> World {
    let gold = CustomDeposit { kind: ResourceKind::Gold, max_amount: 500, current_amount: 3 };
    let (default, station) = (PlanetKind::Default, PlanetKind::SpaceStation);
    made_of(&[planet(0, default, Some(gold)), planet(1, station, None), planet(2, default, None)])
}

fn read_back(world: &World) -> Result<MadeLayout, UnreadableLayout> {
    decode(&encode(world), world.created_at)
}

fn of(world: &World) -> MadeLayout {
    let World { terrain, deposits, fairness, .. } = world.clone();
    MadeLayout { terrain, deposits, fairness }
}

/// These bytes are in databases and stay readable.
#[test]
fn version_1_is_written_as_it_always_was() {
    let world = small_world();
    let id = |slot: Slot| world.terrain.planet(slot).id.0.simple().to_string();
    let expected = [
        // Version, side, number of planets.
        "01 0003 00000003",
        // Id, x, y, kind, difficulty.
        &format!("{} 0000 0000 00 14", id(0)),
        &format!("{} 0001 0000 01 14", id(1)),
        &format!("{} 0002 0000 00 14", id(2)),
        // Number of deposits; slot, id, kind, most, amount.
        "00000001",
        &format!("00000000 {} 03 00000000000001f4 0000000000000003", world.deposits[&0].id.0.simple()),
        // Fairness is known, connected, one station; best, worst, and the station's value: gold at distance 20.
        "01 01 00000000 0000000005493180 0000000005493180 0000000005493180",
    ];
    let digits: String = expected.concat().replace(' ', "");
    let pairs = digits.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    let expected: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    assert_eq!(encode(&world), expected);
    assert_eq!(read_back(&world), Ok(of(&world)));
}

#[test]
fn a_world_whose_fairness_is_not_known_is_read_back() {
    let world = World { fairness: None, ..small_world() };
    assert_eq!(read_back(&world), Ok(of(&world)));
}

#[test]
fn whatever_is_missing_or_too_much_is_noticed() {
    let world = small_world();
    let whole = encode(&world);
    for length in 0..whole.len() {
        assert!(decode(&whole[..length], world.created_at).is_err(), "{length} bytes");
    }
    let longer = [&whole[..], &[0]].concat();
    let UnreadableLayout(why) = decode(&longer, world.created_at).unwrap_err();
    assert_eq!(why, "1 bytes are left");
}

#[test]
fn what_no_generator_made_is_refused() {
    // Where a byte stands, what it becomes, and what is said.
    let table = [
        (0, 2, "it has version 2"),
        (2, 2, "its planets do not lie row by row in their square"),
        // The second planet's x.
        (7 + 22 + 17, 0, "its planets do not lie row by row in their square"),
        (7 + 20, 2, "2 is neither yes nor no"),
        // More planets than there are bytes.
        (3, 255, "its end is missing"),
        // The deposit's slot: the station, and none.
        (7 + 3 * 22 + 4 + 3, 1, "lies in slot 1"),
        (7 + 3 * 22 + 4 + 3, 9, "lies in slot 9"),
        (7 + 3 * 22 + 4 + 20, 5, "a deposit has an unknown kind"),
        // The most it holds, the amount.
        (7 + 3 * 22 + 4 + 21, 255, "holds 3 of -"),
        (7 + 3 * 22 + 4 + 35, 2, "holds 515 of 500"),
        (7 + 3 * 22 + 4 + 29, 255, "holds -"),
    ];
    let world = small_world();
    for (place, byte, said) in table {
        let mut bytes = encode(&world);
        bytes[place] = byte;
        let UnreadableLayout(why) = decode(&bytes, world.created_at).unwrap_err();
        assert!(why.contains(said), "byte {place}: {why}");
    }
}

/// A row of planets, some with deposits; the first is a station.
fn worlds() -> impl Strategy<Value = World> {
    let deposit =
        (0..5_usize, 1..=1_000_000_000_000_i64, any::<u64>()).prop_map(|(kind, max_amount, part)| {
            let current_amount = (part.cast_signed() & i64::MAX) % max_amount;
            CustomDeposit { kind: ResourceKind::ALL[kind], max_amount, current_amount }
        });
    prop::collection::vec((prop::option::of(deposit), 1..=20_u8), 1..40).prop_map(|planets| {
        let planets = (0..).zip(planets).map(|(x, (deposit, movement_difficulty))| {
            let kind = PlanetKind::ALL[usize::from(x % 7 == 0)];
            let deposit = deposit.filter(|_| kind == PlanetKind::Default);
            CustomPlanet { planet: PlanetWithoutId { x, y: x / 2, kind, movement_difficulty }, deposit }
        });
        // Two steps to the east, one to the north: connected by filling the corners.
        let planets = planets.flat_map(|custom| {
            let mut corner = custom;
            corner.planet.y += 1;
            (corner.planet.kind, corner.deposit) = (PlanetKind::Default, None);
            [Some(custom), (custom.planet.x % 2 == 1).then_some(corner)]
        });
        made_of(&planets.flatten().collect::<Vec<_>>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_world_is_read_back(world in worlds()) {
        prop_assert_eq!(read_back(&world), Ok(of(&world)));
        let bytes = encode(&world);
        for planet in world.terrain.planets() {
            prop_assert_eq!(holds(&bytes, planet.id), Ok(true));
        }
        for deposit in world.deposits.values() {
            prop_assert_eq!(holds(&bytes, PlanetId(deposit.id.0)), Ok(false));
        }
    }
}
