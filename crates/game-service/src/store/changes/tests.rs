//! Changes survive their serialised form, whatever is in them; a form that is not known is refused.
//! That the form is complete in practice is shown by the histories, where a replica is given nothing else.

use std::sync::Arc;
use std::time::Duration;

use imbl::HashSet;
use jiff::Timestamp;
use proptest::prelude::*;
use starkeep_game_core::{
    Amounts, Command, CommandId, Ended, Game, GameId, Kind, Moment, Order, Pace, Phase, Player, PlayerId,
    Policy, RecoveryCodeHash, ReplenishmentMode, Retire, Retirement, Robot, RobotGame, RobotId, Roster,
    RosterChange, Round, RoundId, Running, Standing, StartUnderWay, State, Timer, Token, TrackedRobot,
    WorldId,
};
use starkeep_platform::domain::ChangeCodec;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use uuid::Uuid;

use crate::domain::{
    BatchId, BatchState, Change, CommandResult, EndedRound, GameHeader, GameMove, Games, Image, IntentMove,
    Known, NewCommand, RecordedNews, Sender, WorldCall,
};

fn id() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

fn wall() -> impl Strategy<Value = Timestamp> {
    (-60_000_000_000_000_i64..250_000_000_000_000)
        .prop_map(|millis| Timestamp::from_millisecond(millis).unwrap())
}

fn span() -> impl Strategy<Value = Duration> {
    (any::<u64>(), 0..1_000_000_000_u32).prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
}

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,9}"
}

fn maybe<T: std::fmt::Debug>(some: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    prop::option::of(some)
}

