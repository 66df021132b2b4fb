//! The prices that a bot counts with.
//! They are written down a second time on purpose: a bot is a client and has read them. Its tests compare them with trading's.

pub const ROBOT_PRICE: u64 = 100;
pub const HEALTH_PRICE: u64 = 50;
pub const ENERGY_PRICE: u64 = 75;
/// The most that resources bring, in the order of `ResourceKind::ALL`.
pub const START_PRICES: [u64; 5] = [5, 15, 30, 50, 60];

/// Of a level of 1 to 5.
pub fn upgrade_price(level: u8) -> u64 {
    [50, 300, 1500, 4000, 15000][usize::from(level.clamp(1, 5)) - 1]
}
