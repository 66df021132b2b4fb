//! Golden worlds: a hash of what a few seeds give, so that a changed stream or stage is noticed.
//! A hash that changes on purpose needs a new generator version, otherwise stored seeds mean other worlds.

use starkeep_map_core::{GENERATOR_VERSION, Layout, Spec, Style, generate};

/// FNV-1a, 64 bits.
fn hash(layout: &Layout) -> u64 {
    let planets = layout.planets.iter().flat_map(|planet| {
        let [x, y] = [planet.x, planet.y].map(u16::to_le_bytes);
        [x[0], x[1], y[0], y[1], planet.kind as u8, planet.movement_difficulty]
    });
    let deposits = layout.deposits.iter().flat_map(|deposit| {
        let [a, b, c, d] = deposit.slot.to_le_bytes();
        [a, b, c, d, deposit.kind as u8]
    });
    let fairness = &layout.fairness;
    let numbers = fairness.values.iter().copied().chain([fairness.before.best, fairness.before.worst]);
    planets
        .chain(deposits)
        .chain(numbers.flat_map(u64::to_le_bytes))
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn seeds_give_the_worlds_they_always_gave() {
    let golden: [(Style, u32, u64, u64); 9] = [
        (Style::Balanced, 1, 0, 0x7d26_9c68_46bf_b2fd),
        (Style::Balanced, 4, 42, 0x3d3d_404c_f054_a9b6),
        (Style::Balanced, 9, (1 << 53) - 1, 0x76b8_b11b_4253_5f8d),
        (Style::Symmetric, 6, 7, 0x3d27_51f8_fa87_63ab),
        (Style::Wild, 10, 7, 0x2784_586e_2e01_e873),
        (Style::Balanced, 20, 2_026, 0x4c12_509a_74dc_7c3e),
        (Style::Symmetric, 99, 3, 0x7665_0b2b_8d22_2ea8),
        (Style::Balanced, 150, 1, 0x78e4_bbe3_374c_724e),
        (Style::Wild, 2_000, 5, 0x4642_dd29_1aec_12c7),
    ];
    assert_eq!(GENERATOR_VERSION, 2, "a new version has golden worlds of its own");
    let drawn = golden.map(|(style, players, seed, _)| {
        (style, players, seed, hash(&generate(seed, &Spec { players, style })))
    });
    assert!(drawn == golden, "drawn (style, players, seed, hash): {drawn:x?}\ngolden: {golden:x?}");
}
