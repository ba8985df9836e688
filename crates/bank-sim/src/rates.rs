//! An address that returns exchange rates, as services are configured with: what it returns, and how it fails.
//!
//! It returns whatever its operator has put there, right or wrong; and, before anything was put there, a rate of the
//! day.

use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use domain::time::{CaracasDate, Timestamp};
use serde_json::{Value, json};

use crate::door::Scissors;
use crate::face::{Reply, strike};
use crate::faults::Faults;
use crate::simulator::Simulator;

/// The most rates that it can be made to return.
pub(crate) const RATES_MAX: usize = 1_000;

/// How long before the end of the day before the rate of a day is published: at five in the afternoon.
const PUBLISHED_BEFORE: Duration = Duration::from_secs(7 * 60 * 60);

/// State of the rates' address: the rates that it returns, and how it fails.
#[derive(Clone, Debug, Default)]
pub struct RateBoard {
    /// What was put there, if anything was.
    pub(crate) given: Option<Vec<Value>>,
    /// The fault that is set. Those of banks do not strike here.
    pub(crate) faults: Faults,
    /// How often it was asked.
    pub(crate) asked: u64,
}

impl RateBoard {
    /// Returns the rates that the address gives at `now`.
    pub(crate) fn rates(&self, now: Timestamp) -> Vec<Value> {
        self.given.clone().unwrap_or_else(|| of_day(now))
    }
}

/// The rates of the day in Caracas. They change by a quarter a day, and fall back to the first after a hundred days.
fn of_day(now: Timestamp) -> Vec<Value> {
    let day = CaracasDate::of(now);
    let published = day.start().minus(PUBLISHED_BEFORE);
    let step = day.days().rem_euclid(100) * 25;
    let rate = |currency: &str, hundredths: i64| {
        let hundredths = hundredths + step;
        let rate = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        json!({
            "currency": currency,
            "rate": rate,
            "value_date": day.to_string(),
            "published_at": published.to_string(),
            "source": "BCV",
        })
    };
    vec![rate("USD", 87_000), rate("EUR", 97_500)]
}

/// The path that services ask.
pub(crate) fn routes() -> Router<Simulator> {
    Router::new().route("/rates", get(rates))
}

async fn rates(
    State(simulator): State<Simulator>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
) -> Response {
    let (struck, current) = {
        let now = simulator.now();
        let mut books = simulator.books();
        books.rates.asked += 1;
        (books.rates.faults.strike(None), books.rates.rates(now))
    };
    let closed = Reply { status: StatusCode::SERVICE_UNAVAILABLE, json: "{}".to_owned() };
    let work = || Reply::ok(&json!({ "rates": current }));
    strike(&simulator, &scissors, struck, work, closed).await
}
