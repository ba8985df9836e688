//! `POST /app/subscriptions/{subscription_id}/price`

use app::subscriptions::Subscription;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{SetSubscriptionPrice, ShowSubscription};
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::show::{self, ShowTexts, kept};
use super::{path_of, subscription_id};
use crate::checkout::see;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::money::amount;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<SetSubscriptionPrice, _, _>(
            "/app/subscriptions/{subscription_id}/price",
            set,
        )
        .takes(&["amount"])
        .labelled(|language| {
            let t = ShowTexts::of(language);
            vec![("amount", t.price_amount)]
        }),
    ]
}

async fn set(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<SetSubscriptionPrice>,
) -> Result<Response, NotTaken> {
    let (id, language) = (subscription_id(&id)?, signed.language());
    let set = match read(&form) {
        Ok(Some(hundredths)) => {
            let precondition = unless_overtaken(&form, move |of: &Subscription| kept(of, language));
            let act = &signed.act;
            app::subscriptions::set_price(&state.app, act, id, hundredths, precondition).await
        }
        // A person who may change the price sees the subscription: a right to write holds the one to read.
        Ok(None) => {
            let act = signed.also::<ShowSubscription>()?;
            app::subscriptions::show(&state.app, &act, id).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{}?done=price", path_of(id)))),
        Err(error) => {
            let again = FormState::again(&form, error, language)?;
            Ok(show::page(&state, &signed, &uri, id, again).await?)
        }
    }
}

/// Reads the price in hundredths; nothing where it stands as it was shown.
fn read(form: &FormBody) -> Result<Option<i64>, Refusal> {
    let mut fields = FormFields::of(form);
    let price = fields.edited("amount", |fields, name| fields.required(name, amount));
    fields.made(Some(price.flatten()))
}
