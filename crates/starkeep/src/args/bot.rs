//! The flags of `starkeep bot`: how many bots, what they are called, and which game of which service they play.
//! The address is the same as in the other commands.

use std::path::PathBuf;

use clap::Args;
use starkeep_contract::GameId;

use super::addresses::GameAddress;
use super::headings::GAMES;
use super::output::OutputArgs;

/// In characters: a mail address made of it, with the bot's number, is still one that the service accepts.
const LONGEST_NAME: usize = 200;

#[derive(Args)]
pub(crate) struct BotArgs {
    /// How many bots play. They share one event stream, and send at most 64 requests at a time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = GAMES)]
    pub count: u32,

    #[command(flatten)]
    pub address: GameAddress,

    /// The game to join. Default: the newest game that has not started; if there is none, the next one that is created.
    #[arg(long, value_name = "GAME_ID", value_parser = game, help_heading = GAMES)]
    pub game: Option<GameId>,

    /// Name of the bots: with `bot` they are called bot-1, bot-2 and so on, with the mail addresses bot-1@bots.example
    /// and so on. Bots that are registered already are used again, if --token-file has their tokens.
    #[arg(long, default_value = "bot", value_parser = name, help_heading = GAMES)]
    pub name: String,

    /// File in which the bots keep their tokens and recovery codes, so that they come back as the same players. It is made if
    /// missing, readable for its owner only.
    #[arg(long, env = "STARKEEP_BOT_TOKEN_FILE", value_name = "FILE", default_value = "starkeep-bots.jsonl", help_heading = GAMES)]
    pub token_file: PathBuf,

    /// What the bots decide follows from it: in a game with the same seed they do the same again. They then act one after
    /// the other, which takes longer. Default: another seed each time.
    #[arg(long, help_heading = GAMES)]
    pub seed: Option<u64>,

    #[command(flatten)]
    pub output: OutputArgs,
}

fn game(text: &str) -> Result<GameId, String> {
    let id = serde_json::from_value(text.into());
    id.map_err(|_| "expected the id of a game, such as 0d9e7c4a-1111-4222-8333-444455556666".to_owned())
}

fn name(text: &str) -> Result<String, String> {
    let fits = (1..=LONGEST_NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if fits {
        Ok(text.to_owned())
    } else {
        Err(format!("expected 1 to {LONGEST_NAME} characters without control characters"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_long_as_its_mail_address_allows() {
        let longest = "x".repeat(LONGEST_NAME);
        assert_eq!(name(&longest), Ok(longest.clone()));
        assert!(format!("{longest}-10000@bots.example").len() <= 255);
        for bad in ["", "a\nb", &format!("{longest}x")] {
            assert!(name(bad).unwrap_err().contains("1 to 200 characters"), "{bad:?}");
        }
    }

    #[test]
    fn a_game_is_named_by_its_id() {
        let id = "0d9e7c4a-1111-4222-8333-444455556666";
        assert_eq!(game(id).unwrap().to_string(), id);
        assert!(game("the newest").unwrap_err().contains("the id of a game"));
    }
}
