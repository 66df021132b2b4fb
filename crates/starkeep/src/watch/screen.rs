//! The terminal: another screen while a game is watched, and the one from before afterwards, whatever ends the program.
//! A thread of its own writes to it, so that a terminal that takes nothing holds up nobody.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr,
};
use starkeep_platform::background_output;

use super::draw::Line;
use crate::paint::Paint;

pub(crate) struct Screen {
    paint: Paint,
    /// How the terminal was before; none if nothing is typed on one.
    before: Option<Termios>,
}

impl Screen {
    pub(crate) fn open(paint: Paint) -> Self {
        let before = tcgetattr(io::stdin()).ok();
        // What is typed would be shown in the middle of the picture. Ctrl-C still interrupts.
        if let Some(before) = &before {
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
            // Ctrl-S would keep the screen from before away as well.
            silent.input_modes.remove(InputModes::IXON);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &silent);
        }
        // A panic's message is to be read on the screen that stays.
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            background_output::finish();
            report(panic);
        }));
        let _ = queue!(background_output::stdout(), EnterAlternateScreen, Hide);
        Self { paint, before }
    }

    /// Columns and rows.
    pub(crate) fn size() -> (u16, u16) {
        crossterm::terminal::size()
            .ok()
            .filter(|(width, height)| *width > 0 && *height > 0)
            .unwrap_or((80, 24))
    }

    /// Leaves a picture out while the terminal has not taken the one before.
    pub(crate) fn show(&self, lines: &[Line]) {
        let mut output = background_output::stdout();
        if !output.is_idle() {
            return;
        }
        let mut picture = String::new();
        for (row, line) in (0..).zip(lines) {
            let (begin, text) = (MoveTo(0, row), line.text(self.paint));
            let _ = write!(picture, "{begin}{}{text}", Clear(ClearType::CurrentLine));
        }
        let below = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        if below < Self::size().1 {
            let _ = write!(picture, "{}{}", MoveTo(0, below), Clear(ClearType::FromCursorDown));
        }
        let _ = output.write_all(picture.as_bytes());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
        if let Some(before) = &self.before {
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

fn leave() {
    let _ = queue!(background_output::stdout(), LeaveAlternateScreen, Show);
}
