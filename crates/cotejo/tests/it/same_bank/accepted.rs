//! What the owner is offered for a link, and accepts: a payment of the receipt that the payer typed, and of no other.

use std::time::Duration;

use futures_util::future::join;
use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{Response, Setup, either_engine};

use super::{A_WHILE, AT_ONCE, LATER, NOT_FOUND_YET, PAYER, found, known_by, naming_payer, new_by};
use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::pay::{make, paid_by, said, status};

impl PushedAccount {
    /// A link of the amount, whose payer has typed that reference. Answers the link.
    async fn typed_for_a_link(&self, reference: &str) -> String {
        let link = make(&self.owner.key, &self.account, json!({})).await;
        self.type_for(&link, reference).await;
        link
    }

    async fn type_for(&self, link: &str, reference: &str) {
        self.type_with(link, reference, ("document", PAYER)).await;
    }

    async fn type_with(&self, link: &str, reference: &str, payer: (&str, &str)) {
        self.app.clock().advance(A_WHILE);
        let page = paid_by(&self.app.nobody(), link, reference, &[payer]).await;
        assert_eq!(said(&page), NOT_FOUND_YET);
    }

    /// A movement that nobody has claimed.
    async fn unclaimed(&self) -> Value {
        let listed = self.owner.get(&format!("/movements/{}", self.account)).await.ok();
        let mut movements = listed["movements"].as_array().unwrap().iter();
        movements.find(|movement| movement["claimed"] == false).unwrap()["id"].clone()
    }

    /// The movement that the owner was offered last for the link, if one was.
    async fn offered_for(&self, link: &str) -> Option<Value> {
        let waiting = self.waiting().await;
        waiting
            .iter()
            .find(|notice| notice["payment_link_id"] == link)
            .map(|notice| notice["subject"].clone())
    }

    async fn accept(&self, link: &str, body: Value) -> Response {
        self.owner.post(&format!("/v1/paymentlink/{link}/accept"), body).await
    }
}

/// Past the minute for which a day that was read is not read again.
const A_MINUTE: Duration = Duration::from_secs(61);

