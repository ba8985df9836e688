//! Mail about notices: written after the notice, by whichever node looks first, so that what tells an owner of something is
//! done as soon as it has written it.
//!
//! Of each kind there is at most one mail in the time that the owner has chosen. What happens within that time waits for the
//! next mail, which counts it. All of it is decided under the lock of the owner's row, by the mails that were written: two
//! nodes, or one that was killed, write none twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::OwnerId;
use domain::mail::{Letter, TRIED_FOR};
use domain::notices::{Digest, EVERY_MAX, Item, Kind, LATEST_MAX, Rule, Settings};
use domain::time::Timestamp;
use egress::MailServer;
use store::fault::{Fault, WriteError};
use store::notice_mails::{self, Untold};
use store::tx::Tx;
use store::{Lane, Meter, due, mails, notice_settings, owners};

use crate::App;
use crate::mails::{draft, send_due};

/// How often a node looks for notices that want a mail: not at one with those who look for other mail.
pub const POLL_INTERVAL: Duration = Duration::from_millis(2_900);

/// How many mails about notices a node sends at once: fewer than of those that people wait for.
const SENDING_MAX: usize = 2;

/// How many notices one look finds, and how many of an owner's one transaction looks at.
const LOOKED_AT_MAX: i64 = 500;

/// How many owners one look attends to before mail is sent again.
const OWNERS_MAX: usize = 100;

/// Writes the mails that are due about notices and sends what is due of such mails; answers whether there may be more.
/// Begins nothing once `is_stopping`.
///
/// # Errors
/// A failure of the store to tell what is due.
pub async fn pass(
    app: &Arc<App>,
    server: &MailServer,
    is_stopping: impl Fn() -> bool,
) -> Result<bool, Fault> {
    let may_be_more = write(app, &is_stopping).await?;
    let is_full = send_due(app, server, (due::Kind::NoticeMail, SENDING_MAX), is_stopping).await?;
    Ok(may_be_more || is_full)
}

async fn write(app: &Arc<App>, is_stopping: &impl Fn() -> bool) -> Result<bool, Fault> {
    let (meter, now) = (Meter::default(), app.clock.now());
    let look = move |tx: &mut Tx<'_>| notice_mails::owners_due(tx, now, LOOKED_AT_MAX);
    let owners = app.store.look_up(&meter, look).await?;
    let (is_cut_short, mut may_be_more) = (owners.len() > OWNERS_MAX, false);
    for owner in owners.into_iter().take(OWNERS_MAX) {
        if is_stopping() {
            return Ok(false);
        }
        match write_of(app, &meter, owner, now).await {
            // Where nothing could be written, the next look finds the same ones.
            Ok(looked_at) => may_be_more |= is_cut_short || looked_at == LOOKED_AT_MAX as usize,
            Err(error) => tracing::warn!(%owner, ?error, "mail about notices could not be written"),
        }
    }
    Ok(may_be_more)
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
    let untold = notice_mails::take(tx, owner, now, LOOKED_AT_MAX)?;
    if untold.is_empty() {
        return Ok(0);
    }
    let settings = notice_settings::find(tx, owner)?;
    let longest = Duration::from_secs(u64::from(EVERY_MAX) * 60);
    // One that a clock ahead has written holds nothing up, and hides none of the others.
    let believed = now.latest_believed(Duration::ZERO);
    let latest = notice_mails::latest(tx, owner, now.minus(longest), believed)?;
    let latest: HashMap<Kind, Timestamp> = latest.into_iter().collect();
    let to = owners::find(tx, owner)?.filter(|owner| owner.is_active).map(|owner| owner.email);

    for (then, kind, notices) in sorted(&untold, &settings, &latest, now) {
        match (then, &to, kind) {
            (Then::At(then), ..) => {
                for notice in notices {
                    notice_mails::put_off(tx, owner, notice.id, then)?;
                }
            }
            (Then::Now, Some(to), Some(kind)) => {
                let letter = Letter::Notices(digest(kind, &notices));
                let until = now.plus(TRIED_FOR);
                let letter = (&letter, settings.language);
                let mail = draft(app, owner, to, letter, (now, until));
                let id = mail.as_ref().map(|mail| mail.id);
                if let Some(mail) = &mail {
                    mails::insert(tx, owner, mail)?;
                }
                for notice in notices {
                    notice_mails::settle(tx, owner, notice.id, id)?;
                }
            }
            (Then::Now | Then::Never, ..) => {
                for notice in notices {
                    notice_mails::settle(tx, owner, notice.id, None)?;
                }
            }
        }
    }
    Ok(untold.len())
}

/// When a mail tells of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Then {
    Now,
    At(Timestamp),
    Never,
}

