//! The answer of an address that reports rates, as the guide documents it. All of it is taken, or nothing: of an
//! answer that is wrong somewhere nobody knows what else is.

use domain::links::Currency;
use domain::rates::{DAYS_MAX, PUBLISHED_AHEAD_MAX, Rate, RateDays, RateSource};
use domain::time::{CaracasDate, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Problem;

/// How many rates an answer may report.
const RATES_MAX: usize = 500;

#[derive(Deserialize)]
struct WireAnswer<'a> {
    #[serde(borrow)]
    rates: Vec<WireRate<'a>>,
}

#[derive(Deserialize)]
struct WireRate<'a> {
    currency: String,
    /// Text or a number, as it was written: nothing here reads it as a binary fraction.
    #[serde(borrow)]
    rate: &'a RawValue,
    value_date: String,
    until: Option<String>,
    published_at: String,
    source: String,
}

/// A rate as it was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportedRate {
    pub(super) currency: Currency,
    pub(super) rate: Rate,
    pub(super) value_date: CaracasDate,
    pub(super) until: Option<CaracasDate>,
    pub(super) published_at: Timestamp,
    pub(super) source: RateSource,
}

/// The rates of an answer, oldest day first. Those of currencies that links cannot have are passed over.
pub(super) fn read(body: &[u8], now: Timestamp) -> Result<Vec<ReportedRate>, Problem> {
    // The library's own words may repeat what was answered.
    let answer: WireAnswer<'_> = serde_json::from_slice(body).map_err(|error| {
        format!("its answer is not as documented: line {}, column {}", error.line(), error.column())
    })?;
    if answer.rates.is_empty() || answer.rates.len() > RATES_MAX {
        return Err(
            format!("it told {} rates; 1 to {RATES_MAX} are read", answer.rates.len()).into()
        );
    }
    let mut reported: Vec<ReportedRate> = Vec::with_capacity(answer.rates.len());
    for (row, rate) in answer.rates.iter().enumerate() {
        let rate = rate.read(now).map_err(|field| format!("rates[{row}].{field}"))?;
        let Some(rate) = rate else { continue };
        let of_day =
            |one: &ReportedRate| (one.currency, one.value_date) == (rate.currency, rate.value_date);
        if reported.iter().any(of_day) {
            return Err(format!("rates[{row}].value_date: the same day twice").into());
        }
        reported.push(rate);
    }
    reported.sort_by_key(|rate| rate.value_date);
    Ok(reported)
}

impl WireRate<'_> {
    /// The rate, or which field says none and why.
    fn read(&self, now: Timestamp) -> Result<Option<ReportedRate>, String> {
        let Some(currency) = Currency::parse(&self.currency).filter(|one| *one != Currency::Vef)
        else {
            return Ok(None);
        };
        let text = serde_json::from_str::<String>(self.rate.get());
        let text = text.unwrap_or_else(|_| self.rate.get().to_owned());
        let rate = Rate::parse(&text).map_err(|error| format!("rate: {error}"))?;
        let value_date = day("value_date", &self.value_date)?;
        let until = self.until.as_deref().map(|text| day("until", text)).transpose()?;
        let published_at = Timestamp::parse(&self.published_at)
            .map_err(|_| "published_at: must be an instant with its offset".to_owned())?;
        let days = RateDays::new(value_date, until).map_err(|error| error.to_string())?;
        if days.are_beyond(CaracasDate::of(now), DAYS_MAX) {
            return Err(format!("value_date: more than {DAYS_MAX} days ahead"));
        }
        if published_at > now.plus(PUBLISHED_AHEAD_MAX) {
            return Err("published_at: yet to come".to_owned());
        }
        Ok(Some(ReportedRate {
            currency,
            rate,
            value_date: days.first,
            until: days.last,
            published_at,
            source: RateSource::parse(&self.source).map_err(|error| format!("source: {error}"))?,
        }))
    }
}

