//! Requests and answers of the robot service, as the existing one has them.
//! Whatever else is in a request is ignored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Bounded, PlanetId, PlayerId, RobotId, TransactionId};

/// How many robots one request may spawn.
pub type SpawnQuantity = Bounded<0, 10_000>;

/// `POST /robots`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "transactionId": "5eed0000-0000-4000-8000-000000000009", "player": "5eed0000-0000-4000-8000-000000000004",
    "planets": ["5eed0000-0000-4000-8000-000000000002"], "quantity": 1,
})))]
pub struct SpawnRobots {
    /// The purchase; all its robots are announced with it.
    pub transaction_id: TransactionId,
    /// Whose robots they are.
    pub player: PlayerId,
    /// Where they are spawned, one planet for each.
    #[serde(default)]
    pub planets: Vec<PlanetId>,
    /// How many; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub quantity: Option<SpawnQuantity>,
}

/// A robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-000000000008", "player": "5eed0000-0000-4000-8000-000000000004",
    "planet": "5eed0000-0000-4000-8000-000000000002", "alive": true, "maxHealth": 10, "maxEnergy": 20, "energyRegen": 4,
    "attackDamage": 1, "miningSpeed": 2, "health": 10, "energy": 20, "healthLevel": 0, "damageLevel": 0,
    "miningSpeedLevel": 0, "miningLevel": 0, "energyLevel": 0, "energyRegenLevel": 0, "storageLevel": 0,
    "inventory": { "maxStorage": 20, "usedStorage": 0, "storedCoal": 0, "storedIron": 0, "storedGem": 0, "storedGold": 0,
        "storedPlatin": 0 },
})))]
pub struct Robot {
    /// The robot's id.
    pub id: RobotId,
    /// Whose robot it is.
    pub player: PlayerId,
    /// Where it stands.
    pub planet: PlanetId,
    /// One that was destroyed is shown no longer.
    pub alive: bool,
    /// Most health that it can have.
    pub max_health: i64,
    /// Most energy that it can have.
    pub max_energy: u32,
    /// Energy that one regeneration gives.
    pub energy_regen: u32,
    /// Health that one attack takes.
    pub attack_damage: i64,
    /// How much one mining asks for.
    pub mining_speed: u64,
    /// What it has of it.
    pub health: i64,
    /// What it has of it.
    pub energy: u32,
    /// 0 to 5.
    pub health_level: u8,
    /// 0 to 5.
    pub damage_level: u8,
    /// 0 to 5.
    pub mining_speed_level: u8,
    /// 0 to 4: coal, iron, gem, gold, platin.
    pub mining_level: u8,
    /// 0 to 5.
    pub energy_level: u8,
    /// 0 to 5.
    pub energy_regen_level: u8,
    /// 0 to 5.
    pub storage_level: u8,
    /// What it holds.
    pub inventory: Inventory,
}

/// What a robot holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// Most that fits, of all resources together.
    pub max_storage: u64,
    /// How much is in it, of all resources together.
    pub used_storage: u64,
    /// Coal.
    pub stored_coal: u64,
    /// Iron.
    pub stored_iron: u64,
    /// Gems.
    pub stored_gem: u64,
    /// Gold.
    pub stored_gold: u64,
    /// Platin.
    pub stored_platin: u64,
}

/// What can be upgraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum UpgradeType {
    Storage,
    Health,
    Damage,
    MiningSpeed,
    Mining,
    MaxEnergy,
    EnergyRegen,
}

/// `POST /robots/{robotId}/upgrades`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "transactionId": "5eed0000-0000-4000-8000-000000000009", "upgradeType": "STORAGE", "targetLevel": 1,
})))]
pub struct UpgradeRobot {
    /// The purchase.
    pub transaction_id: TransactionId,
    /// What is upgraded.
    pub upgrade_type: UpgradeType,
    /// The level to reach, from the one below it. A text with a number is taken, too.
    #[serde(deserialize_with = "number_or_text")]
    pub target_level: u32,
}

/// `POST /robots/{robotId}/instant-restore`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "transactionId": "5eed0000-0000-4000-8000-000000000009", "restorationType": "HEALTH",
})))]
pub struct RestoreRobot {
    /// The purchase.
    pub transaction_id: TransactionId,
    /// What is filled up.
    pub restoration_type: RestorationType,
}

/// What can be filled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RestorationType {
    Health,
    Energy,
}

/// An amount of each resource: what was unloaded by `POST /robots/{robotId}/inventory/clearResources`, or sold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "coal": 4, "iron": 0, "gem": 0, "gold": 0, "platin": 0 })))]
pub struct ResourceAmounts {
    /// Coal.
    pub coal: u64,
    /// Iron.
    pub iron: u64,
    /// Gems.
    pub gem: u64,
    /// Gold.
    pub gold: u64,
    /// Platin.
    pub platin: u64,
}

/// Clients of the existing service write the level as a text.
fn number_or_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => text.parse().ok(),
        other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    number.ok_or_else(|| serde::de::Error::custom(format!("expected a whole number from 0 to {}", u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_may_be_a_number_or_a_text() {
        let level = |level: &str| {
            let id = "5eed0000-0000-4000-8000-000000000009";
            let text =
                format!(r#"{{"transactionId":"{id}","upgradeType":"MAX_ENERGY","targetLevel":{level}}}"#);
            serde_json::from_str::<UpgradeRobot>(&text).map(|upgrade| upgrade.target_level).ok()
        };
        assert_eq!((level("2"), level("\"2\"")), (Some(2), Some(2)));
        assert_eq!((level("\"two\""), level("-1"), level("null")), (None, None, None));
    }
}
