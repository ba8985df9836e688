//! Wrong passwords of one account over all addresses, counted in the store, where every node sees them.
//!
//! One is written once the password was wrong, and its answer waits for that, whether somebody has the account or
//! nobody. Writes go one after another, each with all that were wrong meanwhile, so that a flood costs the store no
//! more than one transaction at a time. Accounts that were not counted before are limited besides: what goes beyond
//! is counted here alone until the next minute.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::sign_in::{FAILURES_KEPT, Failures, Origin, network};
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::fault::{Fault, WriteError};
use store::sign_in_failures::{self as kept, Subject};
use store::tx::Tx;
use store::{Meter, Store, people};

use crate::App;
use crate::vault::Vault;

/// Label that distinguishes the keyed hashes of accounts from other keyed hashes.
const LABEL: &[u8] = b"cotejo sign-ins\0";

/// How many accounts a minute this node counts that were not counted before: a row of some hundred bytes each, for a
/// day.
const NEW_MAX: usize = 600;
const NEW_WINDOW: Duration = Duration::from_secs(60);

/// How many accounts are remembered that are not in the store yet. What goes beyond is not counted, unless the store
/// has counted it before.
const UNWRITTEN_MAX: usize = 50_000;

/// How many rows one write has.
const WRITTEN_MAX: usize = 500;

/// How many rows one write deletes.
const DELETED_MAX: i64 = 500;

/// The sign-ins that are under way, and wrong ones that are not in the store yet.
#[derive(Debug, Default)]
pub struct SignInFailures {
    here: Mutex<HashMap<Subject, Here>>,
    /// Held by the one who writes.
    writing: tokio::sync::Mutex<Window>,
    /// How many were wrong, and how many were not tried, since the process started.
    wrong: AtomicU64,
    held_back: AtomicU64,
}

/// Counts of the sign-ins that this process has refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedSignIns {
    /// Those with a wrong password.
    pub wrong: u64,
    /// Those that were not tried, after too many wrong ones.
    pub held_back: u64,
}

/// How many new accounts were written since then.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    began_at: Option<Timestamp>,
    new: usize,
}

/// State of one account that this node knows and the store does not.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// Those that have begun to ask the store.
    asking: i64,
    /// Those that were let through, and may be wrong.
    under_way: i64,
    unwritten: Failures,
    /// How many were written since this was made: a sign-in that has asked the store before may not have seen them.
    written: i64,
    /// Whether the store has counted it before.
    is_kept: bool,
}

/// Target of a sign-in, as it is counted: the account, and the account with the network.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    subjects: [Subject; 2],
    network: Option<String>,
}

/// A sign-in that asks the store.
#[derive(Debug)]
pub(crate) struct Asking<'a> {
    failures: &'a SignInFailures,
    subjects: [Subject; 2],
    /// How many of each were written here before it asked; nothing of one for which there was no room.
    written: [Option<i64>; 2],
}

/// A sign-in that is tried. Until it ends, it counts as one whose password was wrong.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    asking: Asking<'a>,
    subject: Subject,
}

impl Target {
    /// The account of that address as it was typed, and it and the network that is asking.
    pub(crate) fn of(vault: &Vault, typed: &str, address: Option<IpAddr>) -> Self {
        let network = address.map(network);
        let account = EmailAddress::spelling(typed);
        let subject = |parts: &[&[u8]]| vault.keyed_hash(&[LABEL, &parts.concat()].concat());
        let from = network.as_deref().unwrap_or_default();
        let subjects = [
            subject(&[account.as_bytes()]),
            subject(&[account.as_bytes(), b"\0", from.as_bytes()]),
        ];
        Self { subjects, network }
    }

    /// Whom the address leads to, and what was wrong before.
    pub(crate) fn ask(&self, tx: &mut Tx<'_>, email: &[u8; 32]) -> Result<people::Asked, Fault> {
        people::ask(tx, email, self.network(), &self.subjects)
    }

    /// Returns the network that the sign-in comes from.
    pub(crate) fn network(&self) -> Option<&str> {
        self.network.as_deref()
    }
}

impl SignInFailures {
    /// Returns how many sign-ins this process has refused.
    #[must_use]
    pub fn refused(&self) -> RefusedSignIns {
        RefusedSignIns {
            wrong: self.wrong.load(Ordering::Relaxed),
            held_back: self.held_back.load(Ordering::Relaxed),
        }
    }

