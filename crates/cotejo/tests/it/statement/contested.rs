//! A payment of which the bank contradicts itself is shown with both rows, and the second is a person's to accept.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Setup, both_engines};

use super::{A_WHILE, Shop};
use crate::pay::{make, status};

/// Past the minute for which a day that was read is not read again.
const LATER: Duration = Duration::from_secs(61);

impl Shop {
    /// The owner's notices of payments that may be one.
    async fn contests(&self) -> Vec<Value> {
        let page = self.owner.get("/v1/notices").await.ok();
        let notices = page["notices"].as_array().unwrap().iter();
        notices.filter(|notice| notice["kind"] == "payment_contested").cloned().collect()
    }

    /// Reads today's statement again and again.
    async fn read_often(&self) {
        for _ in 0..3 {
            self.app.clock().advance(LATER);
            self.read(&self.owner, json!({})).await.ok();
        }
    }

    /// Returns the rows that the owner sees: the one that is certain, and the one that may be the same money.
    async fn rivals(&self) -> (Value, Value) {
        let listed = self.owner.get(&format!("/movements/{}", self.account)).await.ok();
        let rows = listed["movements"].as_array().unwrap().clone();
        let (mut contested, certain): (Vec<Value>, Vec<Value>) =
            rows.into_iter().partition(|row| !row["contested_with"].is_null());
        assert_eq!((certain.len(), contested.len()), (1, 1), "{listed}");
        let contested = contested.remove(0);
        assert_eq!(contested["contested_with"], certain[0]["id"]);
        (certain[0].clone(), contested)
    }

    /// Asks for the payment as one of the two rows says it.
    async fn ask_as(&self, row: &Value) -> testkit::Response {
        self.app.clock().advance(A_WHILE);
        let body = json!({
            "bank_reference": "77712345", "amount": 150.75, "bank_origin": row["payer_bank"],
        });
        let answer = self.app.clock().flow(self.owner.key.verify(&self.account, body)).await;
        self.app.settle().await;
        answer
    }

    async fn accept_movement(&self, row: &Value) -> testkit::Response {
        let path = format!("/v1/movements/{}/accept", row["id"].as_str().unwrap());
        self.owner.post(&path, json!({})).await
    }

    /// The same by a person who says that it is another payment than that accepted one.
    async fn accept_as_other(&self, row: &Value, than: &Value) -> testkit::Response {
        let path = format!("/v1/movements/{}/accept", row["id"].as_str().unwrap());
        self.owner.post(&path, json!({ "other_payment": than })).await
    }
}

