//! The proof that a form carries, and a form that waits for one: its secrets wait sealed, and only the session that sent
//! them opens them.

use std::sync::Arc;

use app::access::permit;
use app::vault::Place;
use app::{Act, Error};
use data_encoding::BASE64URL_NOPAD;
use domain::access::{Entry, StepUp};
use domain::ids::SessionId;
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::secret::{SecretBytes, SecretText};
use http::request::Parts;

use super::{Known, NotTaken};
use crate::form_fields::STEP_UP_HELD;
use crate::{Again, AppState, AskedProof, Failure, FormBody};

/// Takes the code or the password that a form carries, where its operation may ask for a proof that its session lacks.
pub(super) async fn proved(
    state: &AppState,
    head: &Parts,
    known: Known,
    (form, entry): (&FormBody, Entry),
) -> Result<Known, NotTaken> {
    let now = known.context.received;
    let refusal = match entry.check(&known.caller, now) {
        Err(refusal @ Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired)) => Some(refusal),
        Err(refusal) => return Err(refusal.into()),
        // The use case may find that this call asks.
        Ok(()) if is_lacking(&known, entry) => None,
        Ok(()) => return Ok(known),
    };
    let waits = |is_proof_wrong, failure: Failure| {
        let again = Again { is_proof_wrong, ..asked_for(state, &known, form, entry) };
        NotTaken { failure, again: Some(again) }
    };
    let asked = AskedProof::after(known.caller.proof());
    let shown = form.secret(asked.field());
    if shown.expose().trim().is_empty() {
        return match refusal {
            Some(refusal) => Err(waits(false, refusal.into())),
            None => Ok(known),
        };
    }
    let act: Act<StepUp> = permit(&known.caller, Arc::clone(&known.context))?;
    if asked == AskedProof::Password {
        // Passwords that are tried here and where they are changed are limited together.
        state.try_password(act.actor(), act.now)?;
    }
    match take(state, &act, asked, &shown).await {
        // Its row says from now on that it was shown.
        Ok(()) => Ok(Known::of(head, state).await?),
        // A wrong code or password is a wrong field.
        Err(Error::Refused(Refusal::Validation(_))) => {
            let missing = Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired);
            Err(waits(true, missing.into()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes a proof for the session.
async fn take(
    state: &AppState,
    act: &Act<StepUp>,
    asked: AskedProof,
    shown: &SecretText,
) -> Result<(), Error> {
    match asked {
        AskedProof::Code => app::second_factor::step_up(&state.app, act, shown).await.map(drop),
        AskedProof::Password => {
            app::second_factor::step_up_by_password(&state.app, act, shown).await
        }
    }
}

/// Tells whether a call of the operation may ask for a proof that the session lacks.
fn is_lacking(known: &Known, entry: Entry) -> bool {
    entry.demand.may_ask() && !known.caller.proof().is_fresh(known.context.received)
}

/// A form as it is sent once more, with what its person is asked for. Where it may wait for that, its secrets come along
/// sealed: also while there is a proof, which may end before the write asks for it again.
pub(super) fn asked_for(state: &AppState, known: &Known, form: &FormBody, entry: Entry) -> Again {
    let held = form.secrets().filter(|_| entry.demand.may_ask());
    Again {
        form: form.clone(),
        form_token: Some(known.form_token.clone()),
        asked: AskedProof::after(known.caller.proof()),
        is_proof_wrong: false,
        held: held.and_then(|secrets| sealed(state, known, &secrets)),
        is_repeatable: form.is_made_for(&known.caller),
    }
}

/// Seals secrets for the session.
fn sealed(state: &AppState, known: &Known, secrets: &SecretText) -> Option<String> {
    let row = known.caller.session()?.to_bytes();
    let app = &state.app;
    let sealed = app.vault.seal(&*app.ids, place(known, &row), secrets.expose().as_bytes());
    Some(BASE64URL_NOPAD.encode(&sealed))
}

/// The form with the secrets that waited for the proof. What another session sealed, or nobody, is as if it were not
/// there: the form lacks these fields then, and its page says so.
pub(super) fn opened(state: &AppState, known: &Known, form: FormBody) -> FormBody {
    let held = form.field(STEP_UP_HELD);
    if held.is_empty() {
        return form;
    }
    let Some(row) = known.caller.session().map(SessionId::to_bytes) else { return form };
    let sealed = BASE64URL_NOPAD.decode(held.as_bytes()).ok();
    let plain = sealed.and_then(|sealed| state.app.vault.open(place(known, &row), &sealed).ok());
    let plain = plain.map(SecretBytes::new);
    match plain.as_ref().and_then(|plain| std::str::from_utf8(plain.expose()).ok()) {
        Some(secrets) => form.with(&SecretText::from(secrets)),
        None => form,
    }
}

/// The place that the secrets of a form are sealed for: no table has it.
fn place<'a>(known: &Known, row: &'a [u8]) -> Place<'a> {
    Place { table: "sessions", column: "held_form", owner: known.caller.owner(), row }
}
