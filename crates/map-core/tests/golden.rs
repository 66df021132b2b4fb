//! Golden worlds: a hash of what a few seeds give, so that a changed stream or stage is noticed.
//! A hash that changes on purpose needs a new generator version, otherwise stored seeds mean other worlds.

use starkeep_map_core::{GENERATOR_VERSION, GeneratedMap, Spec, Style, generate};

/// FNV-1a, 64 bits.
fn hash(map: &GeneratedMap) -> u64 {
    let planets = map.planets.iter().flat_map(|planet| {
        let [x, y] = [planet.x, planet.y].map(u16::to_le_bytes);
        [x[0], x[1], y[0], y[1], planet.kind as u8]
    });
    let deposits = map.deposits.iter().flat_map(|(slot, kind)| {
        let [a, b, c, d] = slot.to_le_bytes();
        [a, b, c, d, *kind as u8]
    });
    let rest = map.rng.state().to_le_bytes();
    planets
        .chain(deposits)
        .chain(rest)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn seeds_give_the_worlds_they_always_gave() {
    let golden: [(u32, u64, u64); 6] = [
        (1, 0, 0xb5f9_6b8e_a232_13c4),
        (4, 42, 0xcf1a_7bdb_1d58_da32),
        (9, (1 << 53) - 1, 0x0152_187a_0f14_d024),
        (10, 7, 0x1066_eed3_51b0_16ec),
        (20, 2_026, 0x452a_a3e8_6381_5c8a),
        (150, 1, 0xbfe0_6129_d228_db16),
    ];
    assert_eq!(GENERATOR_VERSION, 1, "a new version has golden worlds of its own");
    let drawn = golden.map(|(players, seed, _)| {
        (players, seed, hash(&generate(seed, &Spec { players, style: Style::Balanced })))
    });
    assert!(drawn == golden, "drawn (players, seed, hash): {drawn:x?}\ngolden: {golden:x?}");
}
