//! Payments between two customers of Banco de Venezuela, which the extract has under references that no receipt has.

mod accepted;
mod apart;
mod incomplete;
mod midnight;
mod receipts;

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{Principal, Response, Setup, both_engines};

use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::pay::{make, paid_by, said, status, text};

const PAYER: &str = "V12345678";
const AT_ONCE: Duration = Duration::ZERO;
const LATER: Duration = Duration::from_secs(30);
/// Past the bank's interval between two looks at a day.
const A_WHILE: Duration = Duration::from_secs(3);
const NOT_FOUND_YET: &str = "Todavía no encontramos su pago";

impl PushedAccount {
    /// A payment of Bs 150.75 from the same bank.
    fn pay_same_bank(&self, receipt: &str, delay: Duration) -> u64 {
        self.bank.pay_same_bank(receipt, 15_075, PAYER, delay)
    }

    /// A notice of such a payment by that receipt, at that hour.
    async fn push_at(&self, receipt: &str, hour: &str) -> String {
        let mut body = notice("0102", receipt);
        body["hora"] = json!(hour);
        codigo(&self.notify(self.secret(), body).await)
    }

    /// A notice of one that was paid when the test began.
    async fn push_receipt(&self, receipt: &str) {
        assert_eq!(self.push_at(receipt, "0800").await, "00");
    }

    /// Asks by the reference and the amount alone.
    async fn by_reference(&self, reference: &str) -> Response {
        self.app.clock().advance(A_WHILE);
        let body = json!({ "bank_reference": reference, "amount": 150.75 });
        self.owner.key.post(&verify_path(&self.account), body).await
    }

    async fn by_payer(&self, reference: &str) -> Response {
        self.by_payer_with(&self.owner.key, reference, json!({})).await
    }

    /// Asks as a call does that says who paid, how much and when.
    async fn by_payer_with(&self, key: &Principal, reference: &str, more: Value) -> Response {
        self.app.clock().advance(A_WHILE);
        key.post(&verify_path(&self.account), naming_payer(reference, &more)).await
    }

    /// Many calls at the same time, by these references, each with a name of its own.
    async fn all_at_once(&self, references: &[&str]) -> Vec<Response> {
        self.app.clock().advance(A_WHILE);
        let path = verify_path(&self.account);
        let bodies = references.iter().cycle().take(24).enumerate().map(|(number, reference)| {
            naming_payer(reference, &json!({ "source_name": format!("caja {number}") }))
        });
        // A call that comes while a scan runs waits for the next.
        self.app.clock().flow(join_all(bodies.map(|body| self.owner.key.post(&path, body)))).await
    }

    async fn choose(&self, same_bank_by_payer: bool) {
        let body = json!({ "same_bank_by_payer": same_bank_by_payer });
        self.owner.put(&self.settings(), body).await.ok();
    }

    fn settings(&self) -> String {
        format!("/v1/usersbank/{}/settings", self.account)
    }

    /// The owner's notices of payments that only it can confirm.
    async fn waiting(&self) -> Vec<Value> {
        let page = self.owner.get("/v1/notices").await.ok();
        let notices = page["notices"].as_array().unwrap().iter();
        notices.filter(|notice| notice["kind"] == "same_bank_payment").cloned().collect()
    }

    async fn is_ledger_of(&self, payments: i64) {
        assert_eq!(self.count("payments"), payments);
        assert_eq!(self.owner.balance().await, 1_000 - payments);
    }
}

fn naming_payer(reference: &str, more: &Value) -> Value {
    let mut body = json!({
        "bank_reference": reference, "amount": 150.75, "fecha_pago": "2026-11-20", "dni_pagador": PAYER,
    });
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    body
}

/// How a confirmed answer was found, and whether it is new.
fn found(answer: &Response) -> (bool, String) {
    let data = &answer.clone().ok()["data"];
    (data["is_new"].as_bool().unwrap(), data["matched_by"].as_str().unwrap().to_owned())
}

fn new_by(how: &str) -> (bool, String) {
    (true, how.to_owned())
}

fn known_by(how: &str) -> (bool, String) {
    (false, how.to_owned())
}

