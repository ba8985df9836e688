//! One whole reference reported of two payers may be one payment: it is not accepted twice. And what is believed
//! while a bank does not answer.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::FaultKind;
use testkit::principal::verify_path;
use testkit::{Response, Setup, both_engines};

use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::pay::{make, paid_by, said, status};

/// The phone that the simulated bank shows of the payer, and another.
const SHOWN: &str = "04140000002";
const OTHER: &str = "04140000003";

/// Past the bank's interval between two looks at a day.
const A_WHILE: Duration = Duration::from_secs(3);

const AT_ONCE: Duration = Duration::ZERO;

impl PushedAccount {
    /// A notice of that reference, of another phone than the extract will show.
    async fn push_reference(&self, reference: &str, bank: &str, more: Value) -> String {
        let mut body = notice(bank, reference);
        body["numeroCliente"] = json!(OTHER);
        for (field, value) in more.as_object().unwrap() {
            body[field] = value.clone();
        }
        codigo(&self.notify(self.secret(), body).await)
    }

    async fn ask(&self, reference: &str, phone: Option<&str>) -> Response {
        self.app.clock().advance(A_WHILE);
        let body = json!({ "bank_reference": reference, "amount": 150.75, "phone_pagador": phone });
        self.owner.key.post(&verify_path(&self.account), body).await
    }

    async fn is_new(&self, reference: &str, phone: Option<&str>) -> bool {
        self.ask(reference, phone).await.ok()["data"]["is_new"].as_bool().unwrap()
    }

    /// How many movements are certain, and how many may be one of them.
    fn certain_and_contested(&self) -> [i64; 2] {
        ["is null", "is not null"].map(|is| {
            let rows = format!("select count(*) from movements where contested_with {is}");
            self.app.database().number(&rows)
        })
    }

    /// The owner's notices of payments that may be one.
    async fn contested(&self) -> Vec<Value> {
        let page = self.owner.get("/v1/notices").await.ok();
        let notices = page["notices"].as_array().unwrap().iter();
        notices.filter(|notice| notice["kind"] == "payment_contested").cloned().collect()
    }
}

