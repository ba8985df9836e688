//! `POST /v1/subscriptions/{subscription_id}/clock`: what days would have done happens in their order.

use std::time::Duration;

use app::queue::pass;
use app::subscriptions::SubscriptionStep;
use futures_util::future::{join, join3};
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Principal, Response, Setup, both_engines, either_engine};

use super::{act, attend, begin, cycles, day_comes, details, id, link_of, make};
use crate::bdv;
use crate::exchange_rate::record_dollar;
use crate::pay::{begin_slowly, info, paid_with, status};
use crate::slow_bank::SLOW;

/// Longer than the instants of a request's steps are apart.
const MOMENT: Duration = Duration::from_secs(2);

async fn ask(caller: &Principal, of: &str, body: Value) -> Response {
    act(caller, of, "clock", body).await
}

/// Sets the clock to the beginning of that day, which it reaches. Answers what happened: what, of which cycle, and when.
async fn set(caller: &Principal, of: &str, day: &str) -> Vec<String> {
    let answer = ask(caller, of, json!({ "to": day })).await.ok();
    assert_eq!(
        (&answer["message"], &answer["reached"]),
        (&json!("reloj adelantado"), &json!(true))
    );
    let shows = json!(format!("{day}T04:00:00.000Z"));
    assert_eq!(answer["subscription"]["testClock"]["now"], shows);
    happened(&answer)
}

fn happened(answer: &Value) -> Vec<String> {
    let steps = answer["happened"].as_array().unwrap().iter();
    let shown = |step: &Value| {
        let at = step["at"].as_str().unwrap().split('.').next().unwrap();
        format!("{} {} {at}", step["what"].as_str().unwrap(), step["cycle"])
    };
    steps.map(shown).collect()
}

both_engines! {
    async fn a_year_that_a_clock_is_set_ahead_is_the_year_that_days_would_have_been(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let more = json!({ "pay_first": false, "startDate": "2026-12-31", "webhook_url": receiver.url(), "reminderDays": [] });
        let ahead = id(&make(&owner.key, &owner.bank, more).await);
        let more = json!({ "pay_first": false, "startDate": "2026-12-31", "reminderDays": [] });
        let real = id(&make(&owner.key, &owner.bank, more).await);
        let steps = set(&owner.key, &ahead, "2027-12-20").await;
        assert_eq!(steps.len(), 22);
        assert_eq!(
            steps[..4],
            [
                "opened 1 2027-01-31T04:00:00", "lapsed 1 2027-02-04T04:00:00",
                "opened 2 2027-02-28T04:00:00", "lapsed 2 2027-03-04T04:00:00",
            ]
        );
        let of_clock = (cycles(&owner.key, &ahead).await, details(&owner.key, &ahead).await);
        assert_eq!(app.database().number("select count(*) from payment_links"), 11);

        // Its webhooks say so in the same order.
        app.clock().advance(MOMENT);
        let received = receiver.received(11).await;
        let bodies = received.iter().map(|asked| serde_json::from_str::<Value>(&asked.body).unwrap());
        let mut events: Vec<(String, String)> = bodies.map(|body| {
            assert_eq!((&body["status"], &body["livemode"]), (&json!("failed"), &json!(false)));
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&body["id"]), text(&body["payment_link"]["description"]))
        }).collect();
        events.sort();
        let of_events: Vec<String> = events.into_iter().map(|(_, description)| description).collect();
        let listed = owner.key.get(&format!("/v1/subscriptions/{ahead}/cycles")).await.ok();
        let listed = listed["cycles"].as_array().unwrap().iter().rev();
        let of_links: Vec<String> = listed.map(|cycle| cycle["payment_link"]["description"].as_str().unwrap().to_owned()).collect();
        assert_eq!(of_events, of_links);
        app.settle().await;
        act(&owner.key, &ahead, "cancelbyowner", json!({})).await.ok();

        // The days of the other one.
        for month in 1..=12 {
            day_comes(&app, &format!("2027-{month:02}-20")).await;
        }
        let by_days = (cycles(&owner.key, &real).await, details(&owner.key, &real).await);
        assert_eq!(of_clock.0, by_days.0);
        for field in ["status", "isPastDue", "renovationDate", "renovationIsPaid", "renovationCount"] {
            assert_eq!(of_clock.1[field], by_days.1[field], "{field}");
        }
    }

    async fn a_clock_that_two_set_ahead_at_once_does_each_step_once(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let more = json!({ "pay_first": false, "startDate": "2026-12-31" });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let to = || ask(&owner.key, &of, json!({ "to": "2027-12-20" }));
        let node = async {
            for _ in 0..40 {
                pass::<SubscriptionStep>(app.app(), &|| false).await.unwrap();
            }
        };
        let (one, other, ()) = join3(to(), to(), node).await;
        for answer in [one.ok(), other.ok()] {
            assert_eq!(answer["reached"], true);
        }
        attend(&app).await;
        let found = cycles(&owner.key, &of).await;
        assert_eq!(found.len(), 11, "{found:?}");
        assert!(found.iter().all(|cycle| cycle.contains("lapsed")), "{found:?}");
        assert_eq!(app.database().number("select count(*) from payment_links"), 11);
        let shows = details(&owner.key, &of).await["testClock"]["now"].clone();
        assert_eq!(shows, "2027-12-20T04:00:00.000Z");
        // Whoever comes late sets nothing back.
        let (further, back) = join(
            ask(&owner.key, &of, json!({ "to": "2028-03-01" })),
            ask(&owner.key, &of, json!({ "to": "2028-01-01" })),
        ).await;
        further.ok();
        assert!([200, 400].contains(&back.status), "{back:?}");
        let shows = details(&owner.key, &of).await["testClock"]["now"].clone();
        assert_eq!(shows, "2028-03-01T04:00:00.000Z");
    }
}

