//! Random batches that are followed before any of their changes is written: all that is fetched is from before the batch.
//! Whatever else was fetched meanwhile, the image equals one that is loaded after the batch.

use jiff::Timestamp;
use proptest::prelude::*;
use starkeep_game_core::{
    Change as GameChange, Deed, ExecutorKind, GameId, MadeWorld, Moment, NewGame, Player, PlayerId, Policy,
    ReplenishmentMode, ResourceKind, RobotGame, RobotId, RobotReport, RoundId, Start, Token, WorldId, create,
};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::Domain;
use starkeep_platform::memory::MemoryTables;
use uuid::Uuid;

use super::Tables;
use crate::domain::{Change, ExecutorNews, Followed, Games, Image, Key, Known, PlayerSearch, RecordedNews};

#[derive(Clone, Debug)]
enum Step {
    Register(u128),
    Renew(u128),
    Create(u128),
    Join {
        game: u128,
        player: u128,
    },
    Leave {
        game: u128,
        player: u128,
    },
    End(u128),
    Spawn {
        robot: u128,
        owner: u128,
        at: Option<i64>,
        /// The game that its own service names.
        own: Option<u128>,
    },
    /// At once, in the second of its number.
    Start(u128),
    Destroy(u128),
    /// An executor tells of a robot's deeds in the game.
    Tell {
        game: u128,
        robot: u128,
        owner: u128,
        holds: Option<u64>,
    },
    /// The game's next round, if it is over.
    Score(u128),
    /// What another decision of the batch has declared.
    Fetch(Fetched, u128),
}

#[derive(Clone, Copy, Debug)]
enum Fetched {
    Id,
    Token,
    Name,
    Mail,
    Robot,
    RobotsOf,
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let (player, game, robot) = (0..2_u128, 0..3_u128, 0..3_u128);
    let fetched = prop_oneof![
        1 => Just(Fetched::Id),
        // One that was renewed is the only thing to find a row by that is not true any longer.
        5 => Just(Fetched::Token),
        1 => Just(Fetched::Name),
        1 => Just(Fetched::Mail),
        1 => Just(Fetched::Robot),
        1 => Just(Fetched::RobotsOf),
    ];
    let step = prop_oneof![
        2 => player.clone().prop_map(Step::Register),
        4 => player.clone().prop_map(Step::Renew),
        2 => game.clone().prop_map(Step::Create),
        4 => (game.clone(), player.clone()).prop_map(|(game, player)| Step::Join { game, player }),
        2 => (game.clone(), player.clone()).prop_map(|(game, player)| Step::Leave { game, player }),
        1 => game.clone().prop_map(Step::End),
        2 => game.clone().prop_map(Step::Start),
        4 => (robot.clone(), player, prop::option::of(0..3_i64), prop::option::of(game.clone()))
            .prop_map(|(robot, owner, at, own)| Step::Spawn { robot, owner, at, own }),
        2 => robot.clone().prop_map(Step::Destroy),
        4 => (game.clone(), robot.clone(), 0..2_u128, prop::option::of(0..9_u64))
            .prop_map(|(game, robot, owner, holds)| Step::Tell { game, robot, owner, holds }),
        3 => game.prop_map(Step::Score),
        8 => (fetched, robot).prop_map(|(what, number)| Step::Fetch(what, number)),
    ];
    prop::collection::vec(prop::collection::vec(step, 1..10), 1..12)
}

fn player(number: u128) -> PlayerId {
    PlayerId(Uuid::from_u128(number))
}

