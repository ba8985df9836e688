//! Banco de Venezuela, simulated by a process of its own, and shops' accounts there: some of a day
//! with few movements, some of one with many.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;

use super::ROUNDS;
use super::load::Requests;
use super::requests::{post, verify};
use super::seed::Account;
use super::service::{Asker, Service};
use crate::statistics::median;

/// The key of the bank's interface. Made up.
const KEY: &str = "made-up-key";

/// The reference of a day's first payment; the others count up from it.
const FIRST_REFERENCE: usize = 10_000_000;

/// A day as the bank shows it, and how many shops look at it: each has an account of its own here
/// and so a book of its own, though the bank knows one account alone.
pub(super) struct Day {
    pub(super) name: &'static str,
    account: &'static str,
    movements: usize,
    shops: usize,
    /// How many of the shops take part in one round.
    at_once: usize,
}

/// A day with few movements, so that it takes other shops in every round; they are as few as will
/// do, since each has the bank asked every two seconds.
pub(super) const SMALL: Day = Day {
    name: "100",
    account: "01020000890000000001",
    movements: 100,
    shops: AT_ONCE * ROUNDS,
    at_once: AT_ONCE,
};

/// A day with many. More shops would have more movements than the service keeps in its books.
pub(super) const LARGE: Day = Day {
    name: "10,000",
    account: "01020000890000000002",
    movements: 10_000,
    shops: 8,
    at_once: 8,
};

const AT_ONCE: usize = 43;

/// How many verifications one round has, of either day: every movement of the small one is new once,
/// but for that of the first look.
const A_ROUND: usize = AT_ONCE * (SMALL.movements - 1);

/// Shops whose accounts have such a day.
pub(super) struct Shops {
    pub(super) day: &'static Day,
    accounts: Vec<Account>,
    /// How long the first verification of the day took, which reads all of it: the middle of all
    /// shops', in milliseconds.
    pub(super) first_look_ms: f64,
}

/// Has the bank show these days. The rows that it adds of its own are left out, so that a day has as
/// many as it says.
pub(super) fn fill(bank: &Service, days: &[&Day]) -> Result<()> {
    let mut bank = Asker::connect(bank.addr)?;
    for day in days {
        let account = json!({
            "account": day.account, "api_key": KEY, "phone": "04120000001", "rif": "J-12345678-4",
        });
        bank.ask(&post("/admin/accounts", None, &account.to_string()))?;
        for number in 0..day.movements {
            let payment = json!({
                "account": day.account, "reference": reference(number), "amount": "150.75",
                "payer_bank": "0134", "phone": "04140000002", "document": "V12345678",
                "commission": false, "repeated": false,
            });
            bank.ask(&post("/admin/payments", None, &payment.to_string()))?;
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Linked {
    userbank: UserBank,
}

#[derive(Deserialize)]
struct UserBank {
    id: String,
}

/// Links an account with that day for as many owners as it has shops, and has each verify the day's
/// last payment.
pub(super) fn link(service: SocketAddr, owners: &[Account], day: &'static Day) -> Result<Shops> {
    let mut service = Asker::connect(service)?;
    let body = json!({
        "bank_provider": "BDV", "description": "Account", "password": KEY,
        "user_bank_phone": { "countryCode": "58", "number": "4120000001" },
        "user_bank_dni": { "dni_type": "J", "dni_number": "123456784" },
        "metadata": [{ "key_name": "account_number", "key_value": day.account }],
    });
    let body = body.to_string();
    let mut accounts = Vec::with_capacity(day.shops);
    let mut first_looks = Vec::with_capacity(day.shops);
    for owner in owners.iter().take(day.shops) {
        let linked = service.ask(&post("/usersbank", Some(&owner.key), &body))?;
        let linked: Linked = serde_json::from_str(&linked)?;
        let bank = linked.userbank.id.parse().context("the id of an account")?;
        let account = Account { bank, ..owner.clone() };
        let mut request = Vec::new();
        verify(&mut request, &account, &reference(day.movements - 1));
        let begun = begun();
        service.ask(&request)?;
        first_looks.push(begun.elapsed().as_secs_f64() * 1e3);
        accounts.push(account);
    }
    Ok(Shops { day, accounts, first_look_ms: median(first_looks) })
}

/// A movement that nobody has verified, each time of another shop.
pub(super) struct Fresh {
    day: &'static Day,
    accounts: Vec<Account>,
}

impl Shops {
    pub(super) fn fresh(&self) -> Fresh {
        Fresh { day: self.day, accounts: self.accounts.clone() }
    }
}

impl Requests for Fresh {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        let number = usize::try_from(number).unwrap_or(0);
        let Day { at_once, movements, shops, .. } = *self.day;
        let shop = (number / A_ROUND * at_once + number % at_once) % shops;
        // All over the day, whose last is known: seven divides the length of neither.
        let movement = number / at_once * 7 % (movements - 1);
        verify(buffer, &self.accounts[shop], &reference(movement));
    }

    fn a_round(&self) -> u64 {
        A_ROUND as u64
    }
}

fn reference(number: usize) -> String {
    (FIRST_REFERENCE + number).to_string()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn begun() -> Instant {
    Instant::now()
}
