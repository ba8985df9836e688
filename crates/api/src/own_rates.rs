//! `GET` and `PUT /v1/exchange-rates`, and `PUT /v1/exchange-rates/rule`

use app::Precondition;
use app::own_rates::{self, NewOwnRate};
use app::paging::PageNumber;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListOwnRates, SetOwnRate, SetRateRule};
use domain::ids::RateId;
use domain::links::Currency;
use domain::rates::{OwnRate, Rate, RateRule, RateSource};
use domain::refusal::{Problem, Refusal};
use domain::time::{CaracasDate, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{
    Endpoint, Group, NullOr, Optional, Query, Request, Required, TextKind, one_of, request,
};
use crate::wire::{Shown, say};

const PATH: &str = "/v1/exchange-rates";

/// The currencies that have rates.
const CURRENCIES: [&str; 3] = ["USD", "EUR", "USDT"];

request! {
    /// Request that sets a currency's cost for the owner's own links from a day on. A second one for that day corrects
    /// it.
    struct NewRate {
        currency: Required<ForeignCurrency>,
        /// El primer día del que es la tasa, a 31 días a lo sumo; hace 6 días a lo sumo, si no dice `until`. / The first day
        /// that it is the rate of, in 31 days at most; 6 days ago at most, unless `until` is said.
        value_date: Required<CaracasDate>,
        /// Cuánto cuesta una unidad en bolívares, como texto con 8 decimales a lo sumo; `null`: desde ese día, lo que
        /// pagan todos. / What one unit costs in bolívares, as text with at most 8 decimals; `null`: from that day on
        /// what everybody pays.
        rate: NullOr<RateText>,
        /// El último día del que es la tasa, 31 días después a lo sumo; desde el siguiente rige la de todos. Sin él, hasta la
        /// siguiente, 7 días a lo sumo; después no rige ninguna. / The last day that it is the rate of, 31 days later at
        /// most; that of everybody serves from the next one on. Without it, until the next, 7 days at most, and none after
        /// that.
        until: Optional<CaracasDate>,
        /// De quién es la tasa, como se les dice a los pagadores. / Whose rate it is, as payers are told.
        source: Required<RateSource>,
        /// Si puede distar más de un décimo de la anterior. / Whether it may be more than a tenth away from the one
        /// before.
        accept_jump: Optional<bool>,
    }
}

request! {
    struct RuleChoice {
        /// `by_value_date`: rige la de la última fecha valor que ya llegó; `by_publication`: la de la última fecha valor
        /// publicada, hasta 7 días por venir. / `by_value_date`: that of the latest value date that has come serves;
        /// `by_publication`: that of the latest value date that is published, up to 7 days ahead.
        rate_rule: Required<RuleWord>,
    }
}

struct ForeignCurrency;

impl TextKind for ForeignCurrency {
    type Value = Currency;

    fn parse(code: &str) -> Result<Currency, Problem> {
        let currency = Currency::parse(code).filter(|currency| *currency != Currency::Vef);
        currency.ok_or_else(|| Problem::one_of(&CURRENCIES))
    }

    fn schema() -> Value {
        one_of(&CURRENCIES)
    }
}

struct RateText;

impl TextKind for RateText {
    type Value = Rate;
    const ABSENT_OR_NULL: Problem = Problem::of(
        "es obligatorio: una tasa, o null para la de todos",
        "is required: a rate, or null for that of everybody",
    );

    fn parse(text: &str) -> Result<Rate, Problem> {
        Rate::parse(text).map_err(|_| {
            Problem::of(
                "debe ser texto con un número mayor que 0 y hasta 10000000, sin separador de miles y con 8 decimales a lo sumo",
                "must be text with a number above 0 and up to 10000000, without a thousands separator and with at most 8 decimals",
            )
        })
    }

    fn schema() -> Value {
        json!({ "type": "string", "examples": ["872.3927"] })
    }
}

struct RuleWord;

impl TextKind for RuleWord {
    type Value = RateRule;

    fn parse(word: &str) -> Result<RateRule, Problem> {
        RateRule::parse(word).ok_or_else(|| Problem::one_of(&RateRule::ALL.map(RateRule::as_str)))
    }

    fn schema() -> Value {
        one_of(&RateRule::ALL.map(RateRule::as_str))
    }
}

#[derive(Serialize, JsonSchema)]
struct OwnRatesListed<'a> {
    message: &'static str,
    rate_rule: &'static str,
    /// Las tasas de esta página, la última primero. / The rates of this page, the latest first.
    exchange_rates: Vec<WireOwnRate<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

#[derive(Serialize, JsonSchema)]
struct OwnRateAnswer<'a> {
    message: &'static str,
    exchange_rate: WireOwnRate<'a>,
}

#[derive(Serialize, JsonSchema)]
struct RateRuleAnswer {
    message: &'static str,
    rate_rule: &'static str,
}

