//! A game that built-in bots play to its end: a real `starkeep bot` process at turbo pace, and what the services tell of it
//! afterwards. What must have come of it is the test's.

use serde_json::Value;
use starkeep_client::{EventStream, GameClient, Item, StartFrom};
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::game::{CreateGame, Pace};
use starkeep_contract::scores::{ScoreboardRow, Scores};
use starkeep_contract::{Bounded, GameId};
use starkeep_test_http::within_limit;

use crate::program::{Program, command, start};
use crate::two_services::path;
use crate::whole_game::events_about;

pub(crate) struct BotGame {
    pub(crate) seed: u64,
    pub(crate) rounds: u32,
    /// Of all services; those of one service are in order.
    pub(crate) events: Vec<Value>,
    pub(crate) scoreboard: Vec<ScoreboardRow>,
    pub(crate) scores: Scores,
    /// By the bots, at their end.
    pub(crate) summary: String,
}

impl BotGame {
    /// Map, bots and fights follow from the seed. Rounds end when all bots are ready, by the clock only long after the test.
    pub(crate) async fn play(program: &Program, seed: u64, bots: u32, rounds: u32) -> Self {
        Self::play_for_host(program, None, seed, bots, rounds).await
    }

    /// The same where a host needs the admin token.
    pub(crate) async fn play_for_host(
        program: &Program,
        admin_token: Option<&str>,
        seed: u64,
        bots: u32,
        rounds: u32,
    ) -> Self {
        let url = format!("http://{}", program.address("game"));
        let client = GameClient::new(&url).unwrap();
        let client = admin_token.into_iter().fold(client, GameClient::with_token);
        let game = client.create_game(&settings(seed, bots, rounds)).await.unwrap();
        client.set_pace(game, Pace::Turbo).await.unwrap();
        let mut stream = EventStream::open(&url, StartFrom::End, &[]).unwrap();
        stream.ready().await.unwrap();
        let (count, chance, id) = (bots.to_string(), seed.to_string(), game.to_string());
        // Elsewhere the players of an earlier game are not known: they have other names.
        let name = format!("bot{seed}");
        let of_bots = ["--count", &count, "--seed", &chance, "--name", &name];
        let flags = [&["bot", "--game-url", &url, "--game", &id][..], &of_bots].concat();
        let tokens = program.bot_tokens();
        let playing = start(command().args(flags).arg("--token-file").arg(tokens)).await;
        for _ in 0..bots {
            next_of(&mut stream, Channel::PlayerStatus).await;
        }
        client.start(game).await.unwrap();
        for round in 1..=rounds {
            assert_eq!(next_of(&mut stream, Channel::Scores).await.about.round_number, Some(round));
        }
        let output = within_limit("the bots' end", playing.wait_with_output()).await.unwrap();
        let (printed, errors) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{printed}");
        let summary = printed.lines().last().unwrap().to_owned();
        Self::told_by(program, &client, game, seed, rounds, summary).await
    }

    async fn told_by(
        program: &Program,
        client: &GameClient,
        game: GameId,
        seed: u64,
        rounds: u32,
        summary: String,
    ) -> Self {
        let world = client.game(game).await.unwrap().gameworld_id.unwrap();
        let mut events = events_about(&program.map(), &format!("gameworld_id={world}")).await;
        for service in [program.game(), program.robot(), program.trading()] {
            events.extend(events_about(&service, &format!("gameId={game}")).await);
        }
        let scores = program.game().get(&path(&game.to_string().into(), "/scores")).await.expect(200);
        Self {
            seed,
            rounds,
            events,
            scoreboard: client.scoreboard(game).await.unwrap(),
            scores: serde_json::from_value(scores).unwrap(),
            summary,
        }
    }

    pub(crate) fn on(&self, channel: Channel) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(move |event| event["channel"] == channel.name())
    }
}

fn settings(seed: u64, bots: u32, rounds: u32) -> CreateGame {
    CreateGame {
        name: None,
        max_rounds: Bounded::new(rounds.into()).unwrap(),
        max_players: Bounded::new(bots.into()).unwrap(),
        duration: Some(Bounded::new(86_400_000).unwrap()),
        seed: Some(Bounded::new(seed.try_into().unwrap()).unwrap()),
        nonce: None,
        style: None,
        gameworld_id: None,
        start_money: None,
    }
}

/// Waits for an event at a time: a long game has no limit as long as it goes on.
async fn next_of(stream: &mut EventStream, channel: Channel) -> PublishedEvent {
    loop {
        let item = within_limit("the game to go on", stream.next()).await.unwrap();
        let Item::Event(event) = item else { panic!("{item:?}") };
        if event.channel == channel {
            return event;
        }
    }
}
