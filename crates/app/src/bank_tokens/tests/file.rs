//! A database in a file, where the world's own is in memory.

use std::fs;
use std::time::Duration;

use store::{Engine, OnFatal, Options, SqliteSettings, Store};

use super::world::START;

/// A folder for a database, gone with the test.
pub(super) struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

impl Folder {
    /// For the test of that name.
    pub(super) fn new(test: &str) -> Self {
        let name = format!("bank-tokens-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        drop(fs::remove_dir_all(&path));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// A store on a file in it, whose writes are done by a thread.
    pub(super) fn store(&self) -> Store {
        let file = self.0.join("cotejo.db");
        let settings = SqliteSettings {
            syncs: false,
            read_limit: Duration::from_secs(60),
            ..SqliteSettings::new(file)
        };
        let on_fatal = OnFatal::new(|reason| panic!("the store must not end here: {reason}"));
        let engine = Engine::Sqlite(settings);
        store::open(&Options { engine, now: START, on_fatal }).unwrap()
    }

    /// Tells whether any file in the folder has these bytes.
    pub(super) fn has(&self, bytes: &[u8]) -> bool {
        let files = fs::read_dir(&self.0).unwrap().map(|file| fs::read(file.unwrap().path()));
        files.into_iter().any(|file| file.unwrap().windows(bytes.len()).any(|part| part == bytes))
    }
}
