//! How far a command has come, on standard error: a line every few seconds, and none of one that is quick.

use std::io::{Write, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long lies between two lines, and before the first.
const INTERVAL: Duration = Duration::from_secs(5);

/// Lines on a thread of their own, since the work may hold the one that it is done on. They end when this is dropped.
pub(super) struct Progress {
    end: Option<Sender<()>>,
    lines: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to show what `line` says.
    pub(super) fn show(line: impl Fn() -> String + Send + 'static) -> Self {
        Self::to(stderr(), INTERVAL, line)
    }

    fn to(
        mut out: impl Write + Send + 'static,
        interval: Duration,
        line: impl Fn() -> String + Send + 'static,
    ) -> Self {
        let (end, ended) = mpsc::channel();
        let lines = thread::spawn(move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                // A reader that is gone misses nothing that the report does not say.
                drop(writeln!(out, "{}", line()));
            }
        });
        Self { end: Some(end), lines: Some(lines) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(lines) = self.lines.take() {
            drop(lines.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writer that sends on each line written.
    struct Lines(Sender<Vec<u8>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(std::io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_come_one_after_another_until_the_work_ends() {
        let (sender, lines) = mpsc::channel();
        let shown = Progress::to(Lines(sender), Duration::from_millis(1), || "7 of 9".to_owned());
        let mut text = Vec::new();
        while text.iter().filter(|byte| **byte == b'\n').count() < 2 {
            text.extend(lines.recv().unwrap());
        }
        assert!(text.starts_with(b"7 of 9\n7 of 9\n"));
        drop(shown);
        // Whatever was under way is written: then nobody writes any more.
        while lines.recv().is_ok() {}
    }

    #[test]
    fn what_is_quick_shows_nothing() {
        let (sender, lines) = mpsc::channel();
        drop(Progress::to(Lines(sender), Duration::from_secs(3_600), || "7 of 9".to_owned()));
        assert!(lines.recv().is_err());
    }
}
