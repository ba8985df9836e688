//! An owner's own rates, and its choice of which rate serves a day: they decide for its links, and for nobody else's.

use std::time::Duration;

use domain::time::Timestamp;
use serde_json::{Value, json};
use testkit::{Owner, Setup, TestApp, both_engines, either_engine};

use crate::bdv::{link, start};
use crate::exchange_rate::record_dollar;
use crate::pay::rates::hold;
use crate::pay::{info, make, text};

const PATH: &str = "/v1/exchange-rates";
const RULE: &str = "/v1/exchange-rates/rule";

fn dollar(rate: &str, day: &str) -> Value {
    json!({ "currency": "USD", "value_date": day, "rate": rate, "source": "Tienda Ejemplo" })
}

/// Returns the price of a dollar for the owner's payers now, and the source of that rate.
async fn price(owner: &Owner) -> (Value, Value) {
    let rate = owner.key.get("/exchange/rate").await.ok();
    (rate["price"].clone(), rate["source"].clone())
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn rows(app: &TestApp) -> i64 {
    app.database().number("select count(*) from owner_rates")
}

/// Returns the latest entry of that operation in the audit trail.
async fn last_of_audit(owner: &Owner, action: &str) -> Value {
    let entries = owner.get("/v1/audit").await.ok()["entries"].clone();
    let mut entries = entries.as_array().unwrap().iter();
    entries.find(|entry| entry["action"] == action).unwrap().clone()
}

either_engine! {
    async fn an_owners_own_rate_wins_for_its_links_and_for_no_others(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let (owner, other) = (app.owner().await, app.owner().await);
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        let kept = owner.put(PATH, dollar("880,5", "2026-11-20")).await.ok();
        assert_eq!(kept["exchange_rate"]["rate"], "880.50", "{kept}");
        assert_eq!(price(&owner).await, (json!(880.5), json!("Tienda Ejemplo")));
        assert_eq!(price(&other).await, (json!(870.1), json!("BCV")));

        let account = link(&owner).await;
        let id = make(&owner.key, &account, json!({ "amount": 10, "currency": "USD" })).await;
        let page = text(&app.nobody().get(&format!("/pay/{id}")).await);
        assert!(page.contains("Bs. 8.805,00") && page.contains("880,50 (Tienda Ejemplo, fecha valor 20/11/2026)"), "{page}");
        // What is held stays as it was held; the next is that of the correction.
        owner.put(PATH, dollar("890", "2026-11-20")).await.ok();
        assert_eq!((price(&owner).await.0, rows(&app)), (json!(890.0), 2));
        assert_eq!(info(&owner.key, &id).await["rate_exchange"], json!(880.5));
        app.clock().advance(Duration::from_secs(61 * 60));
        assert_eq!(hold(&app.nobody(), &id).await.status, 303);
        assert_eq!(info(&owner.key, &id).await["rate_exchange"], json!(890.0));
    }

    async fn from_a_day_on_everybodys_rate_serves_again(setup: Setup) {
        let app = setup.from(at("2026-11-20T08:00:00-04:00")).start().await;
        let mut owner = app.owner().await;
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        owner.put(PATH, dollar("880", "2026-11-20")).await.ok();
        let mut none = dollar("", "2026-11-21");
        none["rate"] = Value::Null;
        assert_eq!(owner.put(PATH, none).await.ok()["exchange_rate"]["rate"], Value::Null);
        assert_eq!(price(&owner).await.0, json!(880.0));
        app.clock().advance_to(at("2026-11-21T00:00:00-04:00"));
        assert_eq!(price(&owner).await.0, json!(870.1));
        // One of a last day ends by itself.
        let mut short = dollar("885", "2026-11-21");
        short["until"] = json!("2026-11-22");
        owner.sign_in_again().await;
        owner.put(PATH, short).await.ok();
        assert_eq!(price(&owner).await.0, json!(885.0));
        app.clock().advance_to(at("2026-11-23T00:00:00-04:00"));
        assert_eq!(price(&owner).await.0, json!(870.1));
    }

    async fn its_own_rate_serves_where_everybody_has_none(setup: Setup) {
        let app = setup.from(at("2026-11-20T08:00:00-04:00")).start().await;
        let owner = app.owner().await;
        owner.key.get("/exchange/rate").await.refused(409, "RATE_NOT_AVAILABLE");
        owner.put(PATH, dollar("880", "2026-11-20")).await.ok();
        assert_eq!(price(&owner).await.0, json!(880.0));
        app.clock().advance_to(at("2026-11-27T00:00:00-04:00"));
        owner.key.get("/exchange/rate").await.refused(409, "RATE_NOT_AVAILABLE");
    }

    async fn an_own_rate_that_is_old_does_not_give_way_to_another(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let mut owner = app.owner().await;
        let account = link(&owner).await;
        owner.put(PATH, dollar("1200", "2026-11-20")).await.ok();
        app.clock().advance_to(at("2026-11-27T00:00:00-04:00"));
        record_dollar(&app, "875", "2026-11-26", "2026-11-27").await;
        owner.key.get("/exchange/rate").await.refused(409, "RATE_NOT_AVAILABLE");
        let id = make(&owner.key, &account, json!({ "amount": 10, "currency": "USD" })).await;
        assert_eq!(hold(&app.nobody(), &id).await.status, 409);
        owner.sign_in_again().await;
        let notices = owner.get("/v1/notices").await.ok()["notices"].clone();
        assert_eq!(notices[0]["kind"], "rate_missing", "{notices}");
        // A slip is asked about beside the old one, and a day that is over is no day to say one of.
        let slip = owner.put(PATH, dollar("120", "2026-11-27")).await;
        assert_eq!(slip.json()["details"][0]["field"], "rate", "{:?}", slip.json());
        let over = owner.put(PATH, dollar("1200", "2026-11-20")).await;
        assert_eq!(over.json()["details"][0]["field"], "value_date", "{:?}", over.json());
        let mut done = dollar("1200", "2026-11-20");
        done["until"] = json!("2026-11-26");
        let over = owner.put(PATH, done).await;
        assert_eq!(over.json()["details"][0]["field"], "until", "{:?}", over.json());
        // It is the owner's to say which serves.
        let mut none = dollar("", "2026-11-27");
        none["rate"] = Value::Null;
        owner.put(PATH, none).await.ok();
        assert_eq!(price(&owner).await.0, json!(875.0));
    }

    async fn a_slip_is_asked_about_though_nothing_serves(setup: Setup) {
        let app = setup.from(at("2026-11-20T08:00:00-04:00")).start().await;
        let mut owner = app.owner().await;
        let mut of_today = dollar("870", "2026-11-20");
        of_today["until"] = json!("2026-11-20");
        owner.put(PATH, of_today).await.ok();
        app.clock().advance_to(at("2026-11-21T08:00:00-04:00"));
        owner.sign_in_again().await;
        let slip = owner.put(PATH, dollar("87", "2026-11-21")).await;
        assert_eq!(slip.json()["details"][0]["field"], "rate", "{:?}", slip.json());
        owner.put(PATH, dollar("871", "2026-11-21")).await.ok();
    }

    async fn which_rate_serves_a_day_is_the_owners_choice(setup: Setup) {
        let app = setup.from(at("2026-11-20T20:00:00-04:00")).start().await;
        let (owner, other) = (app.owner().await, app.owner().await);
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        record_dollar(&app, "872.3927", "2026-11-20", "2026-11-23").await;
        assert_eq!(owner.get(PATH).await.ok()["rate_rule"], "by_value_date");
        assert_eq!(price(&owner).await.0, json!(870.1));
        // What was published on Friday for Monday serves from then on.
        owner.put(RULE, json!({ "rate_rule": "by_publication" })).await.ok();
        assert_eq!((price(&owner).await.0, price(&other).await.0), (json!(872.3927), json!(870.1)));
        assert_eq!(owner.get(PATH).await.ok()["rate_rule"], "by_publication");
        let entry = last_of_audit(&owner, "SetRateRule").await;
        assert_eq!(entry["after"]["rate_rule"], "by_publication", "{entry}");
        // The other choices of links stay, and this one stays when they change.
        let choices = json!({ "max_attempts": 3, "announce_expiry": true });
        owner.put("/v1/payment-link-settings", choices).await.ok();
        assert_eq!(price(&owner).await.0, json!(872.3927));
        owner.put(RULE, json!({ "rate_rule": "by_value_date" })).await.ok();
        let kept = owner.get("/v1/payment-link-settings").await.ok();
        assert_eq!((&kept["max_attempts"], price(&owner).await.0), (&json!(3), json!(870.1)));
        owner.put(RULE, json!({ "rate_rule": "latest" })).await.refused(400, "VALIDATION_ERROR");
    }

    async fn by_publication_the_last_published_day_serves_with_its_latest_correction(setup: Setup) {
        let app = setup.from(at("2026-11-20T20:00:00-04:00")).start().await;
        let (owner, other) = (app.owner().await, app.owner().await);
        owner.put(RULE, json!({ "rate_rule": "by_publication" })).await.ok();
        record_dollar(&app, "872.3927", "2026-11-20", "2026-11-23").await;
        // History that is recorded, and published again, after it.
        app.clock().advance(Duration::from_secs(60));
        for day in ["2026-11-17", "2026-11-18", "2026-11-20"] {
            record_dollar(&app, "870.10", "2026-11-20", day).await;
        }
        assert_eq!((price(&owner).await.0, price(&other).await.0), (json!(872.3927), json!(870.1)));
        // A correction of the day that serves, and one of a day that does not.
        record_dollar(&app, "873", "2026-11-20", "2026-11-23").await;
        record_dollar(&app, "871", "2026-11-20", "2026-11-20").await;
        assert_eq!((price(&owner).await.0, price(&other).await.0), (json!(873.0), json!(871.0)));
        // Its own rates follow the same rule.
        owner.put(PATH, dollar("890", "2026-11-23")).await.ok();
        owner.put(PATH, dollar("880", "2026-11-20")).await.ok();
        assert_eq!(price(&owner).await.0, json!(890.0));
        owner.put(PATH, dollar("891", "2026-11-23")).await.ok();
        assert_eq!((price(&owner).await.0, price(&other).await.0), (json!(891.0), json!(871.0)));
    }

    async fn by_publication_neither_what_is_old_serves_nor_what_is_far_ahead(setup: Setup) {
        let app = setup.from(at("2026-11-20T20:00:00-04:00")).start().await;
        let owner = app.owner().await;
        owner.put(RULE, json!({ "rate_rule": "by_publication" })).await.ok();
        // History that is recorded today is as old as its days.
        record_dollar(&app, "860", "2026-11-20", "2026-11-13").await;
        owner.key.get("/exchange/rate").await.refused(409, "RATE_NOT_AVAILABLE");
        record_dollar(&app, "870.10", "2026-11-20", "2026-11-20").await;
        // A slip in the month waits until its day is near, and the rates of the days before serve.
        record_dollar(&app, "8723.9", "2026-11-20", "2026-12-20").await;
        assert_eq!(price(&owner).await.0, json!(870.1));
        owner.put(PATH, dollar("880", "2026-12-10")).await.ok();
        assert_eq!(price(&owner).await.0, json!(870.1));
        record_dollar(&app, "872.3927", "2026-11-20", "2026-11-27").await;
        assert_eq!(price(&owner).await.0, json!(872.3927));
    }

    async fn own_rates_are_listed_and_shown_in_the_audit_trail(setup: Setup) {
        let app = setup.from(at("2026-11-20T08:00:00-04:00")).start().await;
        let owner = app.owner().await;
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        owner.put(PATH, dollar("880", "2026-11-20")).await.ok();
        owner.put(PATH, dollar("880.00", "2026-11-20")).await.ok();
        assert_eq!(rows(&app), 1, "what says nothing new is no row");
        app.clock().advance(Duration::from_secs(1));
        owner.put(PATH, dollar("881", "2026-11-20")).await.ok();
        let entry = last_of_audit(&owner, "SetOwnRate").await;
        let change = (&entry["before"]["rate"], &entry["after"]["rate"]);
        assert_eq!(change, (&json!("880.00"), &json!("881.00")), "{entry}");
        let listed = owner.get(&format!("{PATH}?limit=1")).await.ok();
        assert_eq!((&listed["total"], &listed["exchange_rates"][0]["rate"]), (&json!(2), &json!("881.00")));
        // A slip of the decimal point is asked about.
        let slip = owner.put(PATH, dollar("88.1", "2026-11-20")).await;
        slip.refused(400, "VALIDATION_ERROR");
        assert_eq!(slip.json()["details"][0]["field"], "rate");
        let mut meant = dollar("88.1", "2026-11-20");
        meant["accept_jump"] = json!(true);
        owner.put(PATH, meant).await.ok();
        assert_eq!(price(&owner).await.0, json!(88.1));
        for (field, value) in [
            ("currency", json!("VEF")),
            ("rate", json!(880)),
            ("rate", json!("1.880,00")),
            ("value_date", json!("20/11/2026")),
            ("until", json!("2026-11-19")),
            ("until", json!("2026-12-22")),
            ("value_date", json!("2026-12-22")),
            ("source", json!("")),
        ] {
            let mut wrong = dollar("880", "2026-11-20");
            wrong[field] = value;
            let refused = owner.put(PATH, wrong).await;
            refused.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused.json()["details"][0]["field"], field);
        }
    }
}

both_engines! {
    async fn what_was_said_to_a_node_whose_clock_is_ahead_serves_at_once(setup: Setup) {
        let right = at("2026-11-20T23:58:00-04:00");
        let app = setup.from(right).start().await;
        let owner = app.owner().await;
        for rule in ["by_value_date", "by_publication"] {
            owner.put(RULE, json!({ "rate_rule": rule })).await.ok();
            app.clock().set_to(right.plus(Duration::from_secs(240)));
            let said = if rule == "by_value_date" { "880" } else { "881" };
            owner.put(PATH, dollar(said, "2026-11-20")).await.ok();
            app.clock().set_to(right);
            let rate = owner.key.get("/exchange/rate").await.ok();
            assert_eq!(rate["price"].as_f64().unwrap().to_string(), said, "{rule}");
            assert_eq!(rate["age_seconds"], 0);
        }
    }
}
