//! Two processes with a proxy between them: a map service, and a game service that reaches it only through the proxy.
//! Each keeps its data in a directory of its own, so that either can be killed and started again.

use std::ffi::OsString;

use serde_json::{Value, json};
use starkeep_test_http::Caller;
use tempfile::TempDir;

use crate::program::Program;
use crate::proxy::Proxy;

pub(crate) struct TwoServices {
    pub(crate) proxy: Proxy,
    home: TempDir,
    flags: Vec<String>,
    map: Option<Program>,
    game: Option<Program>,
}

impl TwoServices {
    /// The flags are those of both services.
    pub(crate) async fn with(flags: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let map = Program::serve("map", &arguments(&home, "map", &flags)).await;
        let proxy = Proxy::to(map.address("map"));
        let mut services = Self { proxy, home, flags, map: Some(map), game: None };
        services.start_game_service().await;
        services
    }

    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    pub(crate) fn game(&self) -> Caller {
        self.game.as_ref().unwrap().game()
    }

    pub(crate) fn map(&self) -> Caller {
        self.map.as_ref().unwrap().map()
    }

    pub(crate) async fn start_game_service(&mut self) {
        let mut arguments = arguments(&self.home, "game", &self.flags);
        arguments.extend(["--map-url".into(), self.proxy.url().into()]);
        self.game = Some(Program::serve("game", &arguments).await);
    }

    pub(crate) async fn start_map_service(&mut self) {
        let map = Program::serve("map", &arguments(&self.home, "map", &self.flags)).await;
        self.proxy.lead_to(map.address("map"));
        self.map = Some(map);
    }

    pub(crate) async fn kill_game_service(&mut self) {
        self.take_game_service().kill().await;
    }

    pub(crate) async fn kill_map_service(&mut self) {
        self.map.take().unwrap().kill().await;
    }

    /// For a test that ends it in a way of its own.
    pub(crate) fn take_game_service(&mut self) -> Program {
        self.game.take().unwrap()
    }

    pub(crate) fn game_data(&self) -> std::path::PathBuf {
        self.home.path().join("game")
    }

    /// A new game's id.
    pub(crate) async fn create(&self) -> Value {
        self.game().post("/games", &new_game()).await.expect(201)["gameId"].take()
    }

    pub(crate) async fn show(&self, game: &Value) -> Value {
        self.game().get(&path(game, "")).await.expect(200)
    }

    pub(crate) async fn games(&self) -> Vec<Value> {
        list(self.game().get("/games").await.expect(200))
    }

    pub(crate) async fn worlds(&self) -> Vec<Value> {
        list(self.map().get("/gameworlds").await.expect(200))
    }

    /// Ids of the gameworlds that the map holds as active.
    pub(crate) async fn active_worlds(&self) -> Vec<Value> {
        let mut worlds = self.worlds().await;
        worlds.retain(|world| world["status"] == "active");
        worlds.into_iter().map(|mut world| world["id"].take()).collect()
    }

    /// Neither service knows of any game or gameworld.
    pub(crate) async fn assert_empty(&self) {
        assert_eq!(self.games().await, Vec::<Value>::new());
        assert_eq!(self.worlds().await, Vec::<Value>::new());
    }

    /// There is one game, it is created, and its gameworld is the only one.
    pub(crate) async fn assert_one_whole_game(&self) {
        let games = self.games().await;
        assert_eq!(games.len(), 1, "{games:?}");
        assert_eq!(games[0]["gameStatus"], "created");
        assert_eq!(self.worlds().await.len(), 1);
        assert_eq!(self.active_worlds().await, [games[0]["gameworldId"].clone()]);
    }
}

fn arguments(home: &TempDir, name: &str, flags: &[String]) -> Vec<OsString> {
    let mut arguments = vec!["--data-dir".into(), home.path().join(name).into()];
    arguments.extend(flags.iter().map(Into::into));
    arguments
}

fn list(value: Value) -> Vec<Value> {
    serde_json::from_value(value).unwrap()
}

/// Rounds so long that none of them ends within a test.
pub(crate) fn new_game() -> Value {
    json!({ "maxRounds": 5, "maxPlayers": 2, "duration": 600_000 })
}

/// A path of the game.
pub(crate) fn path(game: &Value, rest: &str) -> String {
    format!("/games/{}{rest}", game.as_str().unwrap())
}

pub(crate) const START: &str = "/gameCommands/start";
pub(crate) const END: &str = "/gameCommands/end";