    /// Notes that somebody is about to ask the store, so that nothing is missed that is written meanwhile.
    pub(crate) fn ask(&self, target: &Target) -> Asking<'_> {
        let mut here = self.lock();
        let written = target.subjects.map(|subject| {
            if here.len() >= UNWRITTEN_MAX && !here.contains_key(&subject) {
                return None;
            }
            let known = here.entry(subject).or_insert(Here::NOTHING);
            known.asking += 1;
            Some(known.written)
        });
        Asking { failures: self, subjects: target.subjects, written }
    }

    /// Forgets what was wrong: the person who has the account has shown otherwise that it is its own.
    ///
    /// # Errors
    /// A failure of the store.
    pub(crate) async fn forgive(
        &self,
        app: &App,
        meter: &Meter,
        email: &str,
    ) -> Result<(), WriteError> {
        let [subject, _] = Target::of(&app.vault, email, None).subjects;
        self.change(&subject, |here| here.unwritten = Failures::NONE);
        forgive(&app.store, &app.vault, meter, email).await
    }

    /// Changes what is known of a subject, and forgets it where nothing is left.
    fn change(&self, subject: &Subject, change: impl FnOnce(&mut Here)) {
        let mut here = self.lock();
        let Some(known) = here.get_mut(subject) else { return };
        change(known);
        if known.asking <= 0 && known.under_way <= 0 && known.unwritten.count <= 0 {
            here.remove(subject);
        }
    }

    /// Returns what is to be written: what was counted before, and as many others as a window has, with the number of
    /// these.
    fn unwritten(&self, new_max: usize) -> (Vec<(Subject, Failures)>, usize) {
        let here = self.lock();
        let waiting = here.iter().filter(|(_, here)| here.unwritten.count > 0);
        let (known, new): (Vec<_>, Vec<_>) = waiting.partition(|(_, here)| here.is_kept);
        let new_max = new_max.min(WRITTEN_MAX);
        let new = new.into_iter().take(new_max);
        let new_count = new.len();
        let all = new.chain(known).take(WRITTEN_MAX);
        (all.map(|(subject, here)| (*subject, here.unwritten)).collect(), new_count)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Subject, Here>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Here {
    const NOTHING: Self =
        Self { asking: 0, under_way: 0, unwritten: Failures::NONE, written: 0, is_kept: false };
}

impl<'a> Asking<'a> {
    /// Lets the sign-in be tried, unless too many passwords were wrong before: of strangers for a stranger, of its
    /// network where somebody has signed in from there. Those that are under way count as wrong ones.
    ///
    /// # Errors
    /// After how long it may be tried.
    pub(crate) fn begin(
        self,
        asked: &people::Asked,
        now: Timestamp,
    ) -> Result<Trial<'a>, Duration> {
        let origin = asked.found.as_ref().map_or(Origin::Stranger, |(_, person)| person.origin);
        let which = match origin {
            Origin::Stranger => 0,
            Origin::Known => 1,
        };
        let (subject, kept) = (self.subjects[which], asked.failures[which]);
        {
            let mut here = self.failures.lock();
            let mut nothing = Here::NOTHING;
            let known = match kept {
                // One that is counted already is counted on, however many others there are.
                Some(_) => here.entry(subject).or_insert(Here::NOTHING),
                None => here.get_mut(&subject).unwrap_or(&mut nothing),
            };
            let written = self.written[which].unwrap_or(known.written);
            let missed = known.written - written + known.under_way;
            let mut all = kept.unwrap_or(Failures::NONE).and(known.unwritten, now);
            if missed > 0 {
                all = all.and(Failures { count: missed, last_at: now }, now);
            }
            all.check(origin, now).inspect_err(|_| {
                self.failures.held_back.fetch_add(1, Ordering::Relaxed);
            })?;
            known.under_way += 1;
            known.is_kept |= kept.is_some();
        }
        Ok(Trial { asking: self, subject })
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        for (subject, written) in self.subjects.iter().zip(self.written) {
            let asked = i64::from(written.is_some());
            self.failures.change(subject, |here| here.asking -= asked);
        }
    }
}

impl Trial<'_> {
    /// Counts that it was wrong.
    pub(crate) fn was_wrong(self, now: Timestamp) {
        self.asking.failures.wrong.fetch_add(1, Ordering::Relaxed);
        self.asking.failures.change(&self.subject, |here| {
            here.unwritten.count = here.unwritten.count.saturating_add(1);
            here.unwritten.last_at = here.unwritten.last_at.max(now);
        });
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.asking.failures.change(&self.subject, |here| here.under_way -= 1);
    }
}

