//! The file in the data folder that says what has ended: a store that is put back from a copy of before takes it for good.
//! A line has an instant, a word and ids, and nothing else.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use store::ended::Ended;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::data_folder::DataFolder;

/// How many ends may wait to be written down.
pub(crate) const WAITING_MAX: usize = 4_096;

/// The file.
#[derive(Clone, Debug)]
pub(crate) struct EndedLog(PathBuf);

impl EndedLog {
    pub(crate) fn of(data: &DataFolder) -> Self {
        Self(data.ended())
    }

    /// Writes down what ends until it is asked to stop, and then what is left.
    pub(crate) async fn run(self, mut ends: Receiver<Ended>, stop: CancellationToken) {
        loop {
            let first = tokio::select! {
                () = stop.cancelled() => None,
                one = ends.recv() => one,
            };
            let is_over = first.is_none();
            let rest = std::iter::from_fn(|| ends.try_recv().ok());
            let lines: Vec<Ended> = first.into_iter().chain(rest).collect();
            let log = self.clone();
            let appended = tokio::task::spawn_blocking(move || log.append(&lines)).await;
            if let Ok(Err(error)) = appended {
                tracing::error!(
                    error = format!("{error:#}"),
                    "what has ended could not be written to the data folder"
                );
            }
            if is_over {
                return;
            }
        }
    }

    /// Writes down what has ended by now.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub(crate) fn drain(&self, ends: &mut Receiver<Ended>) -> anyhow::Result<()> {
        self.append(&std::iter::from_fn(|| ends.try_recv().ok()).collect::<Vec<_>>())
    }

    /// Writes down what other files say and this one does not: a copy from before that may be put back once more.
    ///
    /// # Errors
    /// Where the file cannot be read or written.
    pub(crate) fn keep(&self, ended: &[Ended]) -> anyhow::Result<()> {
        let there = if self.0.exists() { read_one(&self.0)? } else { Vec::new() };
        let mut there: HashSet<String> = there.iter().map(ToString::to_string).collect();
        let lacking = ended.iter().filter(|one| there.insert(one.to_string()));
        self.append(&lacking.copied().collect::<Vec<_>>())
    }

    fn append(&self, lines: &[Ended]) -> anyhow::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let write = || -> std::io::Result<()> {
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true).mode(0o600);
            let mut file = options.open(&self.0)?;
            remove_cut_line(&mut file)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().with_context(|| format!("the file {}", self.0.display()))
    }
}

/// Removes what a crash has left of a line, which would be taken for the beginning of the next.
fn remove_cut_line(file: &mut File) -> std::io::Result<()> {
    let mut text = Vec::new();
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_to_end(&mut text)?;
    }
    if text.is_empty() || text.ends_with(b"\n") {
        return Ok(());
    }
    text.clear();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64)
}

/// Reads such files. A line that was cut short by a crash is passed over where it is the last one.
///
/// # Errors
/// Where a file cannot be read, or has another line.
pub(crate) fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Ended>> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(read_one(path)?);
    }
    Ok(all)
}

fn read_one(path: &Path) -> anyhow::Result<Vec<Ended>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the file of ends {}", path.display()))?;
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines = whole.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(at, line)| {
        let place = || format!("line {} of {}", at + 1, path.display());
        line.parse::<Ended>().with_context(place)
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use domain::ids::{KeyId, OwnerId};
    use domain::time::Timestamp;
    use store::ended::EndedThing;

    use super::*;
    use crate::testing::Folder;

    #[test]
    fn what_was_written_down_is_read_but_for_a_line_that_was_cut_short() {
        let folder = Folder::new();
        let log = EndedLog::of(&DataFolder::at(folder.path()));
        let ended = |number| Ended {
            owner: OwnerId::from_bytes([1; 16]),
            thing: EndedThing::Key(KeyId::from_bytes([number; 16])),
            at: Timestamp::from_micros(1_000),
        };
        log.append(&[ended(1)]).unwrap();
        log.append(&[ended(2), ended(3)]).unwrap();
        let path = folder.path().join("ended.log");
        let all = read(std::slice::from_ref(&path)).unwrap();
        assert_eq!(all, [ended(1), ended(2), ended(3)]);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.trim_end()).unwrap();
        assert_eq!(read(std::slice::from_ref(&path)).unwrap(), [ended(1), ended(2)]);
        log.append(&[ended(4)]).unwrap();
        assert_eq!(read(std::slice::from_ref(&path)).unwrap(), [ended(1), ended(2), ended(4)]);
        log.keep(&[ended(2), ended(5), ended(5)]).unwrap();
        let all = read(std::slice::from_ref(&path)).unwrap();
        assert_eq!(all, [ended(1), ended(2), ended(4), ended(5)]);
        std::fs::write(&path, format!("nonsense\n{text}")).unwrap();
        let problem = format!("{:#}", read(std::slice::from_ref(&path)).unwrap_err());
        assert!(problem.contains("line 1 of "), "{problem}");
    }
}
