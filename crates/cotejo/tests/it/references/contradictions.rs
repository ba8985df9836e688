//! A bank that shows one payment twice, as if it were of another day or of another bank's customer.

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{A_WHILE, Shop};

/// How the bank contradicts itself: so many days apart, and from that bank instead.
const WAYS: [(u8, Option<&str>); 7] = [
    (1, None),
    (2, None),
    (7, None),
    (0, Some("0105")),
    (1, Some("0105")),
    (3, Some("0105")),
    (7, Some("0105")),
];

/// The day so many days before that of the tests.
fn day(before: u8) -> String {
    format!("2026-11-{:02}", 20 - before)
}

fn of_day(reference: &str, before: u8) -> Value {
    json!({ "bank_reference": reference, "amount": 150.75, "fecha_pago": day(before) })
}

impl Shop {
    /// The owner's notices of payments that may be one.
    async fn contested(&self) -> usize {
        let page = self.owner.get("/v1/notices").await.ok();
        let notices = page["notices"].as_array().unwrap().iter();
        notices.filter(|notice| notice["kind"] == "payment_contested").count()
    }

    /// Asks by every digit and by six, on both days and naming both banks, and answers how often that was new.
    async fn times_new(&self, receipt: &str, days: [u8; 2], banks: &[Option<&str>]) -> usize {
        let mut new = 0;
        for before in days {
            for reference in [receipt, receipt.split_at(2).1] {
                for bank in banks {
                    let mut body = of_day(reference, before);
                    body["bank_origin"] = json!(bank);
                    let answer = self.verify(body).await;
                    let (status, code) = answer.end();
                    match status {
                        200 => new += usize::from(answer.ok()["data"]["is_new"] == true),
                        409 => assert_eq!(code, "PAYMENT_REFERENCE_AMBIGUOUS"),
                        _ => assert_eq!(code, "PAYMENT_NOT_FOUND"),
                    }
                }
            }
        }
        new
    }
}

either_engine! {
    async fn a_payment_of_which_the_bank_contradicts_itself_is_accepted_once(setup: Setup) {
        let shop = Shop::open(setup).await;
        let mut payments = 0;
        for (number, way) in WAYS.iter().enumerate() {
            for is_pago_movil in [true, false] {
                let receipt = format!("66{number}{}1234", u8::from(is_pago_movil));
                shop.bank.pay_contradicted(&receipt, 15_075, is_pago_movil, *way);
                payments += 1;
                let banks = [Some("0134"), way.1, None];
                let new = shop.times_new(&receipt, [0, way.0], &banks).await;
                assert_eq!(new, 1, "{way:?} {is_pago_movil}");
            }
        }
        assert_eq!(shop.owner.balance().await, 1_000 - payments);
    }

    async fn the_owner_is_notified_and_the_answer_says_so(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (4, None));
        assert_eq!(shop.verify(of_day("77712345", 4)).await.ok()["data"]["is_new"], true);
        assert_eq!(shop.contested().await, 0);
        let refused = shop.verify(of_day("77712345", 0)).await;
        let body = refused.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(body["facts"]["contested"], true, "{body}");
        assert_eq!(shop.contested().await, 1);
        shop.app.clock().advance(A_WHILE);
        let again = shop.verify(of_day("77712345", 4)).await.ok();
        assert_eq!(again["data"]["is_new"], false);
    }

    async fn after_more_than_a_week_a_bank_may_use_a_reference_again(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay_contradicted("77712345", 15_075, true, (8, None));
        assert_eq!(shop.times_new("77712345", [0, 8], &[None]).await, 2);
    }
}
