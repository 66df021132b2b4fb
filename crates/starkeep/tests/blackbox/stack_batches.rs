//! How the robot service of the existing stack carries a batch out: slowly, command by command, whatever other batches do meanwhile.
//! Who it knows, and what it answers, is in `stack_robots`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Value, json};
use starkeep_contract::command::CommandType;
use uuid::Uuid;

use crate::stack::id;
use crate::stack_robots::Robots;

/// Milliseconds that a move takes, beside the call to the map.
const PER_MOVE: RangeInclusive<u64> = 15..=30;
const PER_OTHER: RangeInclusive<u64> = 0..=2;

impl Robots {
    pub(crate) async fn carry_out(&self, kind: CommandType, commands: Vec<Vec<Uuid>>) {
        match kind {
            CommandType::Movement => self.move_all(&commands).await,
            CommandType::Mining => self.mine_all(&commands).await,
            CommandType::Battle => {
                for command in commands {
                    self.around.work(&PER_OTHER).await;
                    let [attacker, target, transaction] = command[..] else { unreachable!("three words") };
                    let success = json!({ "attacker": attacker, "defender": target });
                    self.tell("fighting", transaction, self.fight(attacker, target), &success);
                }
            }
            _ => {
                for command in commands {
                    self.around.work(&PER_OTHER).await;
                    self.tell("regeneration", command[1], self.find(command[0]).map(drop), &json!({}));
                }
            }
        }
    }

    /// Failures are told at once, the others when the whole batch is done.
    async fn move_all(&self, commands: &[Vec<Uuid>]) {
        let mut moved = Vec::new();
        for command in commands {
            let [robot, target, transaction] = command[..] else { unreachable!("three words") };
            self.around.work(&PER_MOVE).await;
            match self.step_to(robot, target).await {
                Ok(()) => moved.push((transaction, target)),
                Err(reason) => self.tell("movement", transaction, Err(reason), &Value::Null),
            }
        }
        for (transaction, target) in moved {
            let planet = json!({ "planetId": target, "planetType": "DEFAULT" });
            let success = json!({ "planet": planet, "robots": self.standing_on(target) });
            self.tell("movement", transaction, Ok(()), &success);
            self.around.tell("neighbours", "neighbours", transaction, &json!({ "neighbours": [] }));
        }
    }

    async fn step_to(&self, robot: Uuid, target: Uuid) -> Result<(), String> {
        let from = self.find(robot)?.planet;
        let planet = self.planet(target).await.ok_or("Could not get planet data from MapService")?;
        let neighbours = planet["neighbours"].as_array().unwrap();
        if !neighbours.iter().any(|neighbour| id(&neighbour["planet_id"]) == Some(from)) {
            return Err(format!("The robot cannot move to the planet with ID {target}"));
        }
        self.put_on(robot, target);
        Ok(())
    }

    /// At this moment.
    fn fight(&self, attacker: Uuid, target: Uuid) -> Result<(), String> {
        let (attacker, target) = (self.find(attacker)?, self.find(target)?);
        if attacker.planet == target.planet {
            Ok(())
        } else {
            Err("The attacking robot and the defending robot are not on the same planet".to_owned())
        }
    }

    /// One call for each planet. If one of them fails, all miners are told of a failure, also those who succeed.
    async fn mine_all(&self, commands: &[Vec<Uuid>]) {
        let mut miners = BTreeMap::<_, Vec<_>>::new();
        for command in commands {
            self.around.work(&PER_OTHER).await;
            let [robot, transaction] = command[..] else { unreachable!("two words") };
            match self.mined_planet(robot).await {
                Ok(planet) => miners.entry(planet).or_default().push(transaction),
                Err(reason) => self.tell("mining", transaction, Err(reason), &Value::Null),
            }
        }
        let everybody: Vec<_> = miners.values().flatten().copied().collect();
        for (planet, transactions) in miners {
            let order = json!({ "mining": { "amount_requested": 2 * transactions.len() } });
            let mining = self.map().post_meanwhile(&format!("/planets/{planet}/minings"), &order);
            if mining.await.unwrap().is_some_and(|answer| answer.status == 201) {
                for transaction in transactions {
                    self.tell("mining", transaction, Ok(()), &json!({ "updatedInventory": 2 }));
                }
            } else {
                let reason =
                    format!("Map Service returned internal error when trying to mine on planet {planet}");
                for transaction in &everybody {
                    self.tell("mining", *transaction, Err(reason.clone()), &Value::Null);
                }
            }
        }
    }

    async fn mined_planet(&self, robot: Uuid) -> Result<Uuid, String> {
        let planet = self.find(robot)?.planet;
        let shown = self.planet(planet).await.filter(|shown| !shown["resource"].is_null());
        shown.ok_or_else(|| format!("Map Service did not return any resource on the planet {planet}"))?;
        Ok(planet)
    }
}
