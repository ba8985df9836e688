//! `PATCH /paymentlink/{payment_link_id}/patch`

use app::Precondition;
use app::links::{Change, LinkDescription, LinkName};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ChangeLink, ShowLink};
use domain::refusal::{Code, Refusal};
use domain::url::UrlText;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::create_link::{ExpirationMinutes, MetadataObject, lasting};
use crate::operation::{Endpoint, Group, Loose, Optional, Request, beside, request, shown};
use crate::show_link;
use crate::wire::{CurrencyCode, LinkAmount, LinkAnswer, STATUS_CALLS, link_id, said, say};

request! {
    struct LinkChanges {
        amount: Optional<LinkAmount>,
        currency: Loose<CurrencyCode>,
        /// Su nombre; vacío, el principio de la descripción. / Its label; empty, the beginning of the description.
        name: Optional<LinkName>,
        description: Optional<LinkDescription>,
        /// Dónde se avisa de su final. / The address that is notified of its end.
        webhook_url: Loose<UrlText>,
        redirect_url: Loose<UrlText>,
        /// Los minutos que sirve desde el cambio; para siempre con -1. / Minutes that it is good for from the change on;
        /// for ever with -1.
        expiration_time: Optional<ExpirationMinutes>,
        /// Un objeto de 16 KiB a lo sumo, en lugar del que hay. / An object of at most 16 KiB, in place of the one that
        /// there is.
        metadata: Optional<MetadataObject>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ChangeLink, _, _>(
        Method::PATCH,
        "/paymentlink/{payment_link_id}/patch",
        handle,
    )
    .does(
        Group::Links,
        "Cambia lo que pide un enlace de pago pendiente.",
        "Changes what a pending payment link asks for.",
    )
    .takes::<LinkChanges>(json!({ "amount": 20.5, "description": "Pedido 7, con envío" }))
    .set_elsewhere(&[("status", STATUS_CALLS), ("user_bank_id", &[])])
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace de pago cambiado"))
    .refuses(&[
        Code::Conflict,
        Code::IsNotPositiveAmount,
        Code::RequestInProgress,
        Code::WebhookUrlNotAllowed,
    ])
}

async fn handle(
    admitted: Admitted<ChangeLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (act, id) = (&admitted.0, link_id(&id)?);
    let show = async {
        let (shows, id) = (Admitted(admitted.also::<ShowLink>()?), Path(id.to_string()));
        shown(show_link::handle(shows, State(state.clone()), id), "/data/payment_link").await
    };
    let body = beside::<LinkChanges>(body, show).await?;
    let record = match parse(&body) {
        Ok(change) => app::links::change(&state.app, act, id, change, Precondition::none()).await?,
        Err(refusal) => {
            // The link comes first: a caller who does not reach it learns nothing else.
            app::links::check_reach(&state.app, act, id).await?;
            return Err(refusal.into());
        }
    };
    said(say(admitted.language(), "enlace de pago cambiado", "payment link changed"), &record)
}

fn parse(body: &JsonBody) -> Result<Change, Refusal> {
    let changes = LinkChanges::read(body)?;
    Ok(Change {
        hundredths: changes.amount.transpose()?,
        currency: changes.currency,
        name: changes.name,
        description: changes.description,
        webhook_url: changes.webhook_url,
        redirect_url: changes.redirect_url,
        expiration_minutes: changes.expiration_time.map(lasting),
        metadata: changes.metadata,
    })
}

#[cfg(test)]
mod tests {
    use domain::links::Currency;

    use super::*;

    #[test]
    fn what_is_not_named_stays() {
        let change = parse(&JsonBody::from(r#"{"amount": 20, "redirect_url": null}"#)).unwrap();
        assert_eq!(change.hundredths, Some(2_000));
        assert!(change.currency.is_none() && change.redirect_url.is_none());
        let change = parse(&JsonBody::from(r#"{"currency": "EUR"}"#)).unwrap();
        assert_eq!((change.hundredths, change.currency), (None, Some(Currency::Eur)));
    }

    #[test]
    fn wrong_fields_are_reported() {
        let refusal = parse(&JsonBody::from(r#"{"amount": "x", "redirect_url": "mailto:a"}"#));
        let Err(Refusal::Validation(details)) = refusal else { panic!("accepted") };
        assert_eq!(details.len(), 2);
        let zero = parse(&JsonBody::from(r#"{"amount": 0}"#));
        assert_eq!(zero.unwrap_err(), Refusal::NotPositiveAmount);
    }
}
