//! `POST /v1/paymentlink`

use std::convert::Infallible;

use app::links::{LinkDescription, LinkName, LinkRecord, LinkRequest, Origin};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateLink;
use domain::ids::BankId;
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::refusal::{Problem, Refusal};
use domain::url::UrlText;
use serde::Deserialize;
use serde_json::{Map, Value};
use web::{Admitted, AppState, Failure, Field, Fields, IdempotencyKey, JsonBody, answer};

use crate::wire::{LinkAnswer, WireLink, price, say};

/// How long a link is good unless something else is said: a day.
const EXPIRATION_MINUTES: i64 = 1_440;

/// The longest that a link may be good without being good for ever: five years.
const EXPIRATION_MINUTES_MAX: i64 = 5 * 366 * 1_440;

/// How long a rate is to hold unless something else is said.
const RATE_MINUTES: i64 = 60;

/// The longest that a rate may be asked to hold: thirty days.
const RATE_MINUTES_MAX: i64 = 30 * 1_440;

/// How much may be kept with a link, in bytes of JSON.
const METADATA_LEN_MAX: usize = 16 * 1024;

/// What is not looked at: `payment_link_origin` and `notification_by_whastapp`.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    amount: Field<'a>,
    #[serde(borrow)]
    currency: Field<'a>,
    #[serde(borrow)]
    is_usd: Field<'a>,
    #[serde(borrow, rename = "type")]
    kind: Field<'a>,
    #[serde(borrow)]
    name: Field<'a>,
    #[serde(borrow)]
    description: Field<'a>,
    #[serde(borrow)]
    user_bank_id: Field<'a>,
    #[serde(borrow)]
    webhook_url: Field<'a>,
    #[serde(borrow)]
    redirect_url: Field<'a>,
    #[serde(borrow)]
    expiration_time: Field<'a>,
    #[serde(borrow)]
    rate_expiration_time: Field<'a>,
    #[serde(borrow)]
    metadata: Field<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<CreateLink>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let act = &admitted.0;
    let request = match parse(&body) {
        Ok(request) => request,
        Err((refusal, bank)) => {
            // The account comes first: whoever does not reach it learns nothing else.
            if let Some(bank) = bank {
                app::accounts::check_reach(&state.app, act, bank).await?;
            }
            return Err(refusal.into());
        }
    };
    let slot = idempotency_key.slot(act, body.bytes());
    let body = app::links::create(&state.app, act, request, slot, render).await?;
    Ok(answer::bytes(body))
}

