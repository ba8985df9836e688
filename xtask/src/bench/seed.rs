//! Owners to put load on, written through the store itself while no server runs: a thousand
//! passwords to hash would take longer than the benchmark.

use std::path::Path;

use anyhow::{Context, Result};
use domain::ids::{BankId, IdSource, IdentityId, KeyId, OwnerId, PayerPageId, SubscriptionId};
use domain::keys::KeyText;
use domain::links::{Currency, Price};
use domain::money::Credits;
use domain::permissions::Permissions;
use domain::secret::PersonalText;
use domain::subscriptions::{
    PAGE_KEPT, PeriodLength, PeriodUnit, Reminders, Schedule, Terms, TestClock, UnpaidPolicy,
};
use domain::time::{CaracasDate, Timestamp};
use store::accounts::NewAccount;
use store::issuers::Issuer;
use store::keys::NewKey;
use store::locators::{Kind, Located};
use store::subscriptions::{Customer, Product, Subscription};
use store::tx::Tx;
use store::{
    Engine, Lane, Meter, OnFatal, Options, PostgresSettings, SqliteSettings, Store, accounts,
    credits, due, keys, locators, owners, subscriptions,
};

use crate::chance::Chance;

/// Credits of every owner: more than any load costs.
const CREDITS: Credits = Credits::new(1_000_000_000);

/// Text stored in place of a password's hash. Four times in a row, it is as long as a hash.
const NO_PASSWORD: &str = "no password opens this, ";

/// How many owners are written at once.
const TOGETHER: usize = 64;

/// An owner as its caller knows it.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) owner: OwnerId,
    pub(super) key: String,
    pub(super) key_id: KeyId,
    pub(super) bank: BankId,
    /// What opens the activity of its key: a session, where it has one.
    pub(super) session: Option<String>,
    /// What a browser of its owner shows, where it has one.
    pub(super) cookie: Option<String>,
}

/// The database of a service: the file in its data folder, or a PostgreSQL.
pub(super) enum Database<'a> {
    Sqlite(&'a Path),
    Postgres(&'a str),
}

/// Makes `count` owners, each with a key and an account at the test bank.
pub(super) fn owners(
    database: &Database<'_>,
    count: usize,
    now: Timestamp,
) -> Result<Vec<Account>> {
    let store = open(database, now)?;
    let ids = Random(std::sync::Mutex::new(Chance::new(count as u64)));
    let made: Vec<_> = (0..count).map(|_| make(&ids, now)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for some in made.chunks(TOGETHER) {
            let writes =
                some.iter().map(|(account, key)| insert((&store, &ids), account, key, now, true));
            futures_util::future::try_join_all(writes).await?;
        }
        anyhow::Ok(())
    })?;
    store.close();
    Ok(made.into_iter().map(|(account, _)| account).collect())
}

/// Makes one owner with `count` keys, each with an account at the test bank.
pub(super) fn one_owner(
    database: &Database<'_>,
    count: u32,
    now: Timestamp,
) -> Result<Vec<Account>> {
    let store = open(database, now)?;
    let ids = Random(std::sync::Mutex::new(Chance::new(u64::from(count))));
    let owner = OwnerId::new(&ids, now);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut accounts = Vec::new();
    for number in 0..count {
        let (account, key) = make(&ids, now);
        let (account, is_new) = (Account { owner, ..account }, number == 0);
        let key = NewKey { is_default: is_new, ..key };
        runtime.block_on(insert((&store, &ids), &account, &key, now, is_new))?;
        accounts.push(account);
    }
    store.close();
    Ok(accounts)
}

