//! The bank's face: its paths, and how it reads what comes there.

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::time::CaracasDate;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::extract::{NoExtract, Query};
use super::validation::Question;
use super::wire::{CLOSED, NOT_AFFILIATED, WireExtract, WireQuery, WireQuestion, WireValidation};
use super::written::{read_amount, read_slashed};
use crate::door::Scissors;
use crate::face::{Call, Reply, answer, read};
use crate::simulator::Simulator;

/// The header in which merchants show their key.
const KEY_HEADER: &str = "x-api-key";

/// Fewer digits than these are no reference, no document and no phone.
const REFERENCE_DIGITS_MIN: usize = 4;
const DOCUMENT_DIGITS_MIN: usize = 5;
const PHONE_DIGITS_MIN: usize = 10;

/// The only currency that there is.
const CURRENCY: &str = "VES";

/// The paths of production, and those of the test installation, which end in `/v2`.
pub(crate) fn routes() -> Router<Simulator> {
    Router::new()
        .route("/getMovement", post(get_movement))
        .route("/getMovement/v2", post(get_movement))
        .route("/apis/bdv/consulta/movimientos", post(movements))
        .route("/apis/bdv/consulta/movimientos/v2", post(movements))
}

async fn get_movement(
    State(simulator): State<Simulator>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let key = key(&headers);
    let wire: Option<WireQuestion> = parse(&simulator, body).await;
    let account = wire.as_ref().and_then(|wire| {
        let phone = Phone::parse(wire.telefono_destino.as_deref()?).ok()?;
        simulator.books().bdv.account_of(&key, &phone).cloned()
    });
    let work = || {
        let Some(wire) = wire else { return malformed() };
        let mut books = simulator.books();
        if !books.bdv.is_affiliated(&key) {
            return Reply::ok(&WireValidation::refusal(NOT_AFFILIATED));
        }
        Reply::ok(&match question(&wire) {
            Ok(question) => {
                WireValidation::of(books.bdv.validate(&key, &question, simulator.now()))
            }
            Err(objection) => WireValidation::refusal(&objection),
        })
    };
    let closed = Reply::ok(&WireValidation::refusal(CLOSED));
    let call = Call { name: "getMovement", account: account.as_ref() };
    answer(&simulator, &scissors, call, work, closed).await
}

async fn movements(
    State(simulator): State<Simulator>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let key = key(&headers);
    let wire: Option<WireQuery> = parse(&simulator, body).await;
    let account = wire.as_ref().and_then(|wire| AccountNumber::parse(wire.cuenta.as_deref()?).ok());
    let work = || {
        let Some(wire) = &wire else { return malformed() };
        let books = simulator.books();
        if !books.bdv.is_affiliated(&key) {
            return Reply::ok(&WireExtract::refusal(NOT_AFFILIATED));
        }
        let page = query(wire, account.as_ref()).and_then(|query| {
            let page = books.bdv.extract(&key, &query, simulator.now());
            page.map_err(|no| no_extract(no).to_owned())
        });
        Reply::ok(&page.map_or_else(|objection| WireExtract::refusal(&objection), WireExtract::of))
    };
    let closed = Reply::ok(&WireExtract::refusal(CLOSED));
    let call = Call { name: "movimientos", account: account.as_ref() };
    answer(&simulator, &scissors, call, work, closed).await
}

/// The key that was shown; no key is one that nobody has.
fn key(headers: &HeaderMap) -> SecretText {
    headers.get(KEY_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default().into()
}

/// The body, where it is JSON with the right types in it.
async fn parse<T: DeserializeOwned>(simulator: &Simulator, body: Body) -> Option<T> {
    let body = read(simulator, body).await?;
    serde_json::from_slice(&body).ok()
}

fn malformed() -> Reply {
    Reply::with(StatusCode::BAD_REQUEST, &json!({"status": 400, "error": "Bad Request"}))
}

/// Reads a question, or says in the bank's words what is wrong with it.
fn question(wire: &WireQuestion) -> Result<Question, String> {
    let document = mandatory(wire.cedula_pagador.as_deref(), "cedulaPagador")?;
    let payer_phone = mandatory(wire.telefono_pagador.as_deref(), "telefonoPagador")?;
    let phone = mandatory(wire.telefono_destino.as_deref(), "telefonoDestino")?;
    let reference = mandatory(wire.referencia.as_deref(), "referencia")?;
    let day = mandatory(wire.fecha_pago.as_deref(), "fechaPago")?;
    let amount = mandatory(wire.importe.as_deref(), "importe")?;
    let bank = mandatory(wire.banco_origen.as_deref(), "bancoOrigen")?;
    let compares_document = mandatory(wire.req_ced, "reqCed")?;

    at_least(reference, REFERENCE_DIGITS_MIN, "La referencia")?;
    at_least(document, DOCUMENT_DIGITS_MIN, "La cedula")?;
    at_least(payer_phone, PHONE_DIGITS_MIN, "El numero de telefono")?;
    at_least(phone, PHONE_DIGITS_MIN, "El numero de telefono")?;
    Ok(Question {
        document: Document::parse(document).map_err(|_| wrong("cedulaPagador"))?,
        payer_phone: Phone::parse(payer_phone).map_err(|_| wrong("telefonoPagador"))?,
        phone: Phone::parse(phone).map_err(|_| wrong("telefonoDestino"))?,
        reference: TypedReference::parse(reference).map_err(|_| wrong("referencia"))?,
        day: CaracasDate::parse(day).map_err(|_| wrong("fechaPago"))?,
        amount: read_amount(amount).ok_or_else(|| wrong("importe"))?,
        bank: BankCode::parse(bank).map_err(|_| wrong("bancoOrigen"))?,
        compares_document,
    })
}

/// Reads a query for an extract in the same way.
fn query<'a>(wire: &'a WireQuery, account: Option<&'a AccountNumber>) -> Result<Query<'a>, String> {
    mandatory(wire.cuenta.as_ref(), "cuenta")?;
    let from = mandatory(wire.fecha_ini.as_deref(), "fechaIni")?;
    let to = mandatory(wire.fecha_fin.as_deref(), "fechaFin")?;
    if mandatory(wire.tipo_moneda.as_deref(), "tipoMoneda")? != CURRENCY {
        return Err(wrong("tipoMoneda"));
    }
    Ok(Query {
        account: account.ok_or_else(|| wrong("cuenta"))?,
        from: read_slashed(from).ok_or_else(|| wrong("fechaIni"))?,
        to: read_slashed(to).ok_or_else(|| wrong("fechaFin"))?,
        after: wire.nro_movimiento.as_deref().unwrap_or_default(),
    })
}

fn mandatory<T>(value: Option<T>, name: &str) -> Result<T, String> {
    value.ok_or_else(|| format!("El campo {name} es obligatorio"))
}

fn at_least(text: &str, count: usize, what: &str) -> Result<(), String> {
    if text.bytes().filter(u8::is_ascii_digit).count() < count {
        return Err(format!("{what} debe tener al menos {count} digitos"));
    }
    Ok(())
}

fn wrong(name: &str) -> String {
    format!("El formato del campo {name} no es válido")
}

fn no_extract(no: NoExtract) -> &'static str {
    match no {
        NoExtract::NotAffiliated => NOT_AFFILIATED,
        NoExtract::MixedDays => "El rango no puede incluir el día en curso y días anteriores",
        NoExtract::BackwardDays => "La fecha inicial no puede ser mayor que la fecha final",
        NoExtract::UnknownRow => "El número de movimiento no existe",
    }
}
