//! What let a call in, read again by the transaction that reserves: one statement, which waits for nothing of its own.

use domain::ids::{BankId, KeyId, OwnerId, SessionId};
use domain::session::Session;

use crate::accounts::{self, Account};
use crate::fault::Fault;
use crate::keys::{self, Standing};
use crate::question::{Question, at_most_one};
use crate::sessions;
use crate::sql::Sql;
use crate::statements;
use crate::value::Row;

/// The columns of an account, and the tables that they are in.
macro_rules! account {
    () => {
        "b.id, b.identity_id, b.provider, b.description, b.client_id, b.is_trashed, b.is_disabled, \
         d.is_active, d.monthly_credit_limit, b.created_at"
    };
}

statements! {
    OF_KEY = Sql::new(concat!(
        "select k.hash, k.is_default, k.is_active, k.revoked_at, k.expires_at, k.client_id, \
         k.user_banks, k.permissions, k.monthly_credit_limit, p.is_active, c.is_active, \
         c.payments_enabled, ",
        account!(),
        " from api_keys k join owner_profiles p on p.owner_id = $1 \
         join user_banks b on b.owner_id = $1 and b.id = $3 \
         left join clients c on c.owner_id = $1 and c.id = k.client_id \
         left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where k.owner_id = $1 and k.id = $2"
    ))
    .of_access();

    OF_SESSION = Sql::new(concat!(
        "select s.created_at, s.turn, s.turned_at, s.expires_at, s.ended_at, p.is_active, ",
        account!(),
        " from sessions s join owner_profiles p on p.owner_id = $1 \
         join user_banks b on b.owner_id = $1 and b.id = $3 \
         left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where s.owner_id = $1 and s.id = $2"
    ))
    .of_access();

    OF_LINK = Sql::new(concat!(
        "select p.is_active, ",
        account!(),
        " from owner_profiles p join user_banks b on b.owner_id = $1 and b.id = $2 \
         left join clients d on d.owner_id = $1 and d.id = b.client_id where p.owner_id = $1"
    ))
    .of_access();
}

/// From which column on [`OF_KEY`], [`OF_SESSION`] and [`OF_LINK`] tell of the account.
const BEHIND_KEY: usize = 12;
const BEHIND_SESSION: usize = 6;
const BEHIND_LINK: usize = 1;

/// What decides about a call now.
#[derive(Clone, Debug)]
pub struct Present {
    /// What it comes by.
    pub by: By,
    /// The account that it is about.
    pub account: Account,
}

/// What a call comes by.
#[derive(Clone, Debug)]
pub enum By {
    /// A key.
    Key(Standing),
    /// A session, whose owner may use the service or not.
    Session(Session, bool),
    /// A payment link, whose owner may use the service or not.
    Link(bool),
}

/// What decides about a key's call.
#[must_use]
pub fn of_key(owner: OwnerId, key: KeyId, bank: BankId) -> Question<Option<Present>> {
    Question::new(&OF_KEY, [owner.into(), key.into(), bank.into()], |rows| {
        let by = |row: &Row| keys::read_standing(row).map(By::Key);
        read(rows, by, BEHIND_KEY)
    })
}

/// What decides about a session's call.
#[must_use]
pub fn of_session(owner: OwnerId, id: SessionId, bank: BankId) -> Question<Option<Present>> {
    Question::new(&OF_SESSION, [owner.into(), id.into(), bank.into()], |rows| {
        let by = |row: &Row| Ok(By::Session(sessions::read(row)?, row.get(5)?));
        read(rows, by, BEHIND_SESSION)
    })
}

/// What decides about a payer's check of a link.
#[must_use]
pub fn of_link(owner: OwnerId, bank: BankId) -> Question<Option<Present>> {
    Question::new(&OF_LINK, [owner.into(), bank.into()], |rows| {
        read(rows, |row| Ok(By::Link(row.get(0)?)), BEHIND_LINK)
    })
}

fn read(
    rows: &[Row],
    by: impl Fn(&Row) -> Result<By, Fault>,
    account: usize,
) -> Result<Option<Present>, Fault> {
    let present =
        |row: &Row| Ok(Present { by: by(row)?, account: accounts::read_from(row, account)? });
    at_most_one(rows)?.map(present).transpose()
}
