//! `GET /v1/credits`

use std::time::Duration;

use domain::time::Timestamp;
use serde_json::{Value, json};
use testkit::{Principal, Setup, TestApp, both_engines};

use crate::pay::{make, paid_with};
use crate::slow_bank::{SLOW_REFERENCE, about, let_answer, time_out};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// 16 November 2026 begins in Caracas: half of the month is over.
const HALF: Timestamp = Timestamp::from_micros(1_794_801_600_000_000);

async fn credits(caller: &Principal, query: &str) -> Value {
    caller.get(&format!("/v1/credits?{query}")).await.ok()
}

fn column<'a>(answer: &'a Value, name: &str) -> Vec<&'a Value> {
    answer["entries"].as_array().unwrap().iter().map(|line| &line[name]).collect()
}

fn paying(number: u32) -> Value {
    about(&format!("{number}67890"))
}

both_engines! {
    async fn each_line_says_what_it_was_for(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let theirs = key.link_bank().await;
        let employee = owner.employee(1, &["payments:write"]).await;
        owner.key.verify(&owner.bank, paying(1)).await.ok();
        key.verify(&theirs, paying(2)).await.ok();
        owner.verify(&owner.bank, paying(3)).await.ok();
        employee.verify(&owner.bank, paying(4)).await.ok();
        let link = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &link, "567890").await;
        owner.grant(10).await;

        let answer = credits(&owner, "").await;
        let figures = ["balance", "reserved", "available", "used", "operations"];
        assert_eq!(figures.map(|name| answer[name].as_i64().unwrap()), [1_005, 0, 1_005, 5, 5]);
        let amounts = [10, -1, -1, -1, -1, -1, 1_000].map(Value::from);
        assert_eq!(column(&answer, "amount"), amounts.iter().collect::<Vec<_>>());
        let after = [1_005, 995, 996, 997, 998, 999, 1_000].map(Value::from);
        assert_eq!(column(&answer, "balance_after"), after.iter().collect::<Vec<_>>());
        let callers = json!([null, "key", "employee", "session", "key", "key", null]);
        assert_eq!(json!(column(&answer, "caller")), callers);
        let links = json!([null, link, null, null, null, null, null]);
        assert_eq!(json!(column(&answer, "payment_link_id")), links);
        let clients = json!([null, null, null, null, client, null, null]);
        assert_eq!(json!(column(&answer, "client_owner_id")), clients);
        let (own, of_client) = (&owner.bank, &theirs);
        let banks = json!([null, own, own, own, of_client, own, null]);
        assert_eq!(json!(column(&answer, "user_bank_id")), banks);
        assert_eq!(column(&answer, "api_key_id")[4], &json!(key.id));
        assert!(column(&answer, "caller_name")[2].is_string() && column(&answer, "client_name")[4].is_string());
        let kinds = column(&answer, "movement_type");
        assert_eq!((kinds[0], kinds[1], kinds[6]), (&json!("purchase"), &json!("debit"), &json!("purchase")));
        let payment = column(&answer, "user_bank_payment_id")[1].as_str().unwrap();
        let described = column(&answer, "description")[1].as_str().unwrap();
        assert!(described.contains(payment) && described.contains(&link), "{described}");
        assert!(column(&answer, "verification_id")[1].is_string());
    }

    async fn lines_are_read_from_the_newest_on_page_by_page(app: TestApp) {
        let owner = app.owner().await;
        for number in 1..=6 {
            owner.key.verify(&owner.bank, paying(number)).await.ok();
        }
        let (mut lines, mut next) = (Vec::new(), Value::Null);
        loop {
            let after = next.as_i64().map(|line| format!("&after={line}")).unwrap_or_default();
            let answer = credits(&owner, &format!("limit=3{after}")).await;
            lines.extend(column(&answer, "line").into_iter().map(|line| line.as_i64().unwrap()));
            next = answer["next"].clone();
            assert_eq!(answer["has_more"] == true, next.is_i64());
            if next.is_null() {
                break;
            }
        }
        assert_eq!(lines, [7, 6, 5, 4, 3, 2, 1]);
        for query in ["after=0", "after=x", "limit=0", "month=2026"] {
            owner.get(&format!("/v1/credits?{query}")).await.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn what_open_searches_hold_is_not_available(app: TestApp) {
        let owner = app.owner().await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        let answer = credits(&owner, "").await;
        assert_eq!((&answer["balance"], &answer["reserved"], &answer["available"]),
            (&json!(1_000), &json!(1), &json!(999)));
        assert_eq!(answer["used"], 0);
        let_answer(&app).await;
        let answer = credits(&owner, "").await;
        assert_eq!((&answer["reserved"], &answer["available"], &answer["used"]), (&json!(0), &json!(999), &json!(1)));
    }

    async fn a_month_is_forecast_from_what_has_passed_of_it(setup: Setup) {
        let app = setup.from(HALF).start().await;
        let mut owner = app.owner().await;
        for number in 1..=5 {
            owner.key.verify(&owner.bank, paying(number)).await.ok();
        }
        // Fifteen days of thirty.
        assert_eq!(credits(&owner, "").await["forecast"], 10);
        let before = credits(&owner, "month=2026-10").await;
        assert_eq!((&before["used"], &before["forecast"], &before["entries"]), (&json!(0), &Value::Null, &json!([])));
        // On the first of December nothing has passed of it.
        app.clock().advance(DAY * 15);
        owner.sign_in_again().await;
        let answer = credits(&owner, "").await;
        assert_eq!((&answer["month"], &answer["used"], &answer["forecast"]), (&json!("2026-12"), &json!(0), &Value::Null));
        assert_eq!(answer["entries"], json!([]));
        let november = credits(&owner, "month=2026-11").await;
        assert_eq!((&november["used"], &november["operations"]), (&json!(5), &json!(5)));
        assert_eq!(november["entries"].as_array().unwrap().len(), 6);
        assert_eq!(november["balance"], 995);
    }
}
