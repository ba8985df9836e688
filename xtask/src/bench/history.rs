//! A long history, written straight into the tables of a SQLite file while no server runs: in the order of time,
//! as it would have come about, and exact, so that `check-ledger` finds nothing to say about it.

use std::path::Path;

use anyhow::{Context, Result};
use domain::fingerprint::Fingerprint;
use domain::ids::IdentityId;
use domain::matching::{Query, Rule};
use domain::money::Bolivars;
use domain::reference::{TAIL_DIGITS, TypedReference};
use domain::seals::{SealedFirstReport, SealedMovement, SealedPayment};
use domain::time::{CaracasDate, CaracasMonth, Timestamp};
use domain::verification::RESERVATION;
use rusqlite::{Connection, Transaction, params};

use super::seed::Account;
use crate::chance::Chance;
use crate::process::progress;

/// How many verifications go into one transaction, about.
const TOGETHER: usize = 100_000;

/// How many verifications are written between two lines about the progress.
const PROGRESS_EACH: usize = 1_000_000;

const VERIFICATION: &str = "insert into verifications (owner_id, id, actor_id, bank_id, \
    identity_id, month, cost, fingerprint, query, state, calls, reported_by, first_report_seal, payment_id, \
    asked_at, deadline, ended_at) \
    values (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, 1, 1, ?2, ?12, ?9, ?10, ?11, ?10)";
const MOVEMENT: &str = "insert into movements (owner_id, id, identity_id, reference, tail, \
    bank_key, amount, paid_on, paid_at, seal, created_at) \
    values (?1, ?2, ?3, ?4, ?5, null, ?8, ?6, ?7, ?9, ?7)";
const PAYMENT: &str = "insert into payments (owner_id, id, movement_id, verification_id, bank_id, \
    actor_id, credit_cost, params, created_at, updated_at, seal) \
    values (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?10, ?9)";
const SUM: &str = "insert into payment_sums (owner_id, day, currency, bank_id, client_id, actor_id, \
    caller_client_id, payments, amount, received) values (?1, ?2, 'VEF', ?3, ?1, ?4, ?1, ?5, ?6, ?6) \
    on conflict do update set payments = payments + excluded.payments, \
    amount = amount + excluded.amount, received = received + excluded.received";
const LINE: &str = "insert into credit_movements (owner_id, line, amount, balance_after, \
    movement_type, origin, description, verification_id, actor_id, month, ordinal, request, created_at) \
    values (?1, ?2, -1, ?3, 'debit', 'verification', 'payment verification', ?4, ?5, ?6, ?7, ?7, ?8)";
const ENTRY: &str = "insert into activity (owner_id, actor_id, month, ordinal, created_at, request_type, \
    provider, bank_id, status, latency_us, verification_id) \
    values (?1, ?2, ?3, ?4, ?5, 'payment_verification', 'BANK_TEST', ?6, 'confirmed', 0, ?7)";
const ACTOR_MONTH: &str = "insert into actor_months (owner_id, actor_id, month, posted, reserved, \
    operations, requests, credit_lines) values (?1, ?2, ?3, ?4, 0, ?4, ?4, ?4)";
const OWNER: &str = "update owners set balance = balance - ?2, credit_lines = credit_lines + ?2, \
    last_payment_at = max(last_payment_at, ?3 - 1000) + 1000 * ?2 \
    where owner_id = ?1 returning balance, credit_lines, last_payment_at";

const IDENTITY: &str = "select identity_id from user_banks where owner_id = ?1 and id = ?2";

/// Reads the index in which no entry lies beside the one before it: a service that has come by such a history
/// has it in the memory of the operating system, where it fits.
const BY_CHANCE: &str = "select count(*) from movements indexed by movements_tail";

/// Amount that was asked for and came in, in hundredths.
const AMOUNT: i64 = 15_075;

/// An account whose history is written.
struct Charged {
    owner: [u8; 16],
    key: [u8; 16],
    bank: [u8; 16],
    identity: [u8; 16],
    /// What its owner will have left.
    balance: i64,
    /// The number of the last line before the history.
    line: i64,
    /// The last instant before the history in the list of payments.
    listed_at: i64,
}

/// Gives every account so many confirmed verifications, all in the month of `now`.
pub(super) fn write(data: &Path, accounts: &[Account], each: usize, now: Timestamp) -> Result<()> {
    let mut connection = Connection::open(data.join("cotejo.sqlite"))?;
    // Nobody would miss the file if the machine stopped now. What lies by owner or by chance is touched all over
    // the file: the more of it stays in memory, and the less often the log is moved there, the better.
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "cache_size", -(1 << 20))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 1 << 16, |_| Ok(()))?;
    let mut chance = Chance::new(each as u64);
    let transaction = connection.transaction()?;
    let charge = |account| charge_all(&transaction, account, each, now);
    let charged = accounts.iter().map(charge).collect::<Result<Vec<_>>>()?;
    transaction.commit()?;
    let mut written = 0;
    let step = (TOGETHER / accounts.len().max(1)).max(1);
    for from in (1..=each).step_by(step) {
        let numbers = from..=each.min(from + step - 1);
        let before = written;
        let transaction = connection.transaction()?;
        for number in numbers {
            for account in &charged {
                write_one(&transaction, account, number, each, now, &mut chance)?;
                written += 1;
            }
        }
        transaction.commit()?;
        if before / PROGRESS_EACH < written / PROGRESS_EACH {
            progress(&format!("{written} of {} verifications written", each * accounts.len()));
        }
    }
    connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))?;
    connection.query_row(BY_CHANCE, [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error).context("the history")
}