both_engines! {
    async fn a_contested_row_is_kept_once_and_passes_by_nobody_but_a_person(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (0, Some("0105")));
        shop.read_often().await;
        let (certain, contested) = shop.rivals().await;
        let notices = shop.contests().await;
        assert_eq!((notices.len(), &notices[0]["times"]), (1, &json!(1)), "{notices:?}");
        assert_eq!(notices[0]["subject"], certain["id"]);
        // What nobody asked about is no key's.
        assert_eq!(shop.seen(&shop.owner.key).await, []);

        for _ in 0..2 {
            let refused = shop.ask_as(&contested).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
            assert_eq!(refused["facts"]["contested"], true);
        }
        assert_eq!(shop.app.database().number("select count(*) from payments"), 0);
        assert_eq!((shop.owner.balance().await, shop.contests().await.len()), (1_000, 1));

        let accepted = shop.accept_movement(&contested).await.ok();
        assert_eq!(accepted["data"]["is_new"], true);
        assert_eq!(shop.accept_movement(&contested).await.ok()["data"]["is_new"], false);
        assert_eq!(shop.ask_as(&contested).await.ok()["data"]["is_new"], false);
        // Now the other may be the money that was accepted.
        shop.ask_as(&certain).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        shop.read_often().await;
        assert_eq!(shop.app.database().number("select count(*) from movements"), 2);
        assert_eq!(shop.app.database().number("select count(*) from payments"), 1);
        assert_eq!(shop.owner.balance().await, 999);
        let refused = shop.accept_movement(&certain).await.refused(409, "PAYMENT_ALREADY_EXISTS");
        let payment = &accepted["data"]["user_bank_payment"]["id"];
        assert_eq!(refused["facts"]["user_bank_payment_id"], *payment);
        assert_eq!(shop.app.database().number("select count(*) from payments"), 1);
        // A yes about another payment is none about this one.
        for than in [json!("pay_00000000000000000000000001"), certain["id"].clone(), json!(true)] {
            let refused = shop.accept_as_other(&certain, &than).await;
            assert!(refused.status == 400 || refused.status == 409, "{than}: {refused:?}");
        }
        let other = shop.accept_as_other(&certain, payment).await.ok();
        assert_eq!(other["data"]["is_new"], true);
        assert_eq!(shop.owner.balance().await, 998);
    }

    async fn a_contested_row_that_was_accepted_for_the_caller_is_new_to_the_caller(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (0, Some("0105")));
        shop.read(&shop.owner, json!({})).await.ok();
        let (certain, contested) = shop.rivals().await;
        let path = format!("/v1/movements/{}/accept", contested["id"].as_str().unwrap());
        shop.owner.post(&path, json!({ "for_caller": true })).await.ok();
        let body = json!({ "bank_reference": "77712345", "amount": 150.75 });
        let reported = shop.owner.key.verify(&shop.account, body.clone()).await.ok();
        assert_eq!(reported["data"]["is_new"], true);
        assert_eq!(shop.owner.key.verify(&shop.account, body).await.ok()["data"]["is_new"], false);
        // The row that it may be says another payer's bank, and is nobody's by a question.
        shop.ask_as(&certain).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(shop.app.database().number("select count(*) from payments"), 1);
    }

    async fn whichever_is_asked_about_first_one_alone_is_new_by_a_question(setup: Setup) {
        for is_contested_first in [false, true] {
            let shop = Shop::open(setup.clone()).await;
            shop.bank.pay_contradicted("77712345", 15_075, true, (0, Some("0105")));
            shop.read(&shop.owner, json!({})).await.ok();
            let (certain, contested) = shop.rivals().await;
            if is_contested_first {
                shop.ask_as(&contested).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
            }
            assert_eq!(shop.ask_as(&certain).await.ok()["data"]["is_new"], true);
            shop.ask_as(&contested).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
            // By its reference alone it is the payment that is known.
            let body = json!({ "bank_reference": "77712345", "amount": 150.75 });
            let bare = shop.owner.key.verify(&shop.account, body).await.ok();
            assert_eq!(bare["data"]["is_new"], false);
            assert_eq!(shop.app.database().number("select count(*) from payments"), 1);
            // A person accepts the second for what it is, once it was said that the first was accepted.
            let refused = shop.accept_movement(&contested).await.refused(409, "PAYMENT_ALREADY_EXISTS");
            shop.accept_as_other(&contested, &refused["facts"]["user_bank_payment_id"]).await.ok();
            assert_eq!(shop.app.database().number("select count(*) from payments"), 2);
        }
    }

    async fn a_process_that_knows_nothing_of_the_one_before_keeps_no_contested_row_twice(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (0, Some("0105")));
        shop.read(&shop.owner, json!({})).await.ok();
        shop.app.restart().await;
        shop.owner.sign_in_again().await;
        shop.read_often().await;
        shop.rivals().await;
        assert_eq!(shop.contests().await[0]["times"], 1);
    }

    async fn a_link_is_paid_by_the_second_row_only_by_who_says_that_it_is_another_payment(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (0, Some("0105")));
        shop.read(&shop.owner, json!({})).await.ok();
        let (certain, contested) = shop.rivals().await;
        let accepted = shop.accept_movement(&contested).await.ok();
        let payment = accepted["data"]["user_bank_payment"]["id"].as_str().unwrap();
        let link = make(&shop.owner, &shop.account, json!({ "amount": 150.75 })).await;
        let path = format!("/v1/paymentlink/{link}/accept");
        let body = json!({ "movement_id": certain["id"] });
        shop.owner.post(&path, body).await.refused(409, "PAYMENT_ALREADY_EXISTS");
        assert_eq!(status(&shop.owner, &link).await, "pending");

        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        let id = certain["id"].as_str().unwrap();
        // On the page of the link the box comes with the refusal, and stays.
        let page = format!("/app/links/{link}/accept");
        let form = browser.open(&page).await;
        assert!(!form.contains("other_payment"), "{form}");
        let refused = browser.send(&page, &[("movement_id", id)]).await.text();
        assert!(refused.contains("other_payment") && refused.contains("mismo dinero"), "{refused}");
        // On that of the movement it is there from the start, with the way to the payment.
        let page = format!("/app/payments/movements/{id}/accept");
        let form = browser.open(&page).await;
        assert!(form.contains("other_payment") && form.contains("una ya es un pago"), "{form}");
        let sure = [("pays", &*link), ("accept_sure", "yes")];
        let refused = browser.send(&page, &sure).await.text();
        assert!(refused.contains("mismo dinero"), "{refused}");
        assert_eq!(status(&shop.owner, &link).await, "pending");
        for (than, status_then) in [("yes", "pending"), (payment, "paid")] {
            browser.send(&page, &[&sure[..], &[("other_payment", than)]].concat()).await;
            assert_eq!(status(&shop.owner, &link).await, status_then);
        }
    }

    async fn the_pages_say_which_row_is_contested(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (0, Some("0105")));
        shop.read(&shop.owner, json!({})).await.ok();
        let (_, contested) = shop.rivals().await;
        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        let list = format!("/app/payments/movements?user_bank_id={}", shop.account);
        let page = browser.open(&list).await;
        assert_eq!(page.matches("Puede ser el mismo pago").count(), 1, "{page}");
        let id = contested["id"].as_str().unwrap();
        let page = browser.open(&format!("/app/payments/movements/{id}/accept")).await;
        assert!(page.contains("mostró dos veces"), "{page}");
    }
}
