//! The operation: `POST /v1/employees`.

use domain::access::{Caller, Entry, Guarded, InviteEmployee};
use domain::ids::{ClientId, EmployeeId, OwnerId};
use domain::invitation::InvitationToken;
use domain::refusal::Refusal;
use domain::rights::Rights;
use domain::secret::PersonalText;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::employees::{self, CLIENT_EMPLOYEES_MAX, EMPLOYEES_MAX, Employee, Invitation};
use store::idempotency::Slot;
use store::mails::{self, NewMail};
use store::tx::Tx;
use store::{Lane, audit, clients};

use super::{EmployeeName, Invitee, invitation, mail, may_invite};
use crate::audit_entry::audited;
use crate::changes::made;
use crate::kept_answers;
use crate::lineage::inviter;
use crate::locator::Locator;
use crate::mails::check_limit;
use crate::outcome::{Outcome, as_answer};
use crate::present::unchanged;
use crate::{Act, App, Error};

/// Whom somebody invites.
#[derive(Clone, Debug)]
pub struct EmployeeRequest {
    /// What the person will sign in with.
    pub email: EmailAddress,
    /// The person's name.
    pub name: EmployeeName,
    /// What the person may do.
    pub rights: Rights,
}

/// Everything that one transaction needs to invite somebody.
#[derive(Clone)]
struct Inviting {
    caller: Caller,
    /// Who may ask for it.
    access: Entry,
    owner: OwnerId,
    employee: Employee,
    invitation: Invitation,
    mail: Option<NewMail>,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Invites a person to be an employee. The one-time address by which to accept is sent by mail, or is shown to the
/// inviter where the service sends none. Whether somebody signs in with the e-mail address already is not looked at:
/// it shows when the person accepts. With an `Idempotency-Key` that was used before, nobody is invited: the answer
/// holds a secret and is not given again.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn invite(
    app: &App,
    act: &Act<InviteEmployee>,
    request: EmployeeRequest,
    slot: Option<Slot>,
) -> Result<Invitee, Error> {
    invite_one(app, act, None, request, slot).await
}

pub(super) async fn invite_one<O: Guarded>(
    app: &App,
    act: &Act<O>,
    client: Option<ClientId>,
    request: EmployeeRequest,
    slot: Option<Slot>,
) -> Result<Invitee, Error> {
    let (owner, now) = (act.owner(), app.clock.now());
    if !may_invite(act.caller(), client, request.rights) {
        return Err(Refusal::Outranked.into());
    }
    let token = InvitationToken::generate(&*app.ids);
    let (id, invitation) = (EmployeeId::new(&*app.ids, now), invitation(&token, now));
    let employee = Employee {
        id,
        client,
        email: PersonalText::new(request.email.as_str().to_owned()),
        name: request.name.into_string(),
        rights: request.rights,
        is_active: true,
        password_hash: None,
        invitation: Some(invitation),
        inviter: inviter(act),
        invited_at: now,
        accepted_at: None,
        removed_at: None,
        created_at: now,
        updated_at: now,
    };
    let mail = mail(app, act, (id, employee.email.as_str(), client), &token, invitation).await?;
    let token = mail.is_none().then_some(token);
    let inviting = Inviting {
        caller: act.caller().clone(),
        access: O::ENTRY,
        owner,
        employee: employee.clone(),
        invitation,
        mail,
        slot,
        entry: audited(app, act, id.to_string()),
        now,
    };
    let locator = Locator::of_invitation(invitation.hash);
    let job = move |tx: &mut Tx<'_>| as_answer(write(tx, &inviting));
    let write = app.store.write_again(act.meter(), Lane::Admission, owner, job);
    locator.around(&app.store, act.meter(), (owner, id.to_bytes()), write).await?;
    Ok(Invitee { employee, token })
}

fn write(tx: &mut Tx<'_>, inviting: &Inviting) -> Outcome<()> {
    let Inviting { caller, access, owner, employee, invitation, mail, slot, entry, now } = inviting;
    if employees::find(tx, *owner, employee.id)?.is_some() {
        // The same write again: its answer was lost.
        return Ok(());
    }
    unchanged(tx, caller, *access, *now)?;
    let id = |made| EmployeeId::from_bytes(made).to_string();
    kept_answers::take(tx, *owner, slot.as_ref(), employee.id.to_bytes(), *now, id)?;
    let checked = check(tx, inviting);
    kept_answers::release_if_refused(tx, *owner, slot.as_ref(), checked)?;
    employees::insert(tx, *owner, employee, *invitation)?;
    if let Some(mail) = mail {
        mails::insert(tx, *owner, mail)?;
    }
    audit::insert_change(tx, *owner, entry, &made(employee), *now)?;
    Ok(())
}

fn check(tx: &mut Tx<'_>, inviting: &Inviting) -> Outcome<()> {
    let Inviting { owner, employee, mail, now, .. } = inviting;
    let (whose, limit) = match employee.client {
        Some(id) => match clients::find(tx, *owner, id)? {
            None => return Err(Refusal::NotFound("client").into()),
            Some(client) if !client.is_active => return Err(Refusal::ClientNotActive.into()),
            Some(_) => ((*owner, Some(id)), CLIENT_EMPLOYEES_MAX),
        },
        None => ((*owner, None), EMPLOYEES_MAX),
    };
    if let Some(known) = employees::find_by_email(tx, *owner, employee.email.as_str())? {
        return Err(Refusal::Conflict { id: known.id.to_string() }.into());
    }
    if employees::count(tx, whose)? >= limit {
        return Err(Refusal::EmployeeLimit { limit }.into());
    }
    if mail.is_some() { check_limit(tx, *owner, *now) } else { Ok(()) }
}