both_engines! {
    async fn a_notice_and_a_row_are_one_payment_in_every_order(setup: Setup) {
        // Notice and row are there when the shop asks, both as the bank sends them.
        let pushed = PushedAccount::start(setup.clone()).await;
        let payment = pushed.pay_same_bank("000079912345", AT_ONCE);
        pushed.bank.deliver_due().await;
        assert_eq!(pushed.bank.push_codes(payment), ["00"]);
        assert_eq!(found(&pushed.by_reference("79912345").await), new_by("reference"));
        assert_eq!(found(&pushed.by_reference("912345").await), known_by("reference"));
        assert_eq!(pushed.bank.push(payment).await, "01");
        pushed.is_ledger_of(1).await;

        // The notice is there, and the row is late.
        let pushed = PushedAccount::by_nobody(setup.clone()).await;
        pushed.pay_same_bank("000079912345", LATER);
        pushed.push_receipt("000079912345").await;
        pushed.by_reference("912345").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.app.clock().advance(LATER);
        assert_eq!(found(&pushed.by_reference("912345").await), new_by("reference"));
        pushed.is_ledger_of(1).await;

        // The row is there and was seen before the notice comes.
        let pushed = PushedAccount::by_nobody(setup.clone()).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        pushed.by_payer("912345").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(pushed.count("movements"), 1);
        pushed.push_receipt("000079912345").await;
        assert_eq!(found(&pushed.by_reference("912345").await), new_by("reference"));
        assert_eq!(pushed.count("movements"), 1);
        pushed.is_ledger_of(1).await;

        // The row was claimed by its payer before the notice comes: the notice is of that row, whichever caller asks.
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("912345").await), new_by("payer"));
        pushed.push_receipt("000079912345").await;
        assert_eq!(found(&pushed.by_reference("000079912345").await), known_by("payer"));
        pushed.is_ledger_of(1).await;
        let kept = "select count(*) from bank_notifications where movement_id is not null";
        assert_eq!(pushed.app.database().number(kept), 1);
    }

    async fn the_amount_of_a_notice_is_shown_to_a_caller_that_names_its_receipt(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.bank.pay_same_bank("000079912345", 9_900, PAYER, AT_ONCE);
        let mut body = notice("0102", "000079912345");
        body["monto"] = json!("99.0");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
        let refused = pushed.by_reference("79912345").await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert_eq!(refused["facts"]["bank_amount"], 99.0);
        pushed.is_ledger_of(0).await;
    }

    async fn two_payments_of_one_minute_are_two_receipts(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.pay_same_bank("000079922222", LATER);
        // One row and two notices within minutes: which of the two it is nobody knows.
        pushed.push_receipt("000079922222").await;
        pushed.push_receipt("000079911111").await;
        pushed.by_reference("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.by_reference("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(0).await;
        // Once both are posted there are as many rows as notices.
        pushed.app.clock().advance(LATER);
        for (receipt, used) in [("79922222", 1), ("79911111", 2)] {
            assert_eq!(found(&pushed.by_reference(receipt).await), new_by("reference"), "{receipt}");
            assert_eq!(found(&pushed.by_reference(receipt).await), known_by("reference"));
            pushed.is_ledger_of(used).await;
        }
        pushed.by_reference("79933333").await.refused(404, "PAYMENT_NOT_FOUND");
    }

    async fn the_hour_distinguishes_two_payments_of_a_day(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.app.clock().advance(Duration::from_hours(3));
        pushed.pay_same_bank("000079922222", LATER);
        assert_eq!(pushed.push_at("000079922222", "1100").await, "00");
        assert_eq!(pushed.push_at("000079911111", "0800").await, "00");
        // The second is not posted yet, and the first is not taken for it.
        pushed.by_reference("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        pushed.app.clock().advance(LATER);
        assert_eq!(found(&pushed.by_reference("79922222").await), new_by("reference"));
        pushed.is_ledger_of(2).await;
    }

    async fn the_payer_confirms_where_the_owner_chose_so(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        pushed.bank.pay("000055512345", 15_075, AT_ONCE);
        let body = pushed.by_payer("88812346").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(body["facts"], json!({ "same_bank": true }));
        assert!(body["message"].as_str().unwrap().contains("same_bank_by_payer"), "{body}");
        pushed.is_ledger_of(0).await;

        pushed.choose(true).await;
        // Less than document, amount and day, or another bank, decides nothing.
        for more in [
            json!({ "dni_pagador": null }), json!({ "fecha_pago": null }), json!({ "amount": 0 }),
            json!({ "bank_origin": "0134" }), json!({ "dni_pagador": "V12345679" }),
            json!({ "amount": 150.74 }), json!({ "fecha_pago": "2026-11-19" }),
            json!({ "cuentaPagador": "01340000000000000001" }),
        ] {
            let refused = pushed.by_payer_with(&pushed.owner.key, "88812346", more.clone()).await;
            assert_eq!(refused.refused(404, "PAYMENT_NOT_FOUND").get("facts"), None, "{more}");
        }
        let own = json!({ "bank_origin": "0102" });
        let first = pushed.by_payer_with(&pushed.owner.key, "88812346", own).await;
        assert_eq!(found(&first), new_by("payer"));
        pushed.is_ledger_of(1).await;
        // The reference names the row from now on, for every caller; any other finds nothing more.
        let other = pushed.owner.key_with(&["payment_verifications"]).await;
        let again = pushed.by_payer_with(&other, "88812346", json!({})).await;
        assert_eq!(found(&again), known_by("payer"));
        assert_eq!(found(&pushed.by_reference("0088812346").await), known_by("payer"));
        let body = pushed.by_payer("88899999").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(body["facts"], json!({ "same_bank_claimed": true }));
        assert!(body["message"].as_str().unwrap().contains("otra referencia"), "{body}");
        // Nothing was confirmed of another payer, amount or day.
        for more in [json!({ "dni_pagador": "V12345679" }), json!({ "amount": 150.74 }), json!({ "fecha_pago": "2026-11-19" })] {
            let refused = pushed.by_payer_with(&pushed.owner.key, "88899999", more.clone()).await;
            assert_eq!(refused.refused(404, "PAYMENT_NOT_FOUND").get("facts"), None, "{more}");
        }
        pushed.is_ledger_of(1).await;
        // A payment from another bank is found by its reference, as ever.
        assert_eq!(found(&pushed.by_reference("55512345").await), new_by("reference"));
    }

    async fn of_several_that_the_payer_may_mean_none_is_taken(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.pay_same_bank("000079922222", AT_ONCE);
        pushed.by_payer("79911111").await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        pushed.is_ledger_of(0).await;
    }

    async fn of_many_at_once_one_is_new(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        let references = ["912345", "79912345", "88877777"];
        let answers = pushed.all_at_once(&references).await;
        let is_new = |answer: &Response| answer.status == 200 && found(answer).0;
        let new: Vec<_> = (0..).zip(&answers).filter(|(_, answer)| is_new(answer)).collect();
        assert_eq!(new.len(), 1);
        let winner = references[new[0].0 % references.len()];
        pushed.is_ledger_of(1).await;
        pushed.push_receipt("000079912345").await;
        let answers = pushed.all_at_once(&["79912345"]).await;
        // A payment that another receipt took is not known by this one.
        let expected = if winner == "88877777" { 404 } else { 200 };
        assert!(answers.iter().all(|answer| answer.status == expected && !is_new(answer)), "{winner}");
        pushed.is_ledger_of(1).await;
    }

    async fn a_client_is_not_shown_what_the_account_received(setup: Setup) {
        let (bank, app) = crate::bdv::start(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let path = verify_path(&crate::bdv::link(&key).await);
        bank.pay_same_bank("000079912345", 15_075, PAYER, AT_ONCE);
        let refused = key.post(&path, naming_payer("88812346", &json!({}))).await;
        assert_eq!(refused.refused(404, "PAYMENT_NOT_FOUND").get("facts"), None);
        app.clock().advance(A_WHILE);
        let refused = owner.key.post(&path, naming_payer("88812347", &json!({}))).await;
        let facts = &refused.refused(404, "PAYMENT_NOT_FOUND")["facts"];
        assert_eq!(facts, &json!({ "same_bank": true }));
        // Nor is it shown on its pages.
        let (person, browser) = (owner.client_employee(&client, 1).await, app.browser());
        browser.sign_in(&person.email, testkit::employee::PASSWORD).await;
        let list = browser.open("/app/payments/verifications").await;
        assert!(list.contains("88812346") && list.contains(">No aparece<") && !list.contains("Del mismo banco"), "{list}");
    }

    async fn the_page_never_confirms_by_document_and_the_owner_does(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        let pay = async |reference: &str, document: &str| {
            pushed.app.clock().advance(A_WHILE);
            paid_by(&pushed.app.nobody(), &link, reference, &[("document", document)]).await
        };
        let nothing = pay("79912345", "V87654321").await;
        assert_eq!(pushed.waiting().await, Vec::<Value>::new());
        pushed.pay_same_bank("000079912345", AT_ONCE);
        let there = pay("79912345", PAYER).await;
        // A stranger who knows the document learns nothing.
        assert_eq!((said(&there), said(&nothing)), (NOT_FOUND_YET.to_owned(), NOT_FOUND_YET.to_owned()));
        assert!(there.contains("Si pagó desde el mismo banco"), "{there}");
        assert!(nothing.contains("Si pagó desde el mismo banco"));
        pushed.is_ledger_of(0).await;
        pay("912345", PAYER).await;

        let waiting = pushed.waiting().await;
        assert_eq!((waiting.len(), &waiting[0]["payment_link_id"]), (1, &json!(link)));
        assert_eq!(waiting[0]["times"], 2);
        // The link's page shows the result of each try, and leads to where the payment is accepted.
        let browser = pushed.app.browser();
        browser.sign_in_as(&pushed.owner).await;
        let page = browser.open(&format!("/app/links/{link}")).await;
        assert_eq!(page.matches(">Espera que usted lo acepte<").count(), 2, "{page}");
        assert_eq!(page.matches(">No aparece<").count(), 1, "{page}");
        assert_eq!(page.matches(">Ver y aceptar<").count(), 2, "{page}");
        let (_, rest) = page.split_once("href=\"/app/payments/verifications/").unwrap();
        let try_path = format!("/app/payments/verifications/{}", rest.split('"').next().unwrap());
        let why = browser.open(&try_path).await;
        assert!(why.contains("espera a que usted lo acepte") && why.contains(&format!("/app/links/{link}/accept")), "{why}");
        let path = format!("/v1/paymentlink/{link}/accept");
        pushed.owner.post(&path, json!({ "movement_id": waiting[0]["subject"] })).await.ok();
        let paid = browser.open(&format!("/app/links/{link}")).await;
        assert!(!paid.contains("Espera que usted lo acepte"), "{paid}");
        assert_eq!(status(&pushed.owner, &link).await, "paid");
        pushed.is_ledger_of(1).await;
        // What was typed is of the payment that paid the link, and confirms nothing else.
        assert_eq!(found(&pushed.by_payer("79912345").await), known_by("payer"));
        pushed.by_payer("79954321").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(1).await;
    }

    /// By the phone alone nobody can say to the owner which payment it is.
    async fn the_page_asks_a_payer_who_named_only_a_phone_for_the_document(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        let pay = async |field: (&str, &str)| {
            pushed.app.clock().advance(A_WHILE);
            paid_by(&pushed.app.nobody(), &link, "79912345", &[field]).await
        };
        let page = pay(("phone", "04140000002")).await;
        assert_eq!(said(&page), NOT_FOUND_YET);
        assert!(page.contains("Si pagó desde el mismo banco, escriba la cédula o RIF"), "{page}");
        assert_eq!(pushed.waiting().await, Vec::<Value>::new());
        pay(("document", PAYER)).await;
        assert_eq!(pushed.waiting().await.len(), 1);
        pushed.is_ledger_of(0).await;
    }

    async fn the_page_confirms_by_the_receipt_of_a_notice(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        pushed.push_receipt("000079912345").await;
        let stranger = paid_by(&pushed.app.nobody(), &link, "912345", &[("document", "V87654321")]).await;
        assert_eq!(said(&stranger), NOT_FOUND_YET);
        pushed.app.clock().advance(A_WHILE);
        paid_by(&pushed.app.nobody(), &link, "912345", &[("document", PAYER)]).await;
        assert_eq!(status(&pushed.owner, &link).await, "paid");
        pushed.is_ledger_of(1).await;
        assert_eq!(found(&pushed.by_reference("79912345").await), known_by("reference"));
    }

    async fn the_name_of_the_holder_is_changed_and_shown_to_payers(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let named = async |name: Value| {
            let answer = pushed.owner.put(&pushed.settings(), json!({ "holder_name": name })).await.ok();
            assert_eq!(pushed.owner.get(&pushed.settings()).await.ok()["holder_name"], answer["holder_name"]);
            answer
        };
        assert_eq!(pushed.owner.get(&pushed.settings()).await.ok()["holder_name"], Value::Null);
        pushed.choose(true).await;
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        let shown = named(json!("Tienda Ejemplo, C.A.")).await;
        assert_eq!((&shown["holder_name"], &shown["same_bank_by_payer"]), (&json!("Tienda Ejemplo, C.A."), &json!(true)));
        let page = pushed.app.nobody().get(&format!("/pay/{link}")).await;
        assert!(text(&page).contains("Tienda Ejemplo, C.A."));
        // The other one stays as it is.
        pushed.choose(false).await;
        assert_eq!(pushed.owner.get(&pushed.settings()).await.ok(), {
            let mut kept = shown.clone();
            (kept["same_bank_by_payer"], kept["message"]) = (json!(false), json!("ajustes de la cuenta"));
            kept
        });
        for wrong in [json!("a".repeat(101)), json!(7), json!("Tienda\u{7}X"), json!(["Tienda"])] {
            let refused = pushed.owner.put(&pushed.settings(), json!({ "holder_name": wrong })).await;
            assert_eq!(refused.refused(400, "VALIDATION_ERROR")["details"][0]["field"], "holder_name", "{wrong}");
        }
        for nothing in [json!(" "), Value::Null] {
            named(json!("Tienda Ejemplo, C.A.")).await;
            assert_eq!(named(nothing).await["holder_name"], Value::Null);
        }
        let page = pushed.app.nobody().get(&format!("/pay/{link}")).await;
        assert!(!text(&page).contains("Tienda Ejemplo"));
        // The name that it has already is no change, and leaves no line.
        let audited = "select count(*) from audit where action = 'SetAccountSettings'";
        assert_eq!(pushed.app.database().number(audited), 6);

        // The sandbox has none, and nobody names another's.
        let sandbox = format!("/v1/usersbank/{}/settings", pushed.owner.bank);
        let refused = pushed.owner.put(&sandbox, json!({ "holder_name": "Tienda" })).await;
        refused.refused(400, "VALIDATION_ERROR");
        pushed.owner.put(&sandbox, json!({ "holder_name": null })).await.ok();
        let stranger = pushed.app.owner().await;
        stranger.put(&pushed.settings(), json!({ "holder_name": "Tienda" })).await.refused(404, "NOT_FOUND");
        pushed.owner.key.put(&pushed.settings(), json!({ "holder_name": "Tienda" })).await.refused(403, "OWNER_SESSION_REQUIRED");

        // It goes with the link.
        named(json!("Tienda Ejemplo, C.A.")).await;
        pushed.owner.request("DELETE", &format!("/usersbank/{}/to-trash", pushed.account)).send().await.ok();
        let gone = pushed.owner.put(&pushed.settings(), json!({ "holder_name": "Tienda" })).await;
        gone.refused(404, "NOT_FOUND");
        assert_eq!(crate::bdv::link(&pushed.owner).await, pushed.account);
        assert_eq!(pushed.owner.get(&pushed.settings()).await.ok()["holder_name"], Value::Null);
    }

    async fn the_choice_is_the_owners_and_ends_with_the_link(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let shown = async || pushed.owner.get(&pushed.settings()).await.ok()["same_bank_by_payer"].clone();
        assert_eq!(shown().await, false);
        pushed.choose(true).await;
        assert_eq!(shown().await, true);
        let audited = "select count(*) from audit where action = 'SetAccountSettings'";
        assert_eq!(pushed.app.database().number(audited), 1);
        pushed.owner.put(&pushed.settings(), json!({ "same_bank": true })).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(shown().await, true);
        // Nobody else's account, and none of a bank that needs no such choice.
        pushed.app.owner().await.get(&pushed.settings()).await.refused(404, "NOT_FOUND");
        let sandbox = format!("/v1/usersbank/{}/settings", pushed.owner.bank);
        pushed.owner.put(&sandbox, json!({ "same_bank_by_payer": false })).await.ok();
        let refused = pushed.owner.put(&sandbox, json!({ "same_bank_by_payer": true })).await;
        refused.refused(400, "VALIDATION_ERROR");

        pushed.owner.request("DELETE", &format!("/usersbank/{}/to-trash", pushed.account)).send().await.ok();
        pushed.owner.get(&pushed.settings()).await.refused(404, "NOT_FOUND");
        assert_eq!(crate::bdv::link(&pushed.owner).await, pushed.account);
        assert_eq!(shown().await, false);
    }
}
