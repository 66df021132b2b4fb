//! Gameworlds made by hand: what the map takes it shows as it was given, it can be mined, and played in by one game.
//! What is shown can be given to it again, and makes the same world.

use std::sync::Arc;

use serde_json::{Value, json};
use starkeep_contract::Dialect;

use super::asked_map::AskedMap;
use super::world_checks::{check_as_given, check_neighbours, same_planets};
use crate::fuzzed_service::{FuzzedService, Reply};
use crate::given_world::GivenWorld;
use crate::mutator::Dictionary;
use crate::request::FuzzRequest;
use crate::seeds;
use crate::services::{game, map};
use crate::target::{Subject, Verdict};

pub(super) struct Worlds {
    map: FuzzedService,
    game: FuzzedService,
}

impl Worlds {
    pub(super) fn open() -> Self {
        let map = map::empty();
        let game = game::empty(Dialect::Standard, Arc::new(AskedMap::new(map.front())));
        Self { map, game }
    }

    /// The body of a success; anything else is a fault.
    fn succeeds(fuzzed: &FuzzedService, request: &FuzzRequest) -> Result<Value, String> {
        let reply = fuzzed.ask(request)?;
        let failed = |status| format!("{} {} is answered with {status}", request.method, request.path());
        if reply.status < 300 { Ok(reply.json()) } else { Err(failed(reply.status)) }
    }

    fn chart(&self, world: &str) -> Result<Vec<Value>, String> {
        let chart = Self::succeeds(&self.map, &FuzzRequest::get(&format!("/gameworlds/{world}/planets")))?;
        chart.as_array().cloned().ok_or_else(|| format!("no list of planets: {chart}"))
    }

    fn check_made(&self, given: &GivenWorld, made: &Value) -> Result<(), String> {
        let world = made["id"].as_str().unwrap_or_default();
        let shown = Self::succeeds(&self.map, &FuzzRequest::get(&format!("/gameworlds/{world}")))?;
        if shown["id"] != made["id"] || shown["player_amount"] != given.player_amount {
            return Err(format!("what was made is {made}, and what is shown is {shown}"));
        }
        let chart = self.chart(world)?;
        if let Some(planets) = given.planets() {
            check_as_given(&planets, &chart)?;
        }
        check_neighbours(&chart)?;
        self.check_again(given, &chart)?;
        self.check_mining(&chart)?;
        self.check_game(world)
    }

    /// What is shown makes the same world once more.
    fn check_again(&self, given: &GivenWorld, chart: &[Value]) -> Result<(), String> {
        let body = json!({"gameworld": {"player_amount": given.player_amount, "planets": chart}});
        let made = Self::succeeds(&self.map, &FuzzRequest::post("/gameworlds", &body))?;
        let again = self.chart(made["id"].as_str().unwrap_or_default())?;
        if same_planets(&again) == same_planets(chart) {
            return Ok(());
        }
        Err(format!("what is shown as {chart:?} makes {again:?}"))
    }

    fn check_mining(&self, chart: &[Value]) -> Result<(), String> {
        let left = |planet: &Value| planet["resource"]["current_amount"].as_u64();
        let Some(planet) = chart.iter().find(|planet| left(planet).is_some()) else { return Ok(()) };
        let path = format!("/planets/{}/minings", planet["id"].as_str().unwrap_or_default());
        let body = json!({"mining": {"amount_requested": 7}});
        let mined = Self::succeeds(&self.map, &FuzzRequest::post(&path, &body))?;
        let expected = left(planet).map(|left| left.min(7));
        if mined["amount_mined"].as_u64() == expected {
            return Ok(());
        }
        Err(format!("of {planet} there is mined {mined}"))
    }

    fn check_game(&self, world: &str) -> Result<(), String> {
        let create =
            FuzzRequest::post("/games", &json!({"maxRounds": 5, "maxPlayers": 2, "gameworldId": world}));
        let game = Self::succeeds(&self.game, &create)?;
        let path = format!("/games/{}", game["gameId"].as_str().unwrap_or_default());
        let shown = Self::succeeds(&self.game, &FuzzRequest::get(&path))?;
        if shown["gameworldId"] != world {
            return Err(format!("a game in {world} is shown as {shown}"));
        }
        let Reply { status, .. } = self.game.ask(&create)?;
        if status == 409 {
            Ok(())
        } else {
            Err(format!("a second game in {world} is answered with {status}"))
        }
    }
}

impl Subject for Worlds {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let request = FuzzRequest::json(http::Method::POST, "/gameworlds", input);
        if map::takes_long(&request) {
            return Ok("not sent".to_owned());
        }
        let reply = self.map.ask(&request)?;
        let answer = reply.json();
        if reply.status != 201 {
            let field = answer["field"].as_str().unwrap_or_default().replace(char::is_numeric, "");
            return Ok(format!("{} {} {field}", reply.status, answer["code"]));
        }
        let given = GivenWorld::read(input).ok_or("it takes what is no gameworld")?;
        self.check_made(&given, &answer)?;
        self.map.check_health()?;
        self.game.check_health()?;
        Ok(format!("made {} {}", answer["style"], answer["ignored_fields"].is_array()))
    }

    fn dictionary(&self) -> Dictionary {
        Dictionary { lines: Vec::new(), ..seeds::dictionary(&self.map.contract, &self.map.names) }
    }
}
