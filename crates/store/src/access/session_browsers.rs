//! The browsers of sessions: the program that signed in, and the one session that a browser has.

use domain::browser::Program;
use domain::ids::{OwnerId, SessionId};
use domain::session_cookie::SessionCookie;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Value;

statements! {
    SET_PROGRAM = Sql::new("update sessions set browser = $3, platform = $4 where owner_id = $1 and id = $2")
        .writes_auth();

    END_OF_COOKIE = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and id = $3 and cookie_hash = $4 and ended_at is null and expires_at > $2",
    )
    .writes_auth();
}

/// Sets the program that a session which was just opened is used with.
///
/// # Errors
/// A fault of the store.
pub fn set_program(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SessionId,
    program: Program,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), program.browser.into(), program.system.into()];
    tx.defer(&SET_PROGRAM, params, Expect::Rows(1))
}

/// Ends the open session that has that cookie, and answers whether there was one.
///
/// # Errors
/// A fault of the store.
pub fn end_of_cookie(
    tx: &mut Tx<'_>,
    cookie: &SessionCookie,
    now: Timestamp,
) -> Result<bool, Fault> {
    let hash = cookie.hash().to_bytes();
    let params: [Value; 4] =
        [cookie.owner.into(), now.into(), cookie.session.into(), (&hash).into()];
    Ok(tx.execute(&END_OF_COOKIE, &params)? == 1)
}
