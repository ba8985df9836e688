//! Putting a copy back, and what follows from it.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, bail};
use app::admin::{Keys, Settled, settle_restored};
use app::review::Mark;
use domain::review::ReviewWindow;
use domain::time::{SKEW_MAX, Timestamp};
use serde_json::json;
use store::ended::Ended;
use store::{Options, Store};

use super::offline::offline;
use super::progress::Progress;
use super::{check_ledger, ends_by_itself, print, single_threaded};
use crate::cli::{KeysChoice, Restore, Restored};
use crate::config::Config;
use crate::copy_file::{Checked, CopySource, check};
use crate::data_folder::DataFolder;
use crate::ended_log::{self, EndedLog};
use crate::master_key::{check_copy, open_vault};
use crate::opening::options;
use crate::system::Runtime;
use crate::telemetry;

/// Puts the copy back into an empty place.
pub(super) fn run(config: &Config, restore: &Restore) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let checked = read(config, restore)?;
    let ended = ended_log::read(&restore.ended)?;
    let data = DataFolder::make(&config.data)?;
    let now = Runtime::default().clock.now();
    let window = ReviewWindow { since: checked.copied_at, until: now };
    if window.until <= window.since {
        bail!("the copy was made at {}, and it is {now}: set the clock first", window.since);
    }
    check_none_is_later(&ended, now)?;
    {
        // Given back to the work on the store that follows.
        let _lock = data.try_lock()?.with_context(|| {
            format!("another process works on the data folder {}", config.data.display())
        })?;
        let content = &checked.manifest.content;
        put_back(restore, content, window, &options(config, &data, now, ends_by_itself()))?;
    }
    let settled = single_threaded()?.block_on(settle(
        config,
        (window, restore.keys),
        &ended,
        "the copy is in, and what follows from that was not done: nobody is served on it. Empty the place and restore again",
    ))?;
    EndedLog::of(&data).keep(&ended)?;
    finish(config, window, settled, restore.json)
}

/// Says of a store that was put back by other means that it was.
pub(super) fn restored(config: &Config, restored: &Restored) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    if config.postgres.is_none() {
        bail!(
            "a file is put back by cotejo restore; this is for a PostgreSQL that was put back by its own means"
        );
    }
    if !restored.nodes_stopped {
        bail!("stop every node on this PostgreSQL first, then say this again with --nodes-stopped");
    }
    let ended = ended_log::read(&restored.ended)?;
    let window = ReviewWindow { since: restored.copied_at, until: Runtime::default().clock.now() };
    if window.until <= window.since {
        bail!("--copied-at {} is yet to come", window.since);
    }
    check_none_is_later(&ended, window.until)?;
    let settled = single_threaded()?.block_on(settle(
        config,
        (window, restored.keys),
        &ended,
        "it was not done to its end, and nobody is served until it is: say this again",
    ))?;
    EndedLog::of(&DataFolder::make(&config.data)?).keep(&ended)?;
    finish(config, window, settled, restored.json)
}

/// Reads the copy, and checks that it is whole, of this program's schema, and of the master key that is there.
fn read(config: &Config, restore: &Restore) -> anyhow::Result<Checked> {
    let lines = Progress::show(|| "the copy is read to its end first".to_owned());
    let checked = check(&restore.file);
    drop(lines);
    let checked = checked?;
    let version = &checked.manifest.version;
    if !checked.manifest.has_schema(&store::schema_digest()) {
        bail!(
            "the copy was made by cotejo {version}, with other tables: restore it by that version"
        );
    }
    match &checked.installation {
        Some(installation) => check_copy(installation, &config.master_key_file)?,
        None => bail!("the copy is of a store that was never set up: there is nothing in it"),
    }
    Ok(checked)
}

/// Checks that nothing ended later than now: by a clock that is behind, the review would end before what was accepted last.
fn check_none_is_later(ended: &[Ended], now: Timestamp) -> anyhow::Result<()> {
    let latest = ended.iter().map(|one| one.at).max();
    // Two nodes' clocks may be as far apart.
    if let Some(at) = latest.filter(|at| *at > now.plus(SKEW_MAX.saturating_mul(2))) {
        bail!("something ended at {at}, and it is {now}: set the clock first");
    }
    Ok(())
}

/// Checks that it is not another time for the database, by which the nodes go that accept payments.
async fn check_clock(store: &Store) -> anyhow::Result<()> {
    let skew = store.clock_skew(Runtime::default().clock.now()).await?;
    if Duration::from_micros(skew.unsigned_abs()) > SKEW_MAX {
        bail!("this clock and the database's are too far apart: set them, and begin again");
    }
    Ok(())
}

/// Writes the rows of the copy, in one transaction, with the mark that has nobody served before all is done.
fn put_back(
    restore: &Restore,
    content: &str,
    window: ReviewWindow,
    options: &Options,
) -> anyhow::Result<()> {
    let mark = Mark { window, is_settled: false };
    let mut source = CopySource::open(&restore.file, content, mark.to_bytes())?;
    let rows = source.rows();
    let lines =
        Progress::show(move || format!("{} rows put back so far", rows.load(Ordering::Relaxed)));
    let put = store::copy_in(options, &mut source);
    drop(lines);
    put.context("the copy could not be put back, and nothing of it was written; a copy goes into an empty place")
}

/// Does what follows.
async fn settle(
    config: &Config,
    (window, keys): (ReviewWindow, KeysChoice),
    ended: &[Ended],
    problem: &'static str,
) -> anyhow::Result<Settled> {
    let keys = match keys {
        KeysChoice::Hold => Keys::Hold,
        KeysChoice::GoOn => Keys::GoOn,
    };
    offline(config, async |operator| {
        check_clock(operator.store).await?;
        let vault = open_vault(operator, &config.master_key_file).await?;
        let settled = settle_restored(operator, &vault, (window, keys), ended, |so_far| {
            tracing::info!(owners = so_far.owners, keys_held = so_far.keys_held, "settled");
        });
        settled.await.context(problem)
    })
    .await
}

/// Audits the store, and says what was done and found.
fn finish(
    config: &Config,
    window: ReviewWindow,
    settled: Settled,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let report = single_threaded()?.block_on(check_ledger::look(config))?;
    let (differences, integrity) = report.counts();
    let fields = json!({
        "copied_at": window.since.to_string(),
        "restored_at": window.until.to_string(),
        "owners": settled.owners,
        "keys_held": settled.keys_held,
        "ended": settled.ended,
        "differences": differences,
        "integrity": integrity,
    });
    print(fields, json)?;
    tracing::warn!(
        since = %window.since,
        until = %window.until,
        "what was accepted between the two is not known: payments of before wait for a person to accept them, until the \
         owner closes the review of the account"
    );
    if report.is_sound() {
        return Ok(ExitCode::SUCCESS);
    }
    tracing::error!("the audit found differences: see cotejo check-ledger");
    Ok(ExitCode::FAILURE)
}
