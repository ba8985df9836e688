//! The two transactions of a charge, statement by statement as the store runs them, on a SQLite
//! connection of our own so that the layout beneath them can vary.

use anyhow::{Context, Result};
use domain::reference::TAIL_DIGITS;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::schema::Ids;
use crate::chance::Chance;

/// How many owners share the load, each with one key and one account.
const OWNERS: usize = 1_000;

/// The month that everything is charged in; which one does not matter.
const MONTH: i64 = 24_322;

/// What each owner has to spend: more than any run costs.
const BALANCE: i64 = 1_000_000_000;

/// The time of the first row, in microseconds, as ids are ordered by time.
const BEGINNING: u64 = 1_763_000_000_000_000;

const OWNER: &str =
    "insert into owners (owner_id, balance, reserved, credit_lines) values (?1, ?2, 0, 0)";
const KEY: &str = "insert into api_keys values (?1, ?2, 'default', ?3, 'abcd', 1, 1, null, null, \
    null, x'', 0, null, ?4, ?4)";
const IDENTITY: &str = "insert into bank_identities values (?1, ?2, 'BANK_TEST', 'x', 0, ?3)";
const ACCOUNT: &str =
    "insert into user_banks values (?1, ?2, ?3, 'BANK_TEST', 'x', null, 0, 0, ?4, ?4)";

const OPEN: &str = "insert into verifications (owner_id, id, key_id, bank_id, identity_id, \
    client_id, month, cost, fingerprint, query, state, calls, asked_at, deadline, lease_until) \
    values (?1, ?2, ?3, ?4, ?5, null, ?6, 1, ?7, ?8, 0, 1, ?9, ?10, ?10) \
    on conflict do nothing";
const COUNTERS_AND_LIMITS: &str = "select o.balance, o.reserved, k.posted, k.reserved, \
    (select a.monthly_credit_limit from api_keys a \
    where a.owner_id = ?1 and a.id = ?2 and a.client_id is null) \
    from owners o join key_months k on k.owner_id = ?1 and k.key_id = ?2 and k.month = ?3 \
    where o.owner_id = ?1";
const RESERVE_KEY: &str = "insert into key_months (owner_id, key_id, month, posted, reserved, \
    operations, requests, credit_lines) values (?1, ?2, ?3, 0, 1, 0, 0, 0) \
    on conflict (owner_id, key_id, month) do update \
    set reserved = key_months.reserved + excluded.reserved";
const RESERVE_OWNER: &str = "update owners set reserved = reserved + 1 \
    where owner_id = ?1 and reserved + 1 <= balance";

const LOCK: &str = "select state, cost, fingerprint, query, asked_at, deadline \
    from verifications where owner_id = ?1 and id = ?2";
const WITH_TAIL: &str = "select m.id, m.reference, p.id from movements m \
    left join payments p on p.owner_id = ?1 and p.movement_id = m.id \
    where m.owner_id = ?1 and m.identity_id = ?2 and m.tail = ?3 limit 200";
const MOVEMENT: &str = "insert into movements (owner_id, id, identity_id, reference, tail, \
    bank_key, amount, paid_on, paid_at, created_at, number, previous) \
    values (?1, ?2, ?3, ?4, ?5, null, 10000, 20400, ?6, ?6, \
    coalesce((select movements from movement_days \
    where owner_id = ?1 and identity_id = ?3 and paid_on = 20400), 0) + 1, \
    (select newest from movement_days where owner_id = ?1 and identity_id = ?3 and paid_on = 20400))";
const DAY: &str = "insert into movement_days (owner_id, identity_id, paid_on, movements, newest) \
    values (?1, ?2, 20400, 1, ?3) on conflict (owner_id, identity_id, paid_on) do update \
    set movements = movement_days.movements + 1, newest = excluded.newest";
const POST_KEY: &str = "update key_months set posted = posted + 1, reserved = reserved - 1, \
    operations = operations + 1, requests = requests + 1, credit_lines = credit_lines + 1, \
    line_before = newest_line, newest_line = ?4 \
    where owner_id = ?1 and key_id = ?2 and month = ?3 returning requests, credit_lines, line_before";
