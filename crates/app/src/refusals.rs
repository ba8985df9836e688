//! What the owner learns from the audit trail although it was not done: sign-ins with a wrong password, wrong ones of
//! a person who is signed in, and what a person asked for without the right to it. Each is noted in memory and
//! written once a minute, so that a flood of them costs neither the store nor a caller's time, by which accounts
//! could be known. A node that is killed forgets the last minute.

mod sources;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::access::{Caller, Entry};
use domain::ids::{AuditId, EmployeeId, KeyId, NoticeId, OwnerId};
use domain::notices::{Notice, SIGN_IN_ATTEMPTS, SLOW_ATTEMPTS};
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::time::Timestamp;
use store::fault::{Fault, WriteError};
use store::key_uses::Use;
use store::locators::Located;
use store::tx::Tx;
use store::{Lane, Meter, audit, notices};

pub use self::sources::{Source, Sources};
use crate::audit_entry::caller_id;
use crate::{App, RequestContext};

/// A sign-in with a wrong password.
pub(crate) const WRONG_PASSWORD: &str = "WrongPassword";

/// A wrong password where a person who is signed in shows the present one.
pub(crate) const WRONG_PRESENT_PASSWORD: &str = "WrongPresentPassword";

/// A code of a second factor that was wrong.
pub(crate) const WRONG_CODE: &str = "WrongCode";

/// A sign-in with the right password of somebody who is not active.
pub(crate) const NOT_ACTIVE: &str = "NotActive";

/// An operation for which a person lacks the right. It is the subject.
const NO_RIGHT: &str = "NoRight";

/// An operation for which a person was asked for a code of its second factor. It is the subject.
const NO_CODE: &str = "NoCode";

/// A call with a key that was revoked or is over, or with the text that one had before it was rotated.
const FORMER_KEY: &str = "FormerKey";

/// How many accounts and kinds of refusals a minute has: each is a write. What goes beyond is not recorded.
const NOTED_MAX: usize = 1_000;

/// Kind of a refusal. Each has a budget of its own, so that a flood of one kind hides none of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    /// A password or a code that somebody tried.
    Attempt,
    /// A key that is over. A person who may issue keys can have as many of these as it likes.
    FormerKey,
    /// What a person may not.
    Rank,
}

impl Class {
    fn of(action: &str) -> Self {
        match action {
            WRONG_PASSWORD | WRONG_PRESENT_PASSWORD | WRONG_CODE | NOT_ACTIVE => Self::Attempt,
            FORMER_KEY => Self::FormerKey,
            _ => Self::Rank,
        }
    }

    /// How many of them a minute has of one owner, so that a flood at one hides nothing of the others.
    const fn of_owner_max(self) -> usize {
        match self {
            Self::Attempt | Self::Rank => 50,
            Self::FormerKey => 10,
        }
    }
}

type Kind = (OwnerId, Option<EmployeeId>, &'static str, String);

/// The refusals that are not written yet: of each account and kind the first, how many, and from where.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    kinds: HashMap<Kind, Noted>,
    /// How many each owner has of a class.
    of_owner: HashMap<(OwnerId, Class), usize>,
}

#[derive(Clone, Debug)]
struct Noted {
    entry: audit::Entry,
    times: i64,
    sources: Sources,
}

impl Refusals {
    /// Notes one, which came at that instant.
    pub(crate) fn note(&self, owner: OwnerId, entry: audit::Entry, at: Timestamp) {
        let sources = Sources::of(&entry, at);
        self.add(owner, Noted { entry, times: 1, sources });
    }

    fn add(&self, owner: OwnerId, new: Noted) {
        let mut notes = self.lock();
        let kind = (owner, new.entry.employee, new.entry.action, new.entry.subject.clone());
        if let Some(known) = notes.kinds.get_mut(&kind) {
            known.times = known.times.saturating_add(new.times);
            known.sources.join(new.sources);
            return;
        }
        let all = notes.kinds.len();
        let class = Class::of(new.entry.action);
        let of_owner = notes.of_owner.entry((owner, class)).or_default();
        if all < NOTED_MAX && *of_owner < class.of_owner_max() {
            *of_owner += 1;
            notes.kinds.insert(kind, new);
        }
    }

    fn take(&self) -> HashMap<Kind, Noted> {
        std::mem::take(&mut *self.lock()).kinds
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that a caller was refused an operation, if it is a person and wants a right or a code.
pub fn note_rank(
    app: &App,
    (caller, entry): (&Caller, Entry),
    request: &RequestContext,
    refusal: &Refusal,
) {
    let action = match refusal {
        Refusal::OwnerSessionRequired
        | Refusal::RightMissing(_)
        | Refusal::ClientPermissionMissing(_)
        | Refusal::Outranked => NO_RIGHT,
        Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired) => NO_CODE,
        _ => return,
    };
    let (Some(owner), Some(_)) = (caller.owner(), caller.session()) else { return };
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, request.received),
        actor: caller_id(caller),
        employee: caller.employee(),
        action,
        subject: entry.name.to_owned(),
        address: request.address_shown(),
    };
    app.refusals.note(owner, entry, request.received);
}

