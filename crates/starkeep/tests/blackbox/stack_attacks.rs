//! Attacks on robots that move to their attackers in the same round: the existing robot service works on moves and attacks at the same
//! time, and all of them meet all the same.

use serde_json::{Value, json};
use starkeep_test_broker::Broker;
use starkeep_test_http::Caller;
use uuid::Uuid;

use crate::bot::Bot;
use crate::kafka_consumes::alive;
use crate::stack::{Stack, id};
use crate::two_services::path;

const ATTACKS: usize = 200;
/// So many wait on each of two planets, and as many robots move to and fro between them.
const ATTACKERS: usize = 50;
/// Robots that a bot has from the beginning.
const OF_THE_BOT: usize = 6;
/// So long that no phase ends by the clock, and no share of it.
const ROUND_MILLIS: u32 = 86_400_000;

/// Two planets of the game's world, next to each other.
pub(crate) async fn neighbours(game: &Caller, map: &Caller, bot: &Bot) -> [Uuid; 2] {
    let world = game.get(&path(&bot.game, "")).await.expect(200)["gameworldId"].take();
    let chart = map.get(&format!("/gameworlds/{}/planets", world.as_str().unwrap())).await.expect(200);
    let connected = |planet: &Value| Some([id(&planet["id"])?, id(&planet["neighbours"][0]["planet_id"])?]);
    chart.as_array().unwrap().iter().find_map(connected).unwrap()
}

fn movement(bot: &Bot, robot: Uuid, planet: Uuid) -> Value {
    let object = json!({ "planetId": planet });
    bot.command(&json!({ "robotId": robot, "commandType": "movement", "commandObject": object }))
}

fn attack(bot: &Bot, robot: Uuid, target: Uuid) -> Value {
    let object = json!({ "targetId": target });
    bot.command(&json!({ "robotId": robot, "commandType": "battle", "commandObject": object }))
}

#[tokio::test(flavor = "multi_thread")]
async fn attacks_meet_the_robots_that_have_moved_to_them_before() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 22).await;
    let home = tempfile::tempdir().unwrap();
    let program = stack.host(home.path().to_str().unwrap(), &["--start-delay", "0"]).await;
    let game = program.game();
    let bot = Bot::in_a_hurry(&game, 1, ROUND_MILLIS).await;
    let planets = neighbours(&game, &program.map(), &bot).await;
    let spawn = |planet| stack.robots.spawn(Uuid::nil(), id(&bot.id).unwrap(), &[planet; ATTACKERS]);
    let attackers = planets.map(spawn);
    let targets = spawn(planets[1]);
    alive(&game, OF_THE_BOT + 3 * ATTACKERS).await;

    let mut told = Vec::new();
    for (round, (planet, attackers)) in (1..).zip(planets.into_iter().zip(&attackers).cycle()) {
        let moves = targets.iter().map(|robot| movement(&bot, *robot, planet));
        let attacks = attackers.iter().zip(&targets).map(|(robot, target)| attack(&bot, *robot, *target));
        let orders: Vec<_> = moves.chain(attacks).collect();
        let sent = bot.send(&game, &orders).await;
        bot.is_ready(&game).await;
        let (moves, attacks) = sent.split_at(targets.len());
        let arrived = stack.robots.told_of(moves).await;
        assert!(arrived.iter().all(|told| told.outcome.is_ok()), "{arrived:?}");
        told.extend(stack.robots.told_of(attacks).await);
        if told.len() >= ATTACKS {
            break;
        }
        bot.outlives(&game, round).await;
    }
    let missed: Vec<_> = told.iter().filter(|told| told.outcome.is_err()).collect();
    assert_eq!(missed.len(), 0, "of {} attacks: {:?}", told.len(), missed[0]);
}
