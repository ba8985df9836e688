//! What Banco de Venezuela reports of payments by itself, over real HTTP.

use std::time::Duration;

use app::sweep::sweep_recent_calls;
use serde_json::{Value, json};
use testkit::bank::{FaultKind, KEY, SimulatedBank};
use testkit::principal::verify_path;
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const AT_ONCE: Duration = Duration::ZERO;
const REFUSED: &str =
    r#"{"codigo":"99","mensajeCliente":"Error en API KEY","mensajeSistema":"Error en API KEY"}"#;

/// An owner whose account the bank notifies of payments.
pub(crate) struct PushedAccount {
    pub(crate) bank: SimulatedBank,
    pub(crate) app: TestApp,
    pub(crate) owner: Owner,
    pub(crate) account: String,
    push: Value,
}

impl PushedAccount {
    pub(crate) async fn start(setup: Setup) -> Self {
        let pushed = Self::by_nobody(setup).await;
        pushed.bank.notify(pushed.owner.address(), &pushed.push);
        pushed
    }

    /// One whose bank reports nothing by itself.
    pub(crate) async fn by_nobody(setup: Setup) -> Self {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let linked = owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
        let account = linked["userbank"]["id"].as_str().unwrap().to_owned();
        let push = linked["push"].clone();
        Self { bank, app, owner, account, push }
    }

    async fn verify(&self, reference: &str) -> Response {
        let body = json!({ "bank_reference": reference, "amount": 150.75 });
        self.owner.key.post(&verify_path(&self.account), body).await
    }

    /// A notice that is not the simulated bank's.
    pub(crate) async fn notify(&self, secret: &str, body: impl ToString) -> Response {
        notify(&self.app.nobody(), self.push["path"].as_str().unwrap(), secret, body).await
    }

    pub(crate) fn secret(&self) -> &str {
        self.push["secret"].as_str().unwrap()
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        self.app.database().number(&format!("select count(*) from {table}"))
    }
}

/// Sends the head of a notice, and waits for the whole answer.
#[expect(clippy::disallowed_methods, reason = "the clock of the test stands still")]
async fn head_alone(pushed: &PushedAccount, path: &str, secret: &str) -> String {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: cotejo\r\nx-api-key: {secret}\r\n\
         content-type: application/json\r\ncontent-length: 100\r\n\r\n"
    );
    let address = pushed.app.nobody().address();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let reading = stream.read_to_string(&mut answer);
    tokio::time::timeout(Duration::from_secs(15), reading).await.expect("an answer").unwrap();
    answer
}

async fn notify(nobody: &Principal, path: &str, secret: &str, body: impl ToString) -> Response {
    let call = nobody.request("POST", path).header("X-API-KEY", secret);
    call.header("content-type", "text/plain").body(body.to_string()).send().await
}

/// A notice of this payer's bank. Made up.
pub(crate) fn notice(bank: &str, reference: &str) -> Value {
    json!({
        "bancoOrdenante": bank, "referenciaBancoOrdenante": reference, "idCliente": "V12345678",
        "numeroCliente": "04140000002", "fecha": "2026-11-20", "hora": "0800", "monto": 150.75,
    })
}

pub(crate) fn codigo(answer: &Response) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["codigo"].as_str().unwrap().to_owned()
}

