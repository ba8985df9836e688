//! Mail about notices: written after the notice, by the node that looks first, so that what notifies an owner of
//! something is done as soon as it has written it.
//!
//! Of each kind there is at most one mail in the time that the owner has chosen. What happens within that time waits
//! for the next mail, which counts it. All of it is decided under the lock of the owner's row, by the mails that were
//! written: two nodes, or one that was killed, write none twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{MailId, OwnerId};
use domain::language::Language;
use domain::mail::{DAY, Letter, TRIED_FOR};
use domain::notices::{Digest, EVERY_MAX, Kind, LATEST_MAX, Rule};
use domain::time::Timestamp;
use store::due::{self, Due};
use store::fault::{Fault, WriteError};
use store::notice_mails::{self, DueKind, Marked};
use store::one_by_one::{self, Reach};
use store::tx::Tx;
use store::{Lane, Meter, notice_settings, owners};

use crate::mails::{self, seal};
use crate::queue::{IsStopping, Progress, Work};
use crate::{App, Error};

/// How many notices one look finds. Of an owner's, one transaction looks at all that are due.
const LOOKED_AT_MAX: i64 = 500;

/// Latest instant that there is: every notice has happened last by then.
const ALWAYS: Timestamp = Timestamp::from_micros(i64::MAX);

/// How many owners one look attends to before mail is sent again.
const OWNERS_MAX: usize = 100;

/// Mail about notices. It never holds up the mail that people wait for.
#[derive(Debug)]
pub enum NoticeMail {}

impl Work for NoticeMail {
    const KIND: due::Kind = due::Kind::NoticeMail;
    const POLL: Duration = Duration::from_millis(2_900);
    const WAIT_MAX: Option<Duration> = Some(mails::WAIT_MAX);
    /// Fewer than of those that people wait for.
    const AT_ONCE: usize = 2;

    fn is_done_by(app: &App) -> bool {
        app.mail.is_some()
    }

    /// Writes the mails that are due about notices.
    async fn prepare(app: &Arc<App>, is_stopping: &IsStopping) -> Result<Progress, Fault> {
        let (meter, now) = (Meter::default(), app.clock.now());
        let look = move |tx: &mut Tx<'_>| notice_mails::owners_due(tx, now, LOOKED_AT_MAX);
        let all = app.store.look_up(&meter, look);
        let owners = match one_by_one::reach(&app.store, "mail about notices", now, all).await? {
            Reach::All(owners) => owners,
            Reach::OneByOne(owners) => among(app, &meter, owners, now).await,
        };
        let (is_cut_short, mut progress) = (owners.len() > OWNERS_MAX, Progress::Rested);
        for owner in owners.into_iter().take(OWNERS_MAX) {
            if is_stopping() {
                return Ok(Progress::Rested);
            }
            match write_of(app, &meter, owner, now).await {
                // Where nothing could be written, the next look finds the same ones.
                Ok(looked_at) if is_cut_short || looked_at >= LOOKED_AT_MAX as usize => {
                    progress = Progress::More;
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%owner, ?error, "mail about notices could not be written");
                }
            }
        }
        Ok(progress)
    }

    fn shown(subject: [u8; 16]) -> String {
        MailId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: Due, _: Timestamp) -> Result<Progress, Error> {
        mails::send(app, Self::KIND, due).await
    }
}

/// The owners among these that have notices of which a mail may be due, asked one by one.
async fn among(app: &App, meter: &Meter, owners: Vec<OwnerId>, now: Timestamp) -> Vec<OwnerId> {
    let mut found = Vec::new();
    for owner in owners {
        let look = move |tx: &mut Tx<'_>| notice_mails::due_kinds(tx, owner, now);
        match app.store.look_up(meter, look).await {
            Ok(kinds) if kinds.is_empty() => {}
            Ok(_) => found.push(owner),
            Err(fault) => one_by_one::note_silence(&app.store, owner, &fault, now),
        }
        if found.len() > OWNERS_MAX {
            break;
        }
    }
    found
}

/// Writes the mails that are due about an owner's notices; answers how many of these were looked at.
async fn write_of(
    app: &Arc<App>,
    meter: &Meter,
    owner: OwnerId,
    now: Timestamp,
) -> Result<usize, WriteError> {
    let job_app = Arc::clone(app);
    let job = move |tx: &mut Tx<'_>| write_due(tx, &job_app, owner, now);
    app.store.write(meter, Lane::Maintenance, owner, job).await
}

