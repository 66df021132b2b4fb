//! Standard output and standard error of a program that goes on whether somebody reads them or not: a thread of their own writes them.
//! What finds no room is dropped. How many lines that were is logged as soon as somebody reads again.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// So much waits for a reader, some ten thousand lines.
const MOST_BYTES: usize = 1024 * 1024;
/// At the end of the program nobody is waited for who does not read for so long.
const LAST_WAIT: Duration = Duration::from_secs(1);

static STDOUT: OnceLock<BackgroundOutput> = OnceLock::new();
static STDERR: OnceLock<BackgroundOutput> = OnceLock::new();

/// For what a program says while it runs. What it was asked for must not be dropped, and is not written here.
pub fn stdout() -> &'static BackgroundOutput {
    STDOUT.get_or_init(|| {
        let dropped = |lines| tracing::warn!(lines, "lines of standard output were dropped: nobody read it");
        BackgroundOutput::new(io::stdout(), dropped)
    })
}

pub fn stderr() -> &'static BackgroundOutput {
    STDERR.get_or_init(|| {
        let dropped = |lines| tracing::warn!(lines, "log lines were dropped: nobody read them");
        BackgroundOutput::new(io::stderr(), dropped)
    })
}

/// Waits until all is written, if somebody reads it: at the end of the program, and before somebody else writes to the same terminal.
pub fn finish() {
    for output in [&STDOUT, &STDERR].into_iter().filter_map(OnceLock::get) {
        output.finish(LAST_WAIT);
    }
}

/// Writing to it never waits and never fails.
pub struct BackgroundOutput {
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Whether earlier bytes are being written.
    is_writing: bool,
    dropped: u64,
}

impl Waiting {
    fn is_idle(&self) -> bool {
        !self.is_writing && self.bytes.is_empty()
    }
}

impl BackgroundOutput {
    /// `dropped` is told of lines that were lost, once something was written again. It may write here itself.
    fn new(to: impl Write + Send + 'static, dropped: impl Fn(u64) + Send + 'static) -> Self {
        let queue = Arc::new(Queue::default());
        let written = queue.clone();
        thread::spawn(move || written.write_all(to, dropped));
        Self { queue }
    }

    pub fn print_line(&self, line: &str) {
        self.queue.add(format!("{line}\n").as_bytes());
    }

    /// Whether all is written. What is soon out of date, such as a picture, is better left out otherwise.
    pub fn is_idle(&self) -> bool {
        self.queue.lock().is_idle()
    }

    fn finish(&self, longest: Duration) {
        let is_busy = |waiting: &mut Waiting| !waiting.is_idle();
        drop(self.queue.changed.wait_timeout_while(self.queue.lock(), longest, is_busy));
    }
}

impl Write for &BackgroundOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.queue.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of it or nothing, so that no line is cut.
    fn add(&self, bytes: &[u8]) {
        let mut waiting = self.lock();
        if waiting.bytes.len() + bytes.len() > MOST_BYTES {
            waiting.dropped += lines(bytes);
        } else {
            waiting.bytes.extend_from_slice(bytes);
            self.changed.notify_all();
        }
    }

    /// For ever.
    fn write_all(&self, mut to: impl Write, dropped: impl Fn(u64)) {
        loop {
            let is_idle = |waiting: &mut Waiting| waiting.bytes.is_empty();
            let waited = self.changed.wait_while(self.lock(), is_idle);
            let mut waiting = waited.unwrap_or_else(PoisonError::into_inner);
            let bytes = std::mem::take(&mut waiting.bytes);
            waiting.is_writing = true;
            drop(waiting);
            let outcome = to.write_all(&bytes).and_then(|()| to.flush());
            let mut waiting = self.lock();
            waiting.is_writing = false;
            let mut lost = 0;
            if outcome.is_err() {
                // A pipe that is closed stays so; a full disk does not.
                waiting.dropped += lines(&bytes);
            } else if waiting.bytes.len() <= MOST_BYTES / 2 {
                // There is room to say so.
                lost = std::mem::take(&mut waiting.dropped);
            }
            drop(waiting);
            if lost > 0 {
                dropped(lost);
            }
            self.changed.notify_all();
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    let parts = bytes.split(|byte| *byte == b'\n').count();
    u64::try_from(parts.saturating_sub(1).max(1)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Shows the test each write, which then waits for its outcome.
    struct Slow {
        shown: Sender<Vec<u8>>,
        outcomes: Receiver<io::Result<()>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // The test may have ended.
            let _ = self.shown.send(bytes.to_vec());
            self.outcomes.recv().unwrap_or(Ok(()))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Place {
        output: BackgroundOutput,
        shown: Receiver<Vec<u8>>,
        outcomes: Sender<io::Result<()>>,
        dropped: Receiver<u64>,
    }

    fn place() -> Place {
        let ((show, shown), (outcomes, next), (tell, dropped)) = (channel(), channel(), channel());
        let reader = Slow { shown: show, outcomes: next };
        let output = BackgroundOutput::new(reader, move |lines| tell.send(lines).unwrap_or_default());
        Place { output, shown, outcomes, dropped }
    }

    #[test]
    fn who_writes_never_waits_and_lines_without_room_are_counted_once_somebody_reads() {
        let place = place();
        place.output.print_line("first");
        assert_eq!(place.shown.recv().unwrap(), b"first\n");
        // That write has not ended.
        let (line, kept) = ("x".repeat(999), MOST_BYTES / 1000);
        for _ in 0..2000 {
            place.output.print_line(&line);
        }
        place.outcomes.send(Ok(())).unwrap();
        assert_eq!(place.shown.recv().unwrap(), format!("{line}\n").repeat(kept).as_bytes());
        assert!(place.dropped.try_recv().is_err(), "there was no room yet to say so");
        place.outcomes.send(Ok(())).unwrap();
        assert_eq!(place.dropped.recv().unwrap(), 2000 - u64::try_from(kept).unwrap());
    }

    #[test]
    fn what_cannot_be_written_is_counted_and_what_comes_later_is_written() {
        let place = place();
        place.output.print_line("one\ntwo");
        assert_eq!(place.shown.recv().unwrap(), b"one\ntwo\n");
        place.outcomes.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        place.output.print_line("three");
        assert_eq!(place.shown.recv().unwrap(), b"three\n");
        assert!(place.dropped.try_recv().is_err(), "nothing was written yet");
        place.outcomes.send(Ok(())).unwrap();
        assert_eq!(place.dropped.recv().unwrap(), 2);
    }

    #[test]
    fn the_end_of_the_program_waits_for_what_is_being_written() {
        let place = place();
        assert!(place.output.is_idle());
        place.output.print_line("last");
        assert!(!place.output.is_idle());
        place.outcomes.send(Ok(())).unwrap();
        place.output.finish(Duration::from_mins(1));
        assert!(place.output.is_idle());
        assert_eq!(place.shown.try_recv().unwrap(), b"last\n");
    }
}
