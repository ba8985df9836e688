//! The account's extract: `movimientos`, one day and one page at a time.

use std::sync::Arc;
use std::time::Duration;

use domain::bank_text::BankText;
use domain::matching::{PayerFacts, PayerForm, Sighting};
use domain::money::Bolivars;
use domain::payer::AccountNumber;
use domain::reference::BankReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::Failure;
use egress::BankClient;
use http::HeaderName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::amount::amount;
use super::message::{failure, is_empty_day, plain};
use super::observation::payer;
use super::wire::{DONE, Envelope, Loose, NOT_DONE, failure_of_line, failure_of_page};
use super::{BANK_CODE, Environment, Settings};
use crate::listing::{Extract, Page, Unread, content};
use crate::payer_text;

/// How many rows a page has that another one follows.
pub(super) const PAGE_ROWS: usize = 100;

/// The header that bears the key. One key is for one product of the bank.
pub(super) const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// One account's extract.
pub(super) struct BdvExtract {
    pub(super) client: Arc<BankClient>,
    pub(super) settings: Settings,
    pub(super) account: AccountNumber,
    pub(super) key: SecretText,
}

/// The question for a page. The bank refuses a range that has both today and a day before, so that
/// a range is always one day.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageRequest<'a> {
    cuenta: &'a str,
    fecha_ini: &'a str,
    fecha_fin: &'a str,
    tipo_moneda: &'a str,
    nro_movimiento: &'a str,
}

impl Extract for BdvExtract {
    async fn page(&self, day: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        let path = match self.settings.environment {
            Environment::Production => "/apis/bdv/consulta/movimientos",
            Environment::Quality => "/apis/bdv/consulta/movimientos/v2",
        };
        let date = day_first(day);
        let request = PageRequest {
            cuenta: self.account.as_str(),
            fecha_ini: &date,
            fecha_fin: &date,
            tipo_moneda: "VES",
            nro_movimiento: after.unwrap_or_default(),
        };
        let body = serde_json::to_vec(&request).map_err(|_| Failure::InvalidInput)?;
        let reply =
            self.client.post_json(path, &[(KEY, &self.key)], body, self.settings.timeout).await;
        let reply = reply.map_err(failure_of_line)?;
        Ok(read_page(reply.status, &reply.body, day)?)
    }

    fn secret(&self) -> &SecretText {
        &self.key
    }
}

/// `dd/MM/yyyy`.
fn day_first(day: CaracasDate) -> String {
    let text = day.to_string();
    let parts: Vec<&str> = text.rsplit('-').collect();
    parts.join("/")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    #[serde(default)]
    total_of_movements: Loose,
    movs: Option<Vec<Value>>,
}

/// A row of the extract.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Movement {
    referencia: Loose,
    fecha: Loose,
    hora: Loose,
    mov: Loose,
    importe: Loose,
    nro_mov: Loose,
    observacion: Loose,
}

/// Reads an answer, the body first.
///
/// # Errors
///
/// What failed, for every answer that is not a page. Only an answer that says so is an empty day.
pub(super) fn read_page(status: u16, body: &[u8], day: CaracasDate) -> Result<Page, Failure> {
    let Some(envelope) = Envelope::read(body) else { return Err(failure_of_page(status, body)) };
    match envelope.code.as_str() {
        DONE => {
            let data: Data =
                serde_json::from_value(envelope.data).map_err(|_| Failure::BadResponse)?;
            let total = data.total_of_movements.as_str().parse().ok();
            match data.movs {
                Some(rows) => Ok(Page { total, ..page(&read_rows(rows), day)? }),
                None if total == Some(0) => Ok(Page::default()),
                None => Err(Failure::BadResponse),
            }
        }
        NOT_DONE => not_done(&envelope, status),
        _ => Err(envelope.failure(status)),
    }
}

/// The rows, each by itself: one of another form has nothing that can be read, and costs no other.
fn read_rows(rows: Vec<Value>) -> Vec<Movement> {
    rows.into_iter().map(|row| serde_json::from_value(row).unwrap_or_default()).collect()
}

/// An empty day, if that is all that the message says: one about maintenance may say it besides.
fn not_done(envelope: &Envelope, status: u16) -> Result<Page, Failure> {
    let message = plain(envelope.message.as_str());
    if failure(&message).is_none() && is_empty_day(&message) {
        return Ok(Page::default());
    }
    Err(envelope.failure(status))
}

