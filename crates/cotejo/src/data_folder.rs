//! The data folder: what is in it, and that one process at a time works on it.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Advice about a folder that cannot be used.
const ELSEWHERE: &str = "give it to the user that runs this, on a disk that can be written to, or name another by --data";

/// The data folder.
#[derive(Clone, Debug)]
pub struct DataFolder(PathBuf);

/// The folder's lock, held until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl DataFolder {
    /// The folder at `path`, made for its owner alone where there is none.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make(path: &Path) -> anyhow::Result<Self> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.with_context(|| {
            format!("the data folder {} cannot be made: {ELSEWHERE}", path.display())
        })?;
        Ok(Self(path.to_owned()))
    }

    /// The folder at `path`, whether it is there or not.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.0.join("cotejo.sqlite")
    }

    /// The socket that commands reach a running server by.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.0.join("admin.sock")
    }

    /// Returns the path of the file that keeps a first start's secrets until somebody has seen them.
    #[must_use]
    pub fn first_secrets(&self) -> PathBuf {
        self.0.join("first-secrets.txt")
    }

    /// The file that says what has ended, beside the database: a copy of before does not know it.
    #[must_use]
    pub fn ended(&self) -> PathBuf {
        self.0.join("ended.log")
    }

    /// Takes the folder's lock, unless another process has it.
    ///
    /// # Errors
    /// Where the lock file cannot be opened.
    pub fn try_lock(&self) -> anyhow::Result<Option<FolderLock>> {
        let path = self.0.join("lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let problem =
            || format!("the data folder cannot be written to ({}): {ELSEWHERE}", path.display());
        let file = options.open(&path).with_context(problem)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FolderLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(problem),
        }
    }
}

/// Writes a new file that its owner alone can read, and sees it onto the disk.
///
/// # Errors
/// Where it exists or cannot be written.
pub fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    sync_name(path)
}

/// Writes a file that its owner alone can read, in the place of one that may be there: at any time one of the two is.
///
/// # Errors
/// Where it cannot be written, or something else than a file is there.
pub fn replace_private(path: &Path, text: &str) -> std::io::Result<()> {
    remove_unfinished(path)?;
    let new = unfinished(path);
    write_private(&new, text)?;
    if let Err(error) = std::fs::rename(&new, path) {
        remove_unfinished(path)?;
        return Err(error);
    }
    sync_name(path)
}

/// A new file that its owner alone can read, beside the place that it is meant for until it is whole.
#[derive(Debug)]
pub(crate) struct NewFile {
    new: PathBuf,
    path: PathBuf,
    replaces: bool,
    is_placed: bool,
}

impl NewFile {
    /// Makes the file. `replaces` says whether it may take the place of one that is there.
    ///
    /// # Errors
    /// Where it cannot be made, or another is there that is not to be replaced.
    pub(crate) fn make(path: &Path, replaces: bool) -> std::io::Result<(Self, File)> {
        let mut new = path.as_os_str().to_owned();
        new.push(format!(".{}.new", std::process::id()));
        let made = Self { new: new.into(), path: path.to_owned(), replaces, is_placed: false };
        made.check_free()?;
        let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&made.new)?;
        Ok((made, file))
    }

    /// Puts the file into its place, where it is whole for good.
    ///
    /// # Errors
    /// Where that cannot be done; nothing is left of it then.
    pub(crate) fn place(mut self, file: &File) -> std::io::Result<()> {
        file.sync_all()?;
        self.check_free()?;
        std::fs::rename(&self.new, &self.path)?;
        self.is_placed = true;
        sync_name(&self.path)
    }

    fn check_free(&self) -> std::io::Result<()> {
        match self.replaces || !self.path.exists() {
            true => Ok(()),
            false => Err(ErrorKind::AlreadyExists.into()),
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_placed {
            // What cannot be removed has a name that says what it is.
            drop(remove_if_there(&self.new));
        }
    }
}

/// Removes what a [`replace_private`] that was cut short has left beside the file, if it has.
///
/// # Errors
/// Where it is there and cannot be removed.
pub fn remove_unfinished(path: &Path) -> std::io::Result<()> {
    remove_if_there(&unfinished(path))
}

/// Removes a file, if it is there.
///
/// # Errors
/// Where it is there and cannot be removed.
pub fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the path where a file is written before it replaces the one at `path`.
fn unfinished(path: &Path) -> PathBuf {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    PathBuf::from(new)
}

/// The name too must survive a crash, and it is the folder's.
fn sync_name(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::testing::Folder;

    #[test]
    fn one_process_at_a_time_has_the_lock() {
        let folder = Folder::new();
        let data = DataFolder::make(&folder.path().join("data")).unwrap();
        let lock = data.try_lock().unwrap();
        assert!(lock.is_some());
        assert!(data.try_lock().unwrap().is_none());
        drop(lock);
        assert!(data.try_lock().unwrap().is_some());
        let mode = data.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_new_file_takes_its_place_when_it_is_whole() {
        let folder = Folder::new();
        let path = folder.path().join("copy");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let (new, mut file) = NewFile::make(&path, false).unwrap();
        file.write_all(b"one").unwrap();
        assert!(!path.exists());
        new.place(&file).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(NewFile::make(&path, false).is_err());
        let (cut_short, _) = NewFile::make(&path, true).unwrap();
        drop(cut_short);
        assert_eq!(names(), 1);
        let (other, mut file) = NewFile::make(&path, true).unwrap();
        file.write_all(b"two").unwrap();
        other.place(&file).unwrap();
        assert_eq!((std::fs::read_to_string(&path).unwrap().as_str(), names()), ("two", 1));
    }

    #[test]
    fn a_private_file_is_never_written_over() {
        let folder = Folder::new();
        let path = folder.path().join("secret");
        write_private(&path, "one").unwrap();
        assert!(write_private(&path, "two").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