fn day(field: &str, text: &str) -> Result<CaracasDate, String> {
    CaracasDate::parse(text).map_err(|_| format!("{field}: must be a date such as 2026-11-23"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-20T20:00:00-04:00").unwrap()
    }

    fn answer(row: &str) -> String {
        format!(
            r#"{{"updated": true, "rates": [{{"currency": "USD", "rate": "870.1", "value_date": "2026-11-20",
            "published_at": "2026-11-19T17:00:00-04:00", "source": "BCV", "until": null}}, {{{row}}}]}}"#
        )
    }

    fn row(rate: &str, day: &str, published: &str) -> String {
        format!(
            r#""currency": "USD", "rate": {rate}, "value_date": "{day}", "published_at": "{published}", "source": "BCV""#
        )
    }

    #[test]
    fn rates_are_read_oldest_first_and_other_currencies_passed_over() {
        let earlier = row(r#""868,00000001""#, "2026-11-19", "2026-11-18T17:00:00-04:00");
        let reported = read(answer(&earlier).as_bytes(), now()).unwrap();
        let days: Vec<_> = reported.iter().map(|rate| rate.value_date.to_string()).collect();
        assert_eq!(days, ["2026-11-19", "2026-11-20"]);
        assert_eq!(reported[0].rate.to_string(), "868.00000001");
        let number = row("9999999.12345678", "2026-11-19", "2026-11-18T17:00:00-04:00");
        let reported = read(answer(&number).as_bytes(), now()).unwrap();
        assert_eq!(
            reported[0].rate.to_string(),
            "9999999.12345678",
            "a number is read as it is written"
        );
        let yuan = earlier.replace("USD", "CNY").replace("2026-11-19\"", "gone\"");
        assert_eq!(read(answer(&yuan).as_bytes(), now()).unwrap().len(), 1);
    }

    #[test]
    fn of_an_answer_that_is_wrong_somewhere_nothing_is_taken() {
        let published = "2026-11-20T17:00:00-04:00";
        for (row, problem) in [
            (row("8.7239e2", "2026-11-23", published), "rates[1].rate: "),
            (row("-872.39", "2026-11-23", published), "rates[1].rate: "),
            (row("872.390000001", "2026-11-23", published), "rates[1].rate: "),
            (row("null", "2026-11-23", published), "rates[1].rate: "),
            (row("[872.39]", "2026-11-23", published), "rates[1].rate: "),
            (row(r#""1.872,39""#, "2026-11-23", published), "rates[1].rate: "),
            (row(r#""0""#, "2026-11-23", published), "rates[1].rate: "),
            (row(r#""872.39""#, "23/11/2026", published), "rates[1].value_date: "),
            (
                row(r#""872.39""#, "2026-11-20", published),
                "rates[1].value_date: the same day twice",
            ),
            (row(r#""872.39""#, "2026-12-22", published), "rates[1].value_date: more than"),
            (
                row(r#""872.39""#, "2026-11-23", "2026-11-20T20:05:01-04:00"),
                "rates[1].published_at: yet",
            ),
            (row(r#""872.39""#, "2026-11-23", "2026-11-20"), "rates[1].published_at: must"),
            (
                row(r#""872.39""#, "2026-11-23", published) + r#", "until": "2026-11-22""#,
                "rates[1].until",
            ),
            (
                row(r#""872.39""#, "2026-11-23", published) + r#", "until": "2026-12-25""#,
                "rates[1].until: more than",
            ),
            (row(r#""872.39""#, "2026-11-23", published).replace("BCV", ""), "rates[1].source"),
        ] {
            let Problem(found) = read(answer(&row).as_bytes(), now()).unwrap_err();
            assert!(found.starts_with(problem), "{row}: {found}");
        }
        for text in ["", "[]", "{}", r#"{"rates": []}"#, "<html>"] {
            assert!(read(text.as_bytes(), now()).is_err(), "{text}");
        }
    }
}
