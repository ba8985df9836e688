//! The operation: `DELETE /auth/sessions/{session_id}`.

use domain::access::EndSession;
use domain::ids::SessionId;
use domain::refusal::Refusal;
use store::{audit, sessions};

use crate::audit_entry::audited;
use crate::{Act, App, Error};

/// Ends one of the owner's sessions or of its employees', the one that calls among them; an employee ends its own. None of
/// its tokens opens anything once this has been answered. Another session than the one that calls is ended by a proof. To
/// end it again is answered alike, since the answer to the first request may have been lost.
///
/// # Errors
/// Not found, a proof that is missing, or a failure of the store.
pub async fn end(app: &App, act: &Act<EndSession>, id: SessionId) -> Result<(), Error> {
    let (owner, caller, now) = (act.owner(), act.caller().employee(), act.now);
    let (entry, proved) = (audited(app, act, id.to_string()), act.proved(app));
    let is_another = act.caller().session() != Some(id);
    let write = act.write(app, move |tx| {
        let reached = sessions::lock(tx, owner, id)?
            .filter(|(_, employee)| caller.is_none() || *employee == caller);
        let (session, _) = reached.ok_or(Refusal::NotFound("session"))?;
        if is_another {
            proved.clone()?;
        }
        if session.is_open(now) {
            sessions::end(tx, owner, id, now)?;
            audit::insert(tx, owner, &entry, now)?;
        }
        Ok(())
    });
    write.await
}
