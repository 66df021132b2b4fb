//! The flags of `serve` about how players show who they are, and how others are kept from guessing it.

use std::time::Duration;

use clap::{Args, ValueEnum};
use starkeep_game_service::{AddressFrom, GuessLimits, PlayerAccess};

use super::headings::ACCESS;
use crate::durations::duration;

#[derive(Args)]
pub(crate) struct PlayerAccessArgs {
    /// Whether `GET /players?name=&mail=` tells a player's token to whoever knows its name and mail address, as existing bots expect.
    /// With `off` only to who shows the token itself: a player that has lost it registers under another name.
    #[arg(long, env = "STARKEEP_TOKEN_RECOVERY", value_enum, default_value_t = TokenRecovery::On, help_heading = ACCESS)]
    token_recovery: TokenRecovery,

    /// How many wrong mail addresses for a name, or wrong tokens, one client address may show in a row before it has to wait (429
    /// with Retry-After); 0 for no limit. Right tokens, other names and other addresses are never slowed down.
    #[arg(long, env = "STARKEEP_WRONG_GUESSES", value_name = "COUNT", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(0..=1_000_000), help_heading = ACCESS)]
    wrong_guesses: u32,

    /// After so long one more guess may be wrong.
    #[arg(long, env = "STARKEEP_WRONG_GUESS_EVERY", value_name = "DURATION", default_value = "5s", value_parser = duration, help_heading = ACCESS)]
    wrong_guess_every: Duration,

    /// Take the last address in X-Forwarded-For for the client's: set it where clients come through a reverse proxy that adds that
    /// header, and nowhere else.
    #[arg(long, env = "STARKEEP_TRUST_FORWARDED_FOR", help_heading = ACCESS)]
    trust_forwarded_for: bool,
}

impl PlayerAccessArgs {
    pub(crate) fn player_access(&self) -> PlayerAccess {
        PlayerAccess {
            token_recovery: self.token_recovery == TokenRecovery::On,
            guesses: GuessLimits { wrong: self.wrong_guesses, every: self.wrong_guess_every },
            address_from: if self.trust_forwarded_for { AddressFrom::Proxy } else { AddressFrom::Connection },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TokenRecovery {
    On,
    Off,
}
