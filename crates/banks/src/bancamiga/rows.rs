//! The rows of the bank's lists: pagos móviles that came in.

use domain::bank_text::BankText;
use domain::matching::{PayerFacts, PayerForm, Sighting};
use domain::money::Bolivars;
use domain::payer::{BankCode, Phone};
use domain::reference::BankReference;
use domain::time::CaracasDate;
use domain::verification::Failure;
use serde::Deserialize;
use serde_json::Value;

use super::written::{Loose, amount, instant, seconds};
use crate::listing::Unreadable;

/// The payments that were asked about.
pub(super) struct Asked<'a> {
    /// The day.
    pub(super) day: CaracasDate,
    /// The phone and the bank that they came from; none where all of the day were asked for.
    pub(super) payer: Option<(&'a Phone, &'a BankCode)>,
    /// The phone that they went to: one token may show those of other phones of the same customer.
    pub(super) receiver: &'a Phone,
}

/// A list, as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The payments that were asked about.
    pub(super) shown: Vec<Sighting>,
    /// What may be such and could not be read.
    pub(super) unreadable: Unreadable,
    /// How many rows there are, of whatever kind.
    pub(super) count: usize,
}

/// A row. `Dni` is the receiver's own and `Status` has values that no manual explains: neither is read.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Row {
    amount: Loose,
    banco_orig: Loose,
    phone_orig: Loose,
    phone_dest: Loose,
    nro_referencia: Loose,
    nro_referencia_corto: Loose,
    fecha_movimiento: Loose,
    hora_movimiento: Loose,
    descripcion: Loose,
    #[serde(rename = "deleted_at")]
    deleted_at: Loose,
}

/// Kind of a row, for a search for a payment.
enum Kind {
    /// Money that came in.
    Credit(Box<Sighting>),
    /// It may be that, and cannot be read; perhaps not even its reference.
    Unreadable(Option<BankReference>),
    /// The same, whose reference is nothing but zeros: no question can mean it.
    Zeros,
    /// A payment that the bank took back, one of another phone of the customer, or of nothing.
    Other,
    /// One that was not asked about.
    Foreign,
}

/// Reads the rows of an answer, each by itself: one of another form costs no other.
///
/// # Errors
///
/// [`Failure::BadResponse`] where all rows are such that were not asked about, so that the answer is to another question.
pub(super) fn read(rows: Vec<Value>, asked: &Asked<'_>) -> Result<Rows, Failure> {
    let mut read = Rows { count: rows.len(), ..Rows::default() };
    let mut foreign = 0;
    for row in rows {
        let row: Row = serde_json::from_value(row).unwrap_or_default();
        match row.kind(asked) {
            Kind::Credit(sighting) => read.shown.push(*sighting),
            Kind::Unreadable(Some(reference)) => read.unreadable.references.push(reference),
            Kind::Unreadable(None) => read.unreadable.has_nameless = true,
            Kind::Zeros => read.unreadable.has_zeros = true,
            Kind::Other => {}
            Kind::Foreign => foreign += 1,
        }
    }
    if foreign > 0 && foreign == read.count { Err(Failure::BadResponse) } else { Ok(read) }
}

impl Row {
    fn kind(&self, asked: &Asked<'_>) -> Kind {
        let day = CaracasDate::parse(self.fecha_movimiento.as_str()).ok();
        let phone = Phone::parse(self.phone_orig.as_str()).ok();
        let bank = bank_code(self.banco_orig.as_str());
        let is_other_payer = asked.payer.is_some_and(|(asked_phone, asked_bank)| {
            phone.as_ref().is_some_and(|phone| phone != asked_phone)
                || bank.as_ref().is_some_and(|bank| bank != asked_bank)
        });
        if is_other_payer || day.is_some_and(|day| day != asked.day) {
            return Kind::Foreign;
        }
        let receiver = Phone::parse(self.phone_dest.as_str()).ok();
        let is_of_other_phone = receiver.is_some_and(|receiver| receiver != *asked.receiver);
        if is_of_other_phone || !self.deleted_at.as_str().is_empty() {
            return Kind::Other;
        }
        self.money(day.unwrap_or(asked.day), phone, bank)
    }

    fn money(&self, paid_on: CaracasDate, phone: Option<Phone>, bank: Option<BankCode>) -> Kind {
        let (long, short) = (self.nro_referencia.as_str(), self.nro_referencia_corto.as_str());
        let digits = if long.is_empty() { short } else { long };
        if !digits.is_empty() && digits.bytes().all(|digit| digit == b'0') {
            return Kind::Zeros;
        }
        let reference = BankReference::parse(digits).ok();
        // The short form is the ending of the long one. Where it is not, nobody knows which is meant.
        let reference = reference.filter(|_| digits.ends_with(short));
        let amount = amount(self.amount.as_str());
        let (Some(reference), Some(amount)) = (reference.clone(), amount) else {
            return Kind::Unreadable(reference);
        };
        if !Bolivars::is_positive(amount) {
            return Kind::Other;
        }
        // A payer whom nobody can read proves nothing to a stranger.
        let form = if phone.is_some() { PayerForm::Known } else { PayerForm::Unknown };
        let time = seconds(self.hora_movimiento.as_str());
        Kind::Credit(Box::new(Sighting {
            reference,
            // `Refpk` is built of what is compared anyway. If a notice and a list ever built it otherwise, one payment
            // would be two.
            bank_key: None,
            amount,
            paid_on,
            paid_at: time.map(|seconds| instant(paid_on, seconds)),
            payer: PayerFacts { bank, phone, form, ..PayerFacts::default() },
            description: BankText::clean(self.descripcion.as_str()),
        }))
    }
}

/// A bank's code, whose leading zero a number would have lost on its way.
pub(super) fn bank_code(text: &str) -> Option<BankCode> {
    let is_code = !text.is_empty();
    is_code.then(|| BankCode::parse(&format!("{text:0>4}")).ok()).flatten()
}
