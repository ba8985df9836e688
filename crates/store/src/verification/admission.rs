//! What let a call in, read again by the transaction that reserves: one statement, which waits for nothing of its own.

use domain::ids::{BankId, KeyId, LinkId, OwnerId, SessionId};

use crate::accounts::{self, Account, account_columns};
use crate::fault::Fault;
use crate::keys::{self, Standing, standing_columns};
use crate::point_query::{PointQuery, at_most_one};
use crate::sessions::{self, session_columns};
use crate::sql::Sql;
use crate::statements;
use crate::value::Row;

statements! {
    OF_KEY = Sql::new(concat!(
        "select ",
        standing_columns!(),
        ", ",
        account_columns!(),
        " from api_keys k join owner_profiles p on p.owner_id = $1 \
         join user_banks b on b.owner_id = $1 and b.id = $3 \
         left join clients c on c.owner_id = $1 and c.id = k.client_id \
         left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where k.owner_id = $1 and k.id = $2"
    ));

    OF_SESSION = Sql::new(concat!(
        "select ",
        session_columns!(),
        ", ",
        account_columns!(),
        " from sessions s join owner_profiles p on p.owner_id = $1 \
         left join employees e on e.owner_id = $1 and e.id = s.employee_id \
         left join clients c on c.owner_id = $1 and c.id = e.client_id \
         left join second_factors f on f.owner_id = $1 and f.person_id = coalesce(s.employee_id, $1) \
         join user_banks b on b.owner_id = $1 and b.id = $3 \
         left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where s.owner_id = $1 and s.id = $2"
    ));

    OF_LINK = Sql::new(concat!(
        "select p.is_active, c.is_active as client_is_active, c.payments_enabled, ",
        account_columns!(),
        " from owner_profiles p join payment_links l on l.owner_id = $1 and l.id = $3 \
         left join clients c on c.owner_id = $1 and c.id = l.client_id \
         join user_banks b on b.owner_id = $1 and b.id = $2 \
         left join clients d on d.owner_id = $1 and d.id = b.client_id where p.owner_id = $1"
    ));
}

/// Facts that decide about a call now.
#[derive(Clone, Debug)]
pub struct AdmissionState {
    /// What it comes by.
    pub by: Credential,
    /// The account that it is about.
    pub account: Account,
}

/// Key, session or link that a call comes by.
#[derive(Clone, Debug)]
pub enum Credential {
    /// A key.
    Key(Standing),
    /// A session.
    Session(sessions::Standing),
    /// A payment link, which may be paid or not: its owner and the client that made it take part, or do not.
    Link(bool),
}

/// Builds the query for the facts that decide about a key's call.
#[must_use]
pub fn of_key(owner: OwnerId, key: KeyId, bank: BankId) -> PointQuery<Option<AdmissionState>> {
    PointQuery::new(&OF_KEY, [owner.into(), key.into(), bank.into()], |rows| {
        read(rows, |row| keys::read_standing(row).map(Credential::Key))
    })
}

/// Builds the query for the facts that decide about a session's call.
#[must_use]
pub fn of_session(
    owner: OwnerId,
    id: SessionId,
    bank: BankId,
) -> PointQuery<Option<AdmissionState>> {
    PointQuery::new(&OF_SESSION, [owner.into(), id.into(), bank.into()], |rows| {
        read(rows, |row| sessions::standing(row).map(Credential::Session))
    })
}

/// Builds the query for the facts that decide about a payer's check of a link.
#[must_use]
pub fn of_link(owner: OwnerId, bank: BankId, link: LinkId) -> PointQuery<Option<AdmissionState>> {
    PointQuery::new(&OF_LINK, [owner.into(), bank.into(), link.into()], |rows| {
        read(rows, |row| {
            let client: (Option<bool>, Option<bool>) =
                (row.get("client_is_active")?, row.get("payments_enabled")?);
            let is_off = client.0 == Some(false) || client.1 == Some(false);
            Ok(Credential::Link(row.get("is_active")? && !is_off))
        })
    })
}

fn read(
    rows: &[Row],
    by: impl Fn(&Row) -> Result<Credential, Fault>,
) -> Result<Option<AdmissionState>, Fault> {
    let present = |row: &Row| Ok(AdmissionState { by: by(row)?, account: accounts::read(row)? });
    at_most_one(rows)?.map(present).transpose()
}
