//! `starkeep bot`: built-in bots join a game over its public interface and play it until it has ended.
//! A service that is away is waited for; whatever ends the command, what the bots did is printed in one line.

mod bounded_tasks;
mod error;
mod lobby;
mod play;
mod receipts;
mod robot_events;
mod seat;
mod seated_bot;
mod service;
mod standings;
mod tally;
#[cfg(test)]
mod tests;
mod token_file;
mod turn;
mod watcher;
mod wire;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use starkeep_bot_core::Rng;
use starkeep_client::{EventStream, StartFrom};
use starkeep_contract::GameId;
use starkeep_platform::background_output;
use starkeep_platform::chance::{Chance, SystemChance};
use starkeep_platform::clock::SystemClock;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

pub(crate) use self::error::BotError;
use self::seat::Seated;
use self::service::Service;
use self::tally::Tally;
pub(crate) use self::token_file::TokenFile;
use self::watcher::Watcher;
use crate::args::BotArgs;

/// How many requests are in flight at the same time, so that many bots do not flood the service. The receipts of a round are
/// asked beside the turns of the next.
const SEATS_AT_A_TIME: usize = 64;
const TURNS_AT_A_TIME: usize = 32;
const RECEIPTS_AT_A_TIME: usize = 32;

pub(crate) async fn bot(args: &BotArgs) -> Result<(), BotError> {
    let mut interrupted = signal(SignalKind::interrupt()).map_err(BotError::Signals)?;
    let seed = args.seed.unwrap_or_else(|| SystemChance.bits());
    let in_order = args.seed.is_some();
    let url = args.address.url();
    let service = service_at(&url)?;
    let tokens = Arc::new(TokenFile::open(&args.token_file, &url)?);
    let wanted = Wanted { count: args.count, name: &args.name, game: args.game, seed, in_order, tokens };
    let is_json = args.output.json;
    // Programs get one document at the end.
    let mut output: Box<dyn Write + Send> =
        if is_json { Box::new(io::sink()) } else { Box::new(background_output::stdout()) };
    let (mut tally, is_watched) = (Tally::default(), io::stdout().is_terminal());
    let outcome = tokio::select! {
        biased;
        _ = interrupted.recv() => Ok(()),
        outcome = run(&service, &wanted, &mut tally, &mut output, is_watched, || ()) => outcome,
    };
    // Bots that never joined have nothing to report but the reason.
    if outcome.is_ok() || tally.is_begun() {
        let report = if is_json { tally.json().to_string() } else { tally.to_string() };
        background_output::stdout().print_line(&report);
    }
    outcome
}

fn service_at(url: &str) -> Result<Arc<Service>, BotError> {
    Service::new(url, SystemClock::start(), Arc::new(SystemChance))
}

/// Lets so many bots join a game and play it to its end, without a word. `seated` is told when they have joined.
pub(crate) async fn fill(
    url: &str,
    game: GameId,
    count: u32,
    seed: u64,
    tokens: Arc<TokenFile>,
    seated: oneshot::Sender<()>,
) -> Result<(), BotError> {
    let wanted = Wanted { count, name: "bot", game: Some(game), seed, in_order: false, tokens };
    // Whoever waited for it may have given up.
    let told = || seated.send(()).unwrap_or_default();
    // It is large, and so would be everything that awaits it.
    Box::pin(run(&service_at(url)?, &wanted, &mut Tally::default(), &mut io::sink(), false, told)).await
}

/// What was asked for.
struct Wanted<'a> {
    count: u32,
    name: &'a str,
    game: Option<GameId>,
    /// What the bots decide follows from it.
    seed: u64,
    /// Whether one bot acts after the other. What comes of a round depends on the order of its commands as well.
    in_order: bool,
    tokens: Arc<TokenFile>,
}

impl Wanted<'_> {
    /// So many, or one at a time.
    fn at_a_time(&self, most: usize) -> usize {
        if self.in_order { 1 } else { most }
    }

    /// Of the bot with that number.
    fn seed_of(&self, number: u32) -> u64 {
        Rng::from_seed(self.seed.wrapping_add(number.into())).next_u64()
    }

    /// Those who play, if so many have joined.
    fn names(&self, joined: usize) -> String {
        match self.count {
            count if u32::try_from(joined) != Ok(count) => format!("{joined} of {count} bots"),
            1 => format!("{}-1", self.name),
            count => format!("{0}-1 to {0}-{count}", self.name),
        }
    }
}

/// Plays one game to its end. `seated` is called when the bots have joined.
async fn run(
    service: &Arc<Service>,
    wanted: &Wanted<'_>,
    tally: &mut Tally,
    output: &mut (impl Write + Send),
    is_watched: bool,
    seated: impl FnOnce(),
) -> Result<(), BotError> {
    let url = service.url();
    let stream =
        EventStream::open(url, StartFrom::End, &["status", "roundStatus"]).map_err(BotError::address)?;
    let mut stream = stream.with_clock(service.clock()).with_chance(service.chance());
    let is_reached = stream.is_reached();
    let played = async {
        // Before anybody joins, so that nothing that concerns them is missed.
        let no_game_service = |fault| BotError::NoGameService { url: url.to_owned(), fault: Box::new(fault) };
        stream.ready().await.map_err(no_game_service)?;
        let game = lobby::find(service, &mut stream, wanted.game, output).await?;
        let Seated { bots, left_out } = seat::take_seats(service, game, wanted).await?;
        tally.begin(game, bots.len());
        seated();
        for sentence in left_out {
            tracing::warn!("{sentence}");
        }
        let names = wanted.names(bots.len());
        print_line(output, &format!("Joined game {game} as {names}; playing until it ends."));
        let mut watcher = Watcher::new(output, is_watched);
        let turns_at_a_time = wanted.at_a_time(TURNS_AT_A_TIME);
        play::play(service, game, &bots, turns_at_a_time, &mut stream, &mut watcher, tally).await
    };
    tokio::select! {
        biased;
        outcome = played => outcome,
        () = service.watch(is_reached) => unreachable!("it never ends"),
    }
}

/// The bots play on, also if it cannot be written.
fn print_line(output: &mut (impl Write + ?Sized), line: &str) {
    let _ = output.write_all(format!("{line}\n").as_bytes());
}