fn few<T: std::fmt::Debug>(some: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(some, 0..4)
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn batch_state() -> impl Strategy<Value = BatchState> {
    prop_oneof![
        Just(BatchState::Sending),
        Just(BatchState::Dispatched),
        Just(BatchState::Undelivered),
        Just(BatchState::Unknown),
        Just(BatchState::Dropped),
    ]
}

fn retirement() -> impl Strategy<Value = Retirement> {
    let how = prop_oneof![Just(Retire::Deactivate), Just(Retire::Seal), Just(Retire::Delete)];
    (id(), how).prop_map(|(world, how)| Retirement { world: WorldId(world), how })
}

fn running() -> impl Strategy<Value = State> {
    let timer = (any::<u64>(), span(), any::<bool>()).prop_map(|(since, from, paused)| Timer {
        since: Moment(since),
        from,
        paused,
    });
    let round = (id(), any::<u32>(), any::<u32>(), span()).prop_map(|(id, number, length, begins)| Round {
        id: RoundId(id),
        number,
        length,
        begins,
    });
    let phase = prop_oneof![Just(Phase::Countdown), Just(Phase::Collection), Just(Phase::Execution)];
    (any::<[u32; 2]>(), wall(), timer, round, phase, span()).prop_map(
        |([slot, replenished_after], started_at, timer, round, phase, phase_ends)| {
            let ready = HashSet::new();
            State::Running(Running {
                slot,
                started_at,
                timer,
                round,
                phase,
                phase_ends,
                ready,
                replenished_after,
            })
        },
    )
}

fn state() -> impl Strategy<Value = State> {
    let start = (any::<u32>(), id()).prop_map(|(slot, world)| StartUnderWay { slot, world: WorldId(world) });
    let ended = (maybe(wall()), wall(), any::<u32>(), span(), span()).prop_map(
        |(started_at, ended_at, last_round, game_time, round_time)| {
            State::Ended(Ended { started_at, ended_at, last_round, game_time, round_time })
        },
    );
    prop_oneof![maybe(start).prop_map(|start| State::Created { start }), running(), ended]
}

fn header() -> impl Strategy<Value = GameHeader> {
    let pace = prop_oneof![Just(Pace::Clock), Just(Pace::Turbo)];
    let money = prop_oneof![Just(200), any::<u32>()];
    let seeds = (maybe(any::<u64>()), any::<u64>());
    let numbers = (id(), any::<[u32; 3]>(), pace, seeds, maybe(text()), money);
    let replenishment = prop_oneof![Just(ReplenishmentMode::Automatic), Just(ReplenishmentMode::OnRequest)];
    let of_world = (maybe(text()), any::<bool>(), replenishment);
    (text(), numbers, of_world, maybe(id()), maybe(id()), wall(), state()).prop_map(
        |(
            name,
            (id, [max_rounds, max_players, round_length], pace, (seed, drawn_seed), style, start_money),
            (nonce, world_is_given, replenishment),
            world,
            replaced,
            created_at,
            state,
        )| {
            GameHeader::of(Game {
                id: GameId(id),
                name,
                max_rounds,
                max_players,
                round_length,
                pace,
                seed,
                drawn_seed,
                style,
                nonce,
                start_money,
                world: world.map(WorldId),
                world_is_given,
                replenishment,
                replaced_world: replaced.map(WorldId),
                roster: Roster::default(),
                created_at,
                state,
            })
        },
    )
}

fn moved() -> impl Strategy<Value = Change> {
    let player = || id().prop_map(PlayerId);
    let roster = prop_oneof![
        (player(), maybe(id()))
            .prop_map(|(player, transaction)| RosterChange::Joined { player, transaction }),
        player().prop_map(RosterChange::Left),
        player().prop_map(RosterChange::TakenOut),
    ];
    let ended_round = (any::<u32>(), few((kind(), batch_state())))
        .prop_map(|(number, unsent)| EndedRound { number, unsent });
    let intent = prop_oneof![
        intent().prop_map(IntentMove::Begins),
        id().prop_map(|id| IntentMove::Ends(IntentId(id)))
    ];
    let of_players = (maybe(roster), maybe(id()));
    (header(), of_players, any::<[bool; 2]>(), maybe(ended_round), few(retirement()), few(intent)).prop_map(
        |(game, (roster, ready), [starts, opens_round], ended_round, retire, intents)| {
            let ready = ready.map(PlayerId);
            let moved = GameMove { game, roster, ready, starts, opens_round, ended_round, retire, intents };
            Change::GameMoved(Box::new(moved))
        },
    )
}

fn intent() -> impl Strategy<Value = Intent<WorldCall>> {
    let game = || id().prop_map(GameId);
    let call = prop_oneof![
        game().prop_map(WorldCall::Create),
        game().prop_map(WorldCall::Start),
        (game(), id().prop_map(WorldId), any::<u32>())
            .prop_map(|(game, world, round)| WorldCall::Replenish { game, world, round }),
    ];
    (id(), id(), call).prop_map(|(id, owner, call)| Intent {
        id: IntentId(id),
        owner: ReplicaId(owner),
        call,
    })
}

fn order() -> impl Strategy<Value = Order> {
    let robot = || id().prop_map(RobotId);
    prop_oneof![
        (robot(), maybe(text()), maybe(text())).prop_map(|(robot, item, planet)| Order::Sell {
            robot,
            item,
            planet
        }),
        (robot(), text(), maybe(text())).prop_map(|(robot, item, planet)| Order::Buy { robot, item, planet }),
        (any::<u32>(), maybe(text())).prop_map(|(quantity, planet)| Order::BuyRobots { quantity, planet }),
        (robot(), id()).prop_map(|(robot, planet)| Order::Move { robot, planet }),
        (robot(), robot()).prop_map(|(robot, target)| Order::Fight { robot, target }),
        robot().prop_map(|robot| Order::Mine { robot }),
        robot().prop_map(|robot| Order::Regenerate { robot }),
    ]
}

fn new_command() -> impl Strategy<Value = NewCommand> {
    (any::<[u128; 3]>(), any::<u32>(), any::<u64>(), order(), maybe(any::<u64>())).prop_map(
        |(ids, round, place, order, replaces)| {
            let [id, game, player] = ids.map(Uuid::from_u128);
            let (id, game, player) = (CommandId(id), GameId(game), PlayerId(player));
            NewCommand { command: Arc::new(Command { id, game, round, player, order, place }), replaces }
        },
    )
}

fn standing() -> impl Strategy<Value = Standing> {
    (maybe(any::<u64>()), any::<[u32; 2]>(), any::<[u64; 5]>()).prop_map(
        |(money, [robots_alive, fights_won], mined)| Standing {
            money,
            robots_alive,
            mined: Amounts::new(mined),
            fights_won,
        },
    )
}

fn news() -> impl Strategy<Value = RecordedNews> {
    let robot = (id(), any::<[u64; 5]>(), maybe(id())).prop_map(|(owner, cargo, hit)| TrackedRobot {
        owner: PlayerId(owner),
        cargo: Amounts::new(cargo),
        last_hit_by: hit.map(PlayerId),
    });
    let result = (id(), text(), text(), text()).prop_map(|(command, channel, event_type, payload)| {
        CommandResult { command: CommandId(command), channel, event_type, payload }
    });
    let standing = (id().prop_map(GameId), id().prop_map(PlayerId), standing());
    let robot = (id().prop_map(GameId), id().prop_map(RobotId), maybe(robot));
    let begun = (id().prop_map(GameId), any::<u32>());
    (maybe((text(), text())), few(begun), few(standing), few(robot), few(result)).prop_map(
        |(position, begun, standings, robots, results)| RecordedNews {
            position,
            begun,
            standings,
            robots,
            results,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let batch = || {
        (id().prop_map(GameId), any::<u32>(), kind()).prop_map(|(game, round, kind)| BatchId {
            game,
            round,
            kind,
        })
    };
    let code = (text(), any::<[u8; 16]>()).prop_map(|(code, salt)| RecoveryCodeHash::of(&code, salt));
    let player =
        (id(), text(), text(), id(), maybe(code)).prop_map(|(id, name, mail, token, recovery_code)| Player {
            id: PlayerId(id),
            name,
            mail,
            token: Token(token),
            recovery_code,
        });
    let game = prop_oneof![
        Just(RobotGame::Any),
        Just(RobotGame::Next),
        id().prop_map(|id| RobotGame::Only(GameId(id))),
        id().prop_map(|id| RobotGame::Own(GameId(id))),
        Just(RobotGame::Past),
    ];
    let robot = (id(), maybe(id()), any::<bool>(), game).prop_map(|(id, owner, alive, game)| {
        (RobotId(id), Robot { owner: owner.map(PlayerId), alive, game })
    });
    let shift = (id(), any::<u64>()).prop_map(|(game, since)| (GameId(game), Moment(since)));
    prop_oneof![
        (header(), maybe(id())).prop_map(|(game, intent)| Change::GameCreated {
            game: Box::new(game),
            intent: intent.map(IntentId)
        }),
        moved(),
        (id(), few(retirement()))
            .prop_map(|(game, retire)| Change::GameDeleted { game: GameId(game), retire }),
        intent().prop_map(Change::CreationBegun),
        id().prop_map(|id| Change::ReplenishmentSettled(IntentId(id))),
        (id(), few(retirement()))
            .prop_map(|(id, retire)| Change::CreationWithdrawn { intent: IntentId(id), retire }),
        retirement().prop_map(Change::WorldAbandoned),
        retirement().prop_map(Change::WorldRetired),
        (any::<u64>(), wall(), few(shift)).prop_map(|(at, wall, shifted)| Change::Heartbeat {
            at: Moment(at),
            wall,
            shifted
        }),
        player.prop_map(Change::PlayerRegistered),
        (id(), id())
            .prop_map(|(id, token)| Change::TokenRenewed { player: PlayerId(id), token: Token(token) }),
        (few(robot), any::<i64>(), maybe((text(), text())))
            .prop_map(|(robots, living, position)| Change::RobotsReported { robots, living, position }),
        few(new_command()).prop_map(Change::CommandsTaken),
        (batch(), maybe((id(), any::<bool>()))).prop_map(|(batch, sender)| {
            let of = |(replica, executes_once)| Sender { replica: ReplicaId(replica), executes_once };
            Change::BatchBegun { batch, sender: sender.map(of) }
        }),
        (batch(), id()).prop_map(|(batch, sender)| Change::BatchResumed { batch, sender: ReplicaId(sender) }),
        (batch(), batch_state(), maybe(text())).prop_map(|(batch, state, position)| Change::BatchSettled {
            batch,
            state,
            position
        }),
        few(batch()).prop_map(Change::BatchesInterrupted),
        news().prop_map(|news| Change::ExecutorNewsRecorded(Box::new(news))),
        (id(), any::<u32>(), few((id().prop_map(PlayerId), standing())), 0_u8..4).prop_map(
            |(game, round, rows, known)| {
                let known = Known::from_bits(known);
                Change::RoundScored { game: GameId(game), round, rows, known, news: None }
            }
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_change_is_the_same_after_it_was_written_and_read(change in change()) {
        let bytes = Games::encode(&change);
        prop_assert!(bytes.starts_with(br#"{"v":1,"#), "the version comes first");
        prop_assert_eq!(Games::decode(&bytes), Ok(change));
    }
}

#[test]
fn a_form_that_is_not_known_is_refused() {
    let refused = |text: &str| Games::decode(text.as_bytes()).unwrap_err().0;
    let newer = refused(r#"{"v":2,"change":{"somethingNew":{}}}"#);
    assert!(newer.contains("it has version 2, this program knows 1"), "{newer}");
    for text in [
        r#"{"v":1,"change":{"somethingNew":{}}}"#,
        r#"{"v":1,"change":{"batchesInterrupted":[]},"more":1}"#,
        r#"{"v":1,"change":{"tokenRenewed":{"player":"00000000-0000-0000-0000-000000000000"}}}"#,
        r#"{"v":1,"change":{"worldRetired":{"world":"00000000-0000-0000-0000-000000000000","how":"delete","why":1}}}"#,
        r#"{"change":{"batchesInterrupted":[]}}"#,
        "",
    ] {
        refused(text);
    }
    let known = Games::decode(br#"{"v":1,"change":{"batchesInterrupted":[]}}"#);
    assert_eq!(known, Ok(Change::BatchesInterrupted(vec![])));
}

#[test]
fn forms_of_earlier_programs_are_read_as_they_were_meant() {
    let id = Uuid::nil();
    let batch = BatchId { game: GameId(id), round: 1, kind: Kind::Mining };
    let named = format!(r#""batch":{{"game":"{id}","round":1,"kind":"mining"}}"#);
    let sender = Sender { replica: ReplicaId(id), executes_once: false };
    for (form, change) in [
        (
            format!(r#"{{"batchBegun":{{{named},"sender":"{id}"}}}}"#),
            Change::BatchBegun { batch, sender: Some(sender) },
        ),
        (
            format!(r#"{{"batchSettled":{{{named},"state":"unknown"}}}}"#),
            Change::BatchSettled { batch, state: BatchState::Unknown, position: None },
        ),
    ] {
        let bytes = format!(r#"{{"v":1,"change":{form}}}"#).into_bytes();
        assert_eq!(Games::decode(&bytes), Ok(change.clone()));
        assert_eq!(Games::encode(&change), bytes);
    }
    let game = format!(
        r#"{{"v":1,"change":{{"gameMoved":{{"game":{{"id":"{id}","maxRounds":1,"maxPlayers":1,"roundLength":100,"pace":"clock","createdAt":"1970-01-01T00:00:00Z","state":"created"}},"roster":{{"joined":"{id}"}},"opensRound":false,"intent":{{"ends":"{id}"}}}}}}}}"#
    );
    let Ok(Change::GameMoved(moved)) = Games::decode(game.as_bytes()) else { panic!("a move") };
    assert_eq!(moved.roster, Some(RosterChange::Joined { player: PlayerId(id), transaction: None }));
    let header = moved.game.without_players();
    assert_eq!((&*header.name, header.start_money, header.drawn_seed), ("Game", 200, 0));
    assert_eq!((header.replenishment, header.world_is_given), (ReplenishmentMode::Automatic, false));
    assert_eq!(moved.intents, [IntentMove::Ends(IntentId(id))]);
    assert_eq!(Games::encode(&Change::GameMoved(moved)), game.as_bytes());
}

#[test]
fn a_boundary_of_a_game_with_ten_thousand_players_is_small() {
    let players = (1..=10_000).map(|number| PlayerId(Uuid::from_u128(number)));
    let game = Game {
        id: GameId(Uuid::max()),
        name: "\u{1f680}".repeat(80),
        max_rounds: 1_000_000,
        max_players: 10_000,
        round_length: 60_000,
        pace: Pace::Turbo,
        seed: Some(9_007_199_254_740_991),
        drawn_seed: u64::MAX,
        start_money: 1_000_000,
        style: Some("symmetric".to_owned()),
        nonce: Some("0f".repeat(16)),
        world: Some(WorldId(Uuid::max())),
        world_is_given: false,
        replenishment: ReplenishmentMode::OnRequest,
        replaced_world: Some(WorldId(Uuid::max())),
        roster: players.clone().collect(),
        created_at: Timestamp::MAX,
        state: State::Running(Running {
            slot: 1,
            started_at: Timestamp::MAX,
            timer: Timer { since: Moment::LAST, from: Duration::from_nanos(u64::MAX), paused: false },
            round: Round {
                id: RoundId(Uuid::max()),
                number: 999_999,
                length: 60_000,
                begins: Duration::from_nanos(u64::MAX),
            },
            phase: Phase::Execution,
            phase_ends: Duration::from_nanos(u64::MAX),
            ready: players.skip(1).collect(),
            replenished_after: 999_998,
        }),
    };
    let boundary = game.next_boundary().unwrap();
    let over = game.advance(&Policy::standard(), boundary, RoundId(Uuid::max()), Timestamp::MAX).unwrap();
    let ready = game.ready(PlayerId(Uuid::from_u128(1)), Moment(0));
    assert!(ready.is_err(), "its input has ended");
    let change = Change::of_game(over, &Image::default()).unwrap();
    let length = Games::encode(&change).len();
    assert!(length < 1_000 + game.name.len(), "{length} bytes");
    assert!(format!("{change:?}").len() < 3_000, "the change itself holds no players");
}