both_engines! {
    /// They differ by what was paid. A caller who does not say it is not answered with one of them.
    async fn of_two_payments_of_one_whole_reference_none_is_a_repeat_by_itself(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let ask = async |amount: f64| {
            pushed.app.clock().advance(A_WHILE);
            let body = json!({ "bank_reference": "000079912345", "amount": amount });
            pushed.owner.key.post(&verify_path(&pushed.account), body).await
        };
        for amount in [15_075, 9_900] {
            pushed.bank.pay("000079912345", amount, AT_ONCE);
        }
        for amount in [150.75, 99.0] {
            assert_eq!(ask(amount).await.ok()["data"]["is_new"], true);
        }
        ask(0.0).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!((pushed.count("movements"), pushed.count("payments")), (2, 2));
        assert_eq!(pushed.owner.balance().await, 998);
    }

    /// Banks use references again, for other payers. A caller who does not say the day is not answered with either.
    async fn of_two_payments_of_one_reference_and_amount_on_two_days_none_is_a_repeat_by_itself(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let ask = async |day: Option<&str>| {
            pushed.app.clock().advance(A_WHILE);
            let body = json!({ "bank_reference": "000079912345", "amount": 150.75, "fecha_pago": day });
            pushed.owner.key.post(&verify_path(&pushed.account), body).await
        };
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        assert_eq!(ask(Some("2026-11-20")).await.ok()["data"]["is_new"], true);
        pushed.app.clock().advance(Duration::from_secs(2 * 24 * 60 * 60));
        pushed.bank.transfer("000079912345", 15_075, "V87654321");
        assert_eq!(ask(Some("2026-11-22")).await.ok()["data"]["is_new"], true);
        ask(None).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!((pushed.count("movements"), pushed.count("payments")), (2, 2));
        assert_eq!(pushed.owner.balance().await, 998);
    }

    async fn one_reference_of_two_payers_is_not_two_payments(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "00");
        assert!(pushed.is_new("79912345", Some(OTHER)).await);
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);

        let refused = pushed.ask("79912345", Some(SHOWN)).await;
        let body = refused.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(body["facts"]["digits_needed"], 8, "more digits do not help");
        assert!(body["message"].as_str().unwrap().contains("titular"), "{body}");
        pushed.ask("912345", Some(SHOWN)).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!((pushed.certain_and_contested(), pushed.count("payments")), ([1, 1], 1));
        assert_eq!(pushed.owner.balance().await, 999);
        let notices = pushed.contested().await;
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0]["subject"].as_str().unwrap().starts_with("mov_"), "{notices:?}");

        // Who names no payer, or the one that was reported first, gets the one payment.
        assert!(!pushed.is_new("79912345", None).await);
        assert!(!pushed.is_new("79912345", Some(OTHER)).await);
        assert_eq!(pushed.owner.balance().await, 999);
    }

    async fn two_notices_of_one_reference_and_two_payers_are_not_two_payments(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "00");
        let second = json!({ "numeroCliente": SHOWN });
        assert_eq!(pushed.push_reference("118879912345", "0134", second.clone()).await, "00");
        assert_eq!(pushed.push_reference("118879912345", "0134", second).await, "01");
        assert_eq!((pushed.certain_and_contested(), pushed.count("bank_notifications")), ([1, 1], 2));
        assert_eq!(pushed.contested().await.len(), 1);

        assert!(pushed.is_new("79912345", Some(OTHER)).await);
        let refused = pushed.ask("79912345", Some(SHOWN)).await;
        refused.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(pushed.count("payments"), 1);
    }

    async fn one_reference_of_two_documents_is_not_two_payments(setup: Setup) {
        const FIRST: &str = "V12345678";
        const SECOND: &str = "V87654321";
        let pushed = PushedAccount::start(setup).await;
        let ask = async |document: &str| {
            pushed.app.clock().advance(A_WHILE);
            let body = json!({ "bank_reference": "79912345", "amount": 150.75, "dni_pagador": document });
            pushed.owner.key.post(&verify_path(&pushed.account), body).await
        };
        pushed.bank.transfer("000079912345", 15_075, FIRST);
        assert_eq!(ask(FIRST).await.ok()["data"]["is_new"], true);
        pushed.bank.transfer("000079912345", 15_075, SECOND);
        ask(SECOND).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!((pushed.certain_and_contested(), pushed.count("payments")), ([1, 1], 1));
        assert_eq!((pushed.contested().await.len(), pushed.owner.balance().await), (1, 999));
        assert_eq!(ask(FIRST).await.ok()["data"]["is_new"], false);
    }

    async fn a_notice_of_another_bank_of_the_payer_is_another_payment(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let other = json!({ "numeroCliente": SHOWN });
        assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "00");
        assert_eq!(pushed.push_reference("000079912345", "0105", other.clone()).await, "00");
        assert_eq!((pushed.count("movements"), pushed.count("bank_notifications")), (2, 2));
        // Each of the two adds nothing when it comes again.
        assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "01");
        assert_eq!(pushed.push_reference("000079912345", "0105", other).await, "01");
        assert_eq!((pushed.count("movements"), pushed.contested().await.len()), (2, 0));
        pushed.bank.fail(Some(FaultKind::Http500));
        assert!(pushed.is_new("79912345", Some(OTHER)).await);
        assert!(pushed.is_new("79912345", Some(SHOWN)).await);
        assert_eq!(pushed.count("payments"), 2);
    }

    async fn a_notice_of_another_bank_or_day_of_the_same_payer_is_not_another_payment(setup: Setup) {
        for more in [json!({ "bancoOrdenante": "0105" }), json!({ "fecha": "20261115" })] {
            let pushed = PushedAccount::start(setup.clone()).await;
            assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "00");
            assert_eq!(pushed.push_reference("000079912345", "0134", more).await, "00");
            assert_eq!((pushed.certain_and_contested(), pushed.contested().await.len()), ([1, 1], 1));
            pushed.bank.fail(Some(FaultKind::Http500));
            assert!(pushed.is_new("79912345", Some(OTHER)).await);
            assert!(!pushed.is_new("79912345", Some(OTHER)).await);
            assert_eq!(pushed.count("payments"), 1);
        }
    }

    async fn another_bank_of_the_payer_another_amount_or_another_ending_is_another_payment(setup: Setup) {
        for (reference, bank, more) in [
            ("000079912345", "0105", json!({})),
            ("000079912345", "0134", json!({ "monto": 99.99 })),
            ("000088912345", "0134", json!({})),
        ] {
            let pushed = PushedAccount::start(setup.clone()).await;
            assert_eq!(pushed.push_reference(reference, bank, more.clone()).await, "00");
            let body = json!({ "bank_reference": reference, "phone_pagador": OTHER });
            let first = pushed.owner.key.post(&verify_path(&pushed.account), body).await.ok();
            assert_eq!(first["data"]["is_new"], true, "{reference} {bank} {more}");
            pushed.bank.pay("000079912345", 15_075, AT_ONCE);
            assert!(pushed.is_new("79912345", Some(SHOWN)).await, "{reference} {bank} {more}");
            assert_eq!((pushed.count("payments"), pushed.contested().await.len()), (2, 0));
        }
    }

    async fn of_two_movements_that_may_be_one_a_single_one_is_claimed(setup: Setup) {
        let mut pushed = PushedAccount::start(setup).await;
        pushed.app.expect_disorder();
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        pushed.bank.pay("000079912346", 15_075, AT_ONCE);
        pushed.bank.deliver_due().await;
        // As kept before the two were held for one.
        let alike = "update movements set reference = '79912345', tail = '543219', payer_phone = '584140000003' \
                     where reference = '79912346'";
        pushed.app.tamper(alike).await;
        assert!(pushed.is_new("79912345", Some(SHOWN)).await);
        let refused = pushed.ask("79912345", Some(OTHER)).await;
        refused.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!((pushed.count("payments"), pushed.contested().await.len()), (1, 1));
    }

    async fn a_person_decides_about_a_link_whose_payment_is_contested(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "00");
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        let page = paid_by(&pushed.app.nobody(), &link, "912345", &[("phone", SHOWN)]).await;
        assert_eq!(said(&page), "Todavía no encontramos su pago");
        assert_eq!((status(&pushed.owner, &link).await.as_str(), pushed.count("payments")), ("pending", 0));

        let notices = pushed.contested().await;
        assert_eq!((notices.len(), &notices[0]["payment_link_id"]), (1, &json!(link)));
        let movement = &notices[0]["subject"];
        let path = format!("/v1/paymentlink/{link}/accept");
        pushed.owner.post(&path, json!({ "movement_id": movement })).await.ok();
        assert_eq!((status(&pushed.owner, &link).await.as_str(), pushed.owner.balance().await), ("paid", 999));
        assert_eq!(pushed.contested().await[0]["is_open"], false);
    }

    async fn a_contest_stays_open_while_its_link_was_paid_by_other_money(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        assert_eq!(pushed.push_reference("000079912345", "0134", json!({})).await, "00");
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        let nobody = pushed.app.nobody();
        paid_by(&nobody, &link, "912345", &[("phone", SHOWN)]).await;
        let contest = pushed.contested().await.remove(0);
        assert_eq!((&contest["payment_link_id"], &contest["is_open"]), (&json!(link), &json!(true)));

        pushed.app.clock().advance(A_WHILE);
        pushed.bank.pay("000088855555", 15_075, AT_ONCE);
        paid_by(&nobody, &link, "88855555", &[("phone", SHOWN)]).await;
        assert_eq!(status(&pushed.owner, &link).await, "paid");
        assert_eq!(pushed.contested().await[0]["is_open"], true, "the money is still there");
        // It ends with the money that it is about.
        let listed = pushed.owner.get(&format!("/movements/{}", pushed.account)).await.ok();
        let rows = listed["movements"].as_array().unwrap();
        let rival = rows.iter().find(|row| row["contested_with"] == contest["subject"]).unwrap();
        let path = format!("/v1/movements/{}/accept", rival["id"].as_str().unwrap());
        pushed.owner.post(&path, json!({})).await.ok();
        assert_eq!(pushed.contested().await[0]["is_open"], false);
    }

    async fn six_digits_alone_take_no_movement_while_the_bank_cannot_be_reached(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        pushed.bank.pay("000079912345", 15_075, AT_ONCE);
        pushed.bank.deliver_due().await;
        pushed.bank.fail(Some(FaultKind::Http500));
        pushed.ask("912345", None).await.refused(503, "BANK_NOT_AVAILABLE");
        pushed.ask("9912345", None).await.refused(503, "BANK_NOT_AVAILABLE");
        pushed.ask("912345", Some(OTHER)).await.refused(503, "BANK_NOT_AVAILABLE");
        assert_eq!((pushed.count("payments"), pushed.owner.balance().await), (0, 1_000));
        // A phone that the notice confirms, or the whole reference, says which payment it is.
        assert!(pushed.is_new("912345", Some(SHOWN)).await);
        assert!(!pushed.is_new("79912345", None).await);
        // Of a claimed one as well: it may be another that is meant.
        pushed.ask("9912345", None).await.refused(503, "BANK_NOT_AVAILABLE");
        pushed.bank.fail(None);
        pushed.app.clock().advance(Duration::from_secs(120));
        assert!(!pushed.is_new("9912345", None).await);
        assert_eq!(pushed.owner.balance().await, 999);
    }
}
