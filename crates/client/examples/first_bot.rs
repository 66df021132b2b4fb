//! A first bot with the client crate: it follows the rounds of a game, mines coal, sells it, and buys more robots.
//! `cargo run -p starkeep-client --example first_bot -- NAME [GAME_URL [GAME_ID]]`; without an id it plays the newest created game.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::time::Duration;

use serde_json::json;
use starkeep_client::{ClientError, Clock, EventStream, GameClient, Item, StartFrom, SystemClock};
use starkeep_contract::command::CommandRequest;
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::map::{Planet, PlanetType, ResourceType};
use starkeep_contract::player::RegisterPlayer;
use starkeep_contract::robot_service::Robot;
use starkeep_contract::{GameId, PlanetId, TransactionId};

/// After a turn in which the service could not be reached.
const RETRY_AFTER: Duration = Duration::from_secs(1);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let name = arguments.first().ok_or("usage: first_bot NAME [GAME_URL [GAME_ID]]")?;
    let url = arguments.get(1).map_or("http://127.0.0.1:8080", String::as_str);
    let game = arguments.get(2).map(|id| serde_json::from_value(json!(id))).transpose()?;
    play(name, url, game).await?;
    Ok(())
}

/// Plays a game to its end. The stream of events reconnects by itself, and goes on where it was.
pub async fn play(name: &str, url: &str, game: Option<GameId>) -> Result<(), ClientError> {
    let mut events = EventStream::open(url, StartFrom::End, &["status", "roundStatus"])?;
    // From here on no event is missed: not the creation of a game, and not its first round.
    events.ready().await?;
    let token = token_of(&GameClient::new(url)?, name).await?;
    let client = GameClient::new(url)?.with_token(&token);
    let game = match game {
        Some(game) => game,
        None => newest_game(&client, &mut events).await?,
    };
    client.join(game, &token).await?;
    let clock = SystemClock::start();
    let mut bot = Bot { client, token, game, known: HashMap::new(), sent: Vec::new(), played: 0 };
    loop {
        let Item::Event(event) = events.next().await? else { continue };
        if event.about.game_id != Some(game) {
            continue;
        }
        if has_happened(&event, Channel::Status, "ended") {
            return Ok(());
        }
        if has_happened(&event, Channel::RoundStatus, "started")
            && event.about.round_number > Some(bot.played)
        {
            while let Err(error) = bot.turn().await {
                eprintln!("{name}: {error}");
                // What is refused stays refused in this round; the next one is another chance.
                if matches!(error, ClientError::Refused(_)) {
                    break;
                }
                clock.sleep_until(clock.monotonic().after(RETRY_AFTER)).await;
            }
        }
    }
}

fn has_happened(event: &PublishedEvent, channel: Channel, word: &str) -> bool {
    let field = if channel == Channel::Status { "status" } else { "roundStatus" };
    event.channel == channel && event.payload[field] == word
}

/// Registers the player; one that is registered already is looked up where the service tells it its token again (in the msd dialect).
/// The token is the player's secret.
async fn token_of(client: &GameClient, name: &str) -> Result<String, ClientError> {
    let email = format!("{name}@example.org");
    let found = client.look_up(name, &email).await.ok().and_then(|player| player.bearer_token);
    let token = match found {
        Some(token) => token,
        None => {
            client
                .register(&RegisterPlayer { name: name.to_owned(), email, recovery_code: None })
                .await?
                .bearer_token
        }
    };
    Ok(token.to_string())
}

/// The newest game that has not started, or the next one that is created.
async fn newest_game(client: &GameClient, events: &mut EventStream) -> Result<GameId, ClientError> {
    loop {
        if let Some(game) = client.games_that_are("created").await?.first() {
            return Ok(game.game_id);
        }
        events.next().await?;
    }
}

struct Bot {
    client: GameClient,
    token: String,
    game: GameId,
    /// The planets that its robots have seen.
    known: HashMap<PlanetId, Planet>,
    /// The commands of the last round.
    sent: Vec<TransactionId>,
    /// The number of the last round.
    played: u32,
}

impl Bot {
    /// Plays a round: shows what came of the last one, looks, sends commands, and says that it is done.
    async fn turn(&mut self) -> Result<(), ClientError> {
        for command in &self.sent {
            let receipt = self.client.receipt(*command).await?;
            let message = receipt.result.map(|result| result.payload["message"].to_string());
            println!("  {:?} {}", receipt.state, message.unwrap_or_default());
        }
        let mut view = self.client.view(self.game).await?;
        // The trading service may still be on its way to this round.
        while view.money.is_none() {
            view = self.client.view(self.game).await?;
        }
        self.played = view.round_number;
        println!("round {}, money {}", view.round_number, view.money.unwrap_or_default());
        self.known.extend(view.planets.into_iter().flatten().map(|planet| (planet.id, planet)));
        let robots = view.robots.unwrap_or_default();
        let mut commands: Vec<_> = robots.iter().map(|robot| self.order(robot)).collect();
        if view.money >= Some(100) {
            let purchase = json!({ "itemName": "ROBOT", "itemQuantity": 1 });
            commands.push(CommandRequest {
                command_type: json!("buying"),
                command_object: purchase,
                ..CommandRequest::default()
            });
        }
        for command in &mut commands {
            (command.game_id, command.player_token) = (json!(self.game), json!(self.token));
        }
        self.sent.clear();
        if !commands.is_empty() {
            for answer in self.client.commands(&commands).await? {
                self.sent.extend(answer.receipt.map(|receipt| receipt.transaction_id));
                if let Some(problem) = answer.problem {
                    println!("  refused: {}", problem.detail);
                }
            }
        }
        self.client.ready(self.game, &self.token).await?;
        Ok(())
    }

    /// To the coal, mine, to a space station, sell; and regenerate where the energy may not suffice for a move.
    fn order(&self, robot: &Robot) -> CommandRequest {
        let is_full = robot.inventory.used_storage >= 10;
        let is_goal = |planet: &Planet| {
            if is_full { planet.planet_type == PlanetType::Spacestation } else { has_coal(planet) }
        };
        let target = self.next_planet(robot.planet, is_goal);
        let kind = match target {
            Some(target) if target == robot.planet && is_full => "selling",
            Some(target) if target == robot.planet => "mining",
            Some(_) if robot.energy >= 3 => "movement",
            _ => "regeneration",
        };
        CommandRequest {
            robot_id: json!(robot.id),
            command_type: json!(kind),
            command_object: json!({ "planetId": target }),
            ..CommandRequest::default()
        }
    }

    /// The first step of the shortest way to a goal, or to a planet that no robot has seen yet.
    fn next_planet(&self, start: PlanetId, is_goal: impl Fn(&Planet) -> bool) -> Option<PlanetId> {
        let mut first_steps = HashMap::from([(start, start)]);
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            let Some(planet) = self.known.get(&place).filter(|planet| !is_goal(planet)) else {
                return Some(first_steps[&place]);
            };
            for neighbour in &planet.neighbours {
                let step = if place == start { neighbour.planet_id } else { first_steps[&place] };
                if let Entry::Vacant(unseen) = first_steps.entry(neighbour.planet_id) {
                    unseen.insert(step);
                    queue.push_back(neighbour.planet_id);
                }
            }
        }
        None
    }
}

fn has_coal(planet: &Planet) -> bool {
    planet.resource.as_ref().is_some_and(|deposit| deposit.resource_type == ResourceType::Coal)
}
