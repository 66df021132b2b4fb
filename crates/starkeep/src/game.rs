//! `starkeep game`: what a host does with games, over the public interface.
//! Which game is meant is decided in `games`; how answers are shown to people is in `show`.

mod confirm;
mod show;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use starkeep_client::GameClient;
use starkeep_contract::GameId;
use starkeep_contract::game::Pace;

use crate::args::{CreateArgs, EndArgs, GameArgs, GameCommand, HostArgs, OneGameArgs, OutputArgs, PatchArgs};
use crate::failure::CommandError;
use crate::games::{self, ShownGame};
use crate::output::{print, print_line};

pub(crate) async fn game(args: &GameArgs) -> Result<(), CommandError> {
    match &args.command {
        GameCommand::Create(args) => create(args).await,
        GameCommand::List(args) => list(args).await,
        GameCommand::Show(args) => show(args).await,
        GameCommand::Patch(args) => patch(args).await,
        GameCommand::Start(args) => command(args, "start", "started").await,
        GameCommand::Pause(args) => command(args, "pause", "paused").await,
        GameCommand::Resume(args) => command(args, "resume", "resumed").await,
        GameCommand::Step(args) => command(args, "step", "stepped").await,
        GameCommand::End(args) => end(args).await,
        GameCommand::Players(args) => players(args).await,
        GameCommand::Scores(args) => scores(args).await,
    }
}

/// The service, as this host reaches it, and how answers are printed.
struct Host<'a> {
    client: GameClient,
    output: &'a OutputArgs,
}

impl<'a> Host<'a> {
    fn new(args: &'a HostArgs) -> Result<Self, CommandError> {
        let client = client(&args.address.url(), args.token.read().map_err(CommandError::Asked)?.as_deref())?;
        Ok(Self { client, output: &args.output })
    }

    /// The game of an answer, with how many play it: an answer also names those who were taken out.
    async fn game(&self, answer: &RawValue) -> Result<ShownGame, CommandError> {
        let mut game = ShownGame::read(answer)?;
        self.count_players(&mut game).await;
        Ok(game)
    }

    /// Nobody is taken out of a game before its start. A service of another version may not tell.
    async fn count_players(&self, game: &mut ShownGame) {
        if game.game_status == "created" {
            return;
        }
        if let Ok(players) = self.client.players(game.game_id).await {
            game.playing = Some(players.len());
        }
    }

    /// Exactly what the service answered, or as text for people.
    async fn print(
        &self,
        answer: &RawValue,
        text: impl AsyncFnOnce() -> Result<String, CommandError>,
    ) -> Result<(), CommandError> {
        if self.output.json { print_line(answer.get()).await } else { print(text().await?).await }
    }
}

/// Shows the token, if there is one. An address that is none was asked for wrongly.
pub(crate) fn client(url: &str, token: Option<&str>) -> Result<GameClient, CommandError> {
    let client = GameClient::new(url).map_err(|fault| CommandError::Asked(fault.to_string()))?;
    Ok(token.map_or_else(|| client.clone(), |token| client.clone().with_token(token)))
}

async fn create(args: &CreateArgs) -> Result<(), CommandError> {
    let host = Host::new(&args.host)?;
    let mut body = json!({
        "maxRounds": args.rounds, "maxPlayers": args.players, "duration": args.duration,
        "style": starkeep_map_core::Style::from(args.style).as_str(),
    });
    for (field, value) in [("name", args.name.clone().map(Value::from)), ("seed", args.seed.map(Value::from))]
    {
        if let Some(value) = value {
            body[field] = value;
        }
    }
    let answer = host.client.send_raw(http::Method::POST, "/games", &body).await?;
    if host.output.json {
        return print_line(answer.get()).await;
    }
    let created: Value = serde_json::from_str(answer.get()).unwrap_or_default();
    let id: GameId = serde_json::from_value(created["gameId"].clone()).map_err(|fault| {
        CommandError::Stopped(format!("the game service's answer names no game: {fault}"))
    })?;
    let game = games::show(&host.client, id).await?;
    print(show::created(&game, host.output.paint())).await
}

