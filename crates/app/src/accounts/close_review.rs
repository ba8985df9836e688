//! The operation: `POST /v1/usersbank/{bank_id}/review/close`.

use std::sync::Arc;

use domain::access::CloseReview;
use domain::ids::BankId;
use domain::review::ReviewWindow;
use store::{accounts, audit, reviews};

use super::reached;
use crate::audit_entry::audited;
use crate::review::open_window;
use crate::{Act, App, Error, changes};

/// Ends the review of an account: the owner has looked through what may have been claimed after the copy from which the
/// store was put back, and from now on its movements are claimed as on any other. Answers the window that was open;
/// nothing where none was, as where it is said again.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn close_review(
    app: &Arc<App>,
    act: &Act<CloseReview>,
    id: BankId,
) -> Result<Option<ReviewWindow>, Error> {
    let (owner, now) = (act.owner(), act.now);
    let caller = act.caller().clone();
    let entry = audited(app, act, id.to_string());
    let inner = Arc::clone(app);
    let write = act.write(app, move |tx| {
        let account = reached(accounts::find(tx, owner, id)?, &caller)?;
        let livemode = !inner.banks.is_sandbox(&account.provider);
        let of = (owner, account.identity);
        let window = open_window(tx, (inner.review, livemode), of)?;
        let Some(window) = window else { return Ok(None) };
        if reviews::close(tx, owner, account.identity, window.until)? {
            audit::insert_change(tx, owner, &entry, &changes::gone(&window), now)?;
        }
        Ok(Some(window))
    });
    write.await
}