/// Gives each owner subscriptions that are paid first, of which so many begin in a month and so many today; the latter
/// are due at the instant `due_at`.
pub(super) fn subscriptions(
    database: &Database<'_>,
    accounts: &[Account],
    (later_each, due_each): (usize, usize),
    (now, due_at): (Timestamp, Timestamp),
) -> Result<()> {
    let store = open(database, now)?;
    let ids = Random(std::sync::Mutex::new(Chance::new(accounts.len() as u64 + 1)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let meter = Meter::default();
    let month = PeriodLength::new(PeriodUnit::Month, 1).context("a month")?;
    for some in accounts.chunks(TOGETHER) {
        let writes = some.iter().map(|account| {
            let later =
                (0..later_each).map(|_| (subscription((account, &ids), (month, 30), now), false));
            let today =
                (0..due_each).map(|_| (subscription((account, &ids), (month, 0), now), true));
            let all: Vec<_> = later.chain(today).collect();
            let owner = account.owner;
            store.write(&meter, Lane::Admission, owner, move |tx| {
                for (new, is_due) in &all {
                    subscriptions::insert(tx, owner, new)?;
                    let at = if *is_due { due_at } else { new.terms.opens_at(0) };
                    due::reschedule(tx, owner, due::Kind::Subscription, new.id.to_bytes(), at)?;
                }
                Ok(())
            })
        });
        runtime.block_on(futures_util::future::try_join_all(writes))?;
    }
    store.close();
    Ok(())
}

/// A subscription whose first period begins so many days from now.
fn subscription(
    (account, ids): (&Account, &dyn IdSource),
    (length, days): (PeriodLength, i32),
    now: Timestamp,
) -> Subscription {
    let terms = Terms {
        schedule: Schedule::new(CaracasDate::of(now).plus_days(days), length, None),
        pay_first: true,
        cycles: None,
        lead_days: 3,
        grace_days: 3,
        has_trial: false,
        reminders: Reminders::default(),
        unpaid: UnpaidPolicy::Stay,
    };
    Subscription {
        id: SubscriptionId::new(ids, now),
        bank: account.bank,
        actor: account.key_id.into(),
        client: None,
        name: None,
        description: None,
        product: Product { name: "Producto".to_owned(), code: None },
        customer: Customer {
            name: PersonalText::new("Cliente".to_owned()),
            phone: PersonalText::new("0412-0000000".to_owned()),
            code: None,
            email: None,
            is_mail_off: false,
        },
        price: Price { hundredths: 15_075, currency: Currency::Vef },
        webhook_url: None,
        livemode: false,
        clock: TestClock::REAL,
        terms,
        standing: domain::subscriptions::Subscription::new(terms).standing,
        paid: 0,
        canceled_by_payer: false,
        page: PayerPageId::new(ids),
        page_until: terms.lapses_at(0).plus(PAGE_KEPT),
        created_at: now,
        updated_at: now,
    }
}

fn open(database: &Database<'_>, now: Timestamp) -> Result<Store> {
    let engine = match database {
        Database::Sqlite(data) => Engine::Sqlite(SqliteSettings::new(data.join("cotejo.sqlite"))),
        Database::Postgres(url) => Engine::Postgres(PostgresSettings::at(*url)),
    };
    let on_fatal = OnFatal::new(crate::process::progress);
    store::open(&Options { engine, now, on_fatal }).context("the store")
}

fn make(ids: &dyn IdSource, now: Timestamp) -> (Account, NewKey) {
    let text = KeyText::generate(ids);
    let account = Account {
        owner: OwnerId::new(ids, now),
        key: text.expose().to_owned(),
        key_id: KeyId::new(ids, now),
        bank: BankId::new(ids, now),
        session: None,
        cookie: None,
    };
    let key = NewKey {
        monthly_credit_limit: None,
        id: account.key_id,
        name: "Default".to_owned(),
        hash: text.hash(),
        hint: text.hint(),
        is_default: true,
        client: None,
        selection: Vec::new(),
        permissions: Permissions::ALL,
        expires_at: None,
        issuer: Issuer::default(),
    };
    (account, key)
}

/// Writes an account with its key, and the owner too where that is new.
async fn insert(
    (store, ids): (&Store, &dyn IdSource),
    account: &Account,
    key: &NewKey,
    now: Timestamp,
    is_new: bool,
) -> Result<()> {
    let meter = Meter::default();
    let (owner, hash) = (account.owner, key.hash.to_bytes());
    let located = Located { owner, subject: key.id.to_bytes() };
    let claim = move |tx: &mut Tx<'_>| locators::claim(tx, Kind::ApiKey, &hash, located);
    store.write_shared(&meter, claim).await?;
    let link = NewAccount {
        id: account.bank,
        identity: IdentityId::new(ids, now),
        provider: "BANK_TEST".to_owned(),
        account: account.bank.to_string(),
        description: "Cuenta de prueba".to_owned(),
        client: None,
    };
    let (key, email) = (key.clone(), format!("{owner}@example.com"));
    store
        .write(&meter, Lane::Admission, owner, move |tx| {
            if is_new {
                owners::insert(tx, owner, &email, "Owner", &NO_PASSWORD.repeat(4), now)?;
                credits::grant(tx, owner, CREDITS, now)?;
            }
            keys::insert(tx, owner, &key, now)?;
            accounts::insert(tx, owner, &link, now)
        })
        .await?;
    Ok(())
}

/// Ids that look like real ones and come out the same at every run.
struct Random(std::sync::Mutex<Chance>);

impl IdSource for Random {
    fn fill(&self, bytes: &mut [u8]) {
        let mut chance = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        bytes.fill_with(|| (chance.next() >> 56) as u8);
    }
}
