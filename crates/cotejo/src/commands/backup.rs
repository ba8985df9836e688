//! A copy of the store in one file, read from one snapshot beside a server that works. Nobody waits for it.

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use serde_json::json;

use super::progress::Progress;
use super::{ends_by_itself, print};
use crate::cli::Backup;
use crate::config::Config;
use crate::copy_file::{About, CopyWriter};
use crate::data_folder::{DataFolder, NewFile};
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
