//! A pseudo-terminal: a program on it has a terminal, and the test has its other end.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

pub(crate) struct Pty {
    /// What the program writes is read here, and what is written here is typed.
    pub(crate) master: File,
    /// The terminal.
    pub(crate) path: PathBuf,
}

impl Pty {
    pub(crate) fn open(rows: u16, columns: u16) -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        tcsetwinsize(&master, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?;
        let path = std::ffi::OsString::from_vec(ptsname(&master, Vec::new())?.into_bytes()).into();
        Ok(Self { master: master.into(), path })
    }

    /// The command with the terminal as its input and outputs, which it has open until it is dropped.
    pub(crate) fn attached(&self, mut command: Command) -> Command {
        let terminal = self.terminal().expect("the terminal can be opened");
        let again = || terminal.try_clone().expect("a file can be duplicated");
        command.stdin(again()).stdout(again()).stderr(again());
        command
    }

    /// It does not become the test's own.
    fn terminal(&self) -> io::Result<File> {
        let flags = OFlags::NOCTTY.bits().cast_signed();
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(&self.path)
    }
}
