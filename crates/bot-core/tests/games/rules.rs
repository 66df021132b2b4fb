//! The rules that a bot counts with, compared with those of the cores.
//! If one of them changes, bots must learn of it.

use starkeep_bot_core::{
    ENERGY_PRICE, HEALTH_PRICE, Levels, ROBOT_PRICE, ResourceKind, START_PRICES, Upgrade, upgrade_price,
};
use starkeep_robot_core as robots;
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

#[test]
fn bots_know_what_levels_are_worth() {
    let mut own = Levels::default();
    loop {
        let real = robots::Levels::new(own.0).unwrap();
        assert_eq!(
            (own.storage(), own.max_health(), own.attack_energy(), own.mining_speed()),
            (real.max_storage(), real.max_health(), real.attack_energy(), real.mining_speed())
        );
        assert_eq!((own.max_energy(), own.energy_regen()), (real.max_energy(), real.energy_regen()));
        let can_mine = |kind| (own.can_mine(kind), real.can_mine(kind));
        assert!(ResourceKind::ALL.map(can_mine).into_iter().all(|(own, real)| own == real));
        // All of them together, as high as they go.
        let raised =
            Upgrade::ALL.into_iter().fold(own, |levels, upgrade| levels.raised(upgrade).unwrap_or(levels));
        if raised == own {
            break;
        }
        own = raised;
    }
    assert_eq!(own.0, Upgrade::ALL.map(Upgrade::highest));
}