fn write_due(tx: &mut Tx<'_>, app: &App, owner: OwnerId, now: Timestamp) -> Result<usize, Fault> {
    let kinds = notice_mails::due_kinds(tx, owner, now)?;
    if kinds.is_empty() {
        return Ok(0);
    }
    let settings = notice_settings::find(tx, owner)?;
    let longest = Duration::from_secs(u64::from(EVERY_MAX) * 60);
    // One that a clock ahead has written holds nothing up, and hides none of the others.
    let believed = now.latest_believed(Duration::ZERO);
    let latest = notice_mails::latest(tx, owner, now.minus(longest), believed)?;
    let latest: HashMap<Kind, Timestamp> = latest.into_iter().collect();
    let to = owners::find(tx, owner)?.filter(|owner| owner.is_active).map(|owner| owner.email);

    let mut looked_at = 0;
    for (kind, count) in &kinds {
        looked_at += usize::try_from(*count).unwrap_or(usize::MAX);
        let due = DueKind { owner, kind, by: now };
        let rule = Kind::parse(kind).map(|kind| settings.rule(kind)).filter(|rule| rule.mail);
        let (Some(rule), Some(to)) = (rule, &to) else {
            notice_mails::silence(tx, due, ALWAYS)?;
            continue;
        };
        notice_mails::silence(tx, due, long_past(rule, now))?;
        match next(rule, latest.get(&rule.kind).copied(), now) {
            Some(then) => notice_mails::put_off(tx, due, then)?,
            None => write_mail(tx, app, due, (rule.kind, to, settings.language))?,
        }
    }
    Ok(looked_at)
}

/// Writes the mail that reports them.
fn write_mail(
    tx: &mut Tx<'_>,
    app: &App,
    due: DueKind<'_>,
    (kind, to, language): (Kind, &str, Language),
) -> Result<(), Fault> {
    let id = MailId::new(&*app.ids, due.by);
    let latest_max = i64::try_from(LATEST_MAX).unwrap_or(i64::MAX);
    let Some(marked) = notice_mails::mark(tx, due, id, latest_max)? else { return Ok(()) };
    let letter = (&Letter::Notices(digest(kind, marked)), language);
    let (made, times) = ((&*app.ids, &app.vault, id), (due.by, due.by.plus(TRIED_FOR)));
    store::mails::insert(
        tx,
        due.owner,
        &seal(made, (due.owner, due.owner.into()), to, letter, times),
    )
}

/// When a mail may report what happened, where that is not at once: the last of its kind was written at `latest`.
fn next(rule: Rule, latest: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    // What a clock ahead has written holds nothing up for longer than the pause.
    let latest = latest.filter(|latest| !latest.is_beyond(now, Duration::ZERO));
    latest.map(|latest| latest.plus(rule.pause())).filter(|then| *then > now)
}

/// Returns an instant long past: no mail reports a notice that happened last by then. It matters on a first look, such
/// as where mail begins to be sent.
fn long_past(rule: Rule, now: Timestamp) -> Timestamp {
    now.minus(DAY.max(rule.pause() * 2))
}

fn digest(kind: Kind, marked: Marked) -> Digest {
    let Marked { times, since, subjects, latest } = marked;
    let named = i64::try_from(latest.len()).unwrap_or(i64::MAX);
    Digest { kind, times, since, latest, others: subjects.saturating_sub(named).max(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);

    fn ago(minutes: u64) -> Timestamp {
        NOW.minus(Duration::from_secs(minutes * 60))
    }

    #[test]
    fn a_kind_has_one_mail_in_its_time() {
        let rule = Rule { kind: Kind::WebhookFailing, mail: true, every: 60 };
        assert_eq!(next(rule, None, NOW), None);
        assert_eq!(next(rule, Some(ago(60)), NOW), None);
        let then = ago(20).plus(Duration::from_secs(3_600));
        assert_eq!(next(rule, Some(ago(20)), NOW), Some(then));
        // What waited for its time is reported; what nobody looked at for days is not.
        assert_eq!(long_past(rule, NOW), ago(24 * 60));
        assert_eq!(
            long_past(Rule { every: EVERY_MAX, ..rule }, NOW),
            ago(2 * u64::from(EVERY_MAX))
        );
        // A clock that was ahead.
        let year = Duration::from_secs(365 * 24 * 3_600);
        assert_eq!(next(rule, Some(NOW.plus(year)), NOW), None);
    }
}
