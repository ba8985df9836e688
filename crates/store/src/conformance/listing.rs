//! Movements as they are listed.

use std::cmp::Reverse;

use domain::bank_text::BankText;
use domain::ids::{BankId, IdentityId, MovementId};
use domain::matching::{Movement, PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::time::CaracasDate;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::list::{Page, PageBounds};
use crate::movement_pages::{self, Shown, Unnamed};
use crate::{movements, owners};

const ACCOUNT: IdentityId = IdentityId::from_bytes([1; 16]);
const OTHER: IdentityId = IdentityId::from_bytes([2; 16]);
const FIRST_DAY: i64 = 20_000;

fn day(number: i64) -> CaracasDate {
    CaracasDate::from_days(FIRST_DAY + number).unwrap()
}

/// Takes in the account's movement of that number, on that day.
fn show(tx: &mut Tx<'_>, owner: OwnerId, account: IdentityId, day: CaracasDate, number: u8) {
    let seen = Sighting {
        bank_key: None,
        reference: BankReference::parse(&format!("1{number:05}")).unwrap(),
        amount: Bolivars::from_hundredths(100),
        paid_on: day,
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
    };
    let [first, ..] = account.to_bytes();
    let mut id = [first; 16];
    id[1] = number;
    let id = MovementId::from_bytes(id);
    let movement = Movement { is_named: is_named(number), ..seen.into_movement(id) };
    movements::insert(tx, owner, account, &movement, at(0)).unwrap();
}

/// Answers whether somebody asked about the movement of that number.
const fn is_named(number: u8) -> bool {
    !number.is_multiple_of(3)
}

/// Which of the account's movements are on a page of those days, and how many there are.
fn page(
    store: &Store,
    owner: OwnerId,
    (days, since, unnamed): (std::ops::RangeInclusive<CaracasDate>, Option<Timestamp>, Unnamed),
    (limit, offset): (i64, i64),
) -> (Vec<u8>, i64) {
    let meter = Meter::default();
    let shown = Shown { identity: ACCOUNT, days, since, unnamed };
    let bounds = PageBounds { limit, offset, count_max: 150 };
    let read = store.read(&meter, move |tx| movement_pages::page(tx, owner, &shown, bounds));
    let Page { entries, total } = wait(read).unwrap();
    (entries.iter().map(|movement| movement.id.to_bytes()[1]).collect(), total)
}

pub(crate) fn movements_are_listed_by_day_the_newest_first(store: &Store) {
    let owner = owner();
    // Eight movements of a day, one, 197, and 50.
    let day_of = |number: u8| match number % 8 {
        0 if number < 64 => 0,
        1 if number == 1 => 1,
        2 | 3 if number < 200 => 7,
        _ => 3,
    };
    let made = write(store, owner, move |tx| {
        let email = format!("{:016x}@b", random());
        owners::insert(tx, owner, &email, "A", "", at(0))?;
        for (account, number) in [(ACCOUNT, "1"), (OTHER, "2")] {
            let account = NewAccount {
                id: BankId::from_bytes(account.to_bytes()),
                identity: account,
                provider: "BANK_TEST".to_owned(),
                account: number.to_owned(),
                description: String::new(),
                client: None,
            };
            accounts::insert(tx, owner, &account, at(0))?;
        }
        for number in 0..=u8::MAX {
            show(tx, owner, ACCOUNT, day(day_of(number)), number);
            show(tx, owner, OTHER, day(3), number);
        }
        Ok(())
    });
    made.unwrap();
    let ever = day(-1)..=day(9);
    for days in [ever, day(0)..=day(3), day(1)..=day(1), day(4)..=day(6)] {
        let mut listed: Vec<u8> =
            (0..=u8::MAX).filter(|number| days.contains(&day(day_of(*number)))).collect();
        listed.sort_by_key(|number| (Reverse(day_of(*number)), Reverse(*number)));
        for limit in [1_usize, 25, 100] {
            for offset in (0..=listed.len()).step_by(if limit == 1 { 1 } else { 7 }) {
                let place = (i64::try_from(limit).unwrap(), i64::try_from(offset).unwrap());
                let (found, total) = page(store, owner, (days.clone(), None, Unnamed::All), place);
                let expected: Vec<u8> = listed.iter().skip(offset).take(limit).copied().collect();
                assert_eq!(found, expected, "{days:?} {place:?}");
                assert_eq!(total, i64::try_from(listed.len().min(150)).unwrap());
            }
        }
    }
    // Ids begin with the millisecond in which they were made.
    let since = Some(recorded_since(100));
    for offset in [0_usize, 1, 7, 100] {
        let mut listed: Vec<u8> = (100..=u8::MAX).collect();
        listed.sort_by_key(|number| (Reverse(day_of(*number)), Reverse(*number)));
        let place = (25, i64::try_from(offset).unwrap());
        let (found, total) = page(store, owner, (day(-1)..=day(9), since, Unnamed::All), place);
        let expected: Vec<u8> = listed.iter().skip(offset).take(25).copied().collect();
        assert_eq!((found, total), (expected, 150), "{place:?}");
    }
    for (unnamed, since) in [
        (Unnamed::None, None),
        (Unnamed::None, Some(100)),
        (Unnamed::Since(day(3)), None),
        (Unnamed::Since(day(4)), Some(100)),
        (Unnamed::Since(day(99)), None),
    ] {
        let is_shown = |number: &u8| is_named(*number) || unnamed.has(day(day_of(*number)));
        let mut listed: Vec<u8> = (since.unwrap_or(0)..=u8::MAX).filter(is_shown).collect();
        listed.sort_by_key(|number| (Reverse(day_of(*number)), Reverse(*number)));
        let ever = (day(-1)..=day(9), since.map(recorded_since), unnamed);
        let (found, total) = page(store, owner, ever, (25, 7));
        let expected: Vec<u8> = listed.iter().skip(7).take(25).copied().collect();
        assert_eq!(found, expected, "{unnamed:?} {since:?}");
        assert_eq!(total, i64::try_from(listed.len().min(150)).unwrap());
    }
}

/// When the account's movement of that number was recorded, by the id that it has in [`show`].
fn recorded_since(number: u8) -> Timestamp {
    let [first, ..] = ACCOUNT.to_bytes();
    let millis = i64::from_be_bytes([0, 0, first, number, first, first, first, first]);
    Timestamp::from_micros(millis * 1_000)
}