/// The notices by what becomes of them and by kind, those that were first first.
fn sorted<'a>(
    untold: &'a [Untold],
    settings: &Settings,
    latest: &HashMap<Kind, Timestamp>,
    now: Timestamp,
) -> Vec<(Then, Option<Kind>, Vec<&'a Untold>)> {
    let mut sorted: Vec<(Then, Option<Kind>, Vec<&Untold>)> = Vec::new();
    for notice in untold {
        let then = notice.kind.map_or(Then::Never, |kind| {
            when(settings.rule(kind), latest.get(&kind).copied(), notice.updated_at, now)
        });
        match sorted.iter_mut().find(|(of, kind, _)| (*of, *kind) == (then, notice.kind)) {
            Some((.., notices)) => notices.push(notice),
            None => sorted.push((then, notice.kind, vec![notice])),
        }
    }
    sorted
}

/// When a mail tells of what happened at `happened`, where the last mail of its kind was written at `latest`. What is
/// long past when somebody first looks, such as where mail begins to be sent, is told by none.
fn when(rule: Rule, latest: Option<Timestamp>, happened: Timestamp, now: Timestamp) -> Then {
    if !rule.mail || happened.plus(TRIED_FOR.max(rule.pause() * 2)) <= now {
        return Then::Never;
    }
    // What a clock ahead has written holds nothing up for longer than the pause.
    let latest = latest.filter(|latest| !latest.is_beyond(now, Duration::ZERO));
    match latest.map(|latest| latest.plus(rule.pause())) {
        Some(then) if then > now => Then::At(then),
        _ => Then::Now,
    }
}

fn digest(kind: Kind, notices: &[&Untold]) -> Digest {
    let mut by_time = notices.to_vec();
    by_time.sort_by_key(|notice| std::cmp::Reverse((notice.updated_at, notice.id)));
    let mut items: Vec<Item> = Vec::new();
    for notice in &by_time {
        match items.iter_mut().find(|item| item.subject == notice.subject) {
            Some(item) => item.times = item.times.saturating_add(notice.times),
            None => items.push(Item {
                subject: notice.subject.clone(),
                trouble: notice.trouble,
                times: notice.times,
            }),
        }
    }
    let times = items.iter().fold(0_i64, |sum, item| sum.saturating_add(item.times));
    let since = by_time.iter().map(|notice| notice.since).min();
    let others = items.len().saturating_sub(LATEST_MAX);
    items.truncate(LATEST_MAX);
    Digest {
        kind,
        times,
        since: since.unwrap_or(Timestamp::from_micros(0)),
        latest: items,
        others: i64::try_from(others).unwrap_or(i64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::NoticeId;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);

    fn ago(minutes: u64) -> Timestamp {
        NOW.minus(Duration::from_secs(minutes * 60))
    }

    #[test]
    fn a_kind_has_one_mail_in_its_time() {
        let rule = Rule { kind: Kind::WebhookFailing, mail: true, every: 60 };
        assert_eq!(when(rule, None, NOW, NOW), Then::Now);
        assert_eq!(when(rule, Some(ago(60)), NOW, NOW), Then::Now);
        let then = ago(20).plus(Duration::from_secs(3_600));
        assert_eq!(when(rule, Some(ago(20)), NOW, NOW), Then::At(then));
        assert_eq!(when(Rule { mail: false, ..rule }, None, NOW, NOW), Then::Never);
        // What waited for its time is told; what nobody looked at for days is not.
        assert_eq!(when(rule, None, ago(23 * 60), NOW), Then::Now);
        assert_eq!(when(rule, None, ago(24 * 60), NOW), Then::Never);
        let weekly = Rule { every: EVERY_MAX, ..rule };
        assert_eq!(when(weekly, None, ago(u64::from(EVERY_MAX)), NOW), Then::Now);
        // A clock that was ahead.
        let year = Duration::from_secs(365 * 24 * 3_600);
        assert_eq!(when(rule, Some(NOW.plus(year)), NOW, NOW), Then::Now);
    }

    #[test]
    fn a_mail_counts_what_is_about_one_thing_and_names_the_latest() {
        let untold = |number: u8, subject: &str, times: i64| Untold {
            id: NoticeId::from_bytes([number; 16]),
            kind: Some(Kind::WebhookFailing),
            subject: subject.to_owned(),
            trouble: None,
            times,
            since: ago(u64::from(number) + 5),
            updated_at: ago(u64::from(number)),
        };
        let all: Vec<_> =
            (0..7).map(|number| untold(number, &format!("{number}.example"), 1)).collect();
        let again = untold(9, "0.example", 4);
        let notices: Vec<_> = [&again].into_iter().chain(&all).collect();
        let digest = digest(Kind::WebhookFailing, &notices);
        assert_eq!((digest.times, digest.since, digest.others), (11, ago(14), 2));
        let named =
            digest.latest.iter().map(|item| (&*item.subject, item.times)).collect::<Vec<_>>();
        assert_eq!(named[..2], [("0.example", 5), ("1.example", 1)]);
        assert_eq!(named.len(), LATEST_MAX);
    }
}