either_engine! {
    async fn cycles_are_paid_late_or_in_time_as_the_clock_is_set_ahead(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({ "reminderDays": [] })).await;
        assert_eq!(made["testClock"], json!({ "now": "2026-11-20T12:00:00.000Z", "aheadSeconds": 0 }));
        let of = id(&made);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        let answer = ask(&owner.key, &of, json!({ "days": 27 })).await.ok();
        assert_eq!(happened(&answer), ["opened 2 2026-12-17T04:00:00"]);
        let clock = json!({ "now": "2026-12-17T12:00:00.000Z", "aheadSeconds": 27 * 86_400 });
        assert_eq!(answer["subscription"]["testClock"], clock);
        assert_eq!(cycles(&owner.key, &of).await, ["2 open 2026-12-20 pending", "1 paid 2026-11-20 paid"]);
        // It lapses on 24 December, which is 27 days nearer.
        let second = link_of(&owner.key, &of, 2).await;
        assert_eq!(info(&owner.key, &second).await["expires_at"], "2026-11-27T04:00:00.000Z");
        set(&owner.key, &of, "2026-12-21").await;
        assert_eq!(info(&owner.key, &second).await["expires_at"], "2026-11-23T12:00:00.000Z");
        assert_eq!(details(&owner.key, &of).await["isPastDue"], true);

        app.clock().advance(MOMENT);
        paid_with(&app.nobody(), &second, "267890").await;
        let paid = details(&owner.key, &of).await;
        assert_eq!((&paid["renovationCount"], &paid["renovationDate"]), (&json!(2), &json!("2027-01-20")));
        assert_eq!((&paid["status"], &paid["isPastDue"]), (&json!("active"), &json!(false)));
        let steps = set(&owner.key, &of, "2027-01-25").await;
        assert_eq!(steps, ["opened 3 2027-01-17T04:00:00", "lapsed 3 2027-01-24T04:00:00"]);
        assert_eq!(details(&owner.key, &of).await["isPastDue"], true);

        // Whoever pays late has a week, by the clock of the subscription.
        app.clock().advance(MOMENT);
        let renew = format!("/v1/subscriptions/{of}/cycles/3/link");
        let link = owner.key.post(&renew, json!({})).await.ok()["paymentlink"]["id"].clone();
        let link = link.as_str().unwrap();
        ask(&owner.key, &of, json!({ "days": 6 })).await.ok();
        assert_eq!(status(&owner.key, link).await, "pending");
        app.clock().advance(MOMENT);
        ask(&owner.key, &of, json!({ "days": 2 })).await.ok();
        assert_eq!(status(&owner.key, link).await, "expired");
        let trail = owner.get("/v1/audit?limit=1").await.ok()["entries"][0].clone();
        assert_eq!((&trail["action"], &trail["subject"]), (&json!("AdvanceTestClock"), &json!(of)));
    }

    async fn a_cycle_in_dollars_holds_the_rate_of_the_real_day_and_no_longer_than_its_link_is_good(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        record_dollar(&app, "872.3927", "2026-11-19", "2026-11-20").await;
        let more = json!({ "pay_first": false, "currency": "USD", "reminderDays": [] });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        assert_eq!(set(&owner.key, &of, "2026-12-20").await, ["opened 1 2026-12-20T04:00:00"]);
        let link = link_of(&owner.key, &of, 1).await;
        let known = info(&owner.key, &link).await;
        let held = (&known["rate_exchange"], &known["rate_updated_at"]);
        assert_eq!(held, (&json!(872.3927), &json!("2026-11-20T12:00:00.000Z")));
        let lasts = "select ends_at - locked_at from rate_locks";
        assert_eq!(app.database().number(lasts), 3_600_000_000);

        app.clock().advance(MOMENT);
        assert_eq!(set(&owner.key, &of, "2026-12-24").await, ["lapsed 1 2026-12-24T04:00:00"]);
        assert_eq!(status(&owner.key, &link).await, "failed");
        assert_eq!(app.database().number(lasts), 2_000_000);
        attend(&app).await;
        assert_eq!(app.audit().await, []);
    }

    async fn periods_are_skipped_and_listed_by_the_clock_of_the_subscription(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "reminderDays": [] })).await);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        act(&owner.key, &of, "pause", json!({})).await.ok();
        let inactive = async || {
            let listed = owner.key.post("/me/subscriptions", json!({ "status": "inactive" })).await.ok();
            listed["total"].clone()
        };
        assert_eq!(inactive().await, 0);
        let steps = set(&owner.key, &of, "2027-01-25").await;
        assert_eq!(steps, ["skipped 2 2026-12-20T04:00:00", "skipped 3 2027-01-20T04:00:00"]);
        assert_eq!((details(&owner.key, &of).await["status"].clone(), inactive().await), (json!("inactive"), json!(1)));
        app.clock().advance(MOMENT);
        let resumed = act(&owner.key, &of, "resume", json!({})).await.ok()["subscription"].clone();
        assert_eq!((&resumed["status"], &resumed["renovationDate"]), (&json!("active"), &json!("2027-02-20")));
        assert_eq!(set(&owner.key, &of, "2027-02-18").await, ["opened 4 2027-02-17T04:00:00"]);
        // The queue goes by that clock, too, and finds nothing else to do.
        day_comes(&app, "2026-11-21").await;
        assert_eq!(cycles(&owner.key, &of).await, ["4 open 2027-02-20 pending", "1 paid 2026-11-20 paid"]);
        day_comes(&app, "2026-11-27").await;
        assert_eq!(cycles(&owner.key, &of).await, ["4 lapsed 2027-02-20 failed", "1 paid 2026-11-20 paid"]);
    }

    async fn a_subscription_that_ends_on_the_way_has_no_clock_any_more(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "reminderDays": [] })).await);
        let steps = set(&owner.key, &of, "2026-12-01").await;
        assert_eq!(steps, ["lapsed 1 2026-11-24T04:00:00", "ended null 2026-11-24T04:00:00"]);
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        ask(&owner.key, &of, json!({ "days": 1 })).await.refused(409, "CONFLICT");
    }

    async fn more_than_one_request_does_is_done_by_the_next(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let more = json!({
            "pay_first": false, "subscriptionPeriodType": "day", "graceDays": 0, "reminderDays": [],
        });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let mut steps = Vec::new();
        for number in 1..=2 {
            let answer = ask(&owner.key, &of, json!({ "to": "2027-02-28" })).await.ok();
            assert_eq!(answer["reached"], number == 2, "{answer}");
            let some = happened(&answer);
            // It stands where the last step was done.
            let shows = answer["subscription"]["testClock"]["now"].as_str().unwrap().to_owned();
            let last = some.last().unwrap().rsplit(' ').next().unwrap().to_owned();
            assert!(shows.starts_with(&last), "{shows} after {last}");
            assert_eq!(some.len(), if number == 2 { 79 } else { 120 });
            steps.extend(some);
        }
        let opened = steps.iter().filter(|step| step.starts_with("opened")).count();
        assert_eq!((opened, steps.len()), (100, 199));
        assert_eq!(app.database().number("select count(*) from subscription_cycles"), 100);
    }

    async fn no_clock_moves_while_a_payer_is_being_checked(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        begin_slowly(&app, &link_of(&owner.key, &of, 1).await, "110004").await;
        ask(&owner.key, &of, json!({ "days": 30 })).await.refused(409, "REQUEST_IN_PROGRESS");
        assert_eq!(app.database().number("select max(clock_ahead) from subscriptions"), 0);
        app.clock().advance(SLOW);
        app.settle().await;
        ask(&owner.key, &of, json!({ "days": 30 })).await.ok();
        let found = cycles(&owner.key, &of).await;
        assert_eq!(found, ["2 open 2026-12-20 pending", "1 paid 2026-11-20 paid"]);
    }

    async fn a_clock_is_set_ahead_and_never_back_or_too_far(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "pay_first": false })).await);
        let written = "select (select count(*) from audit) + (select max(clock_ahead) from subscriptions)";
        let before = app.database().number(written);
        for body in [
            json!({}),
            json!({ "to": "2026-12-01", "days": 1 }),
            json!({ "to": "2026-11-19" }),
            json!({ "to": "01/12/2026" }),
            json!({ "to": "2029-11-21" }),
            json!({ "days": 0 }),
            json!({ "days": 367 }),
            json!({ "days": 1, "dry_run": true }),
        ] {
            ask(&owner.key, &of, body).await.refused(400, "VALIDATION_ERROR");
        }
        // The day that it is already.
        let same = ask(&owner.key, &of, json!({ "to": "2026-11-20" })).await.ok();
        assert_eq!((&same["reached"], &same["happened"]), (&json!(true), &json!([])));
        assert_eq!(app.database().number(written), before);
        set(&owner.key, &of, "2026-12-01").await;
        ask(&owner.key, &of, json!({ "to": "2026-11-30" })).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(set(&owner.key, &of, "2026-12-01").await, [""; 0]);
        for days in [366, 366, 352] {
            let answer = ask(&owner.key, &of, json!({ "days": days })).await.ok();
            assert_eq!(answer["reached"], true);
        }
        let last = ask(&owner.key, &of, json!({ "days": 3 })).await;
        last.refused(400, "VALIDATION_ERROR");
        assert_eq!(last.json()["details"][0]["field"], "days");
    }

    async fn the_clock_of_real_money_is_the_real_one(setup: Setup) {
        let (_bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        let made = make(&owner.key, &account, json!({})).await;
        assert_eq!((&made["livemode"], made.get("testClock")), (&json!(true), None));
        let refused = ask(&owner.key, &id(&made), json!({ "days": 1 })).await;
        refused.refused(409, "CONFLICT");
        assert!(refused.text().contains("dinero real"), "{refused:?}");
        assert_eq!(app.database().number("select max(clock_ahead) from subscriptions"), 0);
    }

    async fn whom_a_subscription_is_not_for_learns_nothing_of_its_clock(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let (key, stranger) = (owner.client_key(&client).await, owner.client_key(&other).await);
        let (bank, _) = (key.link_bank().await, stranger.link_bank().await);
        let of = id(&make(&key, &bank, json!({})).await);
        for body in [json!({ "days": 1 }), json!({ "days": 0 }), json!({ "to": "2026-11-19" })] {
            ask(&stranger, &of, body).await.refused(404, "NOT_FOUND");
        }
        let other = owner.key_with(&["payment_links"]).await;
        ask(&other, &of, json!({ "days": 1 })).await.refused(403, "FORBIDDEN");
        ask(&key, &of, json!({ "days": 1 })).await.ok();
    }
}
