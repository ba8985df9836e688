//! `POST /v1/paymentlink`

use app::links::{LinkDescription, LinkName, LinkRecord, LinkRequest, Origin};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateLink;
use domain::ids::BankId;
use domain::language::Language;
use domain::links::{Currency, Price, Status};
use domain::refusal::{Code, Problem, Refusal};
use domain::url::UrlText;
use http::Method;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use web::fields::unreadable;
use web::{Admitted, AppState, Failure, Fields, IdempotencyKey, JsonBody, answer};

use crate::operation::{
    Endpoint, Group, Int, Kind, Loose, Optional, Request, Required, TextKind, TextOf, beside,
    one_of, record_of, request,
};
use crate::wire::{CurrencyCode, LinkAmount, LinkAnswer, STATUS_CALLS, WireLink, say};

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

/// How deep that may be nested. Answers and webhooks show it inside of others, and programs that read JSON stop at 127
/// levels, as ours do.
const METADATA_LEVELS_MAX: usize = 100;

request! {
    /// Request for a new link. `payment_link_origin` and `notification_by_whastapp` are ignored.
    struct NewLink {
        amount: Required<LinkAmount>,
        /// Sin ella, bolívares. / Without it, bolívares.
        currency: Loose<CurrencyCode>,
        /// Dice lo mismo que la moneda USD, y gana sobre bolívares. / Says the same as the currency USD, and wins over
        /// bolívares.
        is_usd: Optional<bool>,
        /// De dónde viene el enlace; `default` es otro nombre de `api`. / Where the link comes from; `default` is
        /// another name of `api`.
        kind as "type": Optional<OriginWord>,
        /// Su nombre; sin él, el principio de la descripción. / Its label; without one, the beginning of the
        /// description.
        name: Optional<LinkName>,
        /// Para qué es. / What it is for.
        description: Required<LinkDescription>,
        /// La cuenta a la que se paga. / The account that is to be paid to.
        user_bank_id: Required<TextOf<BankId>>,
        /// Dónde se avisa de su final. / The address that is notified of its end.
        webhook_url: Loose<UrlText>,
        /// Adónde sigue el pagador. / Where the payer goes on.
        redirect_url: Loose<UrlText>,
        /// Los minutos que sirve: un día si no se dice, para siempre con -1. / Minutes that it is good for: a day
        /// without it, for ever with -1.
        expiration_time: Optional<ExpirationMinutes>,
        /// Los minutos que vale cada tasa que se fija, la primera al crear el enlace; nunca más que este. / Minutes that
        /// each rate is held for, the first from the creation of the link; never longer than the link is good.
        rate_expiration_time: Optional<Int<1, RATE_MINUTES_MAX>>,
        /// Un objeto de 16 KiB a lo sumo, que se guarda como se escribió. / An object of at most 16 KiB that is kept as
        /// it was written.
        metadata: Optional<MetadataObject>,
    }
}

request! {
    /// The account alone, whatever else is wrong.
    struct AccountOfLink {
        user_bank_id: Optional<TextOf<BankId>>,
    }
}

/// Origin of a link, as a caller may name it. Only a subscription makes the links of its cycles.
struct OriginWord;

impl TextKind for OriginWord {
    type Value = Origin;

    fn parse(word: &str) -> Result<Origin, Problem> {
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

    fn schema() -> Value {
        one_of(&["api", "dashboard", "default", ""])
    }
}

/// How long a link is good.
pub(crate) struct ExpirationMinutes;

impl Kind for ExpirationMinutes {
    type Value = i64;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<i64> {
        match fields.integer(name, Some(raw), (-1, EXPIRATION_MINUTES_MAX))? {
            0 => fields.problem(
                name,
                (
                    "debe ser mayor que cero, o -1 para siempre",
                    "must be above zero, or -1 for ever",
                ),
            ),
            minutes => Some(minutes),
        }
    }

    fn schema() -> Value {
        let above_zero =
            json!({ "type": "integer", "minimum": 1, "maximum": EXPIRATION_MINUTES_MAX });
        json!({ "anyOf": [above_zero, { "const": -1 }] })
    }
}

/// An object, kept as it was written.
pub(crate) struct MetadataObject;

impl Kind for MetadataObject {
    type Value = String;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<String> {
        let raw = raw.get();
        if raw.len() > METADATA_LEN_MAX {
            let problem = ("debe tener a lo más 16 KiB", "must have at most 16 KiB");
            return fields.problem(name, problem);
        }
        if levels(raw) > METADATA_LEVELS_MAX {
            let problem = Problem::made(
                format!("tiene más de {METADATA_LEVELS_MAX} niveles, uno dentro de otro"),
                format!("is nested more than {METADATA_LEVELS_MAX} levels deep"),
            );
            return fields.problem(name, problem);
        }
        match serde_json::from_str::<Map<String, Value>>(raw) {
            Ok(_) => Some(raw.to_owned()),
            Err(error) if raw.starts_with('{') => fields.problem(name, unreadable(&error)),
            Err(_) => fields.problem(name, ("debe ser un objeto", "must be an object")),
        }
    }

    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": true })
    }
}