const POST_OWNER: &str = "update owners set balance = balance - 1, reserved = reserved - 1, \
    credit_lines = credit_lines + 1 where owner_id = ?1 returning credit_lines, balance";
const LINE: &str = "insert into credit_movements (owner_id, line, amount, balance_after, \
    movement_type, origin, description, verification_id, client_id, key_id, month, ordinal, \
    request, created_at, previous) \
    values (?1, ?2, -1, ?3, 'debit', 'verification', 'payment verification', \
    ?4, null, ?5, ?6, ?7, ?8, ?9, ?10)";
const PAYMENT: &str = "insert into payments (owner_id, id, movement_id, verification_id, bank_id, \
    key_id, client_id, credit_cost, params, created_at, updated_at) \
    values (?1, ?2, ?3, ?4, ?5, ?6, null, 1, ?7, ?8, ?8)";
const CONFIRM: &str = "update verifications set state = 1, payment_id = ?2, announced_by = ?2, \
    ended_at = ?3, lease_until = null where owner_id = ?1 and id = ?4 and state = 0";

/// What was asked, about as long as the real thing.
const QUERY: &str = r#"{"reference":"123456767890","amount":"100.00","paid_on":"2026-11-20"}"#;

/// Who is charged: ids as the layout keeps them.
#[derive(Clone)]
struct Account {
    owner: Value,
    key: Value,
    bank: Value,
    identity: Value,
}

/// A verification between its two transactions.
struct Open {
    account: usize,
    id: Value,
    reference: String,
}

/// A writer with its load.
pub(super) struct Writer {
    connection: Connection,
    ids: Ids,
    chance: Chance,
    accounts: Vec<Account>,
    open: Vec<Open>,
    /// The time that rows are written at, in microseconds: a tenth of a millisecond for each.
    now: u64,
}

impl Writer {
    /// Makes the owners in a database whose tables are there.
    pub(super) fn new(connection: Connection, ids: Ids) -> Result<Self> {
        let (chance, accounts, open) = (Chance::new(7), Vec::new(), Vec::new());
        let mut writer = Self { connection, ids, chance, accounts, open, now: BEGINNING };
        writer.connection.execute_batch("begin immediate")?;
        for _ in 0..OWNERS {
            let account = writer.make_account()?;
            writer.accounts.push(account);
        }
        writer.connection.execute_batch("commit")?;
        Ok(writer)
    }

    /// One transaction of `jobs` jobs, each in a savepoint: the ends of what the previous one
    /// began, and as many beginnings. Answers how many verifications ended.
    pub(super) fn transact(&mut self, jobs: usize) -> Result<usize> {
        self.run("begin immediate", [])?;
        let ending = std::mem::take(&mut self.open);
        for open in &ending {
            self.run("savepoint job", [])?;
            self.settle(open)?;
            self.run("release job", [])?;
        }
        for _ in 0..jobs / 2 {
            self.run("savepoint job", [])?;
            let open = self.reserve()?;
            self.open.push(open);
            self.run("release job", [])?;
        }
        self.run("commit", [])?;
        Ok(ending.len())
    }

    fn make_account(&mut self) -> Result<Account> {
        let (owner, key) = (self.id("usr_"), self.id("key_"));
        let (bank, identity) = (self.id("bnk_"), self.id("idn_"));
        let now = self.now();
        self.run(OWNER, [owner.clone(), BALANCE.into()])?;
        let hash = self.hash();
        self.run(KEY, [owner.clone(), key.clone(), hash, now.clone()])?;
        self.run(IDENTITY, [owner.clone(), identity.clone(), now.clone()])?;
        self.run(ACCOUNT, [owner.clone(), bank.clone(), identity.clone(), now])?;
        Ok(Account { owner, key, bank, identity })
    }

