//! What a durable commit costs on this disk: a write and an fsync of as many bytes as a commit of ours.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::load::Outcome;

/// The write-ahead log of a SQLite store, and the bytes of a commit as it has seen them last.
pub(super) struct Commits {
    wal: PathBuf,
    bytes: AtomicU64,
}

/// How much a write-ahead log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wal {
    /// Another number each time the log begins anew.
    salt: [u8; 8],
    commits: u64,
    bytes: u64,
}

impl Commits {
    pub(super) fn of(data: &Path) -> Self {
        Self { wal: data.join("cotejo.sqlite-wal"), bytes: AtomicU64::new(0) }
    }

    /// Reads the state of the log, to be compared with a later one.
    pub(super) fn now(&self) -> Result<Wal> {
        Ok(Wal::read(&fs::read(&self.wal)?))
    }

    /// Counts what a commit has written since `before`.
    pub(super) fn count_since(&self, before: Wal) -> Result<()> {
        let now = self.now()?;
        // A log that began anew has lost what it held before.
        let before =
            if now.salt == before.salt { before } else { Wal { commits: 0, bytes: 0, ..now } };
        if let Some(bytes) = now
            .bytes
            .saturating_sub(before.bytes)
            .checked_div(now.commits.saturating_sub(before.commits))
        {
            self.bytes.store(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The bytes of one commit.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Writes and syncs as many bytes again and again, in the folder of the store.
    pub(super) fn probe(&self, time: Duration) -> Result<Outcome> {
        let bytes = vec![0x5a; usize::try_from(self.bytes())?];
        if bytes.is_empty() {
            bail!("nobody has counted the bytes of a commit");
        }
        let path = self.wal.with_extension("probe");
        let mut file = File::create(&path)?;
        let (begun, mut millis) = (Instant::now(), Vec::new());
        while begun.elapsed() < time {
            let begun = Instant::now();
            file.write_all(&bytes)?;
            file.sync_all()?;
            millis.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        fs::remove_file(&path)?;
        Ok(Outcome::of(millis, time))
    }
}

impl Wal {
    /// Counts the frames of a log: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
    fn read(log: &[u8]) -> Self {
        let word = |bytes: &[u8], at: usize| -> u64 {
            let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
            four.map_or(0, |four| u64::from(u32::from_be_bytes(four)))
        };
        let Some((head, frames)) = log.split_at_checked(32) else {
            return Self { salt: [0; 8], commits: 0, bytes: 0 };
        };
        let salt = head.get(16..24).and_then(|salt| salt.try_into().ok()).unwrap_or_default();
        let frame = 24 + word(head, 8);
        let mut wal = Self { salt, commits: 0, bytes: 0 };
        // Frames behind the end are of an earlier use of the file, with another salt.
        for of in frames.chunks_exact(usize::try_from(frame).unwrap_or(usize::MAX)) {
            if of.get(8..16) != Some(&salt) {
                break;
            }
            wal.bytes += frame;
            wal.commits += u64::from(word(of, 4) != 0);
        }
        wal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_up_to_those_of_an_earlier_log() {
        let mut log = vec![0; 32];
        log[8..12].copy_from_slice(&512_u32.to_be_bytes());
        log[16..24].copy_from_slice(b"saltsalt");
        let frame = |salt: &[u8; 8], pages: u32| {
            let mut frame = vec![0; 24 + 512];
            frame[4..8].copy_from_slice(&pages.to_be_bytes());
            frame[8..16].copy_from_slice(salt);
            frame
        };
        for (salt, pages) in
            [(b"saltsalt", 0), (b"saltsalt", 9), (b"saltsalt", 9), (b"earlier.", 9)]
        {
            log.extend(frame(salt, pages));
        }
        assert_eq!(Wal::read(&log), Wal { salt: *b"saltsalt", commits: 2, bytes: 3 * 536 });
        assert_eq!(Wal::read(&[]).commits, 0);
    }
}
