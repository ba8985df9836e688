//! The proof of admission as an argument of a handler: its type says which operation it is.

use std::sync::Arc;

use app::access::{self, permit};
use app::{Act, Error};
use axum::extract::FromRequestParts;
use domain::access::{Caller, Entry, Operation, Rule};
use domain::language::Language;
use domain::refusal::{BadCredentials, Refusal};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::request::Parts;

use crate::request_state::{Asking, RequestState};
use crate::{AppState, Failure, Taken, credentials};

/// A request that was admitted to do `O`.
#[derive(Debug)]
pub struct Admitted<O: Operation>(pub Act<O>);

impl<O: Operation> Admitted<O> {
    /// The language of the answer.
    #[must_use]
    pub fn language(&self) -> Language {
        self.0.request.language
    }

    /// The same request as another operation: a call that changes something looks at what is there.
    ///
    /// # Errors
    /// The refusal of whom the table does not have.
    pub fn also<P: Operation>(&self) -> Result<Act<P>, Refusal> {
        permit(self.0.caller(), Arc::clone(&self.0.request))
    }
}

impl<O: Operation> FromRequestParts<AppState> for Admitted<O> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let asking = identify(parts, state, O::ENTRY, O::IS_PAGE).await?;
        Ok(Self(permit_asking(parts, asking)?))
    }
}

/// Finds out who asks for the operation `entry`, and counts the request. It returns a boxed future, so that it is compiled
/// once and not in the handler of each operation.
fn identify<'a>(
    parts: &'a Parts,
    state: &'a AppState,
    entry: Entry,
    is_page: bool,
) -> BoxFuture<'a, Result<Asking, Failure>> {
    async move {
        let request_state = request_state(parts)?;
        let context = request_state.context();
        if is_open(entry) {
            // Of hooks only those are counted whose secret is wrong, since a bank may send notices
            // of many payments at once.
            if matches!(entry.rule, Rule::Public) {
                let shared = &state.shared;
                let counted = match (parts.method.is_safe(), is_page) {
                    (true, _) => &shared.open_looks,
                    (false, true) => &shared.page_tries,
                    (false, false) => &shared.open_calls,
                };
                counted.take(context.address, context.received)?;
            }
            return Ok(Asking { caller: Caller::Nobody, entry });
        }
        let credential = credentials::read(&parts.headers);
        let caller = match access::identify(&state.app, entry.rule, &credential, context).await {
            Ok(caller) => caller,
            Err(error) => {
                if is_wrong_credential(&error) {
                    state.count_wrong_secret(context)?;
                }
                return Err(error.into());
            }
        };
        count(state, request_state, &caller)?;
        Ok(Asking { caller, entry })
    }
    .boxed()
}

/// Admits who asks, and notes it: it is looked at again where the body comes late.
fn permit_asking<O: Operation>(parts: &Parts, asking: Asking) -> Result<Act<O>, Failure> {
    let request_state = request_state(parts)?;
    let act = permit(&asking.caller, Arc::clone(request_state.context()));
    if !is_open(asking.entry) {
        request_state.note_asking(asking);
    }
    let act = act?;
    check_parameters(parts)?;
    Ok(act)
}

/// Answers whether an operation looks at no credential.
const fn is_open(entry: Entry) -> bool {
    matches!(entry.rule, Rule::Public | Rule::Hook)
}

fn request_state(parts: &Parts) -> Result<&RequestState, Failure> {
    parts.extensions.get::<RequestState>().ok_or_else(Failure::outside_the_request_layer)
}

/// Refuses parameters that the operation does not take, where it refuses them at all.
fn check_parameters(parts: &Parts) -> Result<(), Refusal> {
    match parts.extensions.get::<Arc<Taken>>() {
        Some(taken) => taken.check_parameters(&parts.uri),
        None => Ok(()),
    }
}

/// A request that was admitted to do `O`, which anybody may try. Its handler counts it.
#[derive(Debug)]
pub struct Uncounted<O: Operation>(pub Act<O>);

impl<O: Operation> FromRequestParts<AppState> for Uncounted<O> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Failure> {
        Ok(Self(permit_asking(parts, Asking { caller: Caller::Nobody, entry: O::ENTRY })?))
    }
}

/// Counts a request of a key, where the operator has set a limit for keys: also one that is not admitted then, which
/// costs a look-up too.
fn count(state: &AppState, request_state: &RequestState, caller: &Caller) -> Result<(), Failure> {
    let Caller::Key(key) = caller else { return Ok(()) };
    let subject = u128::from_be_bytes(key.key.to_bytes());
    if let Some(left) =
        state.shared.key_requests.spend(subject, request_state.context().received)?
    {
        request_state.note_left(left);
    }
    Ok(())
}

/// Looks again at who was admitted, now that all of the request is here: the end of a body may have been held back
/// until the credential was taken away. A caller that may do something else now is admitted anew, with the body.
pub(crate) async fn admit_again(parts: &Parts, state: &AppState) -> Result<(), Failure> {
    let Some(request_state) = parts.extensions.get::<RequestState>() else { return Ok(()) };
    let Some(Asking { caller, entry }) = request_state.asking() else { return Ok(()) };
    let credential = credentials::read(&parts.headers);
    let admitted = (caller, *entry);
    Ok(access::admit_again(&state.app, credential, request_state.context(), admitted).await?)
}

/// Tells whether somebody tried to get in with a wrong credential. Who brings none tries nothing.
pub(crate) fn is_wrong_credential(error: &Error) -> bool {
    match error {
        Error::Refused(Refusal::Unauthorized(reason)) => *reason != BadCredentials::Missing,
        _ => false,
    }
}
