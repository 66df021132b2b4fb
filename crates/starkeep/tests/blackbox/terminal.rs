//! The program on a terminal of its own, of 80 columns and 24 rows: what it writes, and what is typed.
//! Behind it is a larger screen, so that whatever is drawn outside of the 80 columns and 24 rows is seen.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Command;

use rustix::termios::{Termios, tcgetattr};
use starkeep_test_http::within_limit;
use tokio::process::Child;

use crate::program::STARTING;
use crate::pty::Pty;

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;

/// Of Linux: a write that finds no room fails instead of waiting.
pub(crate) const O_NONBLOCK: i32 = 0o4000;

pub(crate) struct Terminal {
    command: Command,
}

/// What is typed after a look at the screen. Only the first time that something is.
pub(crate) enum Typed {
    Nothing,
    /// Ctrl-C.
    Interrupt,
}

/// After the program's end.
pub(crate) struct Left {
    pub(crate) code: i32,
    /// All that it wrote.
    pub(crate) bytes: Vec<u8>,
    parser: vt100::Parser,
}

/// A program on a terminal that takes nothing. It ends with its handle at the latest.
pub(crate) struct FullTerminal {
    pub(crate) process: u32,
    child: Child,
    terminal: File,
    /// Nobody reads it.
    _master: File,
}

impl FullTerminal {
    /// Once more: the system moves what is written on.
    pub(crate) fn fill(&mut self) {
        fill(&mut self.terminal);
    }

    /// After its end: the exit code, and how the terminal is.
    pub(crate) async fn left(mut self) -> (i32, Termios) {
        let status = within_limit("the end of the program on a terminal", self.child.wait()).await.unwrap();
        (status.code().unwrap(), tcgetattr(&self.terminal).unwrap())
    }
}

fn fill(terminal: &mut File) {
    for size in [4096, 1] {
        while terminal.write(&vec![b'x'; size]).is_ok() {}
    }
}

impl Left {
    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// How often the screen was drawn: each time begins in its corner.
    pub(crate) fn pictures(&self) -> usize {
        self.bytes.windows(6).filter(|bytes| bytes == b"\x1b[1;1H").count()
    }

    /// Whether it wrote in colour, bold or dim.
    pub(crate) fn has_colours(&self) -> bool {
        let text = String::from_utf8_lossy(&self.bytes);
        text.split("\x1b[").skip(1).any(|code| {
            let number: String = code.chars().take_while(char::is_ascii_digit).collect();
            !number.is_empty() && code[number.len()..].starts_with('m')
        })
    }
}

impl Terminal {
    /// With nothing in its environment.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        // With the terminal as its own, as a shell's.
        let mut command = Command::new("/usr/bin/setsid");
        command.args(["--ctty", env!("CARGO_BIN_EXE_starkeep")]).args(arguments).env_clear();
        Self { command }
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    /// Until it ends by itself.
    pub(crate) async fn left(self) -> Left {
        self.watched(|_| Typed::Nothing).await
    }

    /// Until it ends; `look` sees the screen whenever something was written.
    pub(crate) async fn watched(self, look: impl FnMut(&vt100::Screen) -> Typed + Send + 'static) -> Left {
        let running = tokio::task::spawn_blocking(move || self.run(look));
        within_limit("the end of the program on a terminal", running).await.unwrap()
    }

    /// It takes nothing from the beginning.
    pub(crate) async fn full(self) -> FullTerminal {
        let pty = open();
        // It is open, and no terminal of the test's own.
        let mut options = OpenOptions::new();
        let mut terminal = options.read(true).write(true).custom_flags(O_NONBLOCK).open(&pty.path).unwrap();
        fill(&mut terminal);
        let mut command = tokio::process::Command::from(pty.attached(self.command));
        let child = {
            let _nobody_else = STARTING.lock().await;
            command.kill_on_drop(true).spawn().unwrap()
        };
        FullTerminal { process: child.id().unwrap(), child, terminal, _master: pty.master }
    }

    fn run(self, mut look: impl FnMut(&vt100::Screen) -> Typed) -> Left {
        let pty = open();
        let mut command = pty.attached(self.command);
        let mut child = {
            let _nobody_else = STARTING.blocking_lock();
            command.spawn().unwrap()
        };
        // Then only the program has the terminal open.
        drop(command);
        let (mut reader, mut writer) = (&pty.master, &pty.master);
        let mut parser =
            vt100::Parser::new((2 * ROWS).try_into().unwrap(), (2 * COLUMNS).try_into().unwrap(), 0);
        let (mut buffer, mut bytes, mut is_interrupted) = ([0; 4096], Vec::new(), false);
        // At the end of the program reading ends, by an error or without.
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..read]);
            parser.process(&buffer[..read]);
            if parser.screen().alternate_screen() {
                assert_fits(parser.screen());
            }
            if !is_interrupted && matches!(look(parser.screen()), Typed::Interrupt) {
                writer.write_all(b"\x03").unwrap();
                is_interrupted = true;
            }
        }
        Left { code: child.wait().unwrap().code().unwrap(), bytes, parser }
    }
}

fn open() -> Pty {
    Pty::open(ROWS, COLUMNS).unwrap()
}

/// Nothing of a picture stands outside of the terminal.
fn assert_fits(screen: &vt100::Screen) {
    let beside = screen.rows(COLUMNS, COLUMNS);
    for (row, (beside, line)) in beside.zip(screen.rows(0, 2 * COLUMNS)).enumerate() {
        assert!(beside.trim().is_empty(), "row {row} is too wide: {line}");
        assert!(row < ROWS.into() || line.trim().is_empty(), "row {row} is below the terminal: {line}");
    }
}
