//! `POST /app/keys/{key_id}/limit`, and what a key's page says of its limit.

use app::credit_limits::CreditLimit;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetCreditLimit;
use domain::language::Language;
use domain::money::Credits;
use domain::quota::forecast;
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::show::ShowTexts;
use super::{KeysTexts, key_id, path_of, show};
use crate::checkout::see;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::credits;

/// The limit that is in force, and what this month has used of it.
pub(super) struct Limit {
    pub(super) in_force: String,
    pub(super) is_inherited: bool,
    /// The key's own, where it has one that its client's is in force instead of.
    pub(super) own: Option<String>,
    /// What counts against it, for a client's key of all the client's keys together.
    pub(super) used: String,
    /// What this key alone has used, where that is not the same.
    pub(super) used_alone: Option<String>,
    pub(super) left: Option<String>,
    pub(super) operations: i64,
    /// What the month comes to if it goes on so.
    pub(super) forecast: Option<String>,
    /// How much of it is used, in hundredths.
    pub(super) share: Option<i64>,
    /// The day on which it begins anew, where nothing is left of it.
    pub(super) spent_until: Option<String>,
    /// Whether it will not do for the month, if it goes on so.
    pub(super) falls_short: bool,
}

impl Limit {
    pub(super) fn of(
        limit: &CreditLimit,
        own: Option<i64>,
        now: Timestamp,
        (k, language): (&KeysTexts, Language),
    ) -> Self {
        let (cap, used) = (limit.monthly_credit_limit, limit.quota_used);
        let shown = |amount: Credits| credits(amount, language);
        let comes_to = forecast(used, limit.month, now);
        let is_spent = limit.remaining == Some(Credits::ZERO);
        let next = CaracasDate::of(limit.month.next().start());
        let own = own.filter(|_| limit.inherited);
        let share = |cap: Credits| match cap.get() {
            0 => 100,
            most => used.get().min(most).saturating_mul(100) / most,
        };
        Self {
            in_force: cap.map_or_else(|| k.no_limit.to_owned(), shown),
            is_inherited: limit.inherited,
            own: own.map(Credits::new).map(shown),
            used: shown(used),
            used_alone: limit.inherited.then(|| shown(limit.consumed)),
            left: limit.remaining.map(shown),
            operations: limit.operations,
            forecast: comes_to.map(shown),
            share: cap.map(share),
            spent_until: is_spent.then(|| next.to_string()),
            falls_short: !is_spent && cap.zip(comes_to).is_some_and(|(cap, sum)| sum > cap),
        }
    }
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<SetCreditLimit, _, _>("/app/keys/{key_id}/limit", set)
            .takes(&["limit"])
            .labelled(|language| {
                let t = ShowTexts::of(language);
                vec![("limit", t.limit)]
            }),
    ]
}

async fn set(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<SetCreditLimit>,
) -> Result<Response, NotTaken> {
    let key = key_id(&id)?;
    let set = match read(&form) {
        Ok(None) => Ok(()),
        Ok(Some(limit)) => {
            let precondition = unless_overtaken(&form, |limit: &Option<Credits>| kept(*limit));
            let set = app::credit_limits::set(&state.app, &signed.act, key, limit, precondition);
            set.await.map(drop)
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(()) => Ok(see(&format!("{}?saved", path_of(key)))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}

/// The form with the limit that is in force.
pub(super) fn kept(limit: Option<Credits>) -> FormState {
    let limit = limit.map(|limit| limit.get().to_string()).unwrap_or_default();
    FormState::changing(&[("limit", &limit)])
}

/// The limit, if it is changed. An empty field is none; the field must be there, so that nothing else takes it away.
fn read(form: &FormBody) -> Result<Option<Option<Credits>>, Refusal> {
    let mut fields = FormFields::of(form);
    if !form.has("limit") {
        fields.problem::<()>("limit", ("falta", "is missing"));
    }
    let limit = fields.edited("limit", FormFields::credits);
    fields.made(Some(limit))
}
