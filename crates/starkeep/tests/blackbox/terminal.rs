//! The program on a terminal of its own, of 80 columns and 24 rows: what it writes, and what is typed.
//! Behind it is a larger screen, so that whatever is drawn outside of the 80 columns and 24 rows is seen.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use portable_pty::{Child, ChildKiller, CommandBuilder, MasterPty, PtyPair, PtySize, native_pty_system};
use rustix::termios::{Termios, tcgetattr};
use starkeep_test_http::within_limit;

use crate::program::STARTING;

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;

/// Of Linux: the test does not get the terminal as its own.
const O_NOCTTY: i32 = 0o400;
/// Of Linux: a write that finds no room fails instead of waiting.
pub(crate) const O_NONBLOCK: i32 = 0o4000;

pub(crate) struct Terminal {
    command: CommandBuilder,
}

/// What is typed after a look at the screen. Only the first time that something is.
pub(crate) enum Typed {
    Nothing,
    /// Ctrl-C.
    Interrupt,
}

/// After the program's end.
pub(crate) struct Left {
    pub(crate) code: u32,
    /// All that it wrote.
    pub(crate) bytes: Vec<u8>,
    parser: vt100::Parser,
}

/// A program on a terminal that takes nothing. It ends with its handle at the latest.
pub(crate) struct FullTerminal {
    pub(crate) process: u32,
    child: Option<Box<dyn Child + Send + Sync>>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    terminal: File,
    /// Nobody reads it.
    _master: Box<dyn MasterPty + Send>,
}

impl FullTerminal {
    /// Once more: the system moves what is written on.
    pub(crate) fn fill(&mut self) {
        fill(&mut self.terminal);
    }

    /// After its end: the exit code, and how the terminal is.
    pub(crate) async fn left(mut self) -> (u32, Termios) {
        let mut child = self.child.take().unwrap();
        let ending = tokio::task::spawn_blocking(move || child.wait());
        let status = within_limit("the end of the program on a terminal", ending).await.unwrap().unwrap();
        (status.exit_code(), tcgetattr(&self.terminal).unwrap())
    }
}

impl Drop for FullTerminal {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.killer.kill();
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
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_starkeep"));
        command.env_clear();
        command.args(arguments);
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
        let pair = open();
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(O_NOCTTY | O_NONBLOCK);
        let mut terminal = options.open(pair.master.tty_name().unwrap()).unwrap();
        fill(&mut terminal);
        let child = {
            let _nobody_else = STARTING.lock().await;
            pair.slave.spawn_command(self.command).unwrap()
        };
        let (process, killer) = (child.process_id().unwrap(), child.clone_killer());
        FullTerminal { process, child: Some(child), killer, terminal, _master: pair.master }
    }

    fn run(self, mut look: impl FnMut(&vt100::Screen) -> Typed) -> Left {
        let pair = open();
        let mut child = {
            let _nobody_else = STARTING.blocking_lock();
            pair.slave.spawn_command(self.command).unwrap()
        };
        drop(pair.slave);
        let (mut reader, mut writer) =
            (pair.master.try_clone_reader().unwrap(), pair.master.take_writer().unwrap());
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
        Left { code: child.wait().unwrap().exit_code(), bytes, parser }
    }
}

fn open() -> PtyPair {
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    native_pty_system().openpty(size).unwrap()
}

/// Nothing of a picture stands outside of the terminal.
fn assert_fits(screen: &vt100::Screen) {
    let beside = screen.rows(COLUMNS, COLUMNS);
    for (row, (beside, line)) in beside.zip(screen.rows(0, 2 * COLUMNS)).enumerate() {
        assert!(beside.trim().is_empty(), "row {row} is too wide: {line}");
        assert!(row < ROWS.into() || line.trim().is_empty(), "row {row} is below the terminal: {line}");
    }
}
