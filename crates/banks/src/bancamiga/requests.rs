//! The bank's questions, as they are sent.

use domain::payer::{BankCode, Phone};
use domain::time::CaracasDate;
use domain::verification::Failure;
use serde::Serialize;

/// The path of what one phone sent on one day.
pub(super) const FIND: &str = "/public/protected/pm/find";

/// The path of all that came on one day.
pub(super) const DAY: &str = "/public/protected/pm/history/find";

/// The path of the next pair of tokens.
pub(super) const REFRESH: &str = "/public/re/refresh";

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Find<'a> {
    phone: &'a str,
    bank: &'a str,
    date: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Day<'a> {
    date: &'a str,
}

#[derive(Serialize)]
struct Refresh<'a> {
    refresh_token: &'a str,
}

/// Asks for what that phone sent from that bank on that day.
pub(super) fn find(phone: &Phone, bank: &BankCode, day: CaracasDate) -> Result<Vec<u8>, Failure> {
    let date = day.to_string();
    body(&Find { phone: phone.as_str(), bank: bank.as_str(), date: &date })
}

/// Asks for all that came on that day.
pub(super) fn day(day: CaracasDate) -> Result<Vec<u8>, Failure> {
    body(&Day { date: &day.to_string() })
}

/// Asks for the next pair of tokens.
pub(super) fn refresh(refresh_token: &str) -> Result<Vec<u8>, Failure> {
    body(&Refresh { refresh_token })
}

fn body(request: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(request).map_err(|_| Failure::InvalidInput)
}
