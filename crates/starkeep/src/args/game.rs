//! The flags of `starkeep game`: what is done, with which game, and how it is shown.
//! What it does is in `game`.

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use starkeep_contract::game::{Pace, RoundLength};
use starkeep_map_core::SEEDS;

use super::addresses::GameAddress;
use super::headings::GAMES;
use super::output::OutputArgs;
use super::token::TokenArgs;
use super::words::{players, round_length};
use super::world::StyleArg;

const EXIT_CODES: &str = "\
GAME is the id of a game, a beginning of it or an end that no other game has, or its name. Without it the only \
game that is created or running is meant.

Exit codes:
  0  done
  1  failed: the service refused it, or cannot be reached
  2  asked for something that cannot be: a wrong flag, or a game that is unknown or not the only one";

#[derive(Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct GameArgs {
    #[command(subcommand)]
    pub command: GameCommand,
}

#[derive(Subcommand)]
pub(crate) enum GameCommand {
    /// Create a game that players can join.
    Create(CreateArgs),
    /// List all games, active ones first.
    List(HostArgs),
    /// Show a game.
    Show(OneGameArgs),
    /// Change the rounds, the duration or the pace of a game.
    Patch(PatchArgs),
    /// Start a game: its first round begins.
    Start(OneGameArgs),
    /// Stop the time of a running game.
    Pause(OneGameArgs),
    /// Let the time of a paused game run on.
    Resume(OneGameArgs),
    /// Play the rest of a paused game's round at once; the game stays paused.
    Step(OneGameArgs),
    /// End a game for good.
    End(EndArgs),
    /// Show who takes part, who is ready, and what was sent in the open round.
    Players(OneGameArgs),
    /// Show how the players stand.
    Scores(OneGameArgs),
}

/// What every command of a host needs.
#[derive(Args)]
pub(crate) struct HostArgs {
    #[command(flatten)]
    pub address: GameAddress,
    #[command(flatten)]
    pub token: TokenArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(crate) struct OneGameArgs {
    /// The game: its id, a unique beginning or end of it, or its name. Default: the only active game.
    pub game: Option<String>,
    #[command(flatten)]
    pub host: HostArgs,
}

#[derive(Args)]
pub(crate) struct CreateArgs {
    /// Name of the game, up to 80 characters. Default: one that the service gives, such as "Game 3".
    #[arg(long, value_parser = game_name, help_heading = GAMES)]
    pub name: Option<String>,

    /// After how many rounds the game ends by itself.
    #[arg(long, default_value_t = 20, value_name = "COUNT",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = GAMES)]
    pub rounds: u32,

    /// How many players may join. The world is made for those who have joined when the game starts.
    #[arg(long, default_value_t = 30, value_name = "COUNT", value_parser = players(), help_heading = GAMES)]
    pub players: u32,

    /// How long a round lasts, from 100ms to 24h.
    #[arg(long, default_value = "30s", value_parser = round_length, help_heading = GAMES)]
    pub duration: RoundLength,

    /// The seed of the world; the same seed gives the same world. Default: a random one.
    #[arg(long, value_parser = clap::value_parser!(u64).range(SEEDS), help_heading = GAMES)]
    pub seed: Option<u64>,

    /// How the world is laid out.
    #[arg(long, value_enum, default_value_t = StyleArg::Balanced, help_heading = GAMES)]
    pub style: StyleArg,

    #[command(flatten)]
    pub host: HostArgs,
}

#[derive(Args)]
#[command(group(ArgGroup::new("change").args(["rounds", "duration", "pace"]).required(true).multiple(true)))]
pub(crate) struct PatchArgs {
    /// The game: its id, a unique beginning or end of it, or its name. Default: the only active game.
    pub game: Option<String>,

    /// After how many rounds the game ends by itself; a number below the current round ends it now.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(0..=1_000_000),
          help_heading = GAMES)]
    pub rounds: Option<u32>,

    /// How long rounds last from the next one on, from 100ms to 24h.
    #[arg(long, value_parser = round_length, help_heading = GAMES)]
    pub duration: Option<RoundLength>,

    /// What a round waits for.
    #[arg(long, value_enum, help_heading = GAMES)]
    pub pace: Option<PaceArg>,

    /// Do not ask on a terminal, even if the number of rounds ends the game.
    #[arg(long, short, help_heading = GAMES)]
    pub yes: bool,

    #[command(flatten)]
    pub host: HostArgs,
}

#[derive(Args)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub one: OneGameArgs,

    /// End it without the question that is asked on a terminal.
    #[arg(long, short, help_heading = GAMES)]
    pub yes: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PaceArg {
    /// The clock alone: every round lasts its whole duration.
    Clock,
    /// Until every player is ready and everything is carried out, at most the duration.
    Turbo,
}

impl From<PaceArg> for Pace {
    fn from(pace: PaceArg) -> Self {
        match pace {
            PaceArg::Clock => Self::Clock,
            PaceArg::Turbo => Self::Turbo,
        }
    }
}

fn game_name(text: &str) -> Result<String, String> {
    let fits = (1..=80).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if fits {
        Ok(text.to_owned())
    } else {
        Err("expected 1 to 80 characters, none of them a control character".into())
    }
}
