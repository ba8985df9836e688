//! Exchange rates as the operator says and is shown them: texts, in files and on the admin socket.

use anyhow::Context;
use app::admin::{
    NewRate, Operator, Recorded, Recording, list_rates, rates_standing, record_rates,
};
use app::rate_address::Standing;
use domain::links::Currency;
use domain::rates::{ExchangeRate, Rate, RateDays, RateSource};
use domain::time::{CaracasDate, Timestamp};
use serde::{Deserialize, Serialize};

use super::{CommandOutcome, failed};

/// Publisher of a rate that names none.
const SOURCE: &str = "BCV";

/// A rate.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateRow {
    pub(crate) currency: String,
    pub(crate) value_date: String,
    pub(crate) rate: String,
    #[serde(default)]
    pub(crate) until: Option<String>,
    #[serde(default)]
    pub(crate) published_at: Option<String>,
    #[serde(default)]
    pub(crate) source: Option<String>,
}

impl RateRow {
    /// The rate that the texts say.
    ///
    /// # Errors
    /// Which of them says none, and why.
    pub(crate) fn read(&self) -> anyhow::Result<NewRate> {
        let value_date = CaracasDate::parse(&self.value_date).context("value_date")?;
        let until = said(&self.until).map(CaracasDate::parse).transpose().context("until")?;
        let published_at = said(&self.published_at).map(Timestamp::parse).transpose();
        Ok(NewRate {
            currency: foreign_currency(&self.currency).context("currency: not USD, EUR or USDT")?,
            rate: Rate::parse(&self.rate).context("rate")?,
            days: RateDays::new(value_date, until)?,
            published_at: published_at.context("published_at")?,
            source: RateSource::parse(said(&self.source).unwrap_or(SOURCE)).context("source")?,
        })
    }
}

impl From<&ExchangeRate> for RateRow {
    fn from(rate: &ExchangeRate) -> Self {
        Self {
            currency: rate.currency.as_str().to_owned(),
            value_date: rate.value_date.to_string(),
            rate: rate.rate.to_string(),
            until: rate.until.map(|day| day.to_string()),
            published_at: Some(rate.published_at.to_string()),
            source: Some(rate.source.as_str().to_owned()),
        }
    }
}

/// An empty cell of a file says nothing.
fn said(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// Numbers of recorded rates, by what was done with them.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct RatesRecorded {
    pub(crate) added: u64,
    pub(crate) corrected: u64,
    pub(crate) unchanged: u64,
    /// A server of before does not say.
    #[serde(default)]
    pub(crate) superseded: u64,
}

impl From<Recorded> for RatesRecorded {
    fn from(recorded: Recorded) -> Self {
        let Recorded { added, corrected, unchanged, superseded } = recorded;
        Self { added, corrected, unchanged, superseded }
    }
}

/// Records rates.
pub(super) async fn record(
    operator: &Operator<'_>,
    rates: &[RateRow],
    recording: Recording,
) -> anyhow::Result<CommandOutcome> {
    let rates = rates.iter().map(RateRow::read).collect::<Result<_, _>>()?;
    let recorded = record_rates(operator, rates, recording).await.map_err(failed)?;
    Ok(CommandOutcome::RatesRecorded(recorded.into()))
}

/// Lists the latest rates of a currency.
pub(super) async fn list(
    operator: &Operator<'_>,
    currency: &str,
) -> anyhow::Result<CommandOutcome> {
    let currency = foreign_currency(currency).context("no such currency")?;
    let rates = list_rates(operator, currency).await.map_err(failed)?;
    Ok(CommandOutcome::Rates(rates.iter().map(Into::into).collect()))
}

/// Reports how rates stand.
pub(super) async fn status(operator: &Operator<'_>) -> anyhow::Result<CommandOutcome> {
    let standing = rates_standing(operator).await.map_err(failed)?;
    Ok(CommandOutcome::RatesStatus(RatesStatusRow::of(&standing, operator.now)))
}

/// How rates stand.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RatesStatusRow {
    /// What serves now, with its age.
    pub(crate) serving: Vec<ServingRow>,
    /// What the address returned and nobody took: it is far from the one before.
    pub(crate) doubtful: Vec<DoubtfulRow>,
    /// How the address answers; nothing where none was ever asked.
    pub(crate) address: Option<AddressRow>,
}

/// A rate that serves.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ServingRow {
    #[serde(flatten)]
    rate: RateRow,
    age_seconds: u64,
    origin: String,
    /// How often it was corrected for its day. A server of before does not say.
    #[serde(default)]
    corrections: u64,
}

/// A rate that nobody took.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct DoubtfulRow {
    currency: String,
    value_date: String,
    rate: String,
    /// Nothing where none was known to compare it with.
    former: Option<String>,
    source: String,
    since: String,
}

/// How the address answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct AddressRow {
    answered_at: Option<String>,
    age_seconds: Option<u64>,
    problem: Option<String>,
    failing_since: Option<String>,
    asked_next: String,
}

impl RatesStatusRow {
    /// Describes the rates as they stand at `now`.
    pub(crate) fn of(standing: &Standing, now: Timestamp) -> Self {
        let corrections_of = |currency: Currency| {
            let mut all = standing.corrections.iter();
            all.find(|(of, _)| *of == currency).map_or(0, |(_, corrections)| *corrections)
        };
        let serving = standing.serving.iter().map(|rate| ServingRow {
            rate: rate.into(),
            age_seconds: now.since(rate.published_at).as_secs(),
            origin: rate.origin.as_str().to_owned(),
            corrections: corrections_of(rate.currency),
        });
        let doubtful = standing.doubtful.iter().map(|rate| DoubtfulRow {
            currency: rate.currency.as_str().to_owned(),
            value_date: rate.value_date.to_string(),
            rate: rate.rate.to_string(),
            former: rate.former.map(|former| former.to_string()),
            source: rate.source.as_str().to_owned(),
            since: rate.since.to_string(),
        });
        let address = standing.address.as_ref().map(|address| AddressRow {
            answered_at: address.answered_at.map(|at| at.to_string()),
            age_seconds: address.answered_at.map(|at| now.since(at).as_secs()),
            problem: address.problem.as_ref().map(|(problem, _)| problem.clone()),
            failing_since: address.problem.as_ref().map(|(_, since)| since.to_string()),
            asked_next: address.due_at.to_string(),
        });
        Self { serving: serving.collect(), doubtful: doubtful.collect(), address }
    }
}

/// The currency of that code, where it is not the bolívar.
pub(crate) fn foreign_currency(code: &str) -> Option<Currency> {
    Currency::parse(code).filter(|currency| *currency != Currency::Vef)
}
