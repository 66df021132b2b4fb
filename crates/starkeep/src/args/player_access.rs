//! The flags of `serve` about how players show who they are, and how others are kept from guessing it.

use std::time::Duration;

use clap::{Args, ValueEnum};
use starkeep_contract::Dialect;
use starkeep_game_service::{AddressFrom, GuessLimits, PlayerAccess, TokenRecovery};

use super::headings::ACCESS;
use crate::durations::duration;

#[derive(Args)]
pub(crate) struct PlayerAccessArgs {
    /// Whether `GET /players?name=&mail=` tells a player that has lost its token what it is. With `on` a player needs the `recoveryCode`
    /// that it chose when it registered; in the msd dialect name and mail address are enough, as existing bots expect. With `off` it
    /// registers under another name. Default: on with --dialect msd; otherwise off.
    #[arg(long, env = "STARKEEP_TOKEN_RECOVERY", value_enum, help_heading = ACCESS)]
    token_recovery: Option<OnOrOff>,

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
    pub(crate) fn player_access(&self, dialect: Dialect) -> PlayerAccess {
        PlayerAccess {
            token_recovery: match (self.token_recovery, dialect) {
                (Some(OnOrOff::Off), _) | (None, Dialect::Standard) => TokenRecovery::Off,
                (Some(OnOrOff::On), Dialect::Standard) => TokenRecovery::ByCode,
                (Some(OnOrOff::On) | None, Dialect::Msd) => TokenRecovery::ByNameAndMail,
            },
            guesses: GuessLimits { wrong: self.wrong_guesses, every: self.wrong_guess_every },
            address_from: if self.trust_forwarded_for { AddressFrom::Proxy } else { AddressFrom::Connection },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum OnOrOff {
    On,
    Off,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: PlayerAccessArgs,
    }

    #[test]
    fn a_name_and_a_mail_address_are_enough_in_msd_only() {
        for (given, dialect, expected) in [
            (None, Dialect::Standard, TokenRecovery::Off),
            (Some("off"), Dialect::Standard, TokenRecovery::Off),
            (Some("on"), Dialect::Standard, TokenRecovery::ByCode),
            (None, Dialect::Msd, TokenRecovery::ByNameAndMail),
            (Some("off"), Dialect::Msd, TokenRecovery::Off),
            (Some("on"), Dialect::Msd, TokenRecovery::ByNameAndMail),
        ] {
            let words = given.map(|given| ["--token-recovery", given]);
            let command = Command::parse_from(["x"].into_iter().chain(words.into_iter().flatten()));
            let found = command.args.player_access(dialect).token_recovery;
            assert_eq!(found, expected, "{given:?} {dialect:?}");
        }
    }
}
