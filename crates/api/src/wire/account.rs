//! A linked bank account.

use app::accounts::{Capabilities, Linked, Requirement};
use domain::access::Caller;
use domain::ids::{BankId, ClientId};
use domain::matching::MovementKind;
use domain::payer::Phone;
use domain::refusal::Problem;
use domain::secret::SecretText;
use domain::text::{InvalidText, Text};
use domain::typed::seen;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::operation::{Shown, TextKind, text_schema};

/// A bank's key, password or token.
pub(crate) struct BankSecret;

impl TextKind for BankSecret {
    type Value = SecretText;

    fn parse(text: &str) -> Result<SecretText, Problem> {
        // A line break in a secret is a slip, and no space.
        if seen(text).contains(char::is_control) {
            return Err(InvalidText::Control.into());
        }
        Text::<1, BANK_SECRET_MAX>::parse(text)
            .map(|line| SecretText::new(line.into_string()))
            .map_err(Problem::from)
    }

    fn schema() -> Value {
        let mut schema = text_schema(1, BANK_SECRET_MAX);
        schema["format"] = json!("password");
        schema
    }
}

/// How many characters a bank's key, password or token may have.
const BANK_SECRET_MAX: usize = 1024;

/// Una cuenta bancaria vinculada. Lo que no tiene está y va vacío, porque quien llama lo lee sin mirar. / A linked bank
/// account. What it has nothing of is there and empty, because callers read it without looking.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankAccount")]
pub(crate) struct WireBank<'a> {
    id: Shown<BankId>,
    /// El nombre que le puso el titular. / The name that the owner gave it.
    description: &'a str,
    /// El banco, con el nombre con que se vinculó. / The bank, by the name that it was linked by.
    provider: &'a str,
    /// El banco: el `id` de `GET /v1/platforms`. / The bank: the `id` of `GET /v1/platforms`.
    platform: &'a str,
    /// La moneda de la cuenta: siempre `VEF`. / The currency of the account: always `VEF`.
    currency: &'static str,
    /// Su número, o nada donde no se dijo. / Its number, or nothing where it was not said.
    bank_accounts: Vec<WireNumber>,
    /// El mismo número; `null` donde no se dijo. / The same number; `null` where it was not said.
    default_bank_account: Option<WireNumber>,
    /// El teléfono que recibe los pagos; `null` donde no se dijo. / The phone that receives payments; `null` where it
    /// was not said.
    user_bank_phone: Option<WirePhone>,
    /// El cliente al que pertenece. / The client that it belongs to.
    client_owner_id: Option<Shown<ClientId>>,
    /// Si sus enlaces se pueden pagar ahora. / Whether its links can be paid now.
    payment_link: bool,
    /// Si el titular la mandó a la papelera. / Whether the owner has moved it to the trash.
    to_trash: bool,
    /// Si no se puede verificar en ella: está desactivada, o su banco no está en esta instalación. / Whether nothing
    /// can be verified on it: it is disabled, or its bank is not in this installation.
    is_disabled: bool,
    /// Siempre `false`. / Always `false`.
    is_block_by_bank: bool,
    /// Por qué se le puede preguntar al banco, `GENERIC` primero. / What the bank can be asked about, `GENERIC` first.
    verifications_types_available: Vec<WireQuestion>,
}

