//! `PATCH /paymentlink/{payment_link_id}/patch`

use app::links::{Change, LinkDescription};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeLink;
use domain::refusal::Refusal;
use serde::Deserialize;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody};

use crate::create_link::url;
use crate::wire::{link_id, price, said, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    amount: Field<'a>,
    #[serde(borrow)]
    currency: Field<'a>,
    #[serde(borrow)]
    description: Field<'a>,
    #[serde(borrow)]
    redirect_url: Field<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<ChangeLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (act, id) = (&admitted.0, link_id(&id)?);
    let record = match parse(&body) {
        Ok(change) => app::links::change(&state.app, act, id, change).await?,
        Err(refusal) => {
            // The link comes first: whoever does not reach it learns nothing else.
            app::links::check_reach(&state.app, act, id).await?;
            return Err(refusal.into());
        }
    };
    said(say(admitted.language(), "enlace de pago cambiado", "payment link changed"), &record)
}

fn parse(body: &JsonBody) -> Result<Change, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let amount = price(&mut fields, wire.amount, wire.currency);
    let description = fields.text("description", wire.description, LinkDescription::parse);
    let redirect_url = url(&mut fields, "redirect_url", wire.redirect_url);
    if !fields.are_right() {
        return Err(fields.refusal());
    }
    if amount.is_not_positive {
        return Err(Refusal::NotPositiveAmount);
    }
    let (hundredths, currency) = (amount.hundredths, amount.currency);
    Ok(Change { hundredths, currency, description, redirect_url })
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
    fn wrong_fields_are_told() {
        let refusal = parse(&JsonBody::from(r#"{"amount": "x", "redirect_url": "mailto:a"}"#));
        let Err(Refusal::Validation(details)) = refusal else { panic!("accepted") };
        assert_eq!(details.len(), 2);
        let zero = parse(&JsonBody::from(r#"{"amount": 0}"#));
        assert_eq!(zero.unwrap_err(), Refusal::NotPositiveAmount);
    }
}
