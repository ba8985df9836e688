//! `GET /exchange/rate`

use app::rates::{self, Rates};
use axum::extract::State;
use axum::response::Response;
use domain::access::ShowExchangeRate;
use domain::links::Currency;
use domain::rates::ExchangeRate;
use domain::refusal::Code;
use domain::time::CaracasDate;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Shown};
use crate::wire::say;

#[derive(Serialize, JsonSchema)]
struct ExchangeRateAnswer<'a> {
    message: &'static str,
    /// Cuánto cuesta un dólar, en bolívares. / What a dollar costs, in bolívares.
    price: f64,
    /// Cuánto cuesta cada moneda que tiene tasa ahora. / What each currency costs that has a rate now.
    rates: WireRates,
    /// El primer día del que es la tasa del dólar. / The first day that the dollar's is the rate of.
    value_date: Shown<CaracasDate>,
    /// Quién publicó la del dólar. / Who published the dollar's.
    source: &'a str,
    /// Desde hace cuánto está publicada la del dólar. / For how long the dollar's has been published.
    age_seconds: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rates")]
#[serde(rename_all = "UPPERCASE")]
struct WireRates {
    /// Bolívares por dólar. / Bolívares for a dollar.
    usd: f64,
    /// Bolívares por euro; no está donde no tiene tasa. / Bolívares for a euro; absent where it has no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    eur: Option<f64>,
    /// Bolívares por USDT; no está donde no tiene tasa. / Bolívares for a USDT; absent where it has no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    usdt: Option<f64>,
}

impl WireRates {
    fn of(rates: &Rates) -> Self {
        let number = |rate: &ExchangeRate| rate.rate.to_number();
        let other = |currency| rates.others.iter().find(|rate| rate.currency == currency);
        Self {
            usd: number(&rates.dollar),
            eur: other(Currency::Eur).map(number),
            usdt: other(Currency::Usdt).map(number),
        }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowExchangeRate, _, _>(Method::GET, "/exchange/rate", handle)
        .does(
            Group::Links,
            "Dice cuánto cuestan otras monedas en bolívares.",
            "Tells what other currencies cost in bolívares.",
        )
        .answers::<ExchangeRateAnswer<'_>>(json!({
            "message": "tasa de cambio",
            "price": 872.3927,
            "rates": { "USD": 872.3927, "EUR": 977.2194 },
            "value_date": "2026-11-23",
            "source": "BCV",
            "age_seconds": 68_400,
        }))
        .refuses(&[Code::RateNotAvailable])
}

async fn handle(
    State(state): State<AppState>,
    Admitted(act): Admitted<ShowExchangeRate>,
) -> Result<Response, Failure> {
    let rates = rates::show(&state.app, &act).await?;
    let dollar = &rates.dollar;
    answer::json(&ExchangeRateAnswer {
        message: say(act.request.language, "tasa de cambio", "exchange rate"),
        price: dollar.rate.to_number(),
        rates: WireRates::of(&rates),
        value_date: Shown(dollar.value_date),
        source: dollar.source.as_str(),
        age_seconds: rates.now.since(dollar.published_at).as_secs(),
    })
}
