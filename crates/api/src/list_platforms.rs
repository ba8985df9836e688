//! `GET /v1/platforms`

use app::accounts::{CredentialFact, Field, Platform};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListPlatforms;
use domain::language::Language;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::say;

/// Un banco, y con cuántos nombres se atiende: aquí uno. / A bank, and under how many names it is served: one here.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Platform")]
struct WirePlatform {
    /// El id del banco, que las cuentas traen en `platform`. / The bank's id, which accounts have in `platform`.
    id: &'static str,
    /// El nombre del banco, para personas. / The bank's name, for people.
    name: &'static str,
    /// Su código de cuatro dígitos; `null` en el banco de prueba. / Its four-digit code; `null` for the test bank.
    bank_code: Option<&'static str>,
    /// La moneda de sus cuentas: siempre `VEF`. / The currency of its accounts: always `VEF`.
    currency: &'static str,
    /// Con qué nombre se pide en `bank_provider` de `POST /usersbank`. / The name to ask for it by in `bank_provider`
    /// of `POST /usersbank`.
    providers: [&'static str; 1],
    /// `false` en el banco de prueba. / `false` for the test bank.
    is_bank: bool,
    /// Siempre `false`: no se lee ningún SMS. / Always `false`: no SMS is read.
    have_notification_sms: bool,
    /// Si el banco avisa de los pagos por sí mismo. / Whether the bank tells of payments by itself.
    have_notification_app: bool,
    /// Con qué se vincula una cuenta, en el orden de un formulario. / What an account of it is linked with, in the
    /// order of a form.
    credentials: Vec<WireCredential>,
}

/// Un dato con que se vinculan cuentas. / A fact that accounts are linked with.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Credential")]
struct WireCredential {
    /// El campo de `POST /usersbank` en que va. / The field of `POST /usersbank` that it comes in.
    field: &'static str,
    /// Su `key_name`, donde el campo es `metadata`. / Its `key_name`, where the field is `metadata`.
    key_name: Option<&'static str>,
    /// Cómo lo llama la gente, en el idioma de quien llama. / What people call it, in the caller's language.
    label: &'static str,
    /// `ACCOUNT_NUMBER`, `PHONE` o `TEXT`. / `ACCOUNT_NUMBER`, `PHONE` or `TEXT`.
    format: &'static str,
    /// Cuántos caracteres puede tener. / How many characters it may have.
    max_length: usize,
    /// Si sin él no se puede vincular la cuenta. / Whether no account can be linked without it.
    is_required: bool,
    /// Si un formulario lo oculta mientras se escribe. / Whether a form hides it while it is typed.
    is_secret: bool,
}

impl WireCredential {
    fn of(fact: &CredentialFact, language: Language) -> Self {
        Self {
            field: fact.field.as_str(),
            key_name: match fact.field {
                Field::Metadata(name) => Some(name),
                Field::Username | Field::Password | Field::Phone => None,
            },
            label: say(language, fact.label.es, fact.label.en),
            format: fact.format.as_str(),
            max_length: fact.max_len,
            is_required: fact.is_required,
            is_secret: fact.is_secret,
        }
    }
}

impl WirePlatform {
    fn of(platform: &Platform, language: Language) -> Self {
        let Platform { bank, pushes } = platform;
        let credentials = bank.credentials.iter().map(|fact| WireCredential::of(fact, language));
        Self {
            id: bank.provider,
            name: bank.platform,
            bank_code: bank.bank_code,
            currency: "VEF",
            providers: [bank.wire_name],
            is_bank: bank.bank_code.is_some(),
            have_notification_sms: false,
            have_notification_app: *pushes,
            credentials: credentials.collect(),
        }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListPlatforms, _, _>(Method::GET, "/v1/platforms", handle)
        .does(
            Group::Accounts,
            "Lista los bancos donde se pueden vincular cuentas.",
            "Lists the banks that accounts can be linked at.",
        )
        .answers::<Vec<WirePlatform>>(json!([{
            "id": "BDV",
            "name": "Banco de Venezuela",
            "bank_code": "0102",
            "currency": "VEF",
            "providers": ["VE_BAN_EMP_V2"],
            "is_bank": true,
            "have_notification_sms": false,
            "have_notification_app": true,
            "credentials": [
                {
                    "field": "username",
                    "key_name": null,
                    "label": "el número de la cuenta, 20 dígitos",
                    "format": "ACCOUNT_NUMBER",
                    "max_length": 20,
                    "is_required": true,
                    "is_secret": false,
                },
                {
                    "field": "password",
                    "key_name": null,
                    "label": "la clave que le dio el banco",
                    "format": "TEXT",
                    "max_length": 1024,
                    "is_required": true,
                    "is_secret": true,
                },
            ],
        }]))
}

/// A bare list, as callers expect it.
async fn handle(
    admitted: Admitted<ListPlatforms>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let platforms = app::accounts::platforms(&state.app);
    let language = admitted.language();
    let platforms = platforms.iter().map(|platform| WirePlatform::of(platform, language));
    answer::json(&platforms.collect::<Vec<_>>())
}
