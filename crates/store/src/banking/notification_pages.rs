//! Pages of what banks have reported of payments, the newest first.
//!
//! Ids begin with the instant at which a notice came, so that a span of time is a range of ids, and
//! every statement reads a piece of an index.

use std::ops::Range;

use domain::ids::{BankId, NotificationId, OwnerId};
use domain::money::Bolivars;
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted, find_each, first_id, newest, total_of};
use crate::scope::{Scope, ScopedAccount};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The notifications of the owner `$1`.
macro_rules! selected {
    () => {
        "select id, bank_id, status, reference, amount, payer_bank, payer_phone, message, \
         created_at from bank_notifications where owner_id = $1 "
    };
}

statements! {
    PAGE = Sql::new(concat!(
        selected!(),
        "and id >= $2 and id < $3 order by id desc limit $4 offset $5"
    ));

    PAGE_OF_BANK = Sql::new(concat!(
        selected!(),
        "and id >= $2 and id < $3 and bank_id = $4 order by id desc limit $5 offset $6"
    ));

    FIND = Sql::new(concat!(selected!(), "and id = $2"));

    NEWEST_OF_BANK = Sql::new(
        "select id from bank_notifications where owner_id = $1 and id >= $2 and id < $3 \
         and bank_id = $4 order by id desc limit $5",
    );

    COUNT = counted!(
        "from bank_notifications where owner_id = $1 and id >= $2 and id < $3", "$4"
    );

    COUNT_OF_BANK = counted!(
        "from bank_notifications where owner_id = $1 and id >= $2 and id < $3 and bank_id = $4", "$5"
    );
}

const NOTIFICATIONS: List = List { page: &PAGE, count: &COUNT };

const NOTIFICATIONS_OF_ACCOUNT: List = List { page: &PAGE_OF_BANK, count: &COUNT_OF_BANK };

/// A notification as it is listed.
#[derive(Clone, Debug)]
pub struct Notification {
    /// Its id.
    pub id: NotificationId,
    /// The account as it is linked.
    pub bank: BankId,
    /// What the bank says of the money.
    pub status: String,
    /// The bank's reference.
    pub reference: String,
    /// What came in.
    pub amount: Bolivars,
    /// The payer's phone, or where that is not reported their bank.
    pub from: Option<PersonalText>,
    /// The same for people.
    pub message: PersonalText,
    /// When it came.
    pub created_at: Timestamp,
}

/// The notifications of the owner that are in that scope and came within `span`, the newest first: a page, and how many
/// there are. As many entries are looked at for each account of a scope as lie before the page's end.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    scope: &Scope,
    span: &Range<Timestamp>,
    bounds: PageBounds,
) -> Result<Page<Notification>, Fault> {
    match scope {
        Scope::All => NOTIFICATIONS.read(tx, &of_owner(owner, span), bounds)?.rows(read),
        Scope::Accounts(scope) => match scope.accounts[..] {
            [] => Ok(Page { entries: Vec::new(), total: 0 }),
            [account] => {
                let params = of_account(owner, account, span);
                NOTIFICATIONS_OF_ACCOUNT.read(tx, &params, bounds)?.rows(read)
            }
            _ => of_accounts(tx, owner, &scope.accounts, span, bounds),
        },
    }
}

fn of_accounts(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    accounts: &[ScopedAccount],
    span: &Range<Timestamp>,
    PageBounds { limit, offset, count_max }: PageBounds,
) -> Result<Page<Notification>, Fault> {
    let wanted = offset.saturating_add(limit);
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let newest = newest(accounts, size(wanted), |account, oldest: Option<NotificationId>| {
        let (first, end) = ids_of(*account, span);
        // What is older than the page is not read, and neither is what the caller may not see.
        let first = first.max(oldest.map_or([0; 16], NotificationId::to_bytes));
        let params = [owner.into(), first.into(), end.into(), account.id.into(), wanted.into()];
        tx.query(&NEWEST_OF_BANK, &params)?.iter().map(|row| row.get("id")).collect()
    })?;
    let params: Vec<_> = accounts
        .iter()
        .map(|account| [&of_account(owner, *account, span)[..], &[count_max.into()]].concat())
        .collect();
    let counts: Vec<_> = params.iter().map(|params| (&COUNT_OF_BANK, params.as_slice())).collect();
    let mut total = 0_i64;
    for rows in tx.query_all(&counts)? {
        total = total.saturating_add(total_of(&rows)?);
    }
    let rows = find_each(tx, &FIND, owner, newest.into_iter().skip(size(offset)))?;
    let entries = rows.iter().map(read).collect::<Result<_, _>>()?;
    Ok(Page { entries, total: total.min(count_max) })
}

/// The parameters that say which of an owner's notifications came within `span`.
fn of_owner(owner: OwnerId, span: &Range<Timestamp>) -> [Value; 3] {
    [owner.into(), first_id(span.start).into(), first_id(span.end).into()]
}

/// Returns the parameters that select an account's notifications within `span`, among what is seen of the account.
fn of_account(owner: OwnerId, account: ScopedAccount, span: &Range<Timestamp>) -> [Value; 4] {
    let (first, end) = ids_of(account, span);
    [owner.into(), first.into(), end.into(), account.id.into()]
}

/// The first id of what is seen of an account within `span`, and the first one behind it.
fn ids_of(account: ScopedAccount, span: &Range<Timestamp>) -> ([u8; 16], [u8; 16]) {
    let start = account.since.map_or(span.start, |since| since.max(span.start));
    (first_id(start), first_id(span.end))
}

fn read(row: &Row) -> Result<Notification, Fault> {
    let bank: Option<String> = row.get("payer_bank")?;
    let phone: Option<String> = row.get("payer_phone")?;
    Ok(Notification {
        id: row.get("id")?,
        bank: row.get("bank_id")?,
        status: row.get("status")?,
        reference: row.get("reference")?,
        amount: Bolivars::from_hundredths(row.get("amount")?),
        from: phone.or(bank).map(PersonalText::new),
        message: PersonalText::new(row.get("message")?),
        created_at: row.get("created_at")?,
    })
}
