use domain::bank_text::BankText;
use domain::ids::{ActorId, BankId, ClientId, IdentityId, MovementId, ReceiptId};
use domain::matching::{PayerFacts, Sighting};
use domain::money::{Bolivars, Credits};
use domain::reference::BankReference;
use domain::secret::PersonalText;
use domain::statistics;
use domain::time::CaracasDate;
use domain::verification::RESERVATION;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::payment_sums::{self, Claimed};
use crate::payments::{self, NewPayment};
use crate::receipts::{self, Merchant, NewReceipt, Paid};
use crate::sql::Sql;
use crate::tx::Expect;
use crate::value::Value;
use crate::{Lane, Meter, Store, clients, credits, due, movements, owners};

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
// A session's calls count under the owner's id.
/// A session, since the owner has no key.
const ACTOR: ActorId = ActorId::from_bytes([1; 16]);
const CLIENT: ClientId = ClientId::from_bytes([3; 16]);
const BANK: BankId = BankId::from_bytes([4; 16]);
const IDENTITY: IdentityId = IdentityId::from_bytes([5; 16]);
const MOVEMENT: MovementId = MovementId::from_bytes([6; 16]);
const CONFIRMED: VerificationId = VerificationId::from_bytes([7; 16]);
const OPEN: VerificationId = VerificationId::from_bytes([8; 16]);
const PAYMENT: PaymentId = PaymentId::from_bytes([9; 16]);
const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);
const MONTH: i64 = 202_511;

static VERIFICATION: Sql = Sql::new(
    "insert into verifications (owner_id, id, actor_id, bank_id, identity_id, client_id, month, \
     cost, fingerprint, query, state, calls, payment_id, asked_at, deadline, ended_at, lease_until) \
     values ($1, $2, $3, $4, $5, $6, $7, 2, $2, '', $8, 1, $9, $10, $10 + 900000000, $11, $12)",
);

static KNOWN: Sql = Sql::new(
    "insert into recent_calls (owner_id, fingerprint, verification_id, ended_at) \
     values ($1, $2, $2, $3)",
);

static LINE: Sql = Sql::new(
    "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, \
     description, verification_id, client_id, actor_id, month, ordinal, request, created_at) \
     values ($1, 2, -2, 98, 'debit', 'verification', '', $2, $3, $4, $5, 1, 1, $6)",
);

static OWNED: Sql = Sql::new(
    "update owners set balance = 98, reserved = 2, credit_lines = 2, last_payment_at = $2, \
     charged_month = $3, charges = 1 where owner_id = $1",
);

static ACTOR_MONTH: Sql = Sql::new(
    "insert into actor_months (owner_id, actor_id, month, posted, reserved, operations, requests, \
     credit_lines) values ($1, $2, $3, 2, 2, 1, 2, 1)",
);

static CLIENT_MONTH: Sql = Sql::new(
    "insert into client_months (owner_id, client_id, month, posted, reserved, operations) \
     values ($1, $2, $3, 2, 2, 1)",
);

static ACTIVITY: Sql = Sql::new(
    "insert into activity (owner_id, actor_id, month, ordinal, created_at, request_type, provider, \
     bank_id, status, latency_us, verification_id, error_code) \
     values ($1, $2, $3, $4, $5, 'payment_verification', 'BANK_TEST', $6, $7, 0, $8, $9)",
);

