//! `POST /usersbank`

use std::convert::Infallible;

use app::accounts::{Description, LinkRequest, Linked, PushAccess, Username};
use axum::extract::State;
use axum::response::Response;
use domain::access::{Caller, LinkBankAccount};
use domain::payer::{AccountNumber, Phone};
use domain::profile::HolderName;
use domain::refusal::{Problem, Refusal};
use domain::secret::SecretText;
use domain::text::{InvalidText, Text};
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, IdempotencyKey, JsonBody, answer};

use crate::wire::{WireBank, WirePush, document, say, text_or_number};

/// How many characters a bank's key, password or token may have.
pub(crate) type SecretLine = Text<1, 1024>;

/// How many entries `metadata` may have.
const METADATA_MAX: usize = 20;

/// How many characters the name of such an entry may have, and its value.
const METADATA_NAME_MAX: usize = 100;
const METADATA_VALUE_MAX: usize = 1024;

/// The entry of `metadata`, in any case, that holds the receiving account's number.
const ACCOUNT_NUMBER: &str = "account_number";

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    user_id: Field<'a>,
    #[serde(borrow)]
    bank_provider: Field<'a>,
    #[serde(borrow)]
    description: Field<'a>,
    #[serde(borrow)]
    username: Field<'a>,
    #[serde(borrow)]
    password: Field<'a>,
    #[serde(borrow)]
    user_bank_phone: Field<'a>,
    #[serde(borrow)]
    user_bank_dni: Field<'a>,
    #[serde(borrow)]
    holder_name: Field<'a>,
    #[serde(borrow)]
    metadata: Field<'a>,
}

/// A phone in two parts.
#[derive(Deserialize)]
struct WirePhone<'a> {
    #[serde(rename = "countryCode", borrow)]
    country_code: Field<'a>,
    #[serde(borrow)]
    number: Field<'a>,
}

/// An entry of `metadata`. Clients send entries that this bank has no use for, some without a value.
#[derive(Deserialize)]
struct WireMetadata<'a> {
    #[serde(borrow)]
    key_name: Field<'a>,
    #[serde(borrow)]
    key_value: Field<'a>,
}

/// The bank under both of its names.
#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    userbank: &'a WireBank<'a>,
    usersbank: &'a WireBank<'a>,
    /// Told this once, where the bank tells of payments by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    push: Option<WirePush<'a>>,
}

pub(crate) async fn handle(
    admitted: Admitted<LinkBankAccount>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let act = &admitted.0;
    let request = parse(&body)?;
    if request.secret.is_some() {
        state.try_bank(admitted.0.owner(), admitted.0.now)?;
    }
    let slot = idempotency_key.slot(act, body.bytes());
    let message = say(admitted.language(), "cuenta vinculada", "account linked");
    let caller = act.caller().clone();
    let render =
        move |linked: &Linked, push: Option<&PushAccess>| render(linked, push, &caller, message);
    let answer = app::accounts::link(&state.app, act, request, slot, render).await?;
    Ok(answer::bytes(answer))
}

fn render(
    linked: &Linked,
    push: Option<&PushAccess>,
    caller: &Caller,
    message: &'static str,
) -> Vec<u8> {
    let bank = WireBank::of(linked, caller);
    let push = push.map(WirePush::of);
    let answer = Answer { message, userbank: &bank, usersbank: &bank, push };
    // Text and truths: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn parse(body: &JsonBody) -> Result<LinkRequest, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let whole = |text: &str| Ok::<_, Infallible>(text.to_owned());
    let user_id = fields.text("user_id", wire.user_id, whole);
    let provider = fields.required_text("bank_provider", wire.bank_provider, whole);
    let description = fields.text("description", wire.description, Description::parse);
    let username = fields.text("username", wire.username, Username::parse);
    // Clients send empty text for what a bank does not want.
    let secret = fields.text("password", wire.password, |text| match text.trim() {
        "" => Ok(None),
        _ => bank_secret(text).map(Some),
    });
    let phone = phone(&mut fields, wire.user_bank_phone);
    let document = document(&mut fields, "user_bank_dni", wire.user_bank_dni);
    let holder = fields.text("holder_name", wire.holder_name, holder_name);
    let metadata = metadata(&mut fields, wire.metadata);
    let number = account_number(&mut fields, &metadata);
    match provider {
        Some(provider) if fields.are_right() => Ok(LinkRequest {
            user_id,
            provider,
            description,
            number,
            username,
            phone,
            document,
            holder: holder.flatten(),
            secret: secret.flatten(),
            metadata: sealed_later(&metadata),
        }),
        _ => Err(fields.refusal()),
    }
}

