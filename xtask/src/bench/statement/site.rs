//! A merchant whose accounts are at the simulated Banco de Venezuela, and others who share its service.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use domain::time::CaracasDate;
use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use serde_json::json;

use super::super::owners;
use super::super::requests::post;
use super::super::seed::Account;
use super::super::service::{Asker, Service};
use super::super::stage::now;
use crate::postgres::Server;

/// How many others there are: as many as the few of other loads.
pub(super) const OTHERS: usize = 10;

/// The key of the bank's interface. Made up.
const BANK_KEY: &str = "made-up-key";

/// How far apart the payments of a day are: five thousand of them fill it.
const APART: Duration = Duration::from_secs(17);

/// Spreads numbers over all endings of eight digits: it has no divisor in common with their count.
const SPREAD: u64 = 61_803_399;
const ENDINGS: u64 = 100_000_000;

/// The bytes of a store, and the rows of statements in it.
const SQLITE_BYTES: &str = "select page_count * page_size from pragma_page_count, pragma_page_size";
const POSTGRES_BYTES: &str = "select pg_database_size(current_database())";
const ROWS: &str = "select count(*) from movements";

/// A service, and the bank that it asks.
pub(super) struct Site<'s> {
    pub(super) service: Service,
    banks: Asker,
    /// The simulated bank runs as long as this is held.
    _bank: Service,
    store: Store<'s>,
    merchant: Account,
    /// Owners that have nothing to do with the bank.
    pub(super) others: Vec<Account>,
    /// The day that is read. It is over, so that no midnight comes between.
    day: CaracasDate,
    accounts: u64,
}

/// The store that keeps the rows.
enum Store<'s> {
    Sqlite(PathBuf),
    Postgres(&'s Server, String),
}

/// An account at the bank whose day has so many credits.
pub(super) struct Day {
    pub(super) account: Account,
    pub(super) rows: u64,
    day: CaracasDate,
}

/// How much a store holds.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) bytes: u64,
    pub(super) rows: u64,
}

/// The answer to a person who has a day read.
#[derive(Deserialize)]
struct Answer {
    reading: Reading,
}

/// How far a reading is.
#[derive(Deserialize)]
pub(super) struct Reading {
    pub(super) state: String,
    pub(super) rows: u64,
    pub(super) unread: u64,
}

#[derive(Deserialize)]
struct Linked {
    userbank: UserBank,
}

#[derive(Deserialize)]
struct UserBank {
    id: String,
}

impl<'s> Site<'s> {
    /// Starts both on a new store: a file below `data`, or that database.
    pub(super) fn start(
        program: &Path,
        data: &Path,
        postgres: Option<(&'s Server, String)>,
    ) -> Result<Self> {
        std::fs::create_dir_all(data)?;
        let bank = Service::banks(program, data)?;
        let url = postgres.as_ref().map(|(_, url)| url.as_str());
        let bdv = [("COTEJO_BANKS_BDV_URL", format!("http://{}", bank.addr))];
        let service = Service::cotejo(program, data, url, &bdv)?;
        let mut owners = owners::create(program, data, url, OTHERS + 1)?;
        let merchant = owners.pop().context("an owner")?;
        let merchant = owners::sign_in(service.addr, &merchant).context("signing in")?;
        Ok(Self {
            service,
            banks: Asker::connect(bank.addr)?,
            _bank: bank,
            store: match postgres {
                None => Store::Sqlite(data.join("cotejo.sqlite")),
                Some((server, url)) => Store::Postgres(server, url),
            },
            merchant,
            others: owners.into_iter().map(|owner| owner.account).collect(),
            day: CaracasDate::of(now()?).plus_days(-1),
            accounts: 0,
        })
    }

    /// Links another account, to which so many payments came on the day.
    pub(super) fn account(&mut self, rows: u64) -> Result<Day> {
        self.accounts += 1;
        let number = format!("0102000089{:010}", self.accounts);
        let account = json!({
            "account": number, "api_key": BANK_KEY, "phone": "04120000001", "rif": "J-12345678-4",
        });
        self.banks.ask(&post("/admin/accounts", None, &account.to_string()))?;
        for payment in 0..rows {
            let at = self.day.start().plus(APART * u32::try_from(payment)?);
            let payment = json!({
                "account": number, "reference": reference(payment), "amount": "150.75",
                "payer_bank": "0134", "phone": format!("0414{payment:07}"), "document": "V12345678",
                "at": at.to_string(), "commission": false, "repeated": false,
            });
            self.banks.ask(&post("/admin/payments", None, &payment.to_string()))?;
        }
        let body = json!({
            "bank_provider": "BDV", "description": "Account", "password": BANK_KEY,
            "user_bank_phone": { "countryCode": "58", "number": "4120000001" },
            "user_bank_dni": { "dni_type": "J", "dni_number": "123456784" },
            "metadata": [{ "key_name": "account_number", "key_value": number }],
        });
        let link = post("/usersbank", Some(&self.merchant.key), &body.to_string());
        let linked: Linked = serde_json::from_str(&self.asker()?.ask(&link)?)?;
        let bank = linked.userbank.id.parse().context("the account's id")?;
        let account = Account { bank, ..self.merchant.clone() };
        Ok(Day { account, rows, day: self.day })
    }

    /// A connection to the service.
    pub(super) fn asker(&self) -> Result<Asker> {
        Asker::connect(self.service.addr)
    }

    /// Makes PostgreSQL look at its tables as they are now, as it does by itself within a minute.
    pub(super) fn settle(&self) -> Result<()> {
        match &self.store {
            Store::Sqlite(_) => Ok(()),
            Store::Postgres(server, url) => server.execute(url, "analyze"),
        }
    }

    /// How much the store holds now, what is in its write-ahead log (WAL) included.
    pub(super) fn held(&self) -> Result<Held> {
        match &self.store {
            Store::Sqlite(file) => {
                let store = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                let number = |sql: &str| -> Result<u64> {
                    Ok(store.query_row(sql, [], |row| row.get::<_, i64>(0))?.try_into()?)
                };
                Ok(Held { bytes: number(SQLITE_BYTES)?, rows: number(ROWS)? })
            }
            Store::Postgres(server, url) => Ok(Held {
                bytes: server.number(url, POSTGRES_BYTES)?,
                rows: server.number(url, ROWS)?,
            }),
        }
    }
}

impl Day {
    /// Asks for the day to be read, or hears how far that is.
    pub(super) fn read(&self, service: &mut Asker) -> Result<Reading> {
        let path = format!("/v1/movements/{}/read", self.account.bank);
        let body = json!({ "day": self.day.to_string() }).to_string();
        let answer = service.ask(&post(&path, self.account.session.as_deref(), &body))?;
        Ok(serde_json::from_str::<Answer>(&answer)?.reading)
    }
}

/// The reference of a payment of the day, which ends as no other does.
pub(super) fn reference(payment: u64) -> String {
    format!("79{:08}", payment * SPREAD % ENDINGS)
}
