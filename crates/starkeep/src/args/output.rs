//! How a command prints: text for people, in colour on a terminal, or JSON for programs.

use std::io::{self, IsTerminal};

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};

use super::headings::OUTPUT;
use crate::paint::Paint;

#[derive(Args, Default)]
pub(crate) struct OutputArgs {
    /// Print JSON for programs instead of text for people, one document a line.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,

    /// Print without colours, also on a terminal. NO_COLOR says the same.
    #[arg(
        long,
        env = "NO_COLOR",
        hide_env = true,
        action = ArgAction::SetTrue,
        value_parser = FalseyValueParser::new(),
        help_heading = OUTPUT
    )]
    pub no_color: bool,
}

impl OutputArgs {
    /// For standard output.
    pub(crate) fn paint(&self) -> Paint {
        Paint { is_on: io::stdout().is_terminal() && !self.no_color }
    }
}