/// Reads the name of an account's holder. Empty text is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn holder_name(text: &str) -> Result<Option<HolderName>, InvalidText> {
    match text.trim() {
        "" => Ok(None),
        _ => HolderName::parse(text).map(Some),
    }
}

/// Reads a bank's key, password or token.
///
/// # Errors
/// What is wrong with it; never the text.
pub(crate) fn bank_secret(text: &str) -> Result<SecretText, InvalidText> {
    SecretLine::parse(text).map(|line| SecretText::new(line.into_string()))
}

/// A phone as text, or as an object of country and number. Without a number there is none.
fn phone(fields: &mut Fields, field: Field<'_>) -> Option<Phone> {
    let parse = |text: &str| match text.trim() {
        "" => Ok(None),
        text => Phone::parse(text).map(Some),
    };
    let Ok(WirePhone { country_code, number }) = serde_json::from_str(field?.get()) else {
        return fields.text("user_bank_phone", field, parse).flatten();
    };
    let (country_code, number) = (text_or_number(country_code), text_or_number(number));
    if number.trim().is_empty() {
        return None;
    }
    let phone = Phone::parse(&format!("{country_code}{number}"));
    phone.map_or_else(|error| fields.problem("user_bank_phone", error), Some)
}

/// The names and values of `metadata`, as they were sent.
fn metadata(fields: &mut Fields, field: Field<'_>) -> Vec<(String, String)> {
    let Some(field) = field else { return Vec::new() };
    let Ok(entries) = serde_json::from_str::<Vec<WireMetadata>>(field.get()) else {
        fields.problem::<()>(
            "metadata",
            (
                "debe ser una lista de {key_name, key_value}",
                "must be a list of {key_name, key_value}",
            ),
        );
        return Vec::new();
    };
    if entries.len() > METADATA_MAX {
        fields.problem::<()>("metadata", Problem::entries_max(METADATA_MAX));
        return Vec::new();
    }
    let text =
        |entry: WireMetadata<'_>| (text_or_number(entry.key_name), text_or_number(entry.key_value));
    let entries: Vec<_> = entries.into_iter().map(text).collect();
    let is_long = |(name, value): &(String, String)| {
        name.chars().count() > METADATA_NAME_MAX || value.chars().count() > METADATA_VALUE_MAX
    };
    if entries.iter().any(is_long) {
        let problem = Problem::made(
            format!(
                "tiene a lo más {METADATA_NAME_MAX} caracteres en un key_name, {METADATA_VALUE_MAX} en un key_value"
            ),
            format!(
                "has at most {METADATA_NAME_MAX} characters in a key_name, {METADATA_VALUE_MAX} in a key_value"
            ),
        );
        fields.problem::<()>("metadata", problem);
        return Vec::new();
    }
    entries
}

/// The entries in the form in which they are kept, if there are any.
fn sealed_later(entries: &[(String, String)]) -> Option<SecretText> {
    let has_any = !entries.is_empty();
    // Pairs of text: writing them as JSON cannot fail.
    has_any.then(|| SecretText::new(serde_json::to_string(entries).unwrap_or_default()))
}