/// El número de la cuenta. Las llaves ven sus últimos cuatro dígitos, la sesión del titular todo. / The account's
/// number. Keys see its last four digits, the owner's session all of it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankAccountNumber")]
struct WireNumber {
    /// Los veinte dígitos, o solo los últimos cuatro. / The twenty digits, or the last four alone.
    account_number: String,
    /// Siempre vacío: los bancos no lo dicen. / Always empty: banks do not tell it.
    account_type: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PhoneParts")]
struct WirePhone {
    /// El código del país: 58. / The code of the country: 58.
    #[serde(rename = "countryCode")]
    country_code: String,
    /// El resto, sin cero delante. / The rest, without a leading zero.
    number: String,
}

/// Un tipo de pago por el que se le puede preguntar al banco, y los datos que alcanzan para preguntar. Quien llama
/// devuelve el `id` como `movement_type`. / A kind of payment that the bank can be asked about, and the facts that are
/// enough to ask. Callers send the `id` back as `movement_type`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VerificationType")]
struct WireQuestion {
    /// Lo que se envía como `movement_type`. / What is sent as `movement_type`.
    id: &'static str,
    /// Siempre `false`. / Always `false`.
    hidden: bool,
    /// Los datos que hay que enviar. / The facts that must be sent.
    fields_required: Vec<WireField>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RequiredField")]
struct WireField {
    /// El dato, como `REFERENCE_NUMBER`. / The fact, such as `REFERENCE_NUMBER`.
    name: &'static str,
    /// Siempre `STRING`. / Always `STRING`.
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a> WireBank<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        let number = json!({ "account_number": "****************0001", "account_type": "" });
        json!({
            "id": "bank_00000000000000000000000001",
            "description": "cuenta de la tienda",
            "provider": "VE_BAN_EMP_V2",
            "platform": "BDV",
            "currency": "VEF",
            "bank_accounts": [number],
            "default_bank_account": number,
            "user_bank_phone": { "countryCode": "58", "number": "4141234567" },
            "client_owner_id": null,
            "payment_link": true,
            "to_trash": false,
            "is_disabled": false,
            "is_block_by_bank": false,
            "verifications_types_available": [{
                "id": "GENERIC",
                "hidden": false,
                "fields_required": [{ "name": "REFERENCE_NUMBER", "type": "STRING" }],
            }],
        })
    }

    pub(crate) fn of(linked: &'a Linked, caller: &Caller) -> Self {
        let Linked { account, wire_name, bank, facts, .. } = linked;
        let is_whole = caller.sees_account_numbers();
        let number = facts.as_ref().map(|facts| {
            if is_whole { facts.number.as_str().to_owned() } else { facts.number.masked() }
        });
        let phone = facts.as_ref().and_then(|facts| facts.phone.as_ref());
        Self {
            id: Shown(account.id),
            description: &account.description,
            provider: wire_name,
            // The `id` of `GET /v1/platforms`.
            platform: &account.provider,
            currency: "VEF",
            bank_accounts: number.as_deref().map(WireNumber::of).into_iter().collect(),
            default_bank_account: number.as_deref().map(WireNumber::of),
            user_bank_phone: phone.map(WirePhone::of),
            client_owner_id: account.client.map(Shown),
            payment_link: linked.takes_links(),
            to_trash: account.is_trashed,
            is_disabled: account.is_disabled || bank.is_none(),
            is_block_by_bank: false,
            verifications_types_available: bank.map(questions).unwrap_or_default(),
        }
    }
}

impl WireNumber {
    /// Banks do not say of which type an account is.
    fn of(number: &str) -> Self {
        Self { account_number: number.to_owned(), account_type: "" }
    }
}

impl WirePhone {
    fn of(phone: &Phone) -> Self {
        let (country, number) = phone.parts();
        Self { country_code: country.to_owned(), number: number.to_owned() }
    }
}

/// Lists the questions that the bank can be asked, GENERIC first.
fn questions(bank: &Capabilities) -> Vec<WireQuestion> {
    // Of several sets of facts the smallest is what is required.
    let required = bank.questions.iter().min_by_key(|facts| facts.len());
    let fields = || required.into_iter().flat_map(|facts| facts.iter()).map(WireField::of);
    let kinds = MovementKind::ALL.into_iter().filter(|kind| bank.verifies.contains(kind));
    let question = |kind: MovementKind| WireQuestion {
        id: kind.as_str(),
        hidden: false,
        fields_required: fields().collect(),
    };
    kinds.map(question).collect()
}

impl WireField {
    /// Callers know one type alone.
    fn of(fact: &Requirement) -> Self {
        Self { name: fact.as_str(), kind: "STRING" }
    }
}