fn render(record: &LinkRecord, language: Language) -> Vec<u8> {
    let message = say(language, "enlace de pago creado", "payment link created");
    let answer = LinkAnswer { message, paymentlink: WireLink::of(record) };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// Reads the request, or tells what is wrong and about which account it was.
fn parse(body: &JsonBody) -> Result<LinkRequest, (Refusal, Option<BankId>)> {
    let wire: Body<'_> = body.object().map_err(|refusal| (refusal, None))?;
    let mut fields = Fields::default();
    let amount = price(&mut fields, wire.amount, wire.currency);
    if amount.hundredths.is_none() && !amount.is_not_positive && wire.amount.is_none() {
        fields.problem::<()>("amount", Problem::REQUIRED);
    }
    let is_usd = fields.boolean("is_usd", wire.is_usd);
    let origin = fields.text("type", wire.kind, origin).unwrap_or(Origin::Api);
    let name = fields.text("name", wire.name, LinkName::parse);
    let description = fields.required_text("description", wire.description, LinkDescription::parse);
    // An id of another form is an id of nothing: answered as one that is unknown.
    let bank = fields.required_text("user_bank_id", wire.user_bank_id, |text| {
        Ok::<_, Infallible>(text.trim().parse::<BankId>())
    });
    let webhook_url = url(&mut fields, "webhook_url", wire.webhook_url);
    let redirect_url = url(&mut fields, "redirect_url", wire.redirect_url);
    let minutes = (-1, EXPIRATION_MINUTES_MAX);
    let lasts = fields.integer("expiration_time", wire.expiration_time, minutes);
    if lasts == Some(0) {
        fields.problem::<()>(
            "expiration_time",
            ("debe ser mayor que cero, o -1 para siempre", "must be above zero, or -1 for ever"),
        );
    }
    let minutes = (1, RATE_MINUTES_MAX);
    let rate = fields.integer("rate_expiration_time", wire.rate_expiration_time, minutes);
    let metadata = metadata(&mut fields, wire.metadata);

    let bank = match bank {
        Some(Ok(bank)) => Some(bank),
        Some(Err(_)) => return Err((Refusal::UserBankNotFound, None)),
        None => None,
    };
    if fields.are_right() && amount.is_not_positive {
        return Err((Refusal::NotPositiveAmount, bank));
    }
    let (Some(bank), Some(description), Some(hundredths), true) =
        (bank, description, amount.hundredths, fields.are_right())
    else {
        return Err((fields.refusal(), bank));
    };
    let price = Price { hundredths, currency: currency(amount.currency, is_usd) };
    let lasts = lasts.unwrap_or(EXPIRATION_MINUTES);
    Ok(LinkRequest {
        bank,
        price,
        origin,
        name,
        description,
        webhook_url,
        redirect_url,
        expiration_minutes: Some(lasts).filter(|lasts| *lasts > 0),
        rate_minutes: rate.unwrap_or(RATE_MINUTES),
        metadata: metadata.unwrap_or_else(|| "{}".to_owned()),
    })
}

/// What the amount is stated in. Some callers send VES or VEF with every link, and mean `is_usd`.
fn currency(named: Option<Currency>, is_usd: Option<bool>) -> Currency {
    match named.unwrap_or_default() {
        Currency::Vef if is_usd == Some(true) => Currency::Usd,
        named => named,
    }
}

/// Where the link comes from, as a caller may say; a subscription alone makes those of its cycles.
fn origin(word: &str) -> Result<Origin, Problem> {
    match word.trim() {
        "" | "default" => Ok(Origin::Api),
        word => Origin::parse(word).filter(|origin| *origin != Origin::Subscription).ok_or(
            Problem::of(
                "debe ser api o dashboard; los enlaces de tipo subscription los hace una suscripción",
                "must be api or dashboard; links of type subscription are made by a subscription",
            ),
        ),
    }
}

/// An address; many callers send empty text where they have none.
pub(crate) fn url(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<UrlText> {
    let parse = |text: &str| match text.trim() {
        "" => Ok(None),
        text => UrlText::parse(text).map(Some),
    };
    fields.text(name, field, parse).flatten()
}

/// An object, kept as it was written.
fn metadata(fields: &mut Fields, field: Field<'_>) -> Option<String> {
    let raw = field?.get();
    if raw.len() > METADATA_LEN_MAX {
        return fields
            .problem("metadata", ("debe tener a lo más 16 KiB", "must have at most 16 KiB"));
    }
    match serde_json::from_str::<Map<String, Value>>(raw) {
        Ok(_) => Some(raw.to_owned()),
        Err(_) => fields.problem("metadata", ("debe ser un objeto", "must be an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANK: BankId = BankId::from_bytes([1; 16]);

    fn parsed(more: &str) -> Result<LinkRequest, Refusal> {
        let json = format!(r#"{{"description": "Pedido 7", "user_bank_id": "{BANK}"{more}}}"#);
        parse(&JsonBody::from(json)).map_err(|(refusal, _)| refusal)
    }

    #[test]
    fn little_is_enough_and_the_rest_has_its_defaults() {
        let request = parsed(r#", "amount": 150.75, "payment_link_origin": "x""#);
        let request = request.unwrap();
        assert_eq!((request.bank, request.price.hundredths), (BANK, 15_075));
        assert_eq!((request.price.currency, request.origin), (Currency::Vef, Origin::Api));
        assert_eq!((request.expiration_minutes, request.rate_minutes), (Some(1_440), 60));
        assert_eq!((request.name, request.metadata.as_str()), (None, "{}"));
        let never = parsed(r#", "amount": 1, "expiration_time": -1"#).unwrap();
        assert_eq!(never.expiration_minutes, None);
    }

    #[test]
    fn addresses_and_metadata_are_kept_as_they_were_written() {
        let request = parsed(
            r#", "amount": 1, "currency": "ves", "webhook_url": "https://a.example/h?b=%20",
               "redirect_url": " ", "metadata": {"b": 1.50, "a": [null]}"#,
        );
        let request = request.unwrap();
        assert_eq!(request.webhook_url.unwrap().as_str(), "https://a.example/h?b=%20");
        assert_eq!(request.redirect_url, None);
        assert_eq!(request.metadata, r#"{"b": 1.50, "a": [null]}"#);
        assert_eq!(request.price.currency, Currency::Vef);
    }

    #[test]
    fn dollars_win_over_bolivares_that_are_always_sent() {
        for (more, currency) in [
            (r#""is_usd": true"#, Currency::Usd),
            (r#""is_usd": true, "currency": "VES""#, Currency::Usd),
            (r#""is_usd": true, "currency": "vef""#, Currency::Usd),
            (r#""is_usd": true, "currency": "EUR""#, Currency::Eur),
            (r#""is_usd": false, "currency": "USD""#, Currency::Usd),
            (r#""is_usd": false, "currency": "VES""#, Currency::Vef),
        ] {
            let request = parsed(&format!(r#", "amount": 5, {more}"#)).unwrap();
            assert_eq!(
                (request.price.currency, request.price.hundredths),
                (currency, 500),
                "{more}"
            );
        }
    }

    #[test]
    fn a_caller_says_where_its_link_comes_from() {
        for (word, origin) in [
            ("", Origin::Api),
            ("api", Origin::Api),
            ("default", Origin::Api),
            ("dashboard", Origin::Dashboard),
        ] {
            let request = parsed(&format!(r#", "amount": 5, "type": "{word}""#)).unwrap();
            assert_eq!(request.origin, origin, "{word}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_by_field() {
        for (more, field) in [
            ("", "amount"),
            (r#", "amount": "1""#, "amount"),
            (r#", "amount": 1.001"#, "amount"),
            (r#", "amount": 1e15"#, "amount"),
            (r#", "amount": 1, "currency": "BTC""#, "currency"),
            (r#", "amount": 1, "is_usd": "yes""#, "is_usd"),
            (r#", "amount": 1, "webhook_url": "ftp://a.example""#, "webhook_url"),
            (r#", "amount": 1, "redirect_url": "https://u@a.example""#, "redirect_url"),
            (r#", "amount": 1, "expiration_time": 0"#, "expiration_time"),
            (r#", "amount": 1, "expiration_time": -2"#, "expiration_time"),
            (r#", "amount": 1, "expiration_time": 1.5"#, "expiration_time"),
            (r#", "amount": 1, "rate_expiration_time": 0"#, "rate_expiration_time"),
            (r#", "amount": 1, "metadata": []"#, "metadata"),
            (r#", "amount": 1, "type": 7"#, "type"),
            (r#", "amount": 1, "type": "other""#, "type"),
            (r#", "amount": 1, "type": "subscription""#, "type"),
        ] {
            let Err(Refusal::Validation(details)) = parsed(more) else { panic!("{more}") };
            assert_eq!((details.len(), details[0].field.as_str()), (1, field), "{more}");
        }
        for more in [r#", "amount": 0"#, r#", "amount": -5"#, r#", "amount": 0.001"#] {
            assert_eq!(parsed(more).unwrap_err(), Refusal::NotPositiveAmount, "{more}");
        }
    }
}
