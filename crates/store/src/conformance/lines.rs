//! The lines and the attempts of a key's month, which are listed by their numbers.

use std::ops::Range;

use domain::fingerprint::Fingerprint;
use domain::ids::{BankId, IdentityId, VerificationId};
use domain::money::Credits;
use domain::secret::PersonalText;
use domain::time::CaracasMonth;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::activity::{self, Entry};
use crate::credits::{self, Account, Origin};
use crate::ledger::Ordinals;
use crate::verifications::{self, NewVerification, ReserveOutcome};
use crate::{ledger, owners};

const OTHER: KeyId = KeyId::from_bytes([8; 16]);
const BANK: BankId = BankId::from_bytes([4; 16]);
const IDENTITY: IdentityId = IdentityId::from_bytes([5; 16]);

/// How many attempts the key makes.
const ATTEMPTS: u8 = 90;

/// How many of them are charged.
const LINES: i64 = 60;

/// When the first of them is made, but for a microsecond.
const NOW: i64 = 1_763_640_000_000_000;

const DAY: i64 = 24 * 3_600 * 1_000_000;

/// An owner with an account and a thousand credits.
pub(super) fn with_credits(store: &Store) -> OwnerId {
    let owner = owner();
    write(store, owner, move |tx| {
        owners::insert(tx, owner, "a@b", "A", "", at(0))?;
        let account = NewAccount {
            id: BANK,
            identity: IDENTITY,
            provider: "BANK_TEST".to_owned(),
            account: "1".to_owned(),
            description: String::new(),
            client: None,
        };
        accounts::insert(tx, owner, &account, at(0))?;
        credits::grant(tx, owner, Credits::new(1000), at(0)).map(drop)
    })
    .unwrap();
    owner
}

/// A verification that this key opens; its ids follow from the number.
pub(super) fn new_verification(key: KeyId, number: u8) -> NewVerification {
    of_month(key, CaracasMonth::of(at(NOW)), number, at(NOW + i64::from(number)))
}

fn of_month(key: KeyId, month: CaracasMonth, number: u8, now: Timestamp) -> NewVerification {
    let month_byte = month.as_i64().to_be_bytes()[7];
    // Where ids order anything, it is not by the order of the lines.
    let id = [[!number, key.to_bytes()[0], month_byte, 0]; 4].as_flattened().try_into().unwrap();
    let fingerprint = [[number, key.to_bytes()[0], month_byte, 0]; 8];
    NewVerification {
        id: VerificationId::from_bytes(id),
        actor: key.into(),
        bank: BANK,
        identity: IDENTITY,
        caller_client: None,
        client: None,
        month,
        cost: Credits::new(1),
        fingerprint: Fingerprint::from_bytes(fingerprint.as_flattened().try_into().unwrap()),
        query: PersonalText::new("{}".to_owned()),
        deadline: now,
        lease_until: now,
        link: None,
        short_reference: None,
    }
}

/// Makes the attempt `number` of a key, and writes the entry that says so. Every third costs nothing.
fn attempt(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    key: KeyId,
    month: CaracasMonth,
    number: u8,
) -> Result<(), Fault> {
    let now = at(NOW + i64::from(number));
    let entry = Entry {
        created_at: now,
        request_type: String::new(),
        provider: String::new(),
        bank: BANK,
        status: String::new(),
        error_code: None,
        latency_us: 0,
    };
    if number.is_multiple_of(3) {
        let ordinal = credits::count_attempt(tx, owner, key.into(), month)?;
        return activity::insert(tx, owner, key.into(), month, ordinal, &entry, None);
    }
    let new = of_month(key, month, number, now);
    assert!(matches!(
        verifications::reserve(tx, owner, &new, None, now)?,
        (ReserveOutcome::Reserved(_), None)
    ));
    let account = Account { actor: key.into(), client: None, month };
    let what = (Origin::Verification, new.id);
    let posted = credits::post(tx, owner, account, new.cost, what, now)?;
    activity::insert(tx, owner, key.into(), month, posted.request, &entry, Some(new.id))
}

/// The numbers of attempts that were charged.
fn charged() -> Vec<i64> {
    (1..=i64::from(ATTEMPTS)).filter(|number| number % 3 != 0).collect()
}

/// Every range of numbers with this lower end.
fn ranges(above: i64, last: i64) -> impl Iterator<Item = Ordinals> {
    (above..=last).map(move |up_to| Ordinals { above, up_to })
}

fn between(all: &[i64], Range { start, end }: Range<i64>) -> Vec<i64> {
    let from = |least: i64| usize::try_from(least).unwrap().min(all.len());
    all[from(start)..from(end)].iter().rev().copied().collect()
}

pub(crate) fn each_range_of_lines_and_attempts_is_a_page(store: &Store) {
    let owner = with_credits(store);
    let (month, next) = (CaracasMonth::of(at(NOW)), CaracasMonth::of(at(NOW + 40 * DAY)));
    assert_ne!(month, next);
    for number in 1..=ATTEMPTS {
        write(store, owner, move |tx| {
            attempt(tx, owner, KEY, month, number)?;
            // Lines of others lie between those of the key's month.
            attempt(tx, owner, OTHER, month, number)?;
            attempt(tx, owner, KEY, next, number)
        })
        .unwrap();
    }
    let charged = charged();
    for above in 0..=LINES {
        let found = wait(store.read(&Meter::default(), move |tx| {
            let page = |range| Ok((range, ledger::entries(tx, owner, KEY.into(), month, range)?));
            ranges(above, LINES + 1).map(page).collect::<Result<Vec<_>, Fault>>()
        }));
        for (range, lines) in found.unwrap() {
            let numbers = lines.iter().map(|line| line.created_at.as_micros() - NOW);
            let numbers: Vec<_> = numbers.collect();
            assert_eq!(numbers, between(&charged, range.above..range.up_to), "{range:?}");
        }
    }
    let attempts: Vec<i64> = (1..=i64::from(ATTEMPTS)).collect();
    for above in (0..=i64::from(ATTEMPTS)).step_by(7) {
        let found = wait(store.read(&Meter::default(), move |tx| {
            let page = |range| Ok((range, activity::entries(tx, owner, KEY.into(), month, range)?));
            ranges(above, i64::from(ATTEMPTS)).map(page).collect::<Result<Vec<_>, Fault>>()
        }));
        for (range, entries) in found.unwrap() {
            let numbers = entries.iter().map(|entry| entry.created_at.as_micros() - NOW);
            let numbers: Vec<_> = numbers.collect();
            assert_eq!(numbers, between(&attempts, range.above..range.up_to), "{range:?}");
        }
    }
}

pub(crate) fn a_key_without_lines_has_an_empty_page(store: &Store) {
    let owner = with_credits(store);
    let month = CaracasMonth::of(at(NOW));
    let all = Ordinals { above: 0, up_to: 25 };
    let lines = move |tx: &mut Tx<'_>| ledger::entries(tx, owner, KEY.into(), month, all);
    assert_eq!(wait(store.read(&Meter::default(), lines)).unwrap(), []);
    // An attempt that costs nothing makes the month's row, and no line.
    write(store, owner, move |tx| attempt(tx, owner, KEY, month, 3)).unwrap();
    assert_eq!(wait(store.read(&Meter::default(), lines)).unwrap(), []);
}
