//! The market of a game: its accounts and stations, and what its rounds leave behind.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use starkeep_platform::documents::Entity;
use starkeep_trading_core::{
    Account, Amounts, Bought, GameId, Market, PlanetId, PlayerId, PriceList, ResourceKind,
};
use uuid::Uuid;

use crate::domain::{Image, Trading};

fn market(image: &Image, game: Uuid) -> Option<&Market> {
    image.markets.get(&GameId(game))
}

fn change(image: &mut Image, game: Uuid, change: impl FnOnce(&mut Market)) {
    image.markets.get_mut(&GameId(game)).map(change);
}

/// Once the map has told of them.
pub(super) struct Stations;

impl Entity for Stations {
    type Of = Trading;
    const NAME: &'static str = "stations";
    type Key = (Uuid,);
    /// In the order in which the map told of them.
    type Form = Vec<Uuid>;

    fn form(image: &Image, (game,): &(Uuid,)) -> Option<Vec<Uuid>> {
        let stations = market(image, *game)?.sites.stations.as_ref()?;
        Some(stations.iter().map(|planet| planet.0).collect())
    }

    fn put(image: &mut Image, (game,): (Uuid,), stations: Vec<Uuid>) -> Result<(), String> {
        change(image, game, |market| market.set_stations(stations.into_iter().map(PlanetId).collect()));
        Ok(())
    }
}

pub(super) struct AccountEntity;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountForm {
    start: u64,
    earned: u64,
    /// With what is reserved for purchases that are under way.
    spent: u64,
    bought: [u64; 8],
    /// Where the player's first robot was spawned.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Uuid>,
}

impl Entity for AccountEntity {
    type Of = Trading;
    const NAME: &'static str = "account";
    type Key = (Uuid, Uuid);
    type Form = AccountForm;

    fn form(image: &Image, (game, player): &(Uuid, Uuid)) -> Option<AccountForm> {
        let market = market(image, *game)?;
        let Account { player, start, earned, spent, bought: Bought(bought) } =
            *market.accounts.get(&PlayerId(*player))?;
        let first = market.sites.firsts.get(&player).map(|planet| planet.0);
        Some(AccountForm { start, earned, spent, bought, first })
    }

    /// The balance after round 0 is the start money.
    fn put(image: &mut Image, (game, player): (Uuid, Uuid), form: AccountForm) -> Result<(), String> {
        let AccountForm { start, earned, spent, bought, first } = form;
        let player = PlayerId(player);
        change(image, game, |market| {
            market.accounts.insert(player, Account { player, start, earned, spent, bought: Bought(bought) });
            market.balances.entry(0).or_default().insert(player, start);
            market.sites.firsts.extend(first.map(|planet| (player, PlanetId(planet))));
        });
        Ok(())
    }

    fn check(_: &(Uuid, Uuid), form: &AccountForm) -> Result<(), String> {
        if form.spent > form.start.saturating_add(form.earned) {
            return Err("more was spent than there was".to_owned());
        }
        Ok(())
    }
}

/// The prices of a round; those of the start are constant and not stored.
pub(super) struct Prices;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PricesForm {
    resources: [u64; 5],
    items: [u64; 6],
}

impl Entity for Prices {
    type Of = Trading;
    const NAME: &'static str = "prices";
    type Key = (Uuid, u32);
    type Form = PricesForm;

    fn form(image: &Image, (game, round): &(Uuid, u32)) -> Option<PricesForm> {
        let PriceList { resources, items } = *market(image, *game)?.prices.get(round)?;
        Some(PricesForm { resources, items })
    }

    fn put(
        image: &mut Image,
        (game, round): (Uuid, u32),
        PricesForm { resources, items }: PricesForm,
    ) -> Result<(), String> {
        change(image, game, |market| market.begin_round(round, PriceList { resources, items }));
        Ok(())
    }

    fn check((_, round): &(Uuid, u32), form: &PricesForm) -> Result<(), String> {
        if *round == 0 || form.resources.iter().chain(&form.items).any(|price| *price == 0) {
            return Err("a price or its round is 0".to_owned());
        }
        Ok(())
    }
}

/// What was sold in a round in which there was a sale.
pub(super) struct Sales;

impl Entity for Sales {
    type Of = Trading;
    const NAME: &'static str = "sales";
    type Key = (Uuid, u32);
    type Form = [u64; 5];

    fn form(image: &Image, (game, round): &(Uuid, u32)) -> Option<[u64; 5]> {
        let sold = *market(image, *game)?.sold.get(round)?;
        Some(ResourceKind::ALL.map(|kind| sold.of(kind)))
    }

    fn put(image: &mut Image, (game, round): (Uuid, u32), amounts: [u64; 5]) -> Result<(), String> {
        change(image, game, |market| {
            market.sold.insert(round, Amounts::new(amounts));
        });
        Ok(())
    }
}

/// The balances at the end of a round.
pub(super) struct Balances;

impl Entity for Balances {
    type Of = Trading;
    const NAME: &'static str = "balances";
    type Key = (Uuid, u32);
    type Form = BTreeMap<Uuid, u64>;

    fn form(image: &Image, (game, round): &(Uuid, u32)) -> Option<BTreeMap<Uuid, u64>> {
        let balances = market(image, *game)?.balances.get(round)?;
        Some(balances.iter().map(|(player, balance)| (player.0, *balance)).collect())
    }

    fn put(
        image: &mut Image,
        (game, round): (Uuid, u32),
        balances: BTreeMap<Uuid, u64>,
    ) -> Result<(), String> {
        let balances = balances.into_iter().map(|(player, balance)| (PlayerId(player), balance)).collect();
        change(image, game, |market| {
            market.balances.insert(round, balances);
        });
        Ok(())
    }
}