    fn reserve(&mut self) -> Result<Open> {
        let account = self.chance.below(self.accounts.len());
        let (id, fingerprint, now) = (self.id("ver_"), self.hash(), self.now());
        let Account { owner, key, bank, identity } = self.accounts[account].clone();
        let row = [
            owner.clone(),
            id.clone(),
            key.clone(),
            bank,
            identity,
            MONTH.into(),
            fingerprint,
            Value::Text(QUERY.to_owned()),
            now.clone(),
            now,
        ];
        self.run(OPEN, row)?;
        self.run(RESERVE_KEY, [owner.clone(), key.clone(), MONTH.into()])?;
        self.run(RESERVE_OWNER, [owner.clone()])?;
        self.run(COUNTERS_AND_LIMITS, [owner, key, MONTH.into()])?;
        let reference = format!("{:012}", self.chance.next() % 1_000_000_000_000);
        Ok(Open { account, id, reference })
    }

    fn settle(&mut self, open: &Open) -> Result<()> {
        let Account { owner, key, bank, identity } = self.accounts[open.account].clone();
        let (movement, payment, now) = (self.id("mov_"), self.id("pay_"), self.now());
        let id = || open.id.clone();
        let reference = Value::Text(open.reference.clone());
        let tail = Value::Text(open.reference.chars().rev().take(TAIL_DIGITS).collect());
        self.run(LOCK, [owner.clone(), id()])?;
        self.run(WITH_TAIL, [owner.clone(), identity.clone(), tail.clone()])?;
        let seen =
            [owner.clone(), movement.clone(), identity.clone(), reference, tail, now.clone()];
        self.run(MOVEMENT, seen)?;
        self.run(DAY, [owner.clone(), identity, movement.clone()])?;
        let [request, ordinal, previous] = self
            .run(POST_KEY, [owner.clone(), key.clone(), MONTH.into(), id()])?
            .context("a key without a month")?;
        let [line, balance, _] =
            self.run(POST_OWNER, [owner.clone()])?.context("an owner who is not there")?;
        let charge = [
            owner.clone(),
            line,
            balance,
            id(),
            key.clone(),
            MONTH.into(),
            ordinal,
            request,
            now.clone(),
            previous,
        ];
        self.run(LINE, charge)?;
        let claim = [
            owner.clone(),
            payment.clone(),
            movement,
            id(),
            bank,
            key,
            Value::Text(QUERY.to_owned()),
            now.clone(),
        ];
        self.run(PAYMENT, claim)?;
        self.run(CONFIRM, [owner, payment, now, id()])?;
        Ok(())
    }

    /// Runs a statement to its end; answers the first three columns of its last row.
    fn run<const N: usize>(&self, text: &str, params: [Value; N]) -> Result<Option<[Value; 3]>> {
        let mut statement = self.connection.prepare_cached(text)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(params))?;
        let mut last = None;
        while let Some(row) = rows.next()? {
            let value = |at| if at < columns { row.get(at) } else { Ok(Value::Null) };
            last = Some([value(0)?, value(1)?, value(2)?]);
        }
        Ok(last)
    }

    fn now(&mut self) -> Value {
        self.now += 100;
        Value::Integer(i64::try_from(self.now).unwrap_or(i64::MAX))
    }

    fn id(&mut self, prefix: &str) -> Value {
        let bytes = self.chance.id(self.now / 1_000);
        match self.ids {
            Ids::Bytes => Value::Blob(bytes.to_vec()),
            Ids::Text => Value::Text(format!("{prefix}{}", base32(bytes))),
        }
    }

    fn hash(&mut self) -> Value {
        Value::Blob((0..4).flat_map(|_| self.chance.next().to_be_bytes()).collect())
    }
}

/// 26 letters that sort as the bytes do.
fn base32(bytes: [u8; 16]) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let number = u128::from_be_bytes(bytes);
    let letter = |at: u32| char::from(LETTERS[usize::from((number >> (5 * at)) as u8 & 31)]);
    (0..26).rev().map(letter).collect()
}