either_engine! {
    async fn a_payer_means_no_row_that_may_be_the_money_of_an_accepted_one(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.bank.pay_same_bank_twice("000079911111", 15_075, PAYER);
        for day in ["2026-11-20", "2026-11-17"] {
            pushed.app.clock().advance(A_MINUTE);
            let read = format!("/v1/movements/{}/read", pushed.account);
            pushed.owner.post(&read, json!({ "day": day })).await.ok();
            pushed.app.settle().await;
        }
        let listed = pushed.owner.get(&format!("/movements/{}?from=2026-11-17", pushed.account)).await.ok();
        let rows = listed["movements"].as_array().unwrap();
        let before = rows.iter().find(|row| row["date"] == "2026-11-17").expect("the day before");
        let path = format!("/v1/movements/{}/accept", before["id"].as_str().unwrap());
        pushed.owner.post(&path, json!({})).await.ok();
        pushed.is_ledger_of(1).await;

        let refused = pushed.by_payer("88812346").await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(refused["facts"]["contested"], true);
        pushed.is_ledger_of(1).await;
    }

    /// A notice is open while its payment waits, says which it is, and ends with its acceptance.
    async fn the_notice_of_a_payment_ends_when_it_is_accepted(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079912345", AT_ONCE);
        let link = pushed.typed_for_a_link("912345").await;
        let waiting = pushed.waiting().await;
        let [notice] = waiting.as_slice() else { panic!("{waiting:?}") };
        assert_eq!((&notice["is_open"], &notice["amount"]), (&json!(true), &json!(150.75)));
        assert_eq!((&notice["currency"], &notice["payer"]), (&json!("VEF"), &json!(PAYER)));
        assert_eq!(notice["payment_link_id"], link);
        assert!(!notice["payment_link_name"].as_str().unwrap().is_empty(), "{notice}");
        let browser = pushed.app.browser();
        browser.sign_in_as(&pushed.owner).await;
        let named = format!("Bs. 150,75 · {} · {PAYER}", notice["payment_link_name"].as_str().unwrap());
        let page = browser.open("/app").await;
        assert!(page.contains(&named), "{page}");
        let body = json!({ "movement_id": pushed.unclaimed().await });
        pushed.accept(&link, body).await.ok();
        assert_eq!(pushed.waiting().await[0]["is_open"], false);
        let page = browser.open("/app").await;
        assert!(!page.contains(&named), "{page}");
    }

    /// Neither row contests the other when the bank shows them: of the first nobody knows who paid, until a notice says so.
    async fn a_row_whose_payer_was_said_later_may_be_the_money_of_the_next(setup: Setup) {
        let mut pushed = PushedAccount::by_nobody(setup).await;
        pushed.bank.credit("000077712345", 15_075, "ABONO EN CUENTA");
        pushed.app.clock().advance(A_WHILE);
        let body = json!({ "bank_reference": "000077712345", "amount": 150.75 });
        let first = pushed.owner.key.post(&verify_path(&pushed.account), body).await.ok();
        pushed.app.clock().advance(Duration::from_secs(3 * 24 * 3_600));
        pushed.bank.pay("000077712345", 15_075, AT_ONCE);
        let read = format!("/v1/movements/{}/read", pushed.account);
        pushed.owner.sign_in_again().await;
        pushed.owner.post(&read, json!({ "day": "2026-11-23" })).await.ok();
        pushed.app.settle().await;
        let mut said = notice("0134", "000077712345");
        said["numeroCliente"] = json!(testkit::bank::PAYER.0);
        assert_eq!(codigo(&pushed.notify(pushed.secret(), said).await), "00");
        let listed = pushed.owner.get(&format!("/movements/{}?from=2026-11-19", pushed.account)).await.ok();
        let rows = listed["movements"].as_array().unwrap();
        assert_eq!(rows.len(), 2, "{listed}");
        let second = rows.iter().find(|row| row["claimed"] == false).expect("the second row");
        let path = format!("/v1/movements/{}/accept", second["id"].as_str().unwrap());
        let refused = pushed.owner.post(&path, json!({})).await.refused(409, "PAYMENT_ALREADY_EXISTS");
        let payment = &first["data"]["user_bank_payment"]["id"];
        assert_eq!(refused["facts"]["user_bank_payment_id"], *payment);
        pushed.is_ledger_of(1).await;
        // The page of the movement asks for the box from the start.
        let browser = pushed.app.browser();
        browser.sign_in_as(&pushed.owner).await;
        let id = second["id"].as_str().unwrap();
        let page = browser.open(&format!("/app/payments/movements/{id}/accept")).await;
        assert!(page.contains("other_payment") && page.contains("una ya es un pago"), "{page}");
        pushed.owner.post(&path, json!({ "other_payment": payment })).await.ok();
        pushed.is_ledger_of(2).await;
    }

    /// Two people of one household have paid the same; the first payment is listed, the second is not yet.
    async fn the_payment_of_another_receipt_is_not_offered(setup: Setup) {
        for is_first_reported in [true, false] {
            let pushed = PushedAccount::by_nobody(setup.clone()).await;
            pushed.pay_same_bank("000079911111", AT_ONCE);
            if is_first_reported {
                pushed.push_receipt("000079911111").await;
            }
            pushed.app.clock().advance(Duration::from_mins(8));
            pushed.pay_same_bank("000079922222", LATER);
            assert_eq!(pushed.push_at("000079922222", "0808").await, "00");
            let second = pushed.typed_for_a_link("79922222").await;
            assert_eq!(pushed.offered_for(&second).await, None, "{is_first_reported}");
            pushed.app.clock().advance(LATER);
            assert_eq!(found(&pushed.by_reference("79922222").await), new_by("reference"));
            assert_eq!(pushed.count("payments"), 1);
        }
    }

    /// The owner is offered the first payment for the second link, while no notice has come.
    async fn of_two_payments_each_link_is_paid_with_one(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.app.clock().advance(Duration::from_mins(8));
        pushed.pay_same_bank("000079922222", LATER);
        let second = pushed.typed_for_a_link("79922222").await;
        let offered = pushed.offered_for(&second).await.unwrap();
        pushed.accept(&second, json!({ "movement_id": offered })).await.ok();
        pushed.is_ledger_of(1).await;

        pushed.app.clock().advance(LATER);
        assert_eq!(pushed.push_at("000079911111", "0800").await, "00");
        assert_eq!(pushed.push_at("000079922222", "0808").await, "00");
        // It is of the payment that was accepted for it, whatever the bank's minute of that one is.
        assert_eq!(found(&pushed.by_reference("79922222").await), known_by("payer"));
        let first = pushed.typed_for_a_link("79911111").await;
        let left = pushed.offered_for(&first).await.unwrap();
        assert_ne!(left, offered);
        pushed.accept(&first, json!({ "movement_id": left })).await.ok();
        for link in [&first, &second] {
            assert_eq!(status(&pushed.owner, link).await, "paid");
        }
        for reference in ["79911111", "79922222"] {
            assert_eq!(found(&pushed.by_reference(reference).await), known_by("payer"), "{reference}");
            assert_eq!(found(&pushed.by_payer(reference).await), known_by("payer"), "{reference}");
        }
        pushed.is_ledger_of(2).await;
    }

    /// The notice of another receipt came after the payment was offered.
    async fn a_payment_that_is_known_by_another_receipt_is_asked_about_again(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        let link = pushed.typed_for_a_link("79922222").await;
        let offered = pushed.offered_for(&link).await.unwrap();
        pushed.push_receipt("000079911111").await;
        pushed.by_payer("79933333").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(pushed.count("movements where receipt is not null"), 1);
        for body in [json!({ "movement_id": offered }), json!({ "movement_id": offered, "other_receipt": false })] {
            let refused = pushed.accept(&link, body).await.refused(409, "CONFLICT");
            assert!(refused["message"].as_str().unwrap().contains("other_receipt"), "{refused}");
        }
        let strangers = make(&pushed.owner.key, &pushed.account, json!({})).await;
        pushed.type_with(&strangers, "79944444", ("document", "V87654321")).await;
        pushed.accept(&strangers, json!({ "movement_id": offered })).await.refused(409, "CONFLICT");
        let wrong = pushed.accept(&link, json!({ "movement_id": offered, "other_receipt": "yes" })).await;
        wrong.refused(400, "VALIDATION_ERROR");
        pushed.is_ledger_of(0).await;

        // A payer who typed a wrong digit types the right one, and the owner need not say more; or the owner insists.
        let other = pushed.typed_for_a_link("79922222").await;
        assert_eq!(pushed.offered_for(&other).await, None);
        pushed.accept(&other, json!({ "movement_id": offered, "other_receipt": true })).await.ok();
        assert_eq!(status(&pushed.owner, &other).await, "paid");
        pushed.is_ledger_of(1).await;
        assert_eq!(found(&pushed.by_reference("79911111").await), known_by("reference"));
    }

    /// The payment is accepted while a call asks for it by the receipt that was typed for the link.
    async fn a_payment_is_accepted_or_confirmed_and_never_both(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        let mut calls_first = 0;
        for (round, receipt) in (1..=4).zip(["79911111", "79922222", "79933333", "79944444"]) {
            pushed.pay_same_bank(&format!("0000{receipt}"), AT_ONCE);
            let link = pushed.typed_for_a_link(receipt).await;
            let chosen = json!({ "movement_id": pushed.offered_for(&link).await.unwrap() });
            pushed.app.clock().advance(A_WHILE);
            let body = naming_payer(receipt, &json!({}));
            let path = verify_path(&pushed.account);
            let both = join(pushed.accept(&link, chosen), pushed.owner.key.post(&path, body));
            let (accepted, called) = pushed.app.clock().flow(both).await;
            let is_new = found(&called).0;
            assert_eq!(accepted.status, if is_new { 409 } else { 200 }, "{accepted:?}");
            calls_first += i32::from(is_new);
            assert_eq!(found(&pushed.by_reference(receipt).await), known_by("payer"));
            pushed.is_ledger_of(round).await;
        }
        let paid = pushed.count("payment_links where state = 1");
        assert_eq!(paid, i64::from(4 - calls_first));
    }

    /// Checks that a receipt that already confirmed another payment names that payment for good.
    async fn a_receipt_that_confirmed_another_payment_is_asked_about_again(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        let link = pushed.typed_for_a_link("79922222").await;
        assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
        pushed.pay_same_bank("000079922222", AT_ONCE);
        pushed.type_for(&link, "922222").await;
        let free = pushed.unclaimed().await;
        assert_ne!(pushed.offered_for(&link).await.as_ref(), Some(&free));
        pushed.accept(&link, json!({ "movement_id": free })).await.refused(409, "CONFLICT");
        pushed.is_ledger_of(1).await;
        assert_eq!(found(&pushed.by_payer("79911111").await), new_by("payer"));
        pushed.is_ledger_of(2).await;
    }

    /// Checks that the owner is offered nothing for a payer who gave only a phone, and finds the payment itself.
    async fn a_receipt_that_was_typed_beside_a_phone_alone_is_of_what_was_accepted(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        pushed.type_with(&link, "79911111", ("phone", "04140000002")).await;
        assert_eq!(pushed.offered_for(&link).await, None);
        pushed.by_payer("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.accept(&link, json!({ "movement_id": pushed.unclaimed().await })).await.ok();
        assert_eq!(status(&pushed.owner, &link).await, "paid");
        pushed.is_ledger_of(1).await;

        // The next payment of that person is not taken for it.
        pushed.choose(true).await;
        pushed.pay_same_bank("000079922222", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("79911111").await), known_by("payer"));
        assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
        pushed.is_ledger_of(2).await;

        // Nor is another accepted for the same receipt, unless the owner means it.
        pushed.pay_same_bank("000079933333", AT_ONCE);
        let again = make(&pushed.owner.key, &pushed.account, json!({})).await;
        pushed.type_with(&again, "911111", ("phone", "04140000002")).await;
        let other = pushed.typed_for_a_link("79933333").await;
        let free = pushed.offered_for(&other).await;
        pushed.accept(&again, json!({ "movement_id": free })).await.refused(409, "CONFLICT");
        pushed.is_ledger_of(2).await;
    }
}
