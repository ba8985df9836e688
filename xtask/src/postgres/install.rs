//! Where PostgreSQL's programs are, how they get there, and who may run them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::debian;
use crate::process;

/// Folder in which Debian keeps the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The folder of a server's programs.
pub(super) struct Binaries(PathBuf);

impl Binaries {
    /// Finds the newest, and installs some where there are none.
    pub(super) fn find_or_install() -> Result<Self> {
        if let Some(found) = Self::find() {
            return Ok(found);
        }
        debian::install("a PostgreSQL server", "postgresql")?;
        Self::find().context("PostgreSQL was installed, and yet it is not there")
    }

    pub(super) fn path(&self, program: &str) -> PathBuf {
        self.0.join(program)
    }

    fn find() -> Option<Self> {
        let versions = fs::read_dir(VERSIONS).ok()?.flatten();
        let found = versions.filter(|version| version.path().join("bin/initdb").exists());
        let number = |path: &Path| -> Option<u32> {
            path.file_name().and_then(OsStr::to_str).and_then(|name| name.parse().ok())
        };
        let newest = found.map(|version| version.path()).max_by_key(|path| number(path))?;
        Some(Self(newest.join("bin")))
    }
}

/// User that runs the server, which refuses to be run by root.
pub(super) enum User {
    Ourselves,
    Other { name: &'static str, id: u32 },
}

impl User {
    pub(super) fn choose() -> Result<Self> {
        if !debian::is_root()? {
            return Ok(Self::Ourselves);
        }
        for name in ["postgres", "nobody"] {
            if let Ok(output) = process::run_quietly(Command::new("id").args(["-u", name])) {
                let id = String::from_utf8(output.stdout)?.trim().parse()?;
                return Ok(Self::Other { name, id });
            }
        }
        bail!("root cannot run PostgreSQL, and there is no user `postgres` or `nobody`")
    }
}
