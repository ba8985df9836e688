//! Lines of the audit trail: who does what, and from where.

use domain::access::{Caller, Operation};
use domain::ids::AuditId;
use store::audit;

use crate::{Act, App};

/// The line of the audit trail for what `act` does to `subject`.
pub(crate) fn audited<O: Operation>(app: &App, act: &Act<O>, subject: String) -> audit::Entry {
    audit::Entry {
        id: AuditId::new(&*app.ids, act.now),
        actor: caller_id(act.caller()),
        employee: act.caller().employee(),
        action: O::NAME,
        subject,
        address: act.request.address_shown(),
    }
}

/// The id by which logs and the audit trail know a caller: that of its key or session.
#[must_use]
pub fn caller_id(caller: &Caller) -> String {
    match caller {
        Caller::Nobody => "nobody".to_owned(),
        Caller::Owner(caller) => caller.session.to_string(),
        Caller::Employee(caller) => caller.session.to_string(),
        Caller::Client(caller) => caller.session.to_string(),
        Caller::Key(caller) => caller.key.to_string(),
    }
}
