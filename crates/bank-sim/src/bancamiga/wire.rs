//! The bank's bodies: names, types and texts as on the wire.

use domain::payer::{Document, Phone};
use domain::text::Text;
use domain::time::{CaracasDate, Timestamp};
use serde::{Deserialize, Serialize};

use super::ledger::{Holder, Pair};
use crate::payment::Payment;

/// How many digits the two forms of a reference have.
const LONG_DIGITS: usize = 12;
const SHORT_DIGITS: usize = 6;

/// The values that `Status` was seen with. Nobody knows what it means, and it goes by the payment's number here.
static STATUSES: [&str; 3] = ["500", "600", "700"];

/// An amount that nobody can read.
const UNREADABLE: &str = "***";

/// A question for what a phone sent, or for a day.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct WireQuestion {
    pub(super) phone: String,
    pub(super) bank: String,
    pub(super) date: String,
}

/// A question for the next pair of tokens.
#[derive(Debug, Deserialize)]
pub(super) struct WireRefresh {
    pub(super) refresh_token: String,
}

/// A list. That of nothing has none.
#[derive(Debug, Serialize)]
pub(super) struct WireList {
    code: u16,
    lista: Option<Vec<WireRow>>,
    #[serde(rename = "mod")]
    module: &'static str,
    num: usize,
}

/// A refusal, or that all is well.
#[derive(Debug, Serialize)]
pub(super) struct WireCode {
    code: u16,
    mensaje: &'static str,
    #[serde(rename = "mod")]
    module: &'static str,
}

/// A pair of tokens, with the bank's own spelling.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WirePair {
    code: u16,
    expire_date: i64,
    mensaje: &'static str,
    #[serde(rename = "mod")]
    module: &'static str,
    refres_token: String,
    token: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct WireRow {
    #[serde(rename = "ID")]
    id: String,
    #[serde(rename = "created_at")]
    created_at: String,
    #[serde(rename = "update_at")]
    update_at: String,
    #[serde(rename = "deleted_at")]
    deleted_at: Option<String>,
    dni: String,
    phone_dest: String,
    phone_orig: String,
    amount: serde_json::Value,
    banco_orig: String,
    nro_referencia_corto: String,
    nro_referencia: String,
    hora_movimiento: String,
    fecha_movimiento: String,
    descripcion: String,
    status: &'static str,
    refpk: String,
    #[serde(rename = "Ref")]
    reference: u64,
}

impl WireCode {
    pub(super) const fn new(code: u16, mensaje: &'static str, module: &'static str) -> Self {
        Self { code, mensaje, module }
    }
}

impl WirePair {
    pub(super) fn of(pair: &Pair) -> Self {
        Self {
            code: 200,
            expire_date: pair.ends_at.map_or(0, Timestamp::as_seconds),
            mensaje: "Token renovado",
            module: "users",
            refres_token: pair.refresh.expose().to_owned(),
            token: pair.access.expose().to_owned(),
        }
    }
}

impl WireList {
    pub(super) fn of<'a>(holder: &Holder, payments: impl Iterator<Item = &'a Payment>) -> Self {
        let rows: Vec<WireRow> = payments.map(|payment| WireRow::of(holder, payment)).collect();
        let num = rows.len();
        Self { code: 200, lista: (num > 0).then_some(rows), module: "find", num }
    }
}

impl WireRow {
    fn of(holder: &Holder, payment: &Payment) -> Self {
        let (day, time) = day_and_time(payment.paid_at);
        let (_, posted_at) = day_and_time(payment.posts_at);
        let stamp = format!("{}T{posted_at}-04:00", CaracasDate::of(payment.posts_at));
        let is_unreadable = payment.oddities.unreadable.unwrap_or(false);
        let amount = match is_unreadable {
            true => UNREADABLE.into(),
            false => (payment.amount.hundredths() as f64 / 100.0).into(),
        };
        let description = payment.oddities.remark.as_ref().map_or("PAGO MOVIL", Text::as_str);
        let status =
            usize::try_from(payment.number).ok().and_then(|number| STATUSES.get(number % 3));
        Self {
            id: format!("00000000-0000-4000-8000-{:012}", payment.number),
            created_at: stamp.clone(),
            update_at: stamp,
            deleted_at: None,
            dni: compact(&holder.rif),
            phone_dest: holder.phone.as_str().to_owned(),
            phone_orig: payment.payer.phone.as_str().to_owned(),
            amount,
            banco_orig: payment.payer.bank.to_string(),
            nro_referencia_corto: short(payment),
            nro_referencia: ending(payment.reference.digits(), LONG_DIGITS),
            hora_movimiento: time,
            fecha_movimiento: day.to_string(),
            descripcion: description.to_owned(),
            status: status.copied().unwrap_or("500"),
            refpk: refpk(payment),
            reference: ending(payment.reference.digits(), LONG_DIGITS).parse().unwrap_or(0),
        }
    }
}

/// Day, bank and phone of the payer, and the last six digits: thirty in all.
pub(super) fn refpk(payment: &Payment) -> String {
    let day = CaracasDate::of(payment.paid_at).to_string().replace('-', "");
    format!("{day}{}{}{}", payment.payer.bank, payment.payer.phone, short(payment))
}

/// The last six digits.
pub(super) fn short(payment: &Payment) -> String {
    ending(payment.reference.digits(), SHORT_DIGITS)
}

/// The last so many of `digits`, which are ASCII, filled up with zeros.
fn ending(digits: &str, count: usize) -> String {
    let last = digits.split_at(digits.len().saturating_sub(count)).1;
    format!("{last:0>count$}")
}

/// The day in Caracas, and the time of it: `HH:mm:ss`.
pub(super) fn day_and_time(at: Timestamp) -> (CaracasDate, String) {
    let day = CaracasDate::of(at);
    let seconds = at.since(day.start()).as_secs() % (24 * 60 * 60);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    (day, format!("{hours:02}:{minutes:02}:{:02}", seconds % 60))
}

/// The phone as the bank writes it: twelve digits.
pub(super) fn phone(phone: &Phone) -> &str {
    phone.as_str()
}

/// A tax number without hyphens.
fn compact(rif: &Document) -> String {
    rif.to_string().replace('-', "")
}
