//! The prices that a bot counts with, compared with those of trading.
//! If one of them changes, bots must learn of it.

use starkeep_bot_core::{
    ENERGY_PRICE, HEALTH_PRICE, ROBOT_PRICE, ResourceKind, START_PRICES, Upgrade, upgrade_price,
};
use starkeep_trading_core::{Item, resource_price};

#[test]
fn bots_know_the_prices() {
    let price = |name: &str| Item::find(name).unwrap().start_price();
    assert_eq!([ROBOT_PRICE, HEALTH_PRICE, ENERGY_PRICE], ["ROBOT", "HEALTH", "ENERGY"].map(price));
    for upgrade in Upgrade::ALL {
        for level in 1..=5 {
            assert_eq!(upgrade_price(level), price(&format!("{}_{level}", upgrade.as_str())));
        }
    }
    assert_eq!(START_PRICES, ResourceKind::ALL.map(|kind| resource_price(kind, 0, 1)));
}