async fn list(args: &HostArgs) -> Result<(), CommandError> {
    let host = Host::new(args)?;
    let answers = host.client.list_raw("/games").await?;
    if host.output.json {
        let games: Vec<&str> = answers.iter().map(|game| game.get()).collect();
        return print_line(&format!("[{}]", games.join(","))).await;
    }
    let mut games: Vec<ShownGame> =
        answers.iter().map(|game| ShownGame::read(game)).collect::<Result<_, _>>()?;
    // Of those that are over there may be thousands.
    for game in games.iter_mut().filter(|game| game.is_running()) {
        host.count_players(game).await;
    }
    print(show::list(&games, host.output.paint())).await
}

async fn show(args: &OneGameArgs) -> Result<(), CommandError> {
    let host = Host::new(&args.host)?;
    let game = games::find(&host.client, args.game.as_deref()).await?;
    let answer = host.client.get_raw(&format!("/games/{}", game.game_id)).await?;
    host.print(&answer, async || Ok(show::details(&host.game(&answer).await?, host.output.paint()))).await
}

async fn patch(args: &PatchArgs) -> Result<(), CommandError> {
    let host = Host::new(&args.host)?;
    let mut game = games::find(&host.client, args.game.as_deref()).await?;
    host.count_players(&mut game).await;
    let is_end = !game.has_ended() && args.rounds.is_some_and(|rounds| rounds < game.round());
    if is_end && !args.yes && !confirm::is_confirmed(&show::question(&game)) {
        return Err(CommandError::Stopped("nothing was changed".to_owned()));
    }
    // The rounds come last: they may end the game, and then nothing else can be changed.
    let changes = [
        args.duration.map(|duration| ("duration", json!({ "duration": duration }))),
        args.pace.map(|pace| ("pace", json!({ "pace": Pace::from(pace) }))),
        args.rounds.map(|rounds| ("maxRounds", json!({ "maxRounds": rounds }))),
    ];
    for (field, body) in changes.into_iter().flatten() {
        let path = format!("/games/{}/{field}", game.game_id);
        let answer = host.client.send_raw(http::Method::PATCH, &path, &body).await?;
        let text = async || Ok(show::done("changed", &host.game(&answer).await?, host.output.paint()));
        host.print(&answer, text).await?;
    }
    Ok(())
}

/// One of the commands that act on a game's time.
async fn command(args: &OneGameArgs, word: &str, done: &str) -> Result<(), CommandError> {
    let host = Host::new(&args.host)?;
    let game = games::find(&host.client, args.game.as_deref()).await?;
    carry_out(&host, &game, word, done).await
}

async fn carry_out(host: &Host<'_>, game: &ShownGame, word: &str, done: &str) -> Result<(), CommandError> {
    let answer = host.client.post_raw(&format!("/games/{}/gameCommands/{word}", game.game_id)).await?;
    host.print(&answer, async || Ok(show::done(done, &host.game(&answer).await?, host.output.paint()))).await
}

async fn end(args: &EndArgs) -> Result<(), CommandError> {
    let host = Host::new(&args.one.host)?;
    let mut game = games::find(&host.client, args.one.game.as_deref()).await?;
    host.count_players(&mut game).await;
    if !args.yes && !confirm::is_confirmed(&show::question(&game)) {
        return Err(CommandError::Stopped("nothing was ended".to_owned()));
    }
    carry_out(&host, &game, "end", "ended").await
}

async fn players(args: &OneGameArgs) -> Result<(), CommandError> {
    let host = Host::new(&args.host)?;
    let game = games::find(&host.client, args.game.as_deref()).await?;
    let answer = host.client.get_raw(&format!("/games/{}/players", game.game_id)).await?;
    host.print(&answer, async || show::players(&game, &answer, host.output.paint())).await
}

async fn scores(args: &OneGameArgs) -> Result<(), CommandError> {
    let host = Host::new(&args.host)?;
    let game = games::find(&host.client, args.game.as_deref()).await?;
    let answer = host.client.get_raw(&format!("/games/{}/scoreboard", game.game_id)).await?;
    host.print(&answer, async || show::scores(&game, &answer, host.output.paint())).await
}