/// Notes that somebody showed what was a key once, and opens nothing any more: one that was revoked or is over, or
/// the text that one had before it was rotated.
pub(crate) fn note_former_key(app: &App, key: Located, seen: Use) {
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, seen.at),
        actor: caller_id(&Caller::Nobody),
        employee: None,
        action: FORMER_KEY,
        subject: KeyId::from_bytes(key.subject).to_string(),
        address: seen.from.map(|address| address.to_string()),
    };
    app.refusals.note(key.owner, entry, seen.at);
}

/// Counts a refusal that comes at `now` in the entry of its hour, in the transaction that refuses it, and notifies
/// the owner of many. The last that a transaction writes.
///
/// # Errors
/// A fault of the store.
pub(crate) fn count(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<(), Fault> {
    let id = NoticeId::from_bytes(entry.id.to_bytes());
    count_all(tx, owner, (entry, 1, &Sources::of(entry, now)), (id, now))
}

fn count_all(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (entry, times, new): (&audit::Entry, i64, &Sources),
    (id, now): (NoticeId, Timestamp),
) -> Result<(), Fault> {
    let known = audit::refused_lately(tx, owner, entry, now)?;
    let mut sources = Sources::read(known.as_ref().and_then(|known| known.sources.as_deref()));
    sources.add(new);
    let counted = match known {
        None => {
            audit::insert_refusal(tx, owner, entry, (times, &sources.text()), now)?;
            times
        }
        Some(known) => {
            audit::refused_again(tx, owner, known.id, (times, &sources.text()))?;
            known.times.saturating_add(times)
        }
    };
    notify_attempts(tx, owner, entry, (times, counted), (id, now))
}

/// Notifies the owner of many attempts at the password or the codes of one person, once for what one entry of the
/// trail counts; and once a day of those that are few in each hour and many in a day.
fn notify_attempts(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &audit::Entry,
    (times, counted): (i64, i64),
    (id, now): (NoticeId, Timestamp),
) -> Result<(), Fault> {
    if Class::of(entry.action) != Class::Attempt {
        return Ok(());
    }
    if counted >= SIGN_IN_ATTEMPTS {
        let were_few = counted.saturating_sub(times) < SIGN_IN_ATTEMPTS;
        let notice = Notice::sign_in_attempts(&entry.subject, entry.id);
        return if were_few { notices::notify(tx, owner, id, &notice, now) } else { Ok(()) };
    }
    let (what, since) = ((entry.action, &*entry.subject), now.minus(domain::mail::DAY));
    let notice = Notice::slow_sign_in_attempts(&entry.subject, now);
    if audit::few_refusals(tx, owner, what, since, SIGN_IN_ATTEMPTS)? >= SLOW_ATTEMPTS
        && !notices::is_notified(tx, owner, &notice)?
    {
        notices::notify(tx, owner, id, &notice, now)?;
    }
    Ok(())
}

/// Writes the refusals that are not written yet.
///
/// # Errors
/// A failure of the store; what was not written is written the next time.
pub async fn write(app: &App) -> Result<(), WriteError> {
    let (meter, now) = (Meter::default(), app.clock.now());
    let mut result = Ok(());
    for ((owner, ..), noted) in app.refusals.take() {
        let Noted { entry, times, sources } = noted.clone();
        let id = NoticeId::new(&*app.ids, now);
        let write = app.store.write(&meter, Lane::Maintenance, owner, move |tx| {
            count_all(tx, owner, (&entry, times, &sources), (id, now))
        });
        match write.await {
            // Perhaps it was counted: it is not counted twice.
            Ok(()) | Err(WriteError::Unknown) => {}
            Err(error) => {
                app.refusals.add(owner, noted);
                result = Err(error);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_at_one_owner_hides_nothing_of_another() {
        let refusals = Refusals::default();
        let note = |owner: u8, action, subject: usize| {
            let entry = audit::Entry {
                id: AuditId::from_bytes([1; 16]),
                actor: "ses_1".to_owned(),
                employee: None,
                action,
                subject: subject.to_string(),
                address: None,
            };
            refusals.note(OwnerId::from_bytes([owner; 16]), entry, Timestamp::from_micros(0));
        };
        for subject in 0..2 * NOTED_MAX {
            note(1, NO_RIGHT, subject);
        }
        note(2, NO_RIGHT, 0);
        note(1, NO_RIGHT, 0);
        // Nor does it hide that somebody tries the owner's password; nor do keys that are over.
        for subject in 0..2 * NOTED_MAX {
            note(1, FORMER_KEY, subject);
        }
        note(1, WRONG_PASSWORD, 0);
        let noted = refusals.take();
        let of = |owner: u8| {
            let owner = OwnerId::from_bytes([owner; 16]);
            noted.iter().filter(|((of, ..), _)| *of == owner).map(|(_, noted)| noted.times).sum()
        };
        let counts: [i64; 2] = [of(1), of(2)];
        assert_eq!(counts, [62, 1], "fifty kinds, one of them twice, ten keys, and the attempt");
        assert!(refusals.take().is_empty());
    }
}
