//! `POST /v1/subscriptions/{subscription_id}/pause` and `resume`

use app::queue::pass;
use app::subscriptions::SubscriptionStep;
use futures_util::future::join;
use serde_json::{Value, json};
use testkit::{Owner, Setup, TestApp, both_engines, either_engine};

use super::{act, attend, begin, cycles, day_comes, details, id, link_of, make};
use crate::pay::paid_with;

/// A subscription whose first cycle was paid, on the first of December.
async fn running(app: &TestApp, owner: &Owner) -> String {
    let of = id(&make(&owner.key, &owner.bank, json!({})).await);
    paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
    day_comes(app, "2026-12-01").await;
    of
}

/// Pauses or resumes, and answers the subscription.
async fn does(owner: &Owner, of: &str, what: &str, body: Value) -> Value {
    act(&owner.key, of, what, body).await.ok()["subscription"].clone()
}

both_engines! {
    async fn a_subscription_that_resumes_with_another_calendar_is_counted_from_that_day(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let of = running(&app, &owner).await;
        act(&owner.key, &of, "pause", json!({})).await.ok();
        day_comes(&app, "2027-01-25").await;
        let resumed = does(&owner, &of, "resume", json!({ "newCalendar": true })).await;
        assert_eq!((&resumed["status"], &resumed["renovationDate"]), (&json!("active"), &json!("2027-01-25")));
        assert_eq!((&resumed["calendarStartDate"], &resumed["anchorDay"]), (&json!("2027-01-25"), &json!(25)));
        assert_eq!((&resumed["startDate"], &resumed["pausedFrom"]), (&json!("2026-11-20"), &Value::Null));
        owner.sign_in_again().await;
        let trail = owner.get("/v1/audit").await.ok()["entries"].as_array().unwrap().clone();
        let trail = trail.iter().find(|one| one["action"] == "ResumeSubscription").unwrap();
        assert_eq!(trail["after"], json!({ "is_paused": false, "calendar_start_date": "2027-01-25" }));
        // It is not paused any more, so that this changes nothing.
        app.clock().advance(std::time::Duration::from_secs(60));
        attend(&app).await;
        let again = does(&owner, &of, "resume", json!({ "newCalendar": true })).await;
        assert_eq!(again["calendarStartDate"], "2027-01-25");
        assert_eq!(cycles(&owner.key, &of).await, ["4 open 2027-01-25 pending", "1 paid 2026-11-20 paid"]);
        let listed = owner.key.get(&format!("/v1/subscriptions/{of}/cycles")).await.ok();
        let (new, first) = (&listed["cycles"][0], &listed["cycles"][1]);
        assert_eq!((&new["firstDay"], &new["lastDay"]), (&json!("2027-01-25"), &json!("2027-02-24")));
        assert_eq!(new["payment_link"]["description"], "Gimnasio, del 25 de enero al 24 de febrero de 2027");
        // What was before keeps its days.
        assert_eq!((&first["firstDay"], &first["lastDay"]), (&json!("2026-11-20"), &json!("2026-12-19")));
        day_comes(&app, "2027-02-22").await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["5 open 2027-02-25 pending", "4 lapsed 2027-01-25 failed", "1 paid 2026-11-20 paid"]
        );
    }

    async fn a_pause_ends_by_itself_on_its_day_on_however_many_nodes(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = running(&app, &owner).await;
        let paused = does(&owner, &of, "pause", json!({ "resumesOn": "2027-02-05" })).await;
        assert_eq!((&paused["resumesOn"], &paused["resumesWithNewCalendar"]), (&json!("2027-02-05"), &json!(false)));
        // The same again is no other wish, nor does one without a day take the day away.
        let lines = "select count(*) from audit";
        let before = app.database().number(lines);
        for body in [json!({ "resumesOn": "2027-02-05" }), json!({})] {
            assert_eq!(does(&owner, &of, "pause", body).await, paused);
        }
        assert_eq!(app.database().number(lines), before);
        day_comes(&app, "2027-02-04").await;
        assert_eq!(details(&owner.key, &of).await["status"], "inactive");
        app.clock().set_to(super::hours_of("2027-02-05", 8));
        let looks = || pass::<SubscriptionStep>(app.app(), &|| false);
        for _ in 0..4 {
            let (one, other) = join(looks(), looks()).await;
            assert!(one.is_ok() && other.is_ok());
        }
        let resumed = details(&owner.key, &of).await;
        assert_eq!((&resumed["status"], &resumed["renovationDate"]), (&json!("active"), &json!("2027-02-20")));
        assert_eq!((&resumed["resumesOn"], &resumed["calendarStartDate"]), (&Value::Null, &json!("2026-11-20")));
        let listed = owner.key.post("/me/subscriptions", json!({ "status": "inactive" })).await.ok();
        assert_eq!(listed["total"], 0);
        day_comes(&app, "2027-02-17").await;
        assert_eq!(cycles(&owner.key, &of).await, ["4 open 2027-02-20 pending", "1 paid 2026-11-20 paid"]);
    }
}

