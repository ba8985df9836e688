//! `GET /exchange/rate`: what the operator has recorded, as long as it serves.

use app::admin::{NewRate, Operator, Recorded, Recording, record_rates};
use domain::links::Currency;
use domain::rates::{Rate, RateDays, RateSource};
use domain::time::{CaracasDate, Timestamp};
use serde_json::json;
use testkit::{Setup, TestApp, either_engine};

const PATH: &str = "/exchange/rate";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A rate that was published at five in the afternoon of the first day for the second.
fn rate(currency: Currency, rate: &str, published: &str, value_date: &str) -> NewRate {
    NewRate {
        currency,
        rate: Rate::parse(rate).unwrap(),
        days: RateDays { first: CaracasDate::parse(value_date).unwrap(), last: None },
        published_at: Some(at(&format!("{published}T17:00:00-04:00"))),
        source: RateSource::parse("BCV").unwrap(),
    }
}

const ACCEPTS_JUMPS: Recording = Recording { accepts_jumps: true, is_import: false };

async fn record(app: &TestApp, rates: Vec<NewRate>) -> Recorded {
    record_rates(&Operator::of(app.app()), rates, Recording::default()).await.unwrap()
}

/// Records them as the rates of a file.
async fn import(app: &TestApp, rates: &[NewRate]) -> Recorded {
    let import = Recording { is_import: true, accepts_jumps: false };
    record_rates(&Operator::of(app.app()), rates.to_vec(), import).await.unwrap()
}

/// Records a rate of the dollar.
pub(crate) async fn record_dollar(app: &TestApp, of: &str, published: &str, value_date: &str) {
    let dollar = rate(Currency::Usd, of, published, value_date);
    record_rates(&Operator::of(app.app()), vec![dollar], ACCEPTS_JUMPS).await.unwrap();
}

