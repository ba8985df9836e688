//! The account's extract: `movimientos`, one day and one page at a time.

use std::sync::Arc;
use std::time::Duration;

use domain::matching::Sighting;
use domain::money::Bolivars;
use domain::payer::AccountNumber;
use domain::reference::BankReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::Failure;
use egress::BankClient;
use http::HeaderName;
use serde::{Deserialize, Serialize};

use super::Environment;
use super::amount::amount;
use super::message::{is_empty_day, plain};
use super::observation::payer;
use super::reply::{DONE, Envelope, Loose, NOT_DONE, failure_of_line, failure_of_page};
use crate::listing::{Extract, Page};

/// How many rows a page has that another one follows.
pub(super) const PAGE_ROWS: usize = 100;

/// How long one page may take: what others who use the bank allow it.
const PAGE_MAX: Duration = Duration::from_secs(30);

/// The header that bears the key. One key is for one product of the bank.
pub(super) const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// One account's extract.
pub(super) struct BdvExtract {
    pub(super) client: Arc<BankClient>,
    pub(super) environment: Environment,
    pub(super) account: AccountNumber,
    pub(super) secret: SecretText,
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
    async fn page(&self, day: CaracasDate, after: Option<&str>) -> Result<Page, Failure> {
        let path = match self.environment {
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
        let reply = self.client.post_json(path, &[(KEY, &self.secret)], body, PAGE_MAX).await;
        let reply = reply.map_err(failure_of_line)?;
        read_page(reply.status, &reply.body, day)
    }

    fn secret(&self) -> &SecretText {
        &self.secret
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
    movs: Option<Vec<Movement>>,
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
            match data.movs {
                Some(movements) => page(&movements, day),
                None if data.total_of_movements.as_str() == "0" => Ok(Page::default()),
                None => Err(Failure::BadResponse),
            }
        }
        NOT_DONE if is_empty_day(&plain(envelope.message.as_str())) => Ok(Page::default()),
        _ => Err(envelope.failure(status)),
    }
}

fn page(movements: &[Movement], day: CaracasDate) -> Result<Page, Failure> {
    let mut page = Page { is_full: movements.len() >= PAGE_ROWS, ..Page::default() };
    for movement in movements {
        match movement.read(day) {
            Row::Credit(sighting) => page.rows.push(*sighting),
            Row::Unreadable(reference) => page.unreadable.push(reference),
            Row::Other => {}
        }
    }
    // The manual does not say at which end of the day a page begins.
    if let [first, .., last] = movements {
        page.is_latest_first = first.minute() > last.minute() && last.minute().is_some();
    }
    page.last = movements.last().map(|last| last.nro_mov.as_str().to_owned());
    // Without its mark there is no way to what comes after.
    if page.is_full && page.last.as_deref() == Some("") {
        return Err(Failure::BadResponse);
    }
    Ok(page)
}

/// What a row is to whoever looks for a payment.
enum Row {
    /// Money that came in.
    Credit(Box<Sighting>),
    /// It may be that, and cannot be read.
    Unreadable(BankReference),
    /// Money that went out, such as the commission of a payment, whose reference ends like the
    /// payment's; or a row without a reference, which no reference can mean.
    Other,
}

impl Movement {
    fn read(&self, day: CaracasDate) -> Row {
        let digits: String =
            self.referencia.as_str().chars().filter(char::is_ascii_digit).collect();
        let Ok(reference) = BankReference::parse(&digits) else { return Row::Other };
        let kind = plain(self.mov.as_str());
        if kind.starts_with('d') {
            return Row::Other;
        }
        let amount = match amount(self.importe.as_str()) {
            Some(amount) if kind.starts_with("cr") || kind == "c" => amount,
            _ => return Row::Unreadable(reference),
        };
        if !Bolivars::is_positive(amount) {
            return Row::Other;
        }
        let paid_on = read_day(self.fecha.as_str()).unwrap_or(day);
        Row::Credit(Box::new(Sighting {
            reference,
            // Its number is none: a row that the bank repeats has another one.
            bank_key: None,
            amount,
            paid_on,
            paid_at: self.minute().map(|minute| instant(paid_on, minute)),
            payer: payer(self.observacion.as_str()),
        }))
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
