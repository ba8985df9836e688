//! Lines of the log on their way out: those about requests gather, and are written many at once.
//!
//! A write for each of them costs as much as making it. So they wait for a thread that writes them
//! a little later. Any other line is written before the thread that logs it goes on, with all that waits
//! before it: a process that is killed loses the lines about the requests of its last
//! [`GATHERING`], and nothing else.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

/// How long lines gather.
const GATHERING: Duration = Duration::from_millis(50);

/// How many bytes of lines may wait. The thread that reaches this number writes them, so that
/// a log that is read too slowly slows down those that log.
const WAITING_MAX: usize = 256 * 1024;

/// Target that the lines about requests are logged under.
const REQUESTS: &str = "access";

/// Destination of log lines.
pub(super) struct Lines<W>(Arc<Shared<W>>);

struct Shared<W> {
    waiting: Mutex<Waiting<W>>,
    /// There is something where there was nothing.
    begun: Condvar,
}

struct Waiting<W> {
    lines: Vec<u8>,
    out: W,
}

impl<W: Write + Send + 'static> Lines<W> {
    /// Lines that go to `out`, and the thread that writes those that gather.
    ///
    /// # Errors
    /// Where the machine gives no thread.
    pub(super) fn to(out: W) -> io::Result<Self> {
        let lines = Self::gathering(out);
        let shared = Arc::clone(&lines.0);
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                shared.attend();
            }
        })?;
        Ok(lines)
    }

    fn gathering(out: W) -> Self {
        let waiting = Mutex::new(Waiting { lines: Vec::new(), out });
        Self(Arc::new(Shared { waiting, begun: Condvar::new() }))
    }
}

impl<W: Write> Shared<W> {
    /// Writes once what has gathered since the first line that waits.
    fn attend(&self) {
        let begun = self.begun.wait_while(self.lock(), |waiting| waiting.lines.is_empty());
        drop(begun);
        thread::sleep(GATHERING);
        // Nobody is left to learn that the log cannot be written.
        drop(self.lock().write());
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<W>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> Waiting<W> {
    fn write(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.lines);
        self.lines.clear();
        written
    }
}

impl<'a, W: Write + 'a> MakeWriter<'a> for Lines<W> {
    type Writer = Line<'a, W>;

    fn make_writer(&'a self) -> Line<'a, W> {
        Line { lines: &self.0, gathers: false }
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Line<'a, W> {
        Line { lines: &self.0, gathers: line.target() == REQUESTS }
    }
}

/// A line that is about to be handed over, in one piece.
pub(super) struct Line<'a, W> {
    lines: &'a Shared<W>,
    gathers: bool,
}

impl<W: Write> Write for Line<'_, W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.lines.lock();
        let is_first = waiting.lines.is_empty();
        waiting.lines.extend_from_slice(line);
        if !self.gathers || waiting.lines.len() >= WAITING_MAX {
            waiting.write()?;
        } else if is_first {
            drop(waiting);
            self.lines.begun.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lines.lock().write()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &Lines<Vec<u8>>, text: &str, gathers: bool) {
        Line { lines: &lines.0, gathers }.write_all(text.as_bytes()).unwrap();
    }

    fn written(lines: &Lines<Vec<u8>>) -> String {
        String::from_utf8(lines.0.lock().out.clone()).unwrap()
    }

    #[test]
    fn lines_about_requests_gather_and_any_other_brings_them_out_in_order() {
        let lines = Lines::gathering(Vec::new());
        log(&lines, "request 1\n", true);
        log(&lines, "request 2\n", true);
        assert_eq!(written(&lines), "");
        log(&lines, "warning\n", false);
        assert_eq!(written(&lines), "request 1\nrequest 2\nwarning\n");
    }

    #[test]
    fn what_has_gathered_is_written_when_it_is_attended_to() {
        let lines = Lines::gathering(Vec::new());
        log(&lines, "request\n", true);
        lines.0.attend();
        assert_eq!(written(&lines), "request\n");
    }

    #[test]
    fn no_more_than_so_much_waits() {
        let lines = Lines::gathering(Vec::new());
        let line = "x".repeat(WAITING_MAX / 2);
        log(&lines, &line, true);
        assert_eq!(written(&lines).len(), 0);
        log(&lines, &line, true);
        assert_eq!(written(&lines).len(), WAITING_MAX);
    }
}
