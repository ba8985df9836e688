//! A person has a day read, to see what came.

use std::time::Duration;

use domain::time::CaracasDate;
use serde_json::{Value, json};
use testkit::bank::FaultKind;
use testkit::{Setup, either_engine};

use super::{A_WHILE, AT_ONCE, Shop, unclaimed};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How far the reading is, and of how many rows.
fn standing(answer: &Value) -> (&str, i64) {
    let reading = &answer["reading"];
    (reading["state"].as_str().unwrap(), reading["rows"].as_i64().unwrap())
}

either_engine! {
    async fn a_person_has_a_day_read_and_sees_what_came(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.bank.pay("000088800001", 2_000, AT_ONCE);
        let begun = shop.read(&shop.owner, json!({})).await.ok();
        assert_eq!(standing(&begun).0, "running");
        assert_eq!(begun["reading"]["day"], CaracasDate::of(shop.app.now()).to_string());
        assert_eq!(shop.seen(&shop.owner).await, unclaimed(&["79912345", "88800001"]));
        // It costs nothing, and within a minute the bank is not asked again.
        let pages = shop.bank.pages_asked();
        assert_eq!(standing(&shop.read(&shop.owner, json!({})).await.ok()), ("done", 2));
        assert_eq!((shop.bank.pages_asked(), shop.owner.balance().await), (pages, 1_000));
        shop.app.clock().advance(Duration::from_secs(61));
        let again = shop.read(&shop.owner, json!({})).await.ok();
        assert_eq!(standing(&again).0, "running");
        assert!(shop.bank.pages_asked() > pages);
    }

    async fn today_and_seven_days_before_can_be_read(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let today = CaracasDate::of(shop.app.now());
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.app.clock().advance(7 * DAY);
        shop.owner.sign_in_again().await;
        let body = |days: i32| json!({ "day": today.plus_days(days).to_string() });
        shop.read(&shop.owner, body(0)).await.ok();
        assert_eq!(shop.seen(&shop.owner).await, unclaimed(&["79912345"]));
        for wrong in [body(-1), body(8), json!({ "day": "hoy" })] {
            let refused = shop.read(&shop.owner, wrong).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused["details"][0]["field"], "day");
        }
    }

    async fn who_may_not_and_what_has_no_statement_is_refused(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.read(&shop.owner.key, json!({})).await.refused(403, "OWNER_SESSION_REQUIRED");
        let employee = shop.owner.employee(1, &["payment_links:write"]).await;
        shop.read(&employee, json!({})).await.refused(403, "FORBIDDEN");
        let sandbox = format!("/v1/movements/{}/read", shop.owner.bank);
        let refused = shop.owner.post(&sandbox, json!({})).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused["details"][0]["field"], "user_bank_id");
        let employee = shop.owner.employee(2, &["payments:read"]).await;
        shop.read(&employee, json!({})).await.ok();
    }

    async fn a_bank_that_fails_is_said_and_opens_no_breaker(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.bank.fail(Some(FaultKind::Http500));
        for _ in 0..8 {
            let begun = shop.read(&shop.owner, json!({})).await.ok();
            assert_eq!(standing(&begun).0, "running");
            shop.app.clock().advance(A_WHILE);
        }
        let asked = shop.bank.pages_asked();
        assert!(asked >= 8, "{asked}");
        // A question is asked at once.
        shop.bank.fail(None);
        shop.verify("79912345").await.ok();
    }

    async fn two_who_read_a_day_read_it_once_and_another_day_waits(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.bank.fail(Some(FaultKind::Timeout));
        let path = format!("/v1/movements/{}/read", shop.account);
        let (first, second) = (shop.owner.post(&path, json!({})), shop.owner.post(&path, json!({})));
        for answer in [first.await, second.await] {
            assert_eq!(standing(&answer.ok()).0, "running");
        }
        let yesterday = CaracasDate::of(shop.app.now()).plus_days(-1).to_string();
        let other = shop.owner.post(&path, json!({ "day": yesterday })).await;
        other.refused(409, "REQUEST_IN_PROGRESS");
        // A bank that never answers does not hold the place for ever.
        shop.bank.fail(None);
        shop.app.clock().advance(Duration::from_secs(5 * 60));
        shop.app.settle().await;
        shop.read(&shop.owner, json!({ "day": yesterday })).await.ok();
        shop.read(&shop.owner, json!({})).await.ok();
        assert_eq!(standing(&shop.read(&shop.owner, json!({})).await.ok()), ("done", 1));
        assert_eq!(shop.seen(&shop.owner).await, unclaimed(&["79912345"]));
    }

    async fn what_was_read_and_could_not_be_written_is_not_said_to_be_there(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.app.tamper("alter table movements rename to movements_away").await;
        shop.read(&shop.owner, json!({})).await.ok();
        shop.app.tamper("alter table movements_away rename to movements").await;
        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        let day = CaracasDate::of(shop.app.now());
        let list = format!("/app/payments/movements?user_bank_id={}&read={day}", shop.account);
        let page = browser.open(&list).await;
        assert!(page.contains("No se pudo guardar todo") && !page.contains("Se leyó el"), "{page}");
        assert_eq!(shop.seen(&shop.owner).await, []);
        // It may be had read again before the minute is over, and then it is there.
        shop.app.clock().advance(A_WHILE);
        assert_eq!(standing(&shop.read(&shop.owner, json!({})).await.ok()).0, "running");
        assert_eq!(standing(&shop.read(&shop.owner, json!({})).await.ok()), ("done", 1));
        assert_eq!(shop.seen(&shop.owner).await, unclaimed(&["79912345"]));
    }

    async fn the_progress_of_a_reading_is_shown_to_who_sees_the_rows_of_that_day(setup: Setup) {
        let shop = Shop::open(setup).await;
        let client = shop.owner.client(true).await;
        let person = shop.owner.client_employee(&client, 1).await;
        shop.app.clock().advance(Duration::from_secs(60));
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.read(&shop.owner, json!({})).await.ok();
        let path = format!("/v1/usersbank/{}/client", shop.account);
        shop.owner.put(&path, json!({ "client_owner_id": client })).await.ok();
        let day = CaracasDate::of(shop.app.now());
        let list = format!("/app/payments/movements?user_bank_id={}&read={day}", shop.account);
        let (theirs, owners) = (shop.app.browser(), shop.app.browser());
        theirs.sign_in(&person.email, testkit::employee::PASSWORD).await;
        owners.sign_in_as(&shop.owner).await;
        let page = theirs.open(&list).await;
        assert!(page.contains("/app/payments/movements/read") && !page.contains("Se leyó el"), "{page}");
        assert!(owners.open(&list).await.contains("Se leyó el"));
    }
}
