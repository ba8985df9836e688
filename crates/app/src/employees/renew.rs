//! The operation: `POST /v1/employees/{employee_id}/invitation`.

use domain::access::{Caller, Entry, Guarded, RenewInvitation};
use domain::ids::{ClientId, EmployeeId};
use domain::invitation::{InvitationHash, InvitationToken};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::employees::{self, Employee, Invitation};
use store::idempotency::Slot;
use store::issuers::Inviter;
use store::mails::{self, NewMail};
use store::tx::Tx;
use store::{Lane, audit, clients};

use super::{Invitee, NOT_FOUND, Whose, find_to_change, invitation, mail, may_invite};
use crate::audit_entry::audited;
use crate::changes::{InvitationEnds, changed};
use crate::kept_answers;
use crate::lineage::inviter;
use crate::locator::Locator;
use crate::mails::check_limit;
use crate::outcome::{Outcome, as_answer};
use crate::present::unchanged;
use crate::{Act, App, Error};

/// Everything that one transaction needs to invite somebody again.
struct Renewing {
    caller: Caller,
    /// Who may ask for it.
    access: Entry,
    whose: Whose,
    id: EmployeeId,
    invitation: Invitation,
    inviter: Inviter,
    mail: Option<NewMail>,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Gives a person who has not accepted another invitation: the former one is over. With an `Idempotency-Key` that was
/// used before, nothing happens: the answer holds a secret and is not given again.
///
/// # Errors
/// Not found, a refusal, or a failure of the store.
pub async fn renew(
    app: &App,
    act: &Act<RenewInvitation>,
    id: EmployeeId,
    slot: Option<Slot>,
) -> Result<Invitee, Error> {
    renew_one(app, act, None, id, slot).await
}

pub(super) async fn renew_one<O: Guarded>(
    app: &App,
    act: &Act<O>,
    client: Option<ClientId>,
    id: EmployeeId,
    slot: Option<Slot>,
) -> Result<Invitee, Error> {
    let (owner, now) = (act.owner(), app.clock.now());
    let token = InvitationToken::generate(&*app.ids);
    let invitation = invitation(&token, now);
    // Which address it is does not change; whether the caller may invite it, the transaction decides.
    let found = app.store.look_up(act.meter(), move |tx| employees::find(tx, owner, id)).await?;
    let mail = match found {
        Some(employee) => {
            let to = (id, employee.email.as_str(), employee.client);
            mail(app, act, to, &token, invitation).await?
        }
        None => None,
    };
    let token = mail.is_none().then_some(token);
    let renewing = Renewing {
        caller: act.caller().clone(),
        access: O::ENTRY,
        whose: (owner, client),
        id,
        invitation,
        inviter: inviter(act),
        mail,
        slot,
        entry: audited(app, act, id.to_string()),
        now,
    };
    let locator = Locator::of_invitation(invitation.hash);
    let job = move |tx: &mut Tx<'_>| as_answer(write(tx, &renewing));
    let write = app.store.write(act.meter(), Lane::Admission, owner, job);
    let to = (owner, id.to_bytes());
    let (employee, former) = locator.around(&app.store, act.meter(), to, write).await?;
    if let Some(former) = former {
        Locator::of_invitation(former).remove(&app.store, act.meter()).await;
    }
    Ok(Invitee { employee, token })
}

/// The employee as it is now, and the invitation that it had.
type Renewed = (Employee, Option<InvitationHash>);

fn write(tx: &mut Tx<'_>, renewing: &Renewing) -> Outcome<Renewed> {
    let Renewing { caller, access, whose, id, invitation, inviter, mail, slot, entry, now } =
        renewing;
    let owner = whose.0;
    unchanged(tx, caller, *access, *now)?;
    let employee = find_to_change(tx, *whose, caller, *id)?;
    check_can_be_invited(&employee, caller)?;
    if let Some(client) = employee.client {
        let client = clients::find(tx, owner, client)?;
        if !client.is_some_and(|client| client.is_active) {
            return Err(Refusal::ClientNotActive.into());
        }
    }
    let name = |made| EmployeeId::from_bytes(made).to_string();
    kept_answers::take(tx, owner, slot.as_ref(), id.to_bytes(), *now, name)?;
    if let Some(mail) = mail {
        let checked = check_limit(tx, owner, *now);
        kept_answers::release_if_refused(tx, owner, slot.as_ref(), checked)?;
        // The former invitation is over, and its mail would lead to nothing.
        mails::drop_waiting(tx, owner, (employee.email.as_str(), mail.kind), *now)?;
        mails::insert(tx, owner, mail)?;
    }
    employees::invite_again(tx, owner, *id, (*invitation, inviter), *now)?;
    let former = employee.invitation;
    let ends = |invitation: Option<Invitation>| InvitationEnds(invitation.map(|it| it.expires_at));
    let change = changed(&ends(former), &ends(Some(*invitation)));
    audit::insert_change(tx, owner, entry, &change, *now)?;
    let former = former.map(|former| former.hash);
    let renewed = Employee {
        invitation: Some(*invitation),
        inviter: inviter.clone(),
        invited_at: *now,
        updated_at: *now,
        ..employee
    };
    Ok((renewed, former))
}

/// Checks that the employee, which the caller may change, is one to invite again, and the caller one to do it.
fn check_can_be_invited(employee: &Employee, caller: &Caller) -> Result<(), Refusal> {
    if employee.removed_at.is_some() {
        return Err(NOT_FOUND);
    }
    if employee.accepted_at.is_some() {
        return Err(Refusal::InvitationAccepted);
    }
    if !employee.is_active {
        let problem = (
            "está desactivada; actívela antes de invitarla otra vez",
            "is switched off; switch it on before inviting it again",
        );
        return Err(Refusal::invalid("is_active", problem));
    }
    if !may_invite(caller, employee.client, employee.rights) {
        return Err(Refusal::Outranked);
    }
    Ok(())
}
