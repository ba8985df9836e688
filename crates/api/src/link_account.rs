//! `POST /usersbank`

use app::accounts::{Description, LinkRequest, Linked, PushAccess, Username};
use axum::extract::State;
use axum::response::Response;
use domain::access::{Caller, LinkBankAccount};
use domain::ids::OwnerId;
use domain::payer::{AccountNumber, Phone};
use domain::profile::HolderName;
use domain::refusal::{Code, Problem, Refusal};
use domain::secret::SecretText;
use domain::typed::seen;
use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, Field, Fields, IdempotencyKey, JsonBody, answer};

use crate::operation::{
    AnyText, Endpoint, FieldKind, Group, Loose, Optional, Request, Required, TextOf, request,
};
use crate::wire::{BankSecret, Dni, Object, WireBank, WirePush, say, text_or_number};

/// How many entries `metadata` may have.
const METADATA_MAX: usize = 20;

/// How many characters the name of such an entry may have, and its value.
const METADATA_NAME_MAX: usize = 100;
const METADATA_VALUE_MAX: usize = 1024;

/// The entry of `metadata`, in any case, that holds the receiving account's number.
const ACCOUNT_NUMBER: &str = "account_number";

request! {
    /// Request for a new account. Empty text counts as absent: callers send it for facts that a bank does not want.
    struct NewAccount {
        /// El titular mismo, para quien lo nombra al llamar. / The owner itself, for callers that name it.
        user_id: Optional<TextOf<OwnerId>>,
        /// Uno de los `providers` de `GET /v1/platforms`. / One of the `providers` of `GET /v1/platforms`.
        bank_provider: Required<AnyText>,
        description: Optional<Description>,
        username: Optional<Username>,
        /// La clave, la contraseña o el token del banco. / The bank's key, password or token.
        password: Loose<BankSecret>,
        /// El teléfono que recibe los pagos. / The phone that receives payments.
        user_bank_phone: PhoneOrParts,
        /// El documento del dueño de la cuenta. / The document of the account's holder.
        user_bank_dni: Dni,
        /// El nombre del dueño de la cuenta, que ven los pagadores. / The name of the account's holder, which payers
        /// see.
        holder_name: Loose<HolderName>,
        /// Otros datos que pide el banco, entre ellos el `account_number`. / Other facts that the bank wants, among
        /// them the `account_number`.
        metadata: BankMetadata,
    }
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

/// El banco con sus dos nombres. / The bank under both of its names.
#[derive(Serialize, JsonSchema)]
struct AccountLinked<'a> {
    message: &'static str,
    userbank: &'a WireBank<'a>,
    usersbank: &'a WireBank<'a>,
    /// Se dice esta única vez, donde el banco avisa por sí mismo de los pagos. / Told this once, where the bank tells
    /// of payments by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    push: Option<WirePush<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<LinkBankAccount, _, _>(Method::POST, "/usersbank", handle)
        .does(Group::Accounts, "Vincula una cuenta bancaria.", "Links a bank account.")
        .takes::<NewAccount>(json!({
            "bank_provider": "VE_BAN_EMP_V2",
            "description": "cuenta de la tienda",
            "password": "made-up",
            "user_bank_phone": { "countryCode": "58", "number": "4141234567" },
            "user_bank_dni": { "dni_type": "J", "dni_number": "123456789" },
            "metadata": [{ "key_name": "account_number", "key_value": "01020000000000000001" }],
        }))
        .idempotent()
        .answers::<AccountLinked<'_>>(json!({
            "message": "cuenta vinculada",
            "userbank": WireBank::example(),
            "usersbank": WireBank::example(),
            "push": WirePush::example(),
        }))
        .refuses(&[
            Code::Conflict,
            Code::InvalidBankProvider,
            Code::BankAccountLimitReached,
            Code::UserBankAlreadyExists,
            Code::UserBanckBadPassword,
            Code::BankNotAvailable,
            Code::NotFound,
        ])
}