/// Forgets what the store has counted of that account's wrong passwords.
///
/// # Errors
/// A failure of the store.
pub(crate) async fn forgive(
    store: &Store,
    vault: &Vault,
    meter: &Meter,
    email: &str,
) -> Result<(), WriteError> {
    let [subject, _] = Target::of(vault, email, None).subjects;
    store.write_shared(meter, move |tx| kept::forgive(tx, &subject)).await
}

/// Writes the wrong passwords that are not in the store yet: a caller that comes while another writes waits, and
/// finds its own written or writes them with those of all who came meanwhile.
///
/// # Errors
/// A failure of the store; what was not written counts here, and is written the next time.
pub async fn write(app: &App, meter: &Meter) -> Result<(), WriteError> {
    let failures = &app.sign_in_failures;
    let mut window = failures.writing.lock().await;
    let now = app.clock.now();
    // One that a clock ahead has begun is over, too.
    let lasts = |began: Timestamp| began <= now && now.since(began) < NEW_WINDOW;
    if !window.began_at.is_some_and(lasts) {
        *window = Window { began_at: Some(now), new: 0 };
    }
    let (rows, new) = failures.unwritten(NEW_MAX.saturating_sub(window.new));
    if rows.is_empty() {
        return Ok(());
    }
    window.new += new;
    let from = now.minus(FAILURES_KEPT);
    let mut written = rows.clone();
    // In one order on every node, so that none waits for another in a circle.
    written.sort_unstable_by_key(|(subject, _)| *subject);
    let write = app.store.write_shared(meter, move |tx| {
        written.iter().try_for_each(|(subject, new)| kept::count(tx, subject, *new, from))
    });
    match write.await {
        // Perhaps they were counted: they are not counted twice.
        Ok(()) | Err(WriteError::Unknown) => {}
        Err(error) => return Err(error),
    }
    for (subject, counted) in rows {
        failures.change(&subject, |here| {
            here.unwritten.count -= counted.count;
            here.written += counted.count;
            here.is_kept = true;
        });
    }
    Ok(())
}

/// Forgets the wrong passwords that count no more.
///
/// # Errors
/// A failure of the store; what was not reached waits for the next time.
pub async fn sweep(app: &App) -> Result<(), WriteError> {
    let (meter, until) = (Meter::default(), app.clock.now().minus(FAILURES_KEPT));
    loop {
        let look = move |tx: &mut Tx<'_>| kept::has_old(tx, until);
        if !app.store.look_up(&meter, look).await.map_err(WriteError::Fault)? {
            return Ok(());
        }
        app.store.write_shared(&meter, move |tx| kept::delete_old(tx, until, DELETED_MAX)).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

    fn subject(number: u64) -> Subject {
        let mut subject = [0; 32];
        subject[..8].copy_from_slice(&number.to_be_bytes());
        subject
    }

    fn target(number: u64) -> Target {
        Target { subjects: [subject(2 * number), subject(2 * number + 1)], network: None }
    }

    fn asked(count: Option<i64>) -> people::Asked {
        let failures = count.map(|count| Failures { count, last_at: NOW });
        people::Asked { found: None, failures: [failures, None] }
    }

    fn is_wrong(failures: &SignInFailures, number: u64, count: Option<i64>) {
        failures.ask(&target(number)).begin(&asked(count), NOW).unwrap().was_wrong(NOW);
    }

    #[test]
    fn an_account_that_is_counted_is_counted_on_however_many_others_there_are() {
        let failures = SignInFailures::default();
        for number in 0..UNWRITTEN_MAX as u64 {
            is_wrong(&failures, number, None);
        }
        let here = |number: u64| failures.lock().get(&subject(2 * number)).copied();
        let (new, counted) = (1_000_000, 2_000_000);
        is_wrong(&failures, new, None);
        assert!(here(new).is_none(), "there is no room for more that nobody has counted");
        for tries in 1..=3 {
            is_wrong(&failures, counted, Some(5));
            let known = here(counted).unwrap();
            assert_eq!((known.unwritten.count, known.asking, known.under_way), (tries, 0, 0));
        }
        assert!(failures.ask(&target(counted)).begin(&asked(Some(7)), NOW).is_err());
        // What was refused leaves nothing behind.
        let held_up = 3_000_000;
        assert!(failures.ask(&target(held_up)).begin(&asked(Some(20)), NOW).is_err());
        assert!(here(held_up).is_none());
    }
}