/// The account's number among the entries of `metadata`.
fn account_number(fields: &mut Fields, entries: &[(String, String)]) -> Option<AccountNumber> {
    let is_number = |name: &str| name.trim().eq_ignore_ascii_case(ACCOUNT_NUMBER);
    let (_, number) = entries.iter().find(|(name, _)| is_number(name))?;
    if number.trim().is_empty() {
        return None;
    }
    let number = AccountNumber::parse(number);
    number.map_or_else(|error| fields.problem("metadata", error), Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_needs_little() {
        for empty in [
            r#""user_bank_phone": {}"#,
            r#""user_bank_phone": "", "username": "", "password": """#,
            r#""user_bank_phone": {"countryCode": "58", "number": ""}, "metadata": []"#,
            r#""user_bank_phone": null, "user_bank_dni": {"dni_type": "", "dni_number": ""}"#,
            r#""user_bank_phone": {"countryCode": null, "number": null}"#,
            r#""metadata": [{"key_name": "ACCOUNT_NUMBER", "key_value": ""}]"#,
            r#""metadata": [{"key_name": "DEVICE_IP", "key_value": null}, {"key_name": "DEVICE"}]"#,
            r#""metadata": [{"key_name": "Terminal_Id", "key_value": 12}, {}]"#,
        ] {
            let body = format!(r#"{{"bank_provider": "BANK_TEST", {empty}}}"#);
            let request = parse(&JsonBody::from(body)).unwrap();
            assert_eq!(request.provider, "BANK_TEST");
            assert_eq!((request.user_id, request.description), (None, None));
            assert!(request.phone.is_none() && request.document.is_none(), "{empty}");
            assert!(request.secret.is_none() && request.number.is_none(), "{empty}");
        }
    }

    #[test]
    fn metadata_is_kept_as_it_was_sent() {
        let metadata = |entries: &str| {
            parse(&JsonBody::from(format!(r#"{{"bank_provider": "BDV", "metadata": {entries}}}"#)))
        };
        let sent = r#"[{"key_name": "Terminal_Id", "key_value": 12},
            {"key_name": "DEVICE_IP", "key_value": " 127.0.0.1 "}, {"key_name": "DEVICE"}]"#;
        let kept = metadata(sent).unwrap().metadata.unwrap();
        let pairs = r#"[["Terminal_Id","12"],["DEVICE_IP"," 127.0.0.1 "],["DEVICE",""]]"#;
        assert_eq!(kept.expose(), pairs);
        assert!(metadata("[]").unwrap().metadata.is_none());
        let of = |name: usize, value: usize| {
            let (name, value) = ("n".repeat(name), "v".repeat(value));
            metadata(&format!(r#"[{{"key_name": "{name}", "key_value": "{value}"}}]"#))
        };
        assert!(of(METADATA_NAME_MAX, METADATA_VALUE_MAX).is_ok());
        assert!(of(METADATA_NAME_MAX + 1, 1).is_err() && of(1, METADATA_VALUE_MAX + 1).is_err());
        let many = |count| metadata(&format!("[{}]", vec!["{}"; count].join(",")));
        assert!(many(METADATA_MAX).is_ok() && many(METADATA_MAX + 1).is_err());
    }

    #[test]
    fn problems_are_told_by_field() {
        let body = JsonBody::from(r#"{"user_id": 1, "description": []}"#);
        let Err(Refusal::Validation(details)) = parse(&body) else { panic!("accepted") };
        let fields: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
        assert_eq!(fields, ["user_id", "bank_provider", "description"]);
    }

    #[test]
    fn what_a_bank_is_reached_with_comes_in_several_forms() {
        let number = "01020000890000000001";
        for phone in [
            r#""04141234567""#,
            r#"{"countryCode": "58", "number": "4141234567"}"#,
            r#"{"number": "04141234567"}"#,
            r#"{"countryCode": 58, "number": 4141234567}"#,
        ] {
            let body = format!(
                r#"{{"bank_provider": "BDV", "password": "made-up", "user_bank_phone": {phone},
                "metadata": [{{"key_name": "DEVICE_IP", "key_value": "127.0.0.1"}},
                {{"key_name": "ACCOUNT_NUMBER", "key_value": "{number}"}}]}}"#
            );
            let request = parse(&JsonBody::from(body)).unwrap();
            assert_eq!(request.phone.unwrap().as_str(), "584141234567");
            assert_eq!(request.number.unwrap().as_str(), number);
            assert_eq!(request.secret.unwrap().expose(), "made-up");
        }
        let wrong = r#"{"bank_provider": "BDV", "password": "a\u0000b", "user_bank_phone": "1",
            "metadata": [{"key_name": "account_number", "key_value": "0102"}]}"#;
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from(wrong)) else {
            panic!("accepted")
        };
        let fields: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
        assert_eq!(fields, ["password", "user_bank_phone", "metadata"]);
    }
}
