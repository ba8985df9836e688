//! Rows of movements, read into what they mean.

use domain::bank_text::BankText;
use domain::matching::{Movement, PayerFacts, PayerForm};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::{BankReference, InvalidReference, TypedReference};
use domain::time::CaracasDate;

use crate::fault::Fault;
use crate::value::Row;

/// The movements of several searches, each once though two can find the same.
pub(crate) fn read_each(rows: impl Iterator<Item = Row>) -> Result<Vec<Movement>, Fault> {
    let mut found: Vec<Movement> = Vec::new();
    for row in rows {
        let movement = read(&row)?;
        if !found.iter().any(|known| known.id == movement.id) {
            found.push(movement);
        }
    }
    Ok(found)
}

/// Reads a row that [`super::selected`] selected.
pub(crate) fn read(row: &Row) -> Result<Movement, Fault> {
    let broken = |what: &str| Fault::broken(format!("a movement with a broken {what}"));
    let reference: String = row.get("reference")?;
    let bank: Option<String> = row.get("payer_bank")?;
    let phone: Option<String> = row.get("payer_phone")?;
    let document: Option<String> = row.get("payer_document")?;
    let account: Option<String> = row.get("payer_account")?;
    Ok(Movement {
        id: row.get("id")?,
        reference: BankReference::from_stored(&reference, row.get("reference_zeros")?)
            .map_err(|_| broken("reference"))?,
        bank_key: row.get("bank_key")?,
        amount: Bolivars::from_hundredths(row.get("amount")?),
        paid_on: CaracasDate::from_days(row.get("paid_on")?).ok_or_else(|| broken("date"))?,
        paid_at: row.get("paid_at")?,
        payer: PayerFacts {
            bank: bank
                .map(|text| BankCode::parse(&text))
                .transpose()
                .map_err(|_| broken("bank"))?,
            phone: phone
                .map(|text| Phone::parse(&text))
                .transpose()
                .map_err(|_| broken("phone"))?,
            document: document
                .map(|text| Document::parse(&text))
                .transpose()
                .map_err(|_| broken("document"))?,
            account: account
                .map(|text| AccountNumber::parse(&text))
                .transpose()
                .map_err(|_| broken("account"))?,
            form: PayerForm::from_number(row.get("payer_form")?)
                .ok_or_else(|| broken("form of its payer"))?,
        },
        description: BankText::clean(&row.get::<String>("description")?),
        receipt: reference_of(row.get("receipt")?, BankReference::parse)
            .map_err(|_| broken("receipt"))?,
        typed: reference_of(row.get("typed")?, TypedReference::parse)
            .map_err(|_| broken("typed reference"))?,
        is_named: row.get("is_named")?,
        contested_with: row.get("contested_with")?,
        claimed: row.get("payment_id")?,
    })
}

fn reference_of<T>(
    digits: Option<String>,
    parse: fn(&str) -> Result<T, InvalidReference>,
) -> Result<Option<T>, InvalidReference> {
    digits.map(|digits| parse(&digits)).transpose()
}