/// How deep objects and lists of JSON are nested. What stands in its texts is none.
fn levels(json: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                level += 1;
                deepest = deepest.max(level);
            }
            b'}' | b']' if !is_text => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<CreateLink, _, _>(Method::POST, "/v1/paymentlink", handle)
        .does(Group::Links, "Crea un enlace de pago.", "Makes a payment link.")
        .takes::<NewLink>(json!({
            "amount": 150.75,
            "description": "Pedido 7",
            "user_bank_id": "bank_00000000000000000000000001",
            "webhook_url": "https://tienda.example/webhooks",
            "metadata": { "pedido": 7 },
        }))
        .set_elsewhere(&[("status", STATUS_CALLS)])
        .idempotent()
        .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace de pago creado"))
        .refuses(&[
            Code::NotFound,
            Code::IsNotPositiveAmount,
            Code::InvalidBankProvider,
            Code::UserBankIsDisabled,
            Code::WebhookUrlNotAllowed,
        ])
}

async fn handle(
    admitted: Admitted<CreateLink>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let act = &admitted.0;
    let made_as = async { record_of(&Some(json!({ "status": Status::Pending.as_str() }))) };
    let body = beside::<NewLink>(body, made_as).await?;
    let request = match parse(&body) {
        Ok(request) => request,
        Err((refusal, bank)) => {
            // The account comes first: a caller who does not reach it learns nothing else.
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

/// Reads the request, or says what is wrong and about which account it was.
fn parse(body: &JsonBody) -> Result<LinkRequest, (Refusal, Option<BankId>)> {
    // An id of another form is an id of nothing: answered as one that is unknown.
    let account = |id: &str| id.trim().parse::<BankId>().map_err(|_| Refusal::UserBankNotFound);
    let new = NewLink::read(body).map_err(|refusal| {
        let named = AccountOfLink::read(&body.tolerant()).ok().and_then(|link| link.user_bank_id);
        match named.map(|id| account(&id)).transpose() {
            Ok(bank) => (refusal, bank),
            Err(unknown) => (unknown, None),
        }
    })?;
    let bank = account(&new.user_bank_id).map_err(|unknown| (unknown, None))?;
    let hundredths = new.amount.map_err(|refusal| (refusal, Some(bank)))?;
    let lasts = new.expiration_time.unwrap_or(EXPIRATION_MINUTES);
    Ok(LinkRequest {
        bank,
        price: Price { hundredths, currency: currency(new.currency, new.is_usd) },
        origin: new.kind.unwrap_or(Origin::Api),
        name: new.name,
        description: new.description,
        webhook_url: new.webhook_url,
        redirect_url: new.redirect_url,
        expiration_minutes: lasting(lasts),
        rate_minutes: new.rate_expiration_time.unwrap_or(RATE_MINUTES),
        metadata: new.metadata.unwrap_or_else(|| "{}".to_owned()),
    })
}

/// For how many minutes a link lasts; nothing where that is for ever.
pub(crate) fn lasting(minutes: i64) -> Option<i64> {
    Some(minutes).filter(|minutes| *minutes > 0)
}

/// Returns the currency of the amount. Some callers send VES or VEF with every link, and mean `is_usd`.
fn currency(named: Option<Currency>, is_usd: Option<bool>) -> Currency {
    match named.unwrap_or_default() {
        Currency::Vef if is_usd == Some(true) => Currency::Usd,
        named => named,
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
    fn metadata_that_cannot_be_read_says_why() {
        let nested =
            |lists: usize| format!("{{\"a\": {}{}}}", "[".repeat(lists), "]".repeat(lists));
        let (deep, deeper) = (nested(100), nested(200));
        for (metadata, problem) in [
            (r#"{"a": "\ud83d"}"#, "has half a character"),
            (r#"{"a": 1e999}"#, "has a number out of range"),
            (&deep, "is nested more than 100 levels deep"),
            (&deeper, "is nested more than 100 levels deep"),
            ("[]", "must be an object"),
            ("7", "must be an object"),
        ] {
            let sent = format!(r#", "amount": 1, "metadata": {metadata}"#);
            let Err(Refusal::Validation(details)) = parsed(&sent) else { panic!("{metadata}") };
            let text = details[0].problem.text(domain::language::Language::En);
            assert!(text.starts_with(problem) && details[0].field == "metadata", "{text}");
        }
        // The object is a level, too, and brackets in a text are none.
        let text = format!(r#"{{"a": "\"{}"}}"#, "[{".repeat(200));
        for metadata in [nested(99), text] {
            let request = parsed(&format!(r#", "amount": 1, "metadata": {metadata}"#)).unwrap();
            assert_eq!(request.metadata, metadata);
        }
    }

    #[test]
    fn what_is_wrong_is_reported_by_field() {
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
