//! The terminal: another screen while a game is watched, and the one from before afterwards, whatever ends the program.

use std::io::{self, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};

use super::draw::Line;
use crate::paint::Paint;

pub(crate) struct Screen {
    paint: Paint,
    /// How the terminal was before; none if nothing is typed on one.
    before: Option<Termios>,
}

impl Screen {
    pub(crate) fn open(paint: Paint) -> io::Result<Self> {
        let before = tcgetattr(io::stdin()).ok();
        // What is typed would be shown in the middle of the picture. Ctrl-C still interrupts.
        if let Some(before) = &before {
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &silent);
        }
        // A panic's message is to be read on the screen that stays.
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            report(panic);
        }));
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        Ok(Self { paint, before })
    }

    /// Columns and rows.
    pub(crate) fn size() -> (u16, u16) {
        crossterm::terminal::size()
            .ok()
            .filter(|(width, height)| *width > 0 && *height > 0)
            .unwrap_or((80, 24))
    }

    pub(crate) fn show(&self, lines: &[Line]) -> io::Result<()> {
        let mut output = io::stdout().lock();
        for (row, line) in (0..).zip(lines) {
            queue!(output, MoveTo(0, row), Clear(ClearType::CurrentLine))?;
            output.write_all(line.text(self.paint).as_bytes())?;
        }
        let below = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        if below < Self::size().1 {
            queue!(output, MoveTo(0, below), Clear(ClearType::FromCursorDown))?;
        }
        output.flush()
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
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
}
