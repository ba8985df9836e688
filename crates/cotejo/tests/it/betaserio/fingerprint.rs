//! The same question asked again: answered from what the first one found, and the first report goes to
//! one call alone.

use std::time::Duration;

use domain::verification::JOIN_POLL;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{TestApp, both_engines, either_engine};

use crate::slow_bank::{ANSWER, SLOW, SLOW_REFERENCE, about, finish, time_out};

fn ask(reference: &str, phone: &str, document: &Value) -> Value {
    json!({ "bank_reference": reference, "phone_pagador": phone, "dni_pagador": document })
}

/// The same question in several spellings.
fn spellings() -> [Value; 3] {
    let parts = json!({ "dni_type": "V", "dni_number": "12345678" });
    [
        ask("9910004", "04141234567", &parts),
        ask("0009910004", "+58 414-1234567", &json!("V-12.345.678")),
        ask("99.100-04", "584141234567", &json!("v012345678")),
    ]
}

either_engine! {
    async fn after_a_day_there_is_no_first_report(app: TestApp) {
        let owner = app.owner().await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        finish(&app).await;
        app.clock().advance(Duration::from_hours(24));
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], false);
    }
}

both_engines! {
    async fn spellings_of_one_question_share_one_search(app: TestApp) {
        let owner = app.owner().await;
        let calls = spellings().map(|body| owner.key.verify(&owner.bank, body));
        let both = async {
            let start = app.now();
            // One asks the bank; the two others have joined it, and look again soon.
            app.clock().is_awaited(start.plus(SLOW)).await;
            app.clock().is_awaited_by(2, start.plus(JOIN_POLL)).await;
            app.clock().advance(ANSWER);
        };
        let (answers, ()) = futures_util::future::join(join_all(calls), both).await;
        let ids: Vec<Value> = answers
            .iter()
            .map(|answer| answer.refused(503, "BANK_NOT_AVAILABLE")["facts"].clone())
            .collect();
        assert!(ids.iter().all(|facts| facts == &ids[0]), "{ids:?}");
        assert_eq!(app.database().number("select count(*) from verifications"), 1);
        finish(&app).await;

        let mut first_reports = 0;
        for body in spellings() {
            let answer = owner.key.verify(&owner.bank, body).await.ok();
            first_reports += i32::from(answer["data"]["is_new"].as_bool().unwrap());
        }
        assert_eq!(first_reports, 1);
    }
}