/// Takes what the history of an account costs off its owner's balance, and counts it.
fn charge_all(
    transaction: &Transaction<'_>,
    account: &Account,
    each: usize,
    now: Timestamp,
) -> Result<Charged> {
    let (owner, key) = (account.owner.to_bytes(), account.key_id.to_bytes());
    let bank = account.bank.to_bytes();
    let mut identity = transaction.prepare_cached(IDENTITY)?;
    let identity = identity.query_row(params![owner, bank], |row| row.get(0))?;
    let count = i64::try_from(each)?;
    let month = CaracasMonth::of(now).as_i64();
    transaction.prepare_cached(ACTOR_MONTH)?.execute(params![owner, key, month, count])?;
    let day = CaracasDate::of(now).days();
    let sum = params![owner, day, bank, key, count, count * AMOUNT];
    transaction.prepare_cached(SUM)?.execute(sum)?;
    let mut update = transaction.prepare_cached(OWNER)?;
    let [balance, lines, last]: [i64; 3] = update
        .query_row(params![owner, count, now.as_micros()], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?])
        })?;
    let (line, listed_at) = (lines - count, last - 1_000 * count);
    Ok(Charged { owner, key, bank, identity, balance, line, listed_at })
}

/// Writes the rows of an account's verification of that number.
fn write_one(
    transaction: &Transaction<'_>,
    account: &Charged,
    number: usize,
    each: usize,
    now: Timestamp,
    chance: &mut Chance,
) -> Result<()> {
    let &Charged { owner, key, bank, identity, .. } = account;
    let (month, at) = (CaracasMonth::of(now).as_i64(), now.as_micros());
    let (number, count) = (i64::try_from(number)?, i64::try_from(each)?);
    let millis = u64::try_from(at / 1_000 - count + number)?;
    let (id, movement, payment) = (chance.id(millis), chance.id(millis), chance.id(millis));
    // Anything but the ending that the test bank finds.
    let reference = format!("{number:07}{:05}", chance.below(60_000));
    let (fingerprint, query) = asked(key, identity, &reference)?;
    let first_report =
        SealedFirstReport { owner: &owner, verification: &id, reported_by: Some(&id) };
    let claim = SealedPayment { ids: [&owner, &payment, &movement, &id] };
    transaction.prepare_cached(VERIFICATION)?.execute(params![
        owner,
        id,
        key,
        bank,
        identity,
        month,
        fingerprint,
        query,
        payment,
        at,
        now.plus(RESERVATION).as_micros(),
        first_report.seal()
    ])?;
    write_movement(transaction, account, (movement, &reference), now)?;
    transaction.prepare_cached(PAYMENT)?.execute(params![
        owner,
        payment,
        movement,
        id,
        bank,
        key,
        query,
        at,
        claim.seal(),
        account.listed_at + 1_000 * number
    ])?;
    let (line, left) = (account.line + number, account.balance + count - number);
    transaction
        .prepare_cached(LINE)?
        .execute(params![owner, line, left, id, key, month, number, at])?;
    transaction.prepare_cached(ENTRY)?.execute(params![owner, key, month, number, at, bank, id])?;
    Ok(())
}

/// Writes the movement of that id and reference, with its seal.
fn write_movement(
    transaction: &Transaction<'_>,
    account: &Charged,
    (id, reference): ([u8; 16], &str),
    now: Timestamp,
) -> Result<()> {
    let &Charged { owner, identity, .. } = account;
    let (day, at) = (CaracasDate::of(now).days(), now.as_micros());
    let tail: String = reference.chars().rev().take(TAIL_DIGITS).collect();
    let seal = SealedMovement {
        owner: &owner,
        id: &id,
        identity: &identity,
        reference,
        reference_zeros: 0,
        tail: &tail,
        bank_key: None,
        amount: AMOUNT,
        paid_on: day,
        paid_at: Some(at),
        payer: [None; 4],
        payer_form: 0,
        description: "",
        other_references: [None; 4],
        is_named: true,
        contested_with: None,
    };
    let params = params![owner, id, identity, reference, tail, day, at, AMOUNT, seal.seal()];
    transaction.prepare_cached(MOVEMENT)?.execute(params)?;
    Ok(())
}

/// Returns the fingerprint of the question about a reference, and the question as the service keeps it.
fn asked(key: [u8; 16], identity: [u8; 16], reference: &str) -> Result<([u8; 32], String)> {
    let mut query = Query::new(TypedReference::parse(reference)?);
    query.amount = Some(Bolivars::from_hundredths(AMOUNT));
    let fingerprint = Fingerprint::of(key, IdentityId::from_bytes(identity), Rule::Exact, &query);
    let json = format!(
        r#"{{"reference":"{}","amount":{AMOUNT},"movement_type":"{}"}}"#,
        query.reference.digits(),
        query.kind.as_str()
    );
    Ok((fingerprint.to_bytes(), json))
}
