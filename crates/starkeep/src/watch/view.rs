//! What is known of a game, and where it is shown: a picture on a terminal, sentences or JSON in a pipe.

use serde_json::json;
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_platform::background_output;
use starkeep_platform::clock::Monotonic;

use super::draw::draw;
use super::model::{Message, Model};
use super::screen::Screen;
use crate::args::OutputArgs;
use crate::failure::CommandError;
use crate::games::ShownGame;
use crate::output::print_line;

pub(super) struct View<'a> {
    pub(super) model: Model,
    /// None in a pipe.
    pub(super) screen: Option<Screen>,
    pub(super) output: &'a OutputArgs,
}

impl View<'_> {
    pub(super) fn game(&self) -> Option<&ShownGame> {
        self.model.game.as_ref()
    }

    pub(super) async fn tell(&mut self, message: Message) -> Result<(), CommandError> {
        match self.model.apply(message) {
            Some(sentence) if self.screen.is_none() && !self.output.json => print_line(&sentence).await,
            _ => Ok(()),
        }
    }

    /// As in a page of events, with the service that it is of. Also which other games come and go.
    pub(super) async fn print_json(&self, service: &str, event: &PublishedEvent) -> Result<(), CommandError> {
        let is_shown = self.model.is_of_the_game(event) || event.channel == Channel::Status;
        if !self.output.json || !is_shown {
            return Ok(());
        }
        let mut line = json!(event);
        line["service"] = service.into();
        print_line(&line.to_string()).await
    }

    pub(super) fn draw(&self, now: Monotonic) {
        if let Some(screen) = &self.screen {
            let (width, height) = Screen::size();
            screen.show(&draw(&self.model, now, width, height));
        }
    }

    /// What stays on the terminal is how the game ended.
    pub(super) fn leave(self, now: Monotonic) {
        let Some(screen) = self.screen else { return };
        drop(screen);
        for line in draw(&self.model, now, Screen::size().0, 24) {
            background_output::stdout().print_line(line.1.trim_end());
        }
    }
}
