//! The game service: creates, changes, starts, ends and shows games.
//! What a host does needs the admin token where the service was started with one.

use http::{HeaderName, HeaderValue, Method};
use starkeep_contract::command::{BatchItem, CommandRequest, Receipt, RoundCommands};
use starkeep_contract::game::{
    CreateGame, Game, GameCreated, GameTime, Pace, PatchDuration, PatchMaxRounds, PatchPace, Readiness,
    RoundLength, RoundsOfAnyGame,
};
use starkeep_contract::player::{
    FoundPlayer, Joined, NewToken, ParticipatingPlayers, RECOVERY_CODE, RecoveryCode, RegisterPlayer,
    RegisteredPlayer,
};
use starkeep_contract::robot::{KnownRobot, RobotSpawned};
use starkeep_contract::round_player::RoundPlayer;
use starkeep_contract::scores::ScoreboardRow;
use starkeep_contract::services::Services;
use starkeep_contract::view::GameView;
use starkeep_contract::{GameId, PlayerId, RobotId, TransactionId};
use starkeep_http_client::{Call, encode_query};

use crate::client::Client;
use crate::error::ClientError;

pub type GameClient = Client<GameService>;

/// The service that a `GameClient` talks to.
#[derive(Clone)]
pub enum GameService {}

impl GameClient {
    pub async fn create_game(&self, game: &CreateGame) -> Result<GameId, ClientError> {
        let created: GameCreated = self.caller.send(Method::POST, "/games", game).await?;
        Ok(created.game_id)
    }

    /// Active ones first, then newest first. In the msd dialect only created and running ones.
    pub async fn games(&self) -> Result<Vec<Game>, ClientError> {
        self.caller.list("/games").await
    }

    /// Games that are `created`, `running` (or `started`) or `ended`.
    pub async fn games_that_are(&self, status: &str) -> Result<Vec<Game>, ClientError> {
        self.caller.list(&format!("/games?status={}", encode_query(status))).await
    }

    pub async fn game(&self, id: GameId) -> Result<Game, ClientError> {
        self.caller.get(&format!("/games/{id}")).await
    }

    /// The whole game as JSON lines, the first a `ReplayHeader`, all others `ReplayEvent`s.
    pub async fn replay(&self, id: GameId) -> Result<String, ClientError> {
        self.caller.text(&format!("/games/{id}/replay")).await
    }

    pub async fn set_max_rounds(&self, id: GameId, max_rounds: RoundsOfAnyGame) -> Result<Game, ClientError> {
        let change = PatchMaxRounds { max_rounds };
        self.caller.send(Method::PATCH, &format!("/games/{id}/maxRounds"), &change).await
    }

    pub async fn set_duration(&self, id: GameId, duration: RoundLength) -> Result<Game, ClientError> {
        let change = PatchDuration { duration };
        self.caller.send(Method::PATCH, &format!("/games/{id}/duration"), &change).await
    }

    /// Turbo is for training and tests: phases end as soon as nobody needs them any longer.
    pub async fn set_pace(&self, id: GameId, pace: Pace) -> Result<Game, ClientError> {
        self.caller.send(Method::PATCH, &format!("/games/{id}/pace"), &PatchPace { pace }).await
    }

    /// Round 1 begins at once.
    pub async fn start(&self, id: GameId) -> Result<Game, ClientError> {
        self.caller.post(&format!("/games/{id}/gameCommands/start")).await
    }

    pub async fn end(&self, id: GameId) -> Result<Game, ClientError> {
        self.caller.post(&format!("/games/{id}/gameCommands/end")).await
    }

    /// The game's time stands until it is resumed.
    pub async fn pause(&self, id: GameId) -> Result<Game, ClientError> {
        self.caller.post(&format!("/games/{id}/gameCommands/pause")).await
    }

    pub async fn resume(&self, id: GameId) -> Result<Game, ClientError> {
        self.caller.post(&format!("/games/{id}/gameCommands/resume")).await
    }

    /// Plays the rest of a paused game's round at once; the next round is paused again.
    pub async fn step(&self, id: GameId) -> Result<Game, ClientError> {
        self.caller.post(&format!("/games/{id}/gameCommands/step")).await
    }

    /// The answer has the player's token, which is its secret.
    pub async fn register(&self, player: &RegisterPlayer) -> Result<RegisteredPlayer, ClientError> {
        self.caller.send(Method::POST, "/players", player).await
    }

    /// The same with an idempotency key: sent again, it is answered as it was the first time.
    pub async fn register_once(
        &self,
        player: &RegisterPlayer,
        key: &str,
    ) -> Result<RegisteredPlayer, ClientError> {
        self.caller.exchange(Call::keyed(Method::POST, "/players", key).json(player)).await
    }