async fn handle(
    admitted: Admitted<LinkBankAccount>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let act = &admitted.0;
    let request = parse(&body)?;
    if app::accounts::wants_credentials(&state.app, &request.provider) {
        state.try_bank(act.owner(), act.now)?;
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
    let answer = AccountLinked { message, userbank: &bank, usersbank: &bank, push };
    // Text and truths: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn parse(body: &JsonBody) -> Result<LinkRequest, Refusal> {
    let new = NewAccount::read(body)?;
    Ok(LinkRequest {
        user_id: new.user_id,
        provider: new.bank_provider,
        description: new.description,
        number: new.metadata.number,
        username: new.username.map(|name| SecretText::from(name.as_str())),
        phone: new.user_bank_phone,
        document: new.user_bank_dni,
        holder: new.holder_name,
        secret: new.password,
        metadata: new.metadata.entries,
    })
}

/// A phone as text, or as an object of country and number. Without a number there is none.
struct PhoneOrParts;

impl FieldKind for PhoneOrParts {
    type Value = Option<Phone>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value> {
        Some(phone(fields, name, field.filter(|raw| raw.get() != "null")))
    }

    fn schema() -> Value {
        let country = json!({ "type": ["string", "integer", "null"] });
        let properties = json!({ "countryCode": country, "number": country });
        let parts = json!({ "type": "object", "properties": properties });
        json!({ "anyOf": [{ "type": ["string", "null"] }, parts] })
    }
}

/// Names and values, and the account's number among them.
struct BankMetadata {
    entries: Vec<(String, SecretText)>,
    number: Option<AccountNumber>,
}

impl FieldKind for BankMetadata {
    type Value = Self;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self> {
        let entries = metadata(fields, name, field.filter(|raw| raw.get() != "null"));
        let number = account_number(fields, name, &entries);
        let entries = entries.into_iter().map(|(name, value)| (name, SecretText::new(value)));
        Some(Self { entries: entries.collect(), number })
    }

    fn schema() -> Value {
        // What is no text is kept as it was written.
        let text = |max: usize| json!({ "maxLength": max });
        let entry = json!({
            "type": "object",
            "properties": {
                "key_name": text(METADATA_NAME_MAX),
                "key_value": text(METADATA_VALUE_MAX),
            },
        });
        json!({ "type": ["array", "null"], "items": entry, "maxItems": METADATA_MAX })
    }
}

fn phone(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Phone> {
    let parse = |text: &str| match seen(text).is_empty() {
        true => Ok(None),
        false => Phone::parse(text).map(Some),
    };
    let Ok(Object(WirePhone { country_code, number })) = serde_json::from_str(field?.get()) else {
        return fields.text(name, field, parse).flatten();
    };
    let (country_code, number) = (text_or_number(country_code), text_or_number(number));
    if seen(&number).is_empty() {
        return None;
    }
    let phone = Phone::parse(&format!("{country_code}{number}"));
    phone.map_or_else(|error| fields.problem(name, error), Some)
}

/// The names and values of `metadata`, as they were sent.
fn metadata(fields: &mut Fields, name: &str, field: Field<'_>) -> Vec<(String, String)> {
    let Some(field) = field else { return Vec::new() };
    let Ok(entries) = serde_json::from_str::<Vec<Object<WireMetadata>>>(field.get()) else {
        fields.problem::<()>(
            name,
            (
                "debe ser una lista de {key_name, key_value}",
                "must be a list of {key_name, key_value}",
            ),
        );
        return Vec::new();
    };
    if entries.len() > METADATA_MAX {
        fields.problem::<()>(name, Problem::entries_max(METADATA_MAX));
        return Vec::new();
    }
    let text = |Object(entry): Object<WireMetadata<'_>>| {
        (text_or_number(entry.key_name), text_or_number(entry.key_value))
    };
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
        fields.problem::<()>(name, problem);
        return Vec::new();
    }
    entries
}

/// The account's number among the entries of `metadata`.
fn account_number(
    fields: &mut Fields,
    name: &str,
    entries: &[(String, String)],
) -> Option<AccountNumber> {
    let is_number = |key: &str| key.trim().eq_ignore_ascii_case(ACCOUNT_NUMBER);
    let (_, number) = entries.iter().find(|(key, _)| is_number(key))?;
    if seen(number).is_empty() {
        return None;
    }
    let number = AccountNumber::parse(number);
    number.map_or_else(|error| fields.problem(name, error), Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_object() {
        for list in [
            r#""user_bank_phone": ["58", "4141234567"]"#,
            r#""user_bank_dni": ["V", "12345678"]"#,
            r#""metadata": [["account_number", "01020000000000000001"]]"#,
        ] {
            let body = format!(r#"{{"bank_provider": "BANK_TEST", {list}}}"#);
            assert!(parse(&JsonBody::from(body)).is_err(), "{list}");
        }
    }

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
        let kept = metadata(sent).unwrap().metadata;
        let kept: Vec<_> = kept.iter().map(|(name, value)| (&**name, value.expose())).collect();
        assert_eq!(kept, [("Terminal_Id", "12"), ("DEVICE_IP", " 127.0.0.1 "), ("DEVICE", "")]);
        assert!(metadata("[]").unwrap().metadata.is_empty());
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
    fn problems_are_reported_by_field() {
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