either_engine! {
    async fn a_pause_may_end_by_itself_with_another_calendar(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = running(&app, &owner).await;
        act(&owner.key, &of, "pause", json!({ "resumesOn": "2027-01-31" })).await.ok();
        let wanted = json!({ "resumesOn": "2027-02-05", "newCalendar": true });
        let paused = does(&owner, &of, "pause", wanted).await;
        assert_eq!((&paused["resumesOn"], &paused["resumesWithNewCalendar"]), (&json!("2027-02-05"), &json!(true)));
        day_comes(&app, "2027-02-06").await;
        assert_eq!(cycles(&owner.key, &of).await, ["4 open 2027-02-05 pending", "1 paid 2026-11-20 paid"]);
        let resumed = details(&owner.key, &of).await;
        assert_eq!((&resumed["calendarStartDate"], &resumed["anchorDay"]), (&json!("2027-02-05"), &json!(5)));
        assert_eq!((&resumed["resumesOn"], &resumed["resumesWithNewCalendar"]), (&Value::Null, &json!(false)));
    }

    async fn the_end_of_a_pause_is_taken_away_and_the_pause_stays(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let of = running(&app, &owner).await;
        act(&owner.key, &of, "pause", json!({ "resumesOn": "2027-02-05", "newCalendar": true })).await.ok();
        let open = does(&owner, &of, "pause", json!({ "resumesOn": null })).await;
        assert_eq!((&open["resumesOn"], &open["resumesWithNewCalendar"]), (&Value::Null, &json!(false)));
        assert_eq!(open["pausedFrom"], "2026-12-20");
        owner.sign_in_again().await;
        let trail = owner.get("/v1/audit").await.ok()["entries"].as_array().unwrap().clone();
        let was = json!({ "resumes_on": "2027-02-05", "resumes_with_new_calendar": true });
        let taken = trail.iter().filter(|one| one["before"] == was);
        assert_eq!(taken.count(), 1, "{trail:?}");
        let lines = app.database().number("select count(*) from audit");
        assert_eq!(does(&owner, &of, "pause", json!({ "resumesOn": null })).await, open);
        assert_eq!(app.database().number("select count(*) from audit"), lines);
        let body = json!({ "resumesOn": null, "newCalendar": true });
        act(&owner.key, &of, "pause", body).await.refused(400, "VALIDATION_ERROR");
        day_comes(&app, "2027-03-01").await;
        assert_eq!(details(&owner.key, &of).await["status"], "inactive");
        act(&owner.key, &of, "resume", json!({})).await.ok();
        // Of one that is not paused it begins a pause without an end.
        let again = does(&owner, &of, "pause", json!({ "resumesOn": null })).await;
        assert_eq!((&again["pausedFrom"], &again["resumesOn"]), (&json!("2027-03-20"), &Value::Null));
    }

    async fn a_pause_that_has_skipped_nothing_leaves_the_calendar_as_it_was(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = running(&app, &owner).await;
        act(&owner.key, &of, "pause", json!({ "resumesOn": "2027-02-05", "newCalendar": true })).await.ok();
        day_comes(&app, "2026-12-10").await;
        let resumed = does(&owner, &of, "resume", json!({ "newCalendar": true })).await;
        assert_eq!((&resumed["calendarStartDate"], &resumed["renovationDate"]), (&json!("2026-11-20"), &json!("2026-12-20")));
        // Whoever resumes takes the day away.
        assert_eq!((&resumed["resumesOn"], &resumed["resumesWithNewCalendar"]), (&Value::Null, &json!(false)));
    }

    async fn the_clock_of_a_test_subscription_ends_a_pause_on_its_way(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "reminderDays": [] })).await);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        act(&owner.key, &of, "pause", json!({ "resumesOn": "2027-01-07", "newCalendar": true })).await.ok();
        let answer = act(&owner.key, &of, "clock", json!({ "to": "2027-01-12" })).await.ok();
        let happened = answer["happened"].as_array().unwrap().iter();
        let happened: Vec<_> = happened.map(|one| (one["what"].clone(), one["cycle"].clone(), one["at"].clone())).collect();
        let one = |what: &str, cycle: Value, day: &str| (json!(what), cycle, json!(format!("{day}T04:00:00.000Z")));
        assert_eq!(
            happened,
            [
                one("skipped", json!(2), "2026-12-20"),
                one("resumed", Value::Null, "2027-01-07"),
                one("opened", json!(3), "2027-01-07"),
                one("lapsed", json!(3), "2027-01-11"),
            ]
        );
    }

    async fn a_pause_has_no_other_end(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "pay_first": false })).await);
        for (body, field) in [
            (json!({ "resumesOn": "2026-11-20" }), "resumesOn"),
            (json!({ "resumesOn": "2026-11-19" }), "resumesOn"),
            (json!({ "resumesOn": "2028-11-20" }), "resumesOn"),
            (json!({ "resumesOn": "mañana" }), "resumesOn"),
            (json!({ "newCalendar": true }), "newCalendar"),
            (json!({ "resumesOn": "2027-02-05", "newCalendar": "yes" }), "newCalendar"),
            (json!({ "until": "2027-02-05" }), "until"),
        ] {
            let answer = act(&owner.key, &of, "pause", body).await;
            answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(answer.json()["details"][0]["field"], field);
        }
        act(&owner.key, &of, "resume", json!({ "calendar": "new" })).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(details(&owner.key, &of).await["pausedFrom"], Value::Null);
        act(&owner.key, &of, "pause", json!({ "resumesOn": "2028-11-19" })).await.ok();
    }

    async fn periods_that_begin_in_a_pause_are_not_asked_for(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        act(&owner.key, &of, "pause", json!({})).await.refused(409, "CONFLICT");
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        day_comes(&app, "2026-12-01").await;
        let paused = act(&owner.key, &of, "pause", json!({})).await.ok()["subscription"].clone();
        // The period that runs was paid, and runs to its end.
        assert_eq!(paused["status"], "active");
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "inactive");
        let listed = owner.key.post("/me/subscriptions", json!({ "status": "inactive" })).await.ok();
        assert_eq!(listed["total"], 1);
        day_comes(&app, "2027-01-25").await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 paid 2026-11-20 paid"]);
        let resumed = act(&owner.key, &of, "resume", json!({})).await.ok()["subscription"].clone();
        assert_eq!((&resumed["status"], &resumed["renovationDate"]), (&json!("active"), &json!("2027-02-20")));
        day_comes(&app, "2027-02-17").await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["4 open 2027-02-20 pending", "1 paid 2026-11-20 paid"]
        );
    }
}