    /// A player who has registered before, by name and mail address together. Its token is told if `with_token` shows it, and in the
    /// msd dialect.
    pub async fn look_up(&self, name: &str, mail: &str) -> Result<FoundPlayer, ClientError> {
        self.caller.get(&found_at(name, mail)).await
    }

    /// The same with the code that the player chose when it registered. A service with `--token-recovery on` tells it its token.
    pub async fn recover(
        &self,
        name: &str,
        mail: &str,
        code: &RecoveryCode,
    ) -> Result<FoundPlayer, ClientError> {
        let mut shown = HeaderValue::from_str(code.as_str()).expect("a code is visible ASCII");
        shown.set_sensitive(true);
        let header = HeaderName::from_static(RECOVERY_CODE);
        self.caller.exchange(Call::get(found_at(name, mail)).header(header, shown)).await
    }

    /// `player` is its token; in the msd dialect also its id.
    pub async fn join(&self, id: GameId, player: &str) -> Result<TransactionId, ClientError> {
        let joined: Joined =
            self.caller.put(&format!("/games/{id}/players/{}", encode_query(player))).await?;
        Ok(joined.transaction_id)
    }

    pub async fn leave(&self, id: GameId, player: &str) -> Result<(), ClientError> {
        self.caller.delete(&format!("/games/{id}/players/{}", encode_query(player))).await
    }

    pub async fn participating_players(&self, id: GameId) -> Result<ParticipatingPlayers, ClientError> {
        self.caller.get(&format!("/games/{id}/participatingPlayers")).await
    }

    /// What each player has done in the open round, in the order in which they joined; who was taken out is left out.
    pub async fn players(&self, id: GameId) -> Result<Vec<RoundPlayer>, ClientError> {
        self.caller.get(&format!("/games/{id}/players")).await
    }

    /// Marks a player as ready: it sends no more commands in this round. `player` is its token; in the msd dialect also its id.
    pub async fn ready(&self, id: GameId, player: &str) -> Result<Readiness, ClientError> {
        self.caller.put(&format!("/games/{id}/players/{}/ready", encode_query(player))).await
    }

    /// Gives the player a new token; the old one is invalid from then on. Needs `with_token`.
    pub async fn renew_token(&self, player: PlayerId) -> Result<NewToken, ClientError> {
        self.caller.post(&format!("/players/{player}/token")).await
    }

    pub async fn command(&self, command: &CommandRequest) -> Result<Receipt, ClientError> {
        self.caller.send(Method::POST, "/commands", command).await
    }

    /// At most a thousand; each has a result of its own, in the same order.
    pub async fn commands(&self, commands: &[CommandRequest]) -> Result<Vec<BatchItem>, ClientError> {
        self.caller.send(Method::POST, "/commands/batch", &commands).await
    }

    /// The state of a command: of one's own at once (with `with_token`), of others' when their round is over.
    pub async fn receipt(&self, command: TransactionId) -> Result<Receipt, ClientError> {
        self.caller.get(&format!("/commands/{command}")).await
    }

    /// The commands of a round that is over; of the open one one's own.
    pub async fn round_commands(&self, id: GameId, round: u32) -> Result<RoundCommands, ClientError> {
        self.caller.get(&format!("/commands?gameId={id}&roundNumber={round}")).await
    }

    /// What the player sees of the game at one glance; the player's token is shown by `with_token`.
    pub async fn view(&self, id: GameId) -> Result<GameView, ClientError> {
        self.caller.get(&format!("/games/{id}/view")).await
    }

    /// The best one first.
    pub async fn scoreboard(&self, id: GameId) -> Result<Vec<ScoreboardRow>, ClientError> {
        self.caller.get(&format!("/games/{id}/scoreboard")).await
    }

    /// Where the other services are.
    pub async fn services(&self) -> Result<Services, ClientError> {
        self.caller.get("/services").await
    }

    /// Reports that a robot was spawned. For robot services; needs the admin token where one is set.
    pub async fn robot_spawned(
        &self,
        robot: RobotId,
        player_id: PlayerId,
    ) -> Result<KnownRobot, ClientError> {
        self.caller.send(Method::PUT, &format!("/robots/{robot}"), &RobotSpawned { player_id }).await
    }

    /// Reports that a robot was destroyed.
    pub async fn robot_destroyed(&self, robot: RobotId) -> Result<(), ClientError> {
        self.caller.delete(&format!("/robots/{robot}")).await
    }

    /// Deletes an ended game, with its rounds and its gameworld.
    pub async fn delete(&self, id: GameId) -> Result<(), ClientError> {
        self.caller.delete(&format!("/games/{id}")).await
    }

    pub async fn time(&self, id: GameId) -> Result<GameTime, ClientError> {
        self.caller.get(&format!("/games/{id}/time")).await
    }
}

fn found_at(name: &str, mail: &str) -> String {
    format!("/players?name={}&mail={}", encode_query(name), encode_query(mail))
}
