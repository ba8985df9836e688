//! Questions that plan, limits or balance left no room for: no bank was asked, and no verification was made. What was
//! typed is kept, so that people can be shown why a reference was refused.

use std::sync::Arc;

use domain::access::{Guarded, ShowVerification};
use domain::ids::{BankId, ClientId, EmployeeId, KeyId, LinkId, OwnerId, VerificationId};
use domain::refusal::{Code, Refusal};
use domain::secret::PersonalText;
use domain::time::Timestamp;
use store::accounts;
use store::fault::Fault;
use store::refused_attempts::{self, RefusedAttempt};
use store::tx::Tx;

use super::asked::Asked;
use super::call::Call;
use super::charged_client::charged_client;
use super::explain::may_know;
use super::list::{Candidate, Question, Wanted};
use crate::accounts::sees;
use crate::{Act, App, Error};

/// A question that was refused, and what was typed.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The id that the verification would have had.
    pub id: VerificationId,
    /// When it was refused.
    pub refused_at: Timestamp,
    /// Which rule refused.
    pub code: Code,
    /// What was typed.
    pub asked: Asked,
    /// The account that was asked about.
    pub bank: BankId,
    /// The link that a payer was checked for.
    pub link: Option<LinkId>,
    /// The key that asked, or made the link.
    pub key: Option<KeyId>,
    /// The employee who asked, or made the link.
    pub employee: Option<EmployeeId>,
    /// The client whose quota it would have counted against.
    pub client: Option<ClientId>,
    /// Whether money of the account exists.
    pub livemode: bool,
}

impl Refused {
    pub(crate) fn of(owner: OwnerId, row: &RefusedAttempt, livemode: bool) -> Result<Self, Fault> {
        let code = Code::parse(&row.error_code);
        Ok(Self {
            id: row.id,
            refused_at: row.refused_at,
            code: code.ok_or_else(|| Fault::broken("a refusal of an unknown code"))?,
            asked: Asked::from_json(row.query.as_str())?,
            bank: row.bank,
            link: row.link,
            key: row.actor.key(owner),
            employee: row.actor.employee(),
            client: row.client,
            livemode,
        })
    }
}

/// A page of questions that were refused.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// They, the newest first.
    pub refused: Vec<Refused>,
    /// The place that was read up to; nothing where there is none.
    pub next: Option<VerificationId>,
    /// Whether there is more to ask for at once.
    pub has_more: bool,
}

/// Keeps what was asked, where plan, limits or balance refuse it; answers whether that was not kept before, by the
/// same write whose answer was lost. Of a link it counts as an attempt, since a person who has the link could go on
/// for nothing otherwise.
///
/// # Errors
/// A fault of the store.
pub(super) fn keep(
    tx: &mut Tx<'_>,
    call: &Call,
    (id, refusal): (VerificationId, &Refusal),
    now: Timestamp,
) -> Result<bool, Fault> {
    let is_for_want_of_room = matches!(
        refusal,
        Refusal::PlanNotActive
            | Refusal::PlanRequestLimit { .. }
            | Refusal::KeyCreditLimit(_)
            | Refusal::ClientCreditLimit(_)
            | Refusal::NotEnoughCredits { .. }
    );
    if !is_for_want_of_room {
        return Ok(false);
    }
    let refused = RefusedAttempt {
        id,
        actor: call.actor,
        caller_client: call.caller_client,
        client: charged_client(tx, call)?,
        bank: call.account.id,
        link: call.link,
        query: PersonalText::new(call.asked.to_json()?),
        error_code: refusal.code().as_str().to_owned(),
        refused_at: now,
    };
    refused_attempts::insert(tx, call.owner, &refused)
}

/// Lists them, the newest first: to whom [`super::list::list`] shows verifications, and by the same question. None
/// has a status. Operations: `GET /v1/verifications/refused`, and pages that list verifications.
///
/// # Errors
/// Not found where the caller does not reach the account that it names; or a failure of the store.
pub async fn list<O: Guarded>(app: &App, act: &Act<O>, asked: Question) -> Result<Found, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let banks = Arc::clone(&app.banks);
    let read = act.read(app, move |tx| {
        let wanted = Wanted::of(tx, (owner, &caller), &asked, &banks)?;
        Ok(page(tx, &wanted)?)
    });
    read.await
}

fn page(tx: &mut Tx<'_>, wanted: &Wanted<'_>) -> Result<Found, Fault> {
    let (asked, looked) = (wanted.asked, wanted.looked());
    // One more than is looked at, by which it is known that there are more.
    let limit = i64::try_from(looked + 1).unwrap_or(i64::MAX);
    let mut rows = refused_attempts::look(tx, wanted.owner, asked.begin(), asked.link, limit)?;
    let is_cut = rows.len() > looked;
    rows.truncate(looked);
    let mut found = Found { next: asked.after, has_more: is_cut, ..Found::default() };
    for row in rows {
        let is_older = asked.end().is_some_and(|end| row.refused_at < end);
        let is_full = found.refused.len() == asked.limit;
        if is_older || is_full {
            found.has_more = is_full && !is_older;
            break;
        }
        found.next = Some(row.id);
        let refused = Refused::of(wanted.owner, &row, !wanted.tests.has(row.bank))?;
        let one = Candidate {
            actor: row.actor,
            caller_client: row.caller_client,
            client: row.client,
            bank: row.bank,
            asked_at: row.refused_at,
            status: None,
            typed: &refused.asked,
        };
        if wanted.is(&one) {
            found.refused.push(refused);
        }
    }
    Ok(found)
}

/// Shows one, to a caller that may know what was typed.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a failure of the store.
pub async fn show(
    app: &App,
    act: &Act<ShowVerification>,
    id: VerificationId,
) -> Result<Refused, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let banks = Arc::clone(&app.banks);
    let read = app.store.read(act.meter(), move |tx| {
        let Some(row) = refused_attempts::find(tx, owner, id)? else { return Ok(None) };
        let account = accounts::find(tx, owner, row.bank)?;
        let may_see = caller.sees_made_for(row.caller_client)
            && may_know(&caller, row.actor, row.caller_client);
        let account = account.filter(|account| may_see && sees(account, &caller));
        let Some(account) = account else { return Ok(None) };
        Refused::of(owner, &row, !banks.is_sandbox(&account.provider)).map(Some)
    });
    Ok(read.await?.ok_or(Refusal::NotFound("verification"))?)
}
