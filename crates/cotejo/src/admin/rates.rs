//! Exchange rates as the operator says and is shown them: texts, in files and on the admin socket.

use anyhow::Context;
use app::admin::{NewRate, Recorded};
use domain::links::Currency;
use domain::rates::{ExchangeRate, Rate, RateSource};
use domain::time::{CaracasDate, Timestamp};
use serde::{Deserialize, Serialize};

/// Who published a rate where nothing is said.
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
        anyhow::ensure!(until.is_none_or(|until| value_date <= until), "until: before value_date");
        let published_at = said(&self.published_at).map(Timestamp::parse).transpose();
        Ok(NewRate {
            currency: foreign_currency(&self.currency).context("currency: not USD, EUR or USDT")?,
            rate: Rate::parse(&self.rate).context("rate")?,
            value_date,
            until,
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

/// What became of rates that were recorded.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct RatesRecorded {
    pub(crate) added: u64,
    pub(crate) corrected: u64,
    pub(crate) unchanged: u64,
}

impl From<Recorded> for RatesRecorded {
    fn from(recorded: Recorded) -> Self {
        let Recorded { added, corrected, unchanged } = recorded;
        Self { added, corrected, unchanged }
    }
}

/// The currency of that code, where it is not the bolívar.
pub(crate) fn foreign_currency(code: &str) -> Option<Currency> {
    Currency::parse(code).filter(|currency| *currency != Currency::Vef)
}
