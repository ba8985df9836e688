//! A copy of the store in one file, read from one snapshot beside a server that works. Nobody waits for it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use domain::time::Timestamp;
use serde_json::json;

use super::progress::Progress;
use super::{ends_by_itself, print};
use crate::cli::Backup;
use crate::config::Config;
use crate::copy_file::{About, CopyWriter};
use crate::data_folder::{DataFolder, NewFile, replace_private};
use crate::opening::options;
use crate::system::Runtime;
use crate::telemetry;

pub(super) fn run(config: &Config, backup: &Backup) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let data = DataFolder::at(&config.data);
    if config.postgres.is_none() && !data.database().exists() {
        bail!("there is no database in the data folder {}", data.path().display());
    }
    let shown = backup.file.display();
    check_place(config, &data, &backup.file)?;
    let made = NewFile::make(&backup.file, backup.force);
    let (new, file) = made.with_context(|| {
        format!("the copy {shown}; a file that is there is replaced only with --force")
    })?;
    // Taken before the snapshot: whatever ends after it is taken for unknown.
    let now = Runtime::default().clock.now();
    let mut writer = CopyWriter::begin(file)?;
    let rows = writer.rows();
    let lines =
        Progress::show(move || format!("{} rows copied so far", rows.load(Ordering::Relaxed)));
    let copied = store::copy_out(&options(config, &data, now, ends_by_itself()), &mut writer);
    drop(lines);
    copied.with_context(|| format!("the copy {shown}"))?;
    let engine = if config.postgres.is_some() { "postgres" } else { "sqlite" };
    let about = About { copied_at: now, engine, schema: store::schema_digest() };
    let written = writer.finish(&about);
    let (file, manifest) = written.with_context(|| format!("the copy {shown}"))?;
    let bytes = file.metadata()?.len();
    new.place(&file).with_context(|| format!("the copy {shown}"))?;
    note(&data, now);
    let fields = json!({
        "file": shown.to_string(),
        "bytes": bytes,
        "copied_at": manifest.copied_at,
        "store_id": manifest.store_id,
        "rows": manifest.tables.values().sum::<u64>(),
        "owners": manifest.owners.len(),
        "content": manifest.content,
        "has_master_key": manifest.has_master_key,
    });
    print(fields, backup.json)?;
    tracing::warn!(
        master_key = %config.master_key_file.display(),
        "the copy does not have the master key: keep that apart from it, since without it the secrets in the copy cannot \
         be read"
    );
    Ok(ExitCode::SUCCESS)
}

/// Checks that the copy takes the place of nothing that the service lives on, whatever was said of force.
fn check_place(config: &Config, data: &DataFolder, file: &Path) -> anyhow::Result<()> {
    let database = data.database();
    let beside = |ending: &str| {
        let mut path = database.clone().into_os_string();
        path.push(ending);
        PathBuf::from(path)
    };
    let own = [
        beside(""),
        beside("-wal"),
        beside("-shm"),
        config.master_key_file.clone(),
        data.ended(),
        data.socket(),
        data.first_secrets(),
        data.path().join("lock"),
    ];
    if let Some(own) = own.iter().find(|own| is_same_place(own, file)) {
        bail!(
            "the copy would take the place of {}, which the service lives on: name another file, rather on another disk",
            own.display()
        );
    }
    Ok(())
}

/// Tells whether two paths lead to one file, or would if it was made, through whatever links.
fn is_same_place(one: &Path, other: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other)) {
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let (one, other) = (place(one), place(other));
    one.is_some() && one == other
}

/// Notes when the copy was made, so that its age can be seen. The copy is good without it.
fn note(data: &DataFolder, now: Timestamp) {
    if let Err(error) = replace_private(&data.last_copy(), &format!("{now}\n")) {
        tracing::warn!(%error, "when the copy was made could not be noted in the data folder");
    }
}
