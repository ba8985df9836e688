//! What is said on the command line about exchange rates.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::links::Currency;
use domain::rates::{Rate, RateSource};
use domain::time::{CaracasDate, Timestamp};

use super::Place;
use crate::admin::foreign_currency;

#[derive(Debug, Subcommand)]
pub(crate) enum RatesCommand {
    /// Record a rate as it was published; another one for the same day corrects the former.
    Add(Box<AddRate>),
    /// Record the rates of a CSV file, all or none. What was recorded once is left as it is, corrected or not.
    Import(ImportRates),
    /// List the latest rates of a currency with their corrections, newest first.
    List(ListRates),
    /// Tell how rates stand: what serves, what waits for your word, and how the address of rates.url answers.
    Status(RatesStatus),
}

#[derive(Args, Debug)]
pub(crate) struct AddRate {
    /// USD, EUR or USDT
    #[arg(long, value_parser = foreign)]
    pub(crate) currency: Currency,
    /// What one unit costs in bolívares, such as 872.3927
    #[arg(long, value_parser = Rate::parse)]
    pub(crate) rate: Rate,
    /// The first day that it is the rate of: the value date
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = CaracasDate::parse)]
    pub(crate) value_date: CaracasDate,
    /// The last such day, 31 days later at most [default: until the next rate, 7 days at most]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = CaracasDate::parse)]
    pub(crate) until: Option<CaracasDate>,
    /// When it was published, with the offset [default: now]
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse)]
    pub(crate) published_at: Option<Timestamp>,
    /// Who published it
    #[arg(long, default_value = "BCV", value_parser = RateSource::parse)]
    pub(crate) source: RateSource,
    /// Take a rate that is more than a tenth away from the one before
    #[arg(long)]
    pub(crate) accept_jump: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct ImportRates {
    /// Columns: currency, value_date, rate, and where known until, published_at, source; separated by comma or semicolon
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Take rates that are more than a tenth away from the one before
    #[arg(long)]
    pub(crate) accept_jump: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct ListRates {
    /// USD, EUR or USDT
    #[arg(long, default_value = "USD", value_parser = foreign)]
    pub(crate) currency: Currency,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct RatesStatus {
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

fn foreign(text: &str) -> Result<Currency, &'static str> {
    foreign_currency(text).ok_or("must be USD, EUR or USDT")
}