/// # Errors
///
/// [`Failure::BadResponse`] where all rows are of other days, so that this one was not shown.
fn page(movements: &[Movement], day: CaracasDate) -> Result<Page, Failure> {
    let is_of_another_day = |row: &Movement| row.day().is_some_and(|its| its != day);
    if !movements.is_empty() && movements.iter().all(is_of_another_day) {
        return Err(Failure::BadResponse);
    }
    let mut page =
        Page { count: movements.len(), is_full: movements.len() >= PAGE_ROWS, ..Page::default() };
    for movement in movements {
        match movement.read(day) {
            Row::Credit(sighting) => {
                page.unreadable.has_payerless |= is_payerless(&sighting.payer);
                payer_text::count(sighting.payer.form);
                page.rows.push(*sighting);
            }
            Row::Unreadable(Some(reference)) => page.unreadable.references.push(reference),
            Row::Unreadable(None) => page.unreadable.has_nameless = true,
            Row::Zeros => page.unreadable.has_zeros = true,
            Row::Other => {}
        }
    }
    // The manual does not say at which end of the day a page begins.
    if let [first, .., last] = movements {
        page.is_latest_first = first.minute() > last.minute() && last.minute().is_some();
    }
    page.contents = movements.iter().map(Movement::content).collect();
    let last = movements.last().map(|last| last.nro_mov.as_str());
    page.last = last.filter(|mark| !mark.is_empty()).map(ToOwned::to_owned);
    Ok(page)
}

/// Tells whether the payer is a customer of this bank whom the row does not show in a readable way.
fn is_payerless(payer: &PayerFacts) -> bool {
    let is_own = payer.bank.as_ref().is_some_and(|bank| bank.as_str() == BANK_CODE);
    is_own && payer.form == PayerForm::Unknown
}

/// Kind of row, for a search for a payment.
enum Row {
    /// Money that came in.
    Credit(Box<Sighting>),
    /// It may be that, and cannot be read; perhaps not even its reference.
    Unreadable(Option<BankReference>),
    /// Money that may have come in, whose reference is nothing but zeros: no question can mean it, and a person is
    /// to know of it.
    Zeros,
    /// Money that went out, such as the commission of a payment, whose reference ends like the
    /// payment's.
    Other,
}

impl Movement {
    fn read(&self, day: CaracasDate) -> Row {
        let digits: String =
            self.referencia.as_str().chars().filter(char::is_ascii_digit).collect();
        let kind = plain(self.mov.as_str());
        // Not every word with that letter: `DEPOSITO` comes in.
        let is_debit = kind.starts_with("deb");
        if is_debit {
            return Row::Other;
        }
        let amount = amount(self.importe.as_str());
        if !digits.is_empty() && digits.bytes().all(|digit| digit == b'0') {
            let went_out = amount.is_some_and(|amount| !Bolivars::is_positive(amount));
            return if went_out { Row::Other } else { Row::Zeros };
        }
        let reference = BankReference::parse(&digits).ok();
        let (Some(reference), Some(amount)) = (reference.clone(), amount) else {
            return Row::Unreadable(reference);
        };
        if !kind.starts_with("cr") && kind != "c" {
            return Row::Unreadable(Some(reference));
        }
        if !Bolivars::is_positive(amount) {
            return Row::Other;
        }
        let paid_on = self.day().unwrap_or(day);
        Row::Credit(Box::new(Sighting {
            reference,
            // Its number is none: a row that the bank repeats has another one.
            bank_key: None,
            amount,
            paid_on,
            paid_at: self.minute().map(|minute| instant(paid_on, minute)),
            payer: payer(self.observacion.as_str()),
            description: BankText::clean(self.observacion.as_str()),
        }))
    }

    /// Its content, but for its number and the balance, which an earlier row changes.
    fn content(&self) -> u64 {
        let texts = [&self.referencia, &self.fecha, &self.hora, &self.mov, &self.importe];
        content((texts.map(Loose::as_str), self.observacion.as_str()))
    }

    /// The day that it says it is of.
    fn day(&self) -> Option<CaracasDate> {
        read_day(self.fecha.as_str())
    }

    fn minute(&self) -> Option<u32> {
        read_minute(self.hora.as_str())
    }
}

/// The minute of the day, from `HHmm`, with or without a colon, seconds or its leading zero.
pub(super) fn read_minute(text: &str) -> Option<u32> {
    let digits: String = text.chars().filter(|sign| *sign != ':').collect();
    let digits = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |at: usize| digits.get(at..at + 2).and_then(|two| two.parse::<u32>().ok());
    let (hour, minute) = (number(0)?, number(2)?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// Reads `yyyy-MM-dd`, and the bank's other ways to write a day.
pub(super) fn read_day(text: &str) -> Option<CaracasDate> {
    let iso = match text.split('/').collect::<Vec<_>>().as_slice() {
        [day, month, year] => format!("{year}-{month}-{day}"),
        _ if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let ((year, rest), dash) = (text.split_at(4), "-");
            let (month, day) = rest.split_at(2);
            [year, month, day].join(dash)
        }
        _ => text.to_owned(),
    };
    CaracasDate::parse(&iso).ok()
}

/// The instant at which it is that minute of that day in Caracas, whose days all have 24 hours.
pub(super) fn instant(day: CaracasDate, minute: u32) -> Timestamp {
    day.start().plus(Duration::from_secs(u64::from(minute) * 60))
}