either_engine! {
    async fn the_rate_of_the_day_is_shown_to_every_caller(setup: Setup) {
        let app = setup.from(at("2026-11-20T20:00:00-04:00")).start().await;
        let owner = app.owner().await;
        owner.get(PATH).await.refused(409, "RATE_NOT_AVAILABLE");
        record(&app, vec![
            rate(Currency::Usd, "870.10", "2026-11-19", "2026-11-20"),
            rate(Currency::Usd, "872.3927", "2026-11-20", "2026-11-23"),
            rate(Currency::Eur, "977,21940000", "2026-11-19", "2026-11-20"),
        ]).await;
        let client = owner.client(false).await;
        let of_client = owner.client_key(&client).await;
        for answer in [owner.get(PATH).await, owner.key.get(PATH).await, of_client.get(PATH).await] {
            let body = answer.ok();
            assert_eq!(body["price"], json!(870.1), "{body}");
            assert_eq!(body["rates"], json!({ "USD": 870.1, "EUR": 977.2194 }));
            let known = (&body["value_date"], &body["source"], &body["age_seconds"]);
            assert_eq!(known, (&json!("2026-11-20"), &json!("BCV"), &json!(27 * 3_600)));
        }
        app.nobody().get(PATH).await.refused(401, "UNAUTHORIZED");
    }

    async fn a_rate_serves_from_its_value_date_until_the_next_or_for_a_week(setup: Setup) {
        let app = setup.from(at("2026-11-20T20:00:00-04:00")).start().await;
        let owner = app.owner().await;
        let rates = vec![
            rate(Currency::Usd, "870.1", "2026-11-19", "2026-11-20"),
            rate(Currency::Usd, "872.3927", "2026-11-20", "2026-11-23"),
        ];
        let added = Recorded { added: 2, ..Recorded::default() };
        assert_eq!(record(&app, rates.clone()).await, added);
        // Sunday at 20:00 in Caracas is Monday elsewhere.
        for (instant, price) in [
            ("2026-11-22T20:00:00-04:00", 870.1),
            ("2026-11-22T23:59:59-04:00", 870.1),
            ("2026-11-23T00:00:00-04:00", 872.3927),
            ("2026-11-29T23:59:59-04:00", 872.3927),
        ] {
            app.clock().advance_to(at(instant));
            assert_eq!(owner.key.get(PATH).await.ok()["price"], json!(price), "{instant}");
        }
        app.clock().advance_to(at("2026-11-30T00:00:00-04:00"));
        owner.key.get(PATH).await.refused(409, "RATE_NOT_AVAILABLE");
        // What is recorded already is not recorded again.
        let unchanged = Recorded { unchanged: 2, ..Recorded::default() };
        assert_eq!(record(&app, rates).await, unchanged);
    }

    async fn a_correction_serves_from_then_on_and_the_former_row_stays(setup: Setup) {
        let app = setup.from(at("2026-11-23T09:00:00-04:00")).start().await;
        let owner = app.owner().await;
        record(&app, vec![rate(Currency::Usd, "827.39", "2026-11-20", "2026-11-23")]).await;
        app.clock().advance_to(at("2026-11-23T09:05:00-04:00"));
        let right = rate(Currency::Usd, "872.39", "2026-11-20", "2026-11-23");
        let corrected = Recorded { corrected: 1, ..Recorded::default() };
        assert_eq!(record(&app, vec![right]).await, corrected);
        assert_eq!(owner.key.get(PATH).await.ok()["price"], json!(872.39));
        assert_eq!(app.database().number("select count(*) from exchange_rates"), 2);
    }

    async fn a_slip_of_the_decimal_point_is_refused_with_all_that_came_with_it(setup: Setup) {
        let app = setup.from(at("2026-11-23T09:00:00-04:00")).start().await;
        record(&app, vec![rate(Currency::Usd, "870", "2026-11-19", "2026-11-20")]).await;
        let rates = vec![
            rate(Currency::Usd, "872", "2026-11-20", "2026-11-23"),
            rate(Currency::Usd, "8723.9", "2026-11-22", "2026-11-24"),
        ];
        let operator = Operator::of(app.app());
        let refused = record_rates(&operator, rates.clone(), Recording::default()).await.unwrap_err();
        assert!(refused.to_string().contains("--accept-jump"), "{refused}");
        assert_eq!(app.database().number("select count(*) from exchange_rates"), 1);
        let next_year = rate(Currency::Usd, "872", "2026-11-23", "2027-11-23");
        let refused = record_rates(&operator, vec![next_year], ACCEPTS_JUMPS).await.unwrap_err();
        assert!(refused.to_string().contains("look at the year"), "{refused}");
        // Last year's rate under this year's number is far from today's.
        let slip = rate(Currency::Usd, "640", "2026-11-20", "2027-08-02");
        let refused = record_rates(&operator, vec![slip], Recording::default()).await.unwrap_err();
        assert!(refused.to_string().contains("--accept-jump"), "{refused}");
        let yet_to_come = rate(Currency::Usd, "872", "2026-11-24", "2026-11-24");
        let refused = record_rates(&operator, vec![yet_to_come], ACCEPTS_JUMPS).await.unwrap_err();
        assert!(refused.to_string().contains("yet to come"), "{refused}");
        record_rates(&operator, rates, ACCEPTS_JUMPS).await.unwrap();
        assert_eq!(app.database().number("select count(*) from exchange_rates"), 3);
    }
    async fn a_file_that_is_imported_again_leaves_corrections_as_they_are(setup: Setup) {
        let app = setup.from(at("2026-11-23T09:00:00-04:00")).start().await;
        let owner = app.owner().await;
        let dollar = |of: &str, day: &str| rate(Currency::Usd, of, "2026-11-20", day);
        let file = [dollar("870", "2026-11-20"), dollar("827.39", "2026-11-23")];
        assert_eq!(import(&app, &file).await, Recorded { added: 2, ..Recorded::default() });
        record(&app, vec![dollar("872.39", "2026-11-23")]).await;
        let again = Recorded { unchanged: 1, superseded: 1, ..Recorded::default() };
        assert_eq!(import(&app, &file).await, again);
        assert_eq!(owner.key.get(PATH).await.ok()["price"], json!(872.39));
        // A caller that records it by itself means it.
        let corrected = Recorded { corrected: 1, ..Recorded::default() };
        assert_eq!(record(&app, vec![dollar("827.39", "2026-11-23")]).await, corrected);
        assert_eq!(owner.key.get(PATH).await.ok()["price"], json!(827.39));
        // A file may correct a day itself, back to what it was, and be imported again.
        let steps = [dollar("880", "2026-11-24"), dollar("881", "2026-11-24"), dollar("880", "2026-11-24")];
        let recorded = Recorded { added: 1, corrected: 2, ..Recorded::default() };
        assert_eq!(import(&app, &steps).await, recorded);
        let again = Recorded { unchanged: 2, superseded: 1, ..Recorded::default() };
        assert_eq!(import(&app, &steps).await, again);
        app.clock().advance_to(at("2026-11-24T09:00:00-04:00"));
        assert_eq!(owner.key.get(PATH).await.ok()["price"], json!(880.0));
    }
}