/// Lo que el titular dijo que cuesta una moneda para sus propios enlaces. / What the owner said that a currency costs
/// for its own links.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OwnRate")]
struct WireOwnRate<'a> {
    id: Shown<RateId>,
    /// La moneda de la que es la tasa. / The currency that the rate is of.
    currency: &'static str,
    /// El primer día del que es la tasa. / The first day that it is the rate of.
    value_date: Shown<CaracasDate>,
    /// El último día del que es la tasa; `null` donde no se dijo ninguno. / The last day that it is the rate of; `null`
    /// where none was said.
    until: Option<Shown<CaracasDate>>,
    /// `null`: desde ese día, lo que pagan todos. / `null`: from that day on what everybody pays.
    rate: Option<String>,
    source: &'a str,
    created_at: Shown<Timestamp>,
}

impl<'a> WireOwnRate<'a> {
    fn of(rate: &'a OwnRate) -> Self {
        Self {
            id: Shown(rate.id),
            currency: rate.currency.as_str(),
            value_date: Shown(rate.value_date),
            until: rate.until.map(Shown),
            rate: rate.rate.map(|rate| rate.to_string()),
            source: rate.source.as_str(),
            created_at: Shown(rate.published_at),
        }
    }
}

fn example() -> Value {
    json!({
        "id": "rate_00000000000000000000000001",
        "currency": "USD",
        "value_date": "2026-11-20",
        "until": null,
        "rate": "880.00",
        "source": "Tienda Ejemplo",
        "created_at": "2026-11-20T12:00:00.000Z",
    })
}

pub(crate) fn list_endpoint() -> Endpoint {
    Endpoint::strict::<ListOwnRates, _, _>(Method::GET, PATH, list)
        .does(
            Group::Links,
            "Lista las tasas propias del titular, la última primero, y qué tasa rige para sus enlaces.",
            "Lists the owner's own rates, the latest first, and which rate serves for its links.",
        )
        .query::<PageNumber>()
        .answers::<OwnRatesListed<'_>>(json!({
            "message": "tasas propias",
            "rate_rule": "by_value_date",
            "exchange_rates": [example()],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn list(
    admitted: Admitted<ListOwnRates>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let number = PageNumber::read(&uri)?;
    let (rule, found) = own_rates::list(&state.app, &admitted.0, number).await?;
    answer::json(&OwnRatesListed {
        message: say(admitted.language(), "tasas propias", "own rates"),
        rate_rule: rule.as_str(),
        exchange_rates: found.entries.iter().map(WireOwnRate::of).collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
    })
}

pub(crate) fn set_endpoint() -> Endpoint {
    Endpoint::strict::<SetOwnRate, _, _>(Method::PUT, PATH, set)
        .does(
            Group::Links,
            "Dice cuánto cuesta una moneda para los enlaces del titular desde un día.",
            "Says what a currency costs for the owner's links from a day on.",
        )
        .takes::<NewRate>(json!({
            "currency": "USD",
            "value_date": "2026-11-20",
            "rate": "880",
            "source": "Tienda Ejemplo",
        }))
        .answers::<OwnRateAnswer<'_>>(
            json!({ "message": "tasa guardada", "exchange_rate": example() }),
        )
}

async fn set(
    admitted: Admitted<SetOwnRate>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let kept = own_rates::set(&state.app, &admitted.0, parse(&body)?, Precondition::none()).await?;
    let message = say(admitted.language(), "tasa guardada", "rate kept");
    answer::json(&OwnRateAnswer { message, exchange_rate: WireOwnRate::of(&kept) })
}

fn parse(body: &JsonBody) -> Result<NewOwnRate, Refusal> {
    let NewRate { currency, value_date, rate, until, source, accept_jump } = NewRate::read(body)?;
    let accepts_jump = accept_jump.unwrap_or(false);
    Ok(NewOwnRate { currency, rate, value_date, until, source, accepts_jump })
}

pub(crate) fn rule_endpoint() -> Endpoint {
    Endpoint::strict::<SetRateRule, _, _>(Method::PUT, "/v1/exchange-rates/rule", set_rule)
        .does(
            Group::Links,
            "Elige qué tasa rige un día para los enlaces del titular.",
            "Chooses which rate serves a day for the owner's links.",
        )
        .takes::<RuleChoice>(json!({ "rate_rule": "by_publication" }))
        .answers::<RateRuleAnswer>(
            json!({ "message": "elección guardada", "rate_rule": "by_publication" }),
        )
}

async fn set_rule(
    admitted: Admitted<SetRateRule>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let RuleChoice { rate_rule } = RuleChoice::read(&body)?;
    let rule =
        own_rates::set_rule(&state.app, &admitted.0, rate_rule, Precondition::none()).await?;
    let message = say(admitted.language(), "elección guardada", "choice kept");
    answer::json(&RateRuleAnswer { message, rate_rule: rule.as_str() })
}