/// A store with an owner of a hundred credits, two of them charged and two reserved.
async fn store() -> Store {
    let store = crate::inline().unwrap();
    let meter = Meter::default();
    let write = store.write(&meter, Lane::Admission, OWNER, |tx| {
        owners::insert(tx, OWNER, "a@b", "A", "", NOW)?;
        clients::insert(tx, OWNER, &clients::NewClient::named(CLIENT, "C", true), NOW)?;
        let account = NewAccount {
            id: BANK,
            identity: IDENTITY,
            provider: "BANK_TEST".to_owned(),
            account: "1".to_owned(),
            description: String::new(),
            client: Some(CLIENT),
        };
        accounts::insert(tx, OWNER, &account, NOW)?;
        credits::grant(tx, OWNER, Credits::new(100), NOW)?;
        for (id, state, payment) in [(CONFIRMED, 1, Some(PAYMENT)), (OPEN, 0, None)] {
            let params: [Value; 12] = [
                OWNER.into(),
                id.into(),
                ACTOR.into(),
                BANK.into(),
                IDENTITY.into(),
                CLIENT.into(),
                MONTH.into(),
                state.into(),
                payment.into(),
                NOW.into(),
                payment.map(|_| NOW).into(),
                payment.is_none().then_some(NOW).into(),
            ];
            tx.defer(&VERIFICATION, params, Expect::Rows(1))?;
        }
        let seen = Sighting {
            bank_key: None,
            reference: BankReference::parse("67890").unwrap(),
            amount: Bolivars::from_hundredths(1),
            paid_on: CaracasDate::from_days(20_000).unwrap(),
            paid_at: None,
            payer: PayerFacts::default(),
            description: BankText::default(),
        };
        movements::insert(tx, OWNER, IDENTITY, &seen.clone().into_movement(MOVEMENT), NOW)?;
        let claim = NewPayment {
            id: PAYMENT,
            movement: MOVEMENT,
            verification: CONFIRMED,
            bank: BANK,
            actor: ACTOR,
            client: None,
            credit_cost: Credits::new(2),
            params: PersonalText::new(String::new()),
            is_by_payer: false,
            line: 2,
            updated_at: NOW,
        };
        payments::insert(tx, OWNER, &claim, NOW)?;
        let receipt = NewReceipt {
            id: ReceiptId::from_bytes([6; 16]),
            payment: PAYMENT,
            livemode: true,
            merchant: Merchant { name: String::new(), document: None },
            paid: Paid::of(&seen.clone().into_movement(MOVEMENT)),
            issued_by: None,
        };
        receipts::issue(tx, OWNER, &receipt, NOW)?;
        let counted = Claimed {
            day: CaracasDate::of(NOW),
            price: statistics::price(None, seen.amount),
            received: seen.amount,
            bank: BANK,
            client: Some(CLIENT),
            actor: ACTOR,
            caller_client: claim.client,
        };
        payment_sums::add(tx, OWNER, &counted)?;
        due::insert(tx, OWNER, due::Kind::DeliveryDay, OWNER.to_bytes(), NOW)?;
        let attempt = |ordinal: i64, status: &str, verification: Option<VerificationId>| {
            let of_key: [Value; 6] =
                [OWNER.into(), ACTOR.into(), MONTH.into(), ordinal.into(), NOW.into(), BANK.into()];
            let code = verification.is_none().then_some("PAYMENT_NOT_FOUND");
            (&ACTIVITY, [&of_key[..], &[status.into(), verification.into(), code.into()]].concat())
        };
        let rows: [(&'static Sql, Vec<Value>); 7] = [
            (&KNOWN, vec![OWNER.into(), CONFIRMED.into(), NOW.into()]),
            (
                &LINE,
                vec![
                    OWNER.into(),
                    CONFIRMED.into(),
                    CLIENT.into(),
                    ACTOR.into(),
                    MONTH.into(),
                    NOW.into(),
                ],
            ),
            (&OWNED, vec![OWNER.into(), NOW.into(), MONTH.into()]),
            (&ACTOR_MONTH, vec![OWNER.into(), ACTOR.into(), MONTH.into()]),
            (&CLIENT_MONTH, vec![OWNER.into(), CLIENT.into(), MONTH.into()]),
            attempt(1, "confirmed", Some(CONFIRMED)),
            attempt(2, "refused", None),
        ];
        for (sql, params) in rows {
            tx.defer(sql, params, Expect::Rows(1))?;
        }
        Ok(())
    });
    write.await.unwrap();
    store
}

async fn audit(store: &Store, now: Timestamp) -> Findings {
    store.read(&Meter::default(), move |tx| check(tx, OWNER, now)).await.unwrap()
}

/// Returns what the audit names after `tampering`.
async fn named(tampering: &'static Sql) -> Vec<String> {
    let store = store().await;
    let meter = Meter::default();
    let write = store.write(&meter, Lane::Admission, OWNER, move |tx| {
        tx.defer(tampering, [OWNER.into()], Expect::Any)
    });
    write.await.unwrap();
    let findings = audit(&store, NOW).await;
    findings.differences.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn rows_that_agree_have_no_difference() {
    let store = store().await;
    assert_eq!(audit(&store, NOW).await, Findings::default());
}

#[tokio::test]
async fn an_open_verification_past_its_deadline_is_reported_separately() {
    let store = store().await;
    let later = Timestamp::from_micros(NOW.plus(RESERVATION).as_micros() + 1);
    let findings = audit(&store, later).await;
    assert_eq!(findings, Findings { overdue: vec![OPEN], ..Findings::default() });
}

#[tokio::test]
async fn every_figure_that_is_wrong_is_named() {
    macro_rules! tampering {
        ($($text:literal => $start:literal;)*) => {$({
            static TAMPERING: Sql = Sql::new($text);
            let named = named(&TAMPERING).await;
            let is_named = named.iter().any(|difference| difference.starts_with($start));
            assert!(is_named, "{}: {named:?}", $text);
        })*};
    }
    tampering! {
        "update owners set balance = 99 where owner_id = $1" =>
            "owners.balance: kept 99, computed 98";
        "update owners set reserved = 1 where owner_id = $1" =>
            "owners.reserved: kept 1, computed 2";
        "update owners set last_payment_at = 3 where owner_id = $1" =>
            "owners.last_payment_at: kept 3, computed 1763640000000000";
        "update payments set updated_at = updated_at + 1 where owner_id = $1" =>
            "payments.updated_at of pay_";
        "update payments set line = line + 1 where owner_id = $1" =>
            "payments.line of pay_";
        "update payment_sums set payments = 2 where owner_id = $1" =>
            "payment_sums.payments of VEF on 2025-11-20, bank_";
        "update payment_sums set amount = 2 where owner_id = $1" =>
            "payment_sums.amount of VEF on 2025-11-20, bank_";
        "update payment_sums set received = 2 where owner_id = $1" =>
            "payment_sums.received of VEF on 2025-11-20, bank_";
        "update owners set credit_lines = 3 where owner_id = $1" =>
            "owners.credit_lines: kept 3, computed 2";
        "update credit_movements set balance_after = 97 where owner_id = $1 and line = 2" =>
            "credit_movements.balance_after of line 2: kept 97, computed 98";
        "update credit_movements set line = 3 where owner_id = $1 and line = 2" =>
            "credit_movements.line of line 3: kept 3, computed 2";
        "update credit_movements set amount = -1, balance_after = 99 \
         where owner_id = $1 and line = 2" =>
            "payments.credit_cost of pay_";
        "update actor_months set posted = 3 where owner_id = $1" =>
            "actor_months.posted of own_";
        "update actor_months set reserved = 0 where owner_id = $1" =>
            "actor_months.reserved of own_";
        "update actor_months set operations = 0 where owner_id = $1" =>
            "actor_months.operations of own_";
        "update actor_months set requests = 0 where owner_id = $1" =>
            "actor_months.requests of own_";
        "update actor_months set credit_lines = 0 where owner_id = $1" =>
            "actor_months.credit_lines of own_";
        "update activity set ordinal = 3 where owner_id = $1 and ordinal = 2" =>
            "newest request of own_";
        "update activity set ordinal = 0 where owner_id = $1 and ordinal = 1" =>
            "sum of requests of own_";
        "delete from activity where owner_id = $1 and ordinal = 2" =>
            "actor_months.requests of own_";
        "delete from activity where owner_id = $1 and ordinal = 1" =>
            "activity: entries of the attempt that line 2 charged: kept 0, computed 1";
        "update activity set verification_id = null where owner_id = $1" =>
            "activity: entries of the attempt that line 2 charged: kept 0, computed 1";
        "update activity set status = 'not_found' where owner_id = $1" =>
            "activity: entries of the attempt that line 2 charged: kept 0, computed 1";
        "update credit_movements set request = 2 where owner_id = $1 and line = 2" =>
            "activity: entries of the attempt that line 2 charged: kept 0, computed 1";
        "update credit_movements set request = null where owner_id = $1 and line = 2" =>
            "activity: entries of the attempt that line 2 charged: kept 0, computed 1";
        "update credit_movements set ordinal = 2 where owner_id = $1 and line = 2" =>
            "newest credit_movements.ordinal of own_";
        "update credit_movements set ordinal = 0 where owner_id = $1 and line = 2" =>
            "sum of credit_movements.ordinal of own_";
        "delete from actor_months where owner_id = $1" =>
            "actor_months.reserved of own_";
        "update client_months set posted = 3 where owner_id = $1" =>
            "client_months.posted of cli_";
        "update client_months set operations = 3 where owner_id = $1" =>
            "client_months.operations of cli_";
        "delete from client_months where owner_id = $1" =>
            "client_months.reserved of cli_";
        "update verifications set state = 2 where owner_id = $1 and state = 1" =>
            "payments: confirmed verifications of pay_";
        "update verifications set cost = 1 where owner_id = $1 and state = 1" =>
            "credit_movements.amount of line 2 by its verification: kept -2, computed -1";
        "update payments set seal = id where owner_id = $1" =>
            "payments.seal of pay_";
        "update user_banks set same_bank_by_payer = true where owner_id = $1" =>
            "user_banks.seal of bank_";
        "update user_banks set client_id = null, client_since = null where owner_id = $1" =>
            "user_banks.seal of bank_";
        "update payments set verification_id = (select id from verifications \
         where owner_id = $1 and state = 0) where owner_id = $1" =>
            "credit_movements: payments charged by line 2: kept 1, computed 0";
        "delete from credit_movements where owner_id = $1 and line = 2" =>
            "payments.credit_cost of pay_";
        "update verifications set link_id = id where owner_id = $1 and state = 1" =>
            "verifications: links paid by the confirmed ver_";
        "insert into payment_links (owner_id, id, bank_id, actor_id, name, description, \
         amount, currency, metadata, origin, livemode, state, is_stopped, payment_id, \
         rate_minutes, search, seal, created_at, updated_at) \
         select owner_id, id, bank_id, actor_id, '', '', 1, 'VEF', '{}', 'api', false, 1, false, \
         id, 60, '', id, 0, 0 from payments where owner_id = $1" =>
            "payment_links: payments of the paid link_";
        "update verifications set payment_id = null where owner_id = $1" =>
            "verifications: payments of the confirmed ver_";
        "update verifications set state = 1 where owner_id = $1 and state = 0" =>
            "verifications: payments of the confirmed ver_";
        "update recent_calls set verification_id = owner_id where owner_id = $1" =>
            "recent_calls: confirmed verifications of the call known by ver_";
        "update recent_calls set fingerprint = owner_id where owner_id = $1" =>
            "recent_calls: confirmed verifications of the call known by ver_";
        "update recent_calls set ended_at = ended_at + 1 where owner_id = $1" =>
            "recent_calls: confirmed verifications of the call known by ver_";
        "insert into recent_calls select owner_id, fingerprint, id, deadline from verifications \
         where owner_id = $1 and state = 0" =>
            "recent_calls: confirmed verifications of the call known by ver_";
    }
}

/// Rows that only a database without its foreign keys can have.
#[test]
fn a_payment_whose_verification_is_gone_is_named() {
    let connection = db::sqlite::in_memory(&crate::schema::SCHEMA).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let rows = "insert into payments (owner_id, id, movement_id, verification_id, bank_id, actor_id, \
                credit_cost, params, seal, line, created_at, updated_at) \
                values (x'01', x'02', x'03', x'04', x'05', x'06', 0, '', x'', 1, 0, 0);
        insert into movements (owner_id, id, identity_id, reference, tail, amount, paid_on, seal, created_at) \
                values (x'01', x'03', x'07', '67890', '09876', 1, 20000, x'', 0);
        insert into verifications (owner_id, id, actor_id, bank_id, identity_id, month, cost, fingerprint, query, \
                state, calls, payment_id, asked_at, deadline) \
                values (x'01', x'04', x'06', x'05', x'07', 1, 0, x'08', '', 1, 1, x'02', 0, 0);";
    connection.execute_batch(rows).unwrap();
    let is_named = || {
        let text = db::sqlite::text(&UNPAID);
        connection.prepare(&text).unwrap().exists(rusqlite::params![b"\x01", NAMED_MAX]).unwrap()
    };
    assert!(!is_named());
    connection.execute_batch("delete from verifications").unwrap();
    assert!(is_named());
}
