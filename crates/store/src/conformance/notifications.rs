//! Pages of what banks have reported of payments.

use domain::ids::{BankId, IdentityId, NotificationId};
use domain::matching::PayerFacts;
use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::secret::PersonalText;
use domain::time::CaracasDate;

use super::links::insert_account;
use super::*;
use crate::bank_notifications::{self, BankNotification};
use crate::list::{Page, PageBounds, first_id};
use crate::notification_pages;
use crate::scope::{AccountScope, Scope, ScopedAccount};

const FIRST: BankId = BankId::from_bytes([1; 16]);
const SECOND: BankId = BankId::from_bytes([2; 16]);

/// A notice that came in that millisecond.
fn notice(bank: BankId, millisecond: u8) -> BankNotification {
    BankNotification {
        id: NotificationId::from_bytes(first_id(at(i64::from(millisecond) * 1_000))),
        identity: IdentityId::from_bytes(bank.to_bytes()),
        bank,
        reference: BankReference::parse(&format!("{millisecond:012}")).unwrap(),
        amount: Bolivars::from_hundredths(100),
        paid_on: CaracasDate::of(at(0)),
        paid_at: None,
        payer: PayerFacts::default(),
        is_same_bank: false,
        message: PersonalText::new(String::new()),
        raw: PersonalText::new("{}".to_owned()),
    }
}

/// The milliseconds of the notices that are on a page, and how many there are.
fn page(
    store: &Store,
    owner: OwnerId,
    accounts: &[(BankId, Option<i64>)],
    (limit, offset): (i64, i64),
) -> (Vec<u8>, i64) {
    let account = |(id, since): &(BankId, Option<i64>)| ScopedAccount {
        id: *id,
        since: since.map(|millisecond| at(millisecond * 1_000)),
    };
    let accounts = accounts.iter().map(account).collect();
    let scope = Scope::Accounts(AccountScope { accounts, client: None });
    let bounds = PageBounds { limit, offset, count_max: 5 };
    let ever = at(i64::MIN)..at(i64::MAX);
    let Page { entries, total } =
        write(store, owner, move |tx| notification_pages::page(tx, owner, &scope, &ever, bounds))
            .unwrap();
    (entries.iter().map(|notice| notice.id.to_bytes()[5]).collect(), total)
}

/// A client's caller sees nothing of before the client got an account, also where the notices of another account reach
/// further back.
pub(crate) fn of_each_account_notices_are_listed_from_its_own_instant_on(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        for bank in [FIRST, SECOND] {
            insert_account(tx, owner, bank)?;
        }
        for millisecond in 1..=6 {
            let bank = if millisecond % 2 == 0 { SECOND } else { FIRST };
            bank_notifications::insert(tx, owner, &notice(bank, millisecond), None, at(0))?;
        }
        Ok(())
    })
    .unwrap();
    let both = [(FIRST, None), (SECOND, None)];
    assert_eq!(page(store, owner, &both, (2, 0)), (vec![6, 5], 5), "the count stops at five");
    assert_eq!(page(store, owner, &both, (2, 2)), (vec![4, 3], 5));
    assert_eq!(page(store, owner, &both, (9, 0)), (vec![6, 5, 4, 3, 2, 1], 5));
    assert_eq!(page(store, owner, &[(FIRST, Some(3))], (9, 0)), (vec![5, 3], 2));
    // The page is full of notices of the other account before this one is looked at.
    assert_eq!(page(store, owner, &[(FIRST, Some(4)), (SECOND, None)], (3, 0)), (vec![6, 5, 4], 4));
    assert_eq!(page(store, owner, &[(FIRST, Some(6)), (SECOND, None)], (3, 0)), (vec![6, 4, 2], 3));
    assert_eq!(page(store, owner, &[], (9, 0)), (vec![], 0));
}