both_engines! {
    async fn the_secret_is_shown_once_to_the_caller_that_links(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        assert_eq!(pushed.push["path"], format!("/hooks/bank/bdv/{}", pushed.account));
        assert_eq!(pushed.push["headers"], json!(["API-KEY", "X-API-KEY"]));
        let listed = pushed.owner.get("/me/usersbank").await.ok().to_string();
        assert!(!listed.contains(pushed.secret()));

        let other = pushed.app.owner().await;
        let link = || {
            let call = other.request("POST", "/usersbank").header("idempotency-key", "one");
            call.json(&SimulatedBank::link(KEY)).send()
        };
        let made = link().await.ok();
        let again = link().await.refused(409, "CONFLICT");
        assert_eq!(again["facts"]["id"], made["userbank"]["id"]);
        // The sandbox reports nothing, and has no secret.
        let sandbox = other.post("/usersbank", json!({ "bank_provider": "BANK_TEST" })).await.ok();
        assert_eq!(sandbox.get("push"), None);
        let rotate = format!("/v1/usersbank/{}/push-secret/rotate", other.bank);
        other.post(&rotate, json!({})).await.refused(400, "VALIDATION_ERROR");
    }

    async fn a_notice_makes_a_movement_known_and_claims_nothing(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let payment = pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        pushed.bank.deliver_due().await;
        assert_eq!(pushed.bank.push_codes(payment), ["00"]);
        assert_eq!(pushed.bank.push(payment).await, "01");
        assert_eq!((pushed.count("movements"), pushed.count("bank_notifications")), (1, 1));
        assert_eq!((pushed.count("payments"), pushed.owner.balance().await), (0, 1_000));

        let found = pushed.verify("912345").await.ok();
        assert_eq!(found["data"]["is_new"], true);
        assert_eq!(pushed.verify("79912345").await.ok()["data"]["is_new"], false);
        assert_eq!(pushed.bank.push(payment).await, "01");
        assert_eq!((pushed.count("movements"), pushed.count("payments")), (1, 1));
        assert_eq!(pushed.owner.balance().await, 999);
    }

    async fn a_notice_of_what_the_extract_has_shown_is_the_same_movement(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        pushed.bank.set_key(KEY);
        let payment = pushed.bank.pay("123479912345", 15_075, AT_ONCE);
        assert_eq!(pushed.verify("79912345").await.ok()["data"]["is_new"], true);
        pushed.bank.notify(pushed.owner.address(), &pushed.push);
        assert_eq!(pushed.bank.push(payment).await, "00");
        assert_eq!(pushed.bank.push(payment).await, "01");
        assert_eq!((pushed.count("movements"), pushed.count("bank_notifications")), (1, 1));
        let of = "bank_notifications n join payments p on p.movement_id = n.movement_id";
        assert_eq!(pushed.count(of), 1);
    }

    async fn the_extract_finds_what_a_notice_with_more_or_fewer_digits_reported(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        for (reference, typed) in [("123479912345", "123479912345"), ("5678912", "678912")] {
            pushed.bank.pay(reference, 15_075, AT_ONCE);
            pushed.bank.deliver_due().await;
            pushed.app.clock().advance(Duration::from_secs(3));
            assert_eq!(pushed.verify(typed).await.ok()["data"]["is_new"], true, "{reference}");
        }
        assert_eq!((pushed.count("movements"), pushed.count("payments")), (2, 2));
    }

    async fn the_same_call_is_known_again_whatever_reference_its_movement_has_since(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        assert_eq!(codigo(&pushed.notify(pushed.secret(), notice("0134", "678912")).await), "00");
        // The payer's first digits are wrong, which nobody can see by what the bank has reported.
        let first = pushed.verify("99678912").await.ok();
        assert_eq!(first["data"]["is_new"], true);

        pushed.bank.pay("000055678912", 15_075, AT_ONCE);
        pushed.app.clock().advance(Duration::from_secs(3));
        assert_eq!(pushed.verify("55678912").await.ok()["data"]["is_new"], false);
        assert_eq!(pushed.count("movements where reference like '%55678912'"), 1);
        pushed.app.clock().advance(Duration::from_secs(3));
        let again = pushed.verify("99678912").await.ok();
        assert_eq!(again["data"]["is_new"], false);
        let payment = |answer: &Value| answer["data"]["user_bank_payment"]["id"].clone();
        assert_eq!(payment(&again), payment(&first));
        // To anybody who has not asked so before, there is no such payment.
        pushed.app.clock().advance(Duration::from_secs(3));
        let other = json!({ "bank_reference": "99678912", "amount": 150.75, "movement_type": "TRANSFER" });
        let path = verify_path(&pushed.account);
        pushed.owner.key.post(&path, other).await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(pushed.owner.balance().await, 999);
    }

    async fn a_call_of_few_digits_is_known_again_whatever_came_later(setup: Setup) {
        let mut pushed = PushedAccount::start(setup).await;
        pushed.app.expect_disorder();
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        pushed.bank.deliver_due().await;
        let few = json!({ "bank_reference": "2345", "amount": 150.75, "phone_pagador": "04140000002" });
        let path = verify_path(&pushed.account);
        assert_eq!(pushed.owner.key.post(&path, few.clone()).await.ok()["data"]["is_new"], true);
        // As where so many later ones end alike that it is no longer looked at. Its tail is the same from both
        // ends.
        pushed.app.tamper("update movements set reference = '99000000', tail = '000000'").await;
        let again = pushed.owner.key.post(&path, few).await.ok();
        assert_eq!((&again["data"]["is_new"], &again["data"]["credit_cost"]), (&json!(false), &json!(0)));
        assert_eq!(pushed.count("verifications"), 1);
    }

    async fn a_call_that_found_anothers_payment_is_answered_again_without_the_bank(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        let first = pushed.verify("79912345").await.ok();
        assert_eq!(first["data"]["is_new"], true);
        // Not the whole reference, so the bank is asked, and another's payment found.
        for verifications in [2, 2] {
            let other = pushed.verify("912345").await.ok();
            assert_eq!(other["data"]["is_new"], false);
            assert_eq!(other["data"]["user_bank_payment"]["id"], first["data"]["user_bank_payment"]["id"]);
            assert_eq!(pushed.count("verifications"), verifications);
        }
        // The next day it is a question like any other.
        pushed.app.clock().advance(Duration::from_secs(25 * 60 * 60));
        assert_eq!(pushed.verify("912345").await.ok()["data"]["is_new"], false);
        assert_eq!(pushed.count("verifications"), 3);
        assert_eq!(pushed.owner.balance().await, 999);
    }

    async fn calls_are_forgotten_a_day_after_they_were_confirmed(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let confirm = async |reference: &str| {
            pushed.bank.pay(&format!("0000{reference}"), 15_075, AT_ONCE);
            pushed.bank.deliver_due().await;
            pushed.app.clock().advance(Duration::from_secs(3));
            pushed.verify(reference).await.ok()
        };
        confirm("79912345").await;
        pushed.app.clock().advance(Duration::from_secs(12 * 60 * 60));
        confirm("79912346").await;
        for (hours, kept) in [(0, 2), (11, 2), (2, 1), (12, 0)] {
            pushed.app.clock().advance(Duration::from_secs(hours * 60 * 60));
            sweep_recent_calls(pushed.app.app()).await.unwrap();
            assert_eq!(pushed.count("recent_calls"), kept);
        }
    }

    async fn movements_are_listed_by_day_with_what_claimed_them(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        pushed.verify("99999999").await.refused(404, "PAYMENT_NOT_FOUND");
        for reference in ["000079912345", "000079912346", "000079912347"] {
            pushed.bank.pay(reference, 15_075, AT_ONCE);
        }
        pushed.bank.deliver_due().await;
        pushed.app.clock().advance(Duration::from_secs(3));
        let payment = pushed.verify("79912346").await.ok()["data"]["user_bank_payment"]["id"].clone();

        let path = format!("/movements/{}", pushed.account);
        let key = pushed.owner.key_with(&["movements"]).await;
        let all = key.get(&format!("{path}?from=2026-11-20&to=2026-11-20")).await.ok();
        assert_eq!((&all["total"], &all["page"], &all["limit"]), (&json!(3), &json!(1), &json!(25)));
        let movements = all["movements"].as_array().unwrap();
        let claimed = |movement: &&Value| movement["claimed"] == true;
        let found: Vec<_> = movements.iter().filter(claimed).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["user_bank_payment_id"], payment);
        let agreed = json!({ "date": "2026-11-20", "time": "08:00", "amount": 150.75, "currency": "VEF",
            "payer_bank": "0134", "payer_phone": "584140000002", "payer_document": null });
        for (field, value) in agreed.as_object().unwrap() {
            assert_eq!(found[0][field], *value, "{field}");
        }
        let mut pages = Vec::new();
        for page in 1..=4 {
            let page = key.get(&format!("{path}?limit=1&page={page}")).await.ok();
            assert_eq!(page["total"], 3);
            pages.extend(page["movements"].as_array().unwrap().clone());
        }
        assert_eq!(&pages, movements);
        let none = key.get(&format!("{path}?to=2026-11-19")).await.ok();
        assert_eq!((&none["total"], &none["movements"]), (&json!(0), &json!([])));
        key.get(&format!("{path}?page=401")).await.refused(400, "VALIDATION_ERROR");
        key.get(&format!("{path}?from=hoy")).await.refused(400, "VALIDATION_ERROR");

        let limited = json!({ "name": "caja", "user_banks": [pushed.owner.bank], "permissions": ["movements"] });
        pushed.owner.issue(limited).await.get(&path).await.refused(404, "NOT_FOUND");
        pushed.app.owner().await.get(&path).await.refused(404, "NOT_FOUND");
    }

    async fn notices_are_listed_newest_first_within_the_callers_scope(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let client = pushed.owner.client(false).await;
        let client_key = pushed.owner.client_key(&client).await;
        let mut link = SimulatedBank::link(KEY);
        link["metadata"][0]["key_value"] = json!("01020000890000000002");
        pushed.bank.fail(Some(FaultKind::Http500));
        let linked = client_key.post("/usersbank", link).await.ok();
        let theirs = linked["userbank"]["id"].as_str().unwrap().to_owned();
        let push = &linked["push"];
        let (path, secret) = (push["path"].as_str().unwrap(), push["secret"].as_str().unwrap());
        for place in 0..3 {
            pushed.app.clock().advance(Duration::from_secs(1));
            let body = notice("0134", &format!("00007991234{place}"));
            assert_eq!(codigo(&pushed.notify(pushed.secret(), &body).await), "00");
        }
        pushed.app.clock().advance(Duration::from_secs(1));
        assert_eq!(codigo(&notify(&pushed.app.nobody(), path, secret, notice("0102", "77")).await), "00");

        let list = "/v1/bank-pay-notifications";
        let references = |answer: &Value| -> Vec<String> {
            let notices = answer["notifications"].as_array().unwrap().iter();
            notices.map(|notice| notice["reference"].as_str().unwrap().to_owned()).collect()
        };
        let all = pushed.owner.get(list).await.ok();
        assert_eq!(references(&all), ["77", "79912342", "79912341", "79912340"]);
        assert_eq!((&all["total"], &all["page"], &all["limit"]), (&json!(4), &json!(1), &json!(25)));
        let second = &all["notifications"][1];
        let agreed = json!({ "user_bank_id": pushed.account, "status": "CONFIRMED", "amount": "150.75",
            "from": "584140000002", "created_at": "2026-11-20T12:00:03.000Z" });
        for (field, value) in agreed.as_object().unwrap() {
            assert_eq!(second[field], *value, "{field}");
        }
        assert!(second["message"].as_str().unwrap().contains("79912342"), "{second}");

        // Scope comes before pages: the newest is the client's, and others count without it.
        let of_owner = format!("{list}?limit=2&page=2&user_bank_id={}", pushed.account);
        let page = pushed.owner.get(&of_owner).await.ok();
        assert_eq!((references(&page), &page["total"]), (vec!["79912340".to_owned()], &json!(3)));
        let of_client = client_key.get(list).await.ok();
        assert_eq!((references(&of_client), &of_client["total"]), (vec!["77".to_owned()], &json!(1)));
        let body = json!({ "name": "caja", "permissions": ["notifications"],
            "user_banks": [pushed.account, pushed.owner.bank] });
        let limited = pushed.owner.issue(body).await;
        let page = limited.get(&format!("{list}?limit=2")).await.ok();
        assert_eq!((references(&page).len(), &page["total"]), (2, &json!(3)));
        let page = limited.get(&format!("{list}?limit=2&page=2")).await.ok();
        assert_eq!(references(&page), ["79912340"]);

        for (caller, bank) in [(&client_key, &pushed.account), (&limited, &theirs)] {
            let path = format!("{list}?user_bank_id={bank}");
            caller.get(&path).await.refused(404, "NOT_FOUND");
        }
        let other = pushed.app.owner().await;
        assert_eq!(other.get(list).await.ok()["total"], 0);
        other.get(&format!("{list}?user_bank_id={theirs}")).await.refused(404, "NOT_FOUND");
        for (days, total) in [("from=2026-11-20&to=2026-11-20", 4), ("from=2026-11-21", 0), ("to=2026-11-19", 0)] {
            assert_eq!(pushed.owner.get(&format!("{list}?{days}")).await.ok()["total"], total, "{days}");
        }
        limited.get(&format!("{list}?page=401")).await.refused(400, "VALIDATION_ERROR");
    }

    async fn what_was_pushed_is_confirmed_while_the_bank_is_down(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        pushed.bank.deliver_due().await;
        pushed.bank.fail(Some(FaultKind::Http500));
        pushed.verify("88812345").await.refused(503, "BANK_NOT_AVAILABLE");
        pushed.app.clock().advance(Duration::from_secs(120));
        assert_eq!(pushed.verify("79912345").await.ok()["data"]["is_new"], true);
    }

    async fn whatever_is_wrong_is_answered_alike(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let right = notice("0134", "000079912345");
        let nobody = pushed.app.nobody();
        let foreign = "/hooks/bank/bdv/bank_00000000000000000000000000";
        let sandbox = format!("/hooks/bank/bdv/{}", pushed.owner.bank);
        for answer in [
            pushed.notify("ps_live_wrong", &right).await,
            pushed.notify("", &right).await,
            pushed.notify(pushed.secret(), "{").await,
            pushed.notify(pushed.secret(), json!({ "monto": "1.0" })).await,
            pushed.notify(pushed.secret(), "x".repeat(300_000)).await,
            notify(&nobody, foreign, pushed.secret(), &right).await,
            notify(&nobody, &sandbox, pushed.secret(), &right).await,
            notify(&nobody, "/hooks/bank/bdv/bank_1", pushed.secret(), &right).await,
        ] {
            assert_eq!((answer.status, &answer.body[..]), (200, REFUSED.as_bytes()));
        }
        let elsewhere = format!("/hooks/bank/BDV/{}", pushed.account);
        notify(&nobody, &elsewhere, pushed.secret(), &right).await.refused(404, "NOT_FOUND");
        assert_eq!((pushed.count("movements"), pushed.count("bank_notifications")), (0, 0));
    }

    async fn a_rotation_that_is_sent_again_rotates_once(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let path = format!("/v1/usersbank/{}/push-secret/rotate", pushed.account);
        let rotate = async |body: Value| {
            let call = pushed.owner.request("POST", &path).header("idempotency-key", "cambio-1");
            call.json(&body).send().await
        };
        let push = rotate(json!({})).await.ok()["push"].clone();
        let again = rotate(json!({})).await.refused(409, "CONFLICT");
        assert_eq!(again["facts"]["id"], pushed.account.as_str());
        rotate(json!({ "x": null })).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        let secret = push["secret"].as_str().unwrap();
        assert_eq!(codigo(&pushed.notify(secret, notice("0105", "678912")).await), "00");
    }

    async fn a_notice_with_a_rotated_secret_or_of_an_account_in_the_trash_is_refused(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let rotate = format!("/v1/usersbank/{}/push-secret/rotate", pushed.account);
        let push = pushed.owner.post(&rotate, json!({})).await.ok()["push"].clone();
        assert_eq!(push["path"], pushed.push["path"]);
        let body = notice("0134", "000079912345");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), &body).await), "99");
        let secret = push["secret"].as_str().unwrap();
        assert_eq!(codigo(&pushed.notify(secret, &body).await), "00");

        let trash = format!("/usersbank/{}/to-trash", pushed.account);
        pushed.owner.request("DELETE", &trash).send().await.ok();
        assert_eq!(codigo(&pushed.notify(secret, &body).await), "99");
        pushed.owner.post(&rotate, json!({})).await.refused(404, "NOT_FOUND");
        // Linked again, it has another secret and the same address.
        let linked = pushed.owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
        assert_eq!(linked["push"]["path"], pushed.push["path"]);
        assert_eq!(codigo(&pushed.notify(secret, &body).await), "99");
        let secret = linked["push"]["secret"].as_str().unwrap();
        assert_eq!(codigo(&pushed.notify(secret, &body).await), "01");
    }

    /// The clock stands still: a body that was waited for would be waited for without end.
    async fn a_wrong_secret_is_refused_before_the_body_is_read(setup: Setup) {
        let pushed = PushedAccount::start(setup.attempts_per_minute(10)).await;
        let right = pushed.push["path"].as_str().unwrap();
        let foreign = "/hooks/bank/bdv/bank_00000000000000000000000000";
        let wrong = format!("ps_live_{}", "a".repeat(32));
        for (path, secret) in [
            (right, &*wrong),
            (right, "ps_live_wrong"),
            (right, ""),
            (foreign, pushed.secret()),
            ("/hooks/bank/bdv/bank_1", pushed.secret()),
        ] {
            let answer = head_alone(&pushed, path, secret).await;
            assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with(REFUSED), "{answer}");
            assert!(answer.contains("connection: close"), "{answer}");
        }
        for _ in 0..5 {
            head_alone(&pushed, foreign, &wrong).await;
        }
        let answer = head_alone(&pushed, right, &wrong).await;
        assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
        let body = notice("0134", "000079912345");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), &body).await), "00");
    }

    async fn guessing_secrets_is_slowed_down_and_a_right_one_is_not(setup: Setup) {
        let pushed = PushedAccount::start(setup.attempts_per_minute(10)).await;
        let body = notice("0134", "000079912345");
        for _ in 0..10 {
            assert_eq!(codigo(&pushed.notify("ps_live_wrong", &body).await), "99");
        }
        let more = pushed.notify("ps_live_wrong", &body).await;
        more.refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), &body).await), "00");
        for _ in 0..20 {
            assert_eq!(codigo(&pushed.notify(pushed.secret(), &body).await), "01");
        }
    }

    async fn what_the_extract_shows_by_another_reference_is_kept_and_is_no_movement(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let from_the_same_bank = notice("0102", "000079912345");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), &from_the_same_bank).await), "00");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), &from_the_same_bank).await), "01");
        let short = notice("0134", "000000012345");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), &short).await), "00");
        assert_eq!((pushed.count("movements"), pushed.count("bank_notifications")), (0, 2));
        pushed.verify("79912345").await.refused(404, "PAYMENT_NOT_FOUND");
    }

    async fn notices_and_extracts_that_arrive_together_are_one_payment(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        for round in 0..5 {
            // The bank is not asked more often than it likes.
            pushed.app.clock().advance(Duration::from_secs(3));
            let ending = format!("799{round}2345");
            let reference = format!("0000{ending}");
            let payment = pushed.bank.pay(&reference, 15_075, AT_ONCE);
            let notices = futures_util::future::join_all((0..8).map(|_| pushed.bank.push(payment)));
            let asked = pushed.verify(&reference);
            let (notices, answer) = futures_util::future::join(notices, asked).await;
            pushed.bank.deliver_due().await;

            let mut codes = notices;
            codes.extend(pushed.bank.push_codes(payment));
            assert!(codes.iter().all(|code| code == "00" || code == "01"), "{codes:?}");
            assert_eq!(answer.ok()["data"]["is_new"], true);
            pushed.app.clock().advance(Duration::from_secs(3));
            assert_eq!(pushed.verify(&ending).await.ok()["data"]["is_new"], false);
            let made = i64::from(round) + 1;
            let tables = ["movements", "payments", "bank_notifications"];
            assert_eq!(tables.map(|table| pushed.count(table)), [made; 3]);
        }
        assert_eq!(pushed.owner.balance().await, 995);
    }
}
