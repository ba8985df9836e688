//! `POST /app/subscriptions/{subscription_id}/unpaid-policy`, and the words for the choice.

use app::subscriptions::Subscription;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{SetUnpaidPolicy, ShowSubscription};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::subscriptions::UnpaidPolicy;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::show::{self, kept};
use super::{path_of, subscription_id};
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

texts! {
    /// Texts about cycles that nobody pays in time.
    UnpaidTexts {
        title: "Si un período vence sin pago", "If a period lapses unpaid";
        hint: "Vale para los períodos que venzan desde que la guarde, una vez que la suscripción comenzó.", "It applies to periods that lapse from when it is saved, once the subscription has begun.";
        stay: "Sigue: los próximos períodos se piden", "It goes on: the next periods are owed";
        pause: "Se pausa, hasta que usted la reanude", "It is paused until you resume it";
        end: "Termina, y ya no se debe nada", "It ends, and nothing more is owed";
        save: "Guardar la elección", "Save choice";
        saved: "Elección guardada: vale para los períodos que venzan desde ahora.", "Choice saved. It applies to periods that lapse from now on.";
    }
}

/// Writes what a policy is.
pub(super) const fn word(policy: UnpaidPolicy, language: Language) -> &'static str {
    let t = UnpaidTexts::of(language);
    match policy {
        UnpaidPolicy::Stay => t.stay,
        UnpaidPolicy::Pause => t.pause,
        UnpaidPolicy::End => t.end,
    }
}

/// Lists the policies to choose from.
pub(super) fn choices(language: Language) -> Vec<Choice> {
    let choice = |policy: UnpaidPolicy| Choice::new(policy.as_str(), word(policy, language));
    UnpaidPolicy::ALL.into_iter().map(choice).collect()
}

/// Reads a policy by its word.
///
/// # Errors
/// It is none of them.
pub(super) fn parse(word: &str) -> Result<UnpaidPolicy, (&'static str, &'static str)> {
    UnpaidPolicy::parse(word).ok_or(("elija una de las tres", "choose one of the three"))
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<SetUnpaidPolicy, _, _>(
            "/app/subscriptions/{subscription_id}/unpaid-policy",
            set,
        )
        .takes(&["unpaid_policy"]),
    ]
}

async fn set(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<SetUnpaidPolicy>,
) -> Result<Response, NotTaken> {
    let (id, language) = (subscription_id(&id)?, signed.language());
    let set = match read(&form) {
        Ok(Some(policy)) => {
            let precondition = unless_overtaken(&form, move |of: &Subscription| kept(of, language));
            let act = &signed.act;
            app::subscriptions::set_unpaid_policy(&state.app, act, id, policy, precondition).await
        }
        // A person who may change the policy sees the subscription: a right to write holds the one to read.
        Ok(None) => {
            let act = signed.also::<ShowSubscription>()?;
            app::subscriptions::show(&state.app, &act, id).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{}?done=unpaid-policy", path_of(id)))),
        Err(error) => {
            let again = FormState::again(&form, error, language)?;
            Ok(show::page(&state, &signed, &uri, id, again).await?)
        }
    }
}

/// Reads the policy; nothing where it stands as it was shown.
fn read(form: &FormBody) -> Result<Option<UnpaidPolicy>, Refusal> {
    let mut fields = FormFields::of(form);
    let policy = fields.edited("unpaid_policy", |fields, name| fields.required(name, parse));
    fields.made(Some(policy.flatten()))
}
