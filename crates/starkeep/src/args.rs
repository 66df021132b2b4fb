//! The command line: which commands there are, and how what was typed becomes one of them.
//! The flags of each command are in files of their own, shared ones in `addresses`, `token` and `output`.

mod addresses;
mod bot;
mod demo;
mod events;
mod executors;
mod game;
mod limits;
mod listen;
mod output;
mod player_access;
mod public_urls;
mod reference;
mod selftest;
mod serve;
#[cfg(test)]
mod tests;
mod token;
mod transfer;
mod watch;
mod words;
mod world;

use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use self::addresses::bad_address;
pub(crate) use self::bot::BotArgs;
pub(crate) use self::demo::DemoArgs;
pub(crate) use self::events::{EventsArgs, Followed};
pub(crate) use self::game::{CreateArgs, EndArgs, GameArgs, GameCommand, HostArgs, OneGameArgs, PatchArgs};
pub(crate) use self::listen::Listen;
pub(crate) use self::output::OutputArgs;
pub(crate) use self::public_urls::PublicUrlArgs;
pub use self::reference::flags_markdown;
pub(crate) use self::selftest::SelfTestArgs;
pub(crate) use self::serve::{SCHEMA_PREFIX, ServeArgs, ServeFlags, Which};
pub(crate) use self::transfer::{BackupArgs, ExportArgs, ImportArgs, TargetArgs};
pub(crate) use self::watch::WatchArgs;
#[cfg(test)]
pub(crate) use self::world::StyleArg;
pub(crate) use self::world::{CheckArgs, PreviewArgs, VerifyArgs, WorldArgs, WorldCommand};
use crate::features::{Feature, Features};

/// The headings under which the help lists flags.
mod headings {
    pub(super) const ACCESS: &str = "Access";
    pub(super) const ADDRESSES: &str = "Addresses";
    pub(super) const EVENTS: &str = "Events";
    pub(super) const GAMES: &str = "Games";
    pub(super) const KAFKA: &str = "Kafka";
    pub(super) const LIMITS: &str = "Limits";
    pub(super) const LOGGING: &str = "Logging";
    pub(super) const OUTPUT: &str = "Output";
    pub(super) const ROBOT_AND_TRADING: &str = "Robot and trading services";
    pub(super) const SELF_TEST: &str = "Self-test";
    pub(super) const STORAGE: &str = "Storage and log";
    pub(super) const WORLDS: &str = "Worlds";
}

/// Runs a round-based multiplayer programming game: bots steer robots over a map of planets.
///
/// Without a command it runs `starkeep serve`: all services, with nothing else installed. The flags of `serve` work without
/// the word as well: `starkeep --data-dir x`.
#[derive(Parser)]
#[command(name = "starkeep", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the services.
    Serve(Box<ServeArgs>),
    /// Show a game at once: run the services, let four bots play one game after the other, and show it.
    Demo(Box<DemoArgs>),
    /// Create, list, change, start, pause and end games, and show how the players stand.
    Game(GameArgs),
    /// Watch a game live in the terminal: round, countdown, scoreboard and the latest events.
    Watch(WatchArgs),
    /// Follow the events of running services in the terminal.
    Events(EventsArgs),
    /// Let built-in bots play a game: they explore, mine, trade and fight.
    Bot(BotArgs),
    /// Draw worlds, prove what they promise, and check finished ones against their seed.
    World(WorldArgs),
    /// Write everything that stopped services keep into one file, to move it to another place or database.
    Export(ExportArgs),
    /// Fill an empty place with what `export` or `backup` wrote: a data directory or a PostgreSQL database.
    Import(ImportArgs),
    /// Copy a data directory into one file while its services run, as it was at one instant.
    Backup(BackupArgs),
    /// Fill an empty place with a backup. Its event logs are told apart from those of the installation that went on.
    Restore(ImportArgs),
    /// Test the program on this machine: bots play, services are killed, frozen and cut off, and all that was acknowledged is checked.
    /// Needs the feature `selftest`.
    #[command(name = "selftest")]
    SelfTest(SelfTestArgs),
    /// Print a script that lets a shell complete the commands and flags.
    #[command(after_help = "\
In bash:  source <(starkeep completions bash)
In zsh:   starkeep completions zsh > ~/.zfunc/_starkeep, in a directory of $fpath
In fish:  starkeep completions fish | source
To keep it, put the line into the file that the shell reads at its start.")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// What was asked for. Ends the program where it cannot be, or where only help was wanted.
pub(crate) fn parse() -> Command {
    match read(std::env::args_os().collect(), Features::OF_THIS_PROGRAM) {
        Ok(command) => command,
        Err(fault) => {
            let _ = fault.clap.print();
            if fault.without_command {
                let hint = "Without a command the flags are those of `starkeep serve`; `starkeep --help` lists the commands.";
                // Nobody may read it.
                let _ = writeln!(io::stderr(), "\n{hint}");
            }
            std::process::exit(fault.clap.exit_code())
        }
    }
}

/// The script for the shell.
pub(crate) fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "starkeep", &mut script);
    script
}

struct Unreadable {
    clap: clap::Error,
    /// Something was wrong with flags that were given without a command.
    without_command: bool,
}

fn read(mut arguments: Vec<OsString>, features: Features) -> Result<Command, Unreadable> {
    let of_the_program = ["-h", "--help", "-V", "--version"];
    let is_flag = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-");
    let is_serve = match arguments.get(1) {
        None => true,
        Some(first) => is_flag(first) && !of_the_program.iter().any(|own| first == own),
    };
    if is_serve {
        arguments.resize(arguments.len().max(1), "starkeep".into());
        arguments.insert(1, "serve".into());
    }
    let unreadable = |clap: clap::Error| {
        let is_help = matches!(clap.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        Unreadable { without_command: is_serve && !is_help, clap }
    };
    let matches = Cli::command().try_get_matches_from(arguments).map_err(unreadable)?;
    let read = Cli::from_arg_matches(&matches).map_err(|fault| unreadable(fault.format(&mut Cli::command())));
    let command = read?.command;
    refuse_missing(&matches, &command, features).map_err(|text| Unreadable {
        without_command: false,
        clap: clap::Error::raw(ErrorKind::ArgumentConflict, format!("{text}\n")),
    })?;
    Ok(command)
}

/// What needs a feature that the program was built without.
fn refuse_missing(matches: &ArgMatches, command: &Command, features: Features) -> Result<(), String> {
    features.check(matches)?;
    let flags = match command {
        Command::Serve(args) => &args.flags,
        Command::Demo(args) => &args.flags,
        _ => return Ok(()),
    };
    // Of the variables that the existing stack sets clap knows nothing.
    match flags.kafka() {
        Some(_) => {
            features.require(Feature::Kafka, "--kafka, which the variable KAFKA_BOOTSTRAP_ADDRESS sets,")
        }
        None => Ok(()),
    }
}