/// The change that the step comes to; none if the rules refuse it.
fn change(step: &Step, tables: &Tables, image: &Image, token: Token) -> Option<Change> {
    let game = |number: u128| tables.games.get(&GameId(Uuid::from_u128(number)));
    let report = |report: RobotReport| {
        let known = tables.robots.get(&report.robot()).copied();
        let games = tables.games.values();
        let game = match report {
            RobotReport::Spawned { at: Some(time), .. } => RobotGame::at(time, games),
            _ => RobotGame::now(games),
        };
        let after = report.applied_to(known, game).ok()??;
        let robots = vec![(report.robot(), after)];
        Some(Change::robots_reported(|robot| tables.robots.get(&robot).copied(), robots, None))
    };
    let moved = match *step {
        Step::Register(number) => {
            let (id, name, mail) = (player(number), format!("Name {number}"), format!("Mail {number}"));
            let is_new = tables.players.get(id).is_none();
            return is_new.then_some(Change::PlayerRegistered(Player {
                id,
                name,
                mail,
                token,
                recovery_code: None,
            }));
        }
        Step::Renew(number) => {
            let player = tables.players.get(player(number))?.id;
            return Some(Change::TokenRenewed { player, token });
        }
        Step::Spawn { robot, owner, at, own } => {
            let (robot, owner) = (RobotId(Uuid::from_u128(robot)), player(owner));
            if let Some(own) = own {
                let game = GameId(Uuid::from_u128(own));
                return report(RobotReport::SpawnedIn { robot, owner, game });
            }
            let at = at.map(|second| Timestamp::from_second(second).expect("a second"));
            return report(RobotReport::Spawned { robot, owner, at });
        }
        Step::Destroy(robot) => {
            return report(RobotReport::Destroyed { robot: RobotId(Uuid::from_u128(robot)) });
        }
        Step::Tell { game, robot, owner, holds } => {
            let (robot, owner) = (RobotId(Uuid::from_u128(robot)), player(owner));
            let kind = ResourceKind::Gem;
            let told = holds.map_or(Deed::Destroyed { robot }, |holds| Deed::Mined { robot, kind, holds });
            let game = GameId(Uuid::from_u128(game));
            let deeds = vec![Deed::Spawned { robot, owner }, told];
            let news = ExecutorNews { game, round: 1, follows_trades: true, deeds, result: None };
            let mut after = image.clone();
            after.fold(ExecutorKind::Robots, &news, Followed::default());
            let position = Some(("robot-results".to_owned(), token.0.to_string()));
            let news = RecordedNews { position, ..after.news_since(image, [game]) };
            return Some(Change::ExecutorNewsRecorded(Box::new(news)));
        }
        Step::Score(number) => {
            let game = GameId(Uuid::from_u128(number));
            let round = image.round_to_score(game, Followed::default())?;
            let rows = image.scores(game)?.standings.players().map(|(player, of)| (player, *of)).collect();
            let news = (round % 2 == 0).then(|| Box::new(image.news_since(image, [game])));
            let known = Known { robots: true, mined: round % 2 == 0 };
            return Some(Change::RoundScored { game, round, rows, known, news });
        }
        Step::Create(number) if game(number).is_none() => {
            let id = GameId(Uuid::from_u128(number));
            let new = NewGame {
                id,
                name: None,
                max_rounds: 3,
                max_players: 2,
                round_length: None,
                seed: None,
                drawn_seed: 1,
                style: None,
                nonce: None,
                given_world: None,
                start_money: None,
            };
            create(&Policy::standard(), new, None, None, image.games_created() + 1, Timestamp::UNIX_EPOCH)
                .ok()?
        }
        Step::Join { game: number, player: who } => game(number)?.join(player(who), token.0).ok()?,
        Step::Leave { game: number, player: who } => game(number)?.leave(player(who)).ok()?,
        Step::End(number) => game(number)?.end(Moment(0), Timestamp::UNIX_EPOCH).ok()?,
        Step::Start(number) => {
            let (policy, round) = (Policy::standard(), RoundId(token.0));
            let now = Timestamp::from_second(i64::try_from(number).ok()?).ok()?;
            let world = WorldId(Uuid::from_u128(number));
            let game = game(number)?;
            match game.begin_start(&policy, &image.slots(), world, round, Moment(0), now).ok()? {
                Start::Now(change) => change,
                Start::NeedsWorld { change, .. } => {
                    let starting = change.after?;
                    let made = MadeWorld { id: world, replenishment: ReplenishmentMode::OnRequest };
                    let started = starting.finish_start(&policy, world, made, round, Moment(0), now).ok()?;
                    GameChange { before: Some(game.clone()), ..started }
                }
            }
        }
        Step::Create(_) | Step::Fetch(..) => return None,
    };
    Change::of_game(moved, image).ok()
}

fn key(what: Fetched, number: u128, rows: &Tables) -> Option<Key> {
    let known = rows.players.get(player(number));
    Some(match what {
        Fetched::Id => Key::Player(PlayerSearch::Id(player(number))),
        Fetched::Token => Key::Player(PlayerSearch::Token(known?.token)),
        Fetched::Name => Key::Player(PlayerSearch::named(&known?.name)),
        Fetched::Mail => Key::Player(PlayerSearch::with_mail(&known?.mail)),
        Fetched::Robot => Key::Robot(RobotId(Uuid::from_u128(number))),
        Fetched::RobotsOf => Key::RobotsOf(player(number)),
    })
}

fn fetch(rows: &Tables, keys: impl IntoIterator<Item = Key>, image: &mut Image) {
    for key in keys {
        Games::fetch(rows, &key, image);
    }
}

/// Follows each batch, and compares with an image that is loaded after it.
fn follow(batches: Vec<Vec<Step>>) -> Result<(), TestCaseError> {
    let (mut image, mut tables) = (Image::default(), Tables::default());
    let mut tokens = (1000..).map(|number| Token(Uuid::from_u128(number)));
    for batch in batches {
        let rows = tables.clone();
        for step in batch {
            if let Step::Fetch(what, number) = step {
                fetch(&rows, key(what, number, &rows), &mut image);
            }
            let token = tokens.next().expect("there is no end of them");
            let Some(change) = change(&step, &tables, &image, token) else { continue };
            fetch(&rows, Games::needed_by(&change), &mut image);
            Games::absorb(&mut image, &change);
            Games::save(&mut tables, &change, &DocumentWrites::default()).expect("the rules allow it");
        }
        Games::evict(&mut image);
        prop_assert_eq!(&image, &Games::load(&tables));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_image_that_follows_a_batch_equals_one_that_is_loaded_after_it(batches in steps()) {
        follow(batches)?;
    }
}

#[test]
fn a_robot_that_comes_into_memory_after_a_start_belongs_to_the_game_that_started() {
    let spawn = |robot| Step::Spawn { robot, owner: 0, at: None, own: None };
    let (start, join) = (Step::Start(0), Step::Join { game: 1, player: 0 });
    let before = vec![Step::Create(0), Step::Create(1), spawn(0)];
    let again = vec![Step::End(0), spawn(1), Step::Start(1), spawn(2)];
    for batch in [vec![start.clone(), join.clone()], vec![join, start.clone()], [vec![start], again].concat()]
    {
        follow(vec![before.clone(), batch]).expect("both are the same");
    }
}
