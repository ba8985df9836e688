//! A monthly limit: what sets it, and its record.

use app::credit_limits::CreditLimit;
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
use serde::{Deserialize, Serialize};
use web::{Field, Fields, JsonBody};

use super::Shown;

/// The body that sets a limit.
#[derive(Deserialize)]
pub(crate) struct LimitBody<'a> {
    #[serde(default, borrow, deserialize_with = "web::fields::even_null")]
    monthly_credit_limit: Field<'a>,
}

impl LimitBody<'_> {
    /// The limit; `None` is none. The field must be there, so that a slip in its name does not
    /// take a limit away.
    pub(crate) fn parse(body: &JsonBody) -> Result<Option<Credits>, Refusal> {
        const NAME: &str = "monthly_credit_limit";
        let wire: LimitBody<'_> = body.object()?;
        let mut fields = Fields::default();
        let limit = match wire.monthly_credit_limit {
            None => fields.problem(
                NAME,
                (
                    "es obligatorio: un número, o null para ningún límite",
                    "is required: a number, or null for no limit",
                ),
            ),
            Some(raw) if raw.get() == "null" => None,
            given => fields.number(NAME, given, Credits::from_number),
        };
        if fields.are_right() { Ok(limit) } else { Err(fields.refusal()) }
    }
}

/// What was used of a limit in a month.
#[derive(Serialize)]
pub(crate) struct WireCreditLimit {
    message: &'static str,
    month: Shown<CaracasMonth>,
    inherited: bool,
    monthly_credit_limit: Option<i64>,
    consumed: i64,
    operations: i64,
    quota_used: i64,
    remaining: Option<i64>,
}

impl WireCreditLimit {
    pub(crate) fn of(limit: &CreditLimit, message: &'static str) -> Self {
        Self {
            message,
            month: Shown(limit.month),
            inherited: limit.inherited,
            monthly_credit_limit: limit.monthly_credit_limit.map(Credits::get),
            consumed: limit.consumed.get(),
            operations: limit.operations,
            quota_used: limit.quota_used.get(),
            remaining: limit.remaining.map(Credits::get),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(json: &'static str) -> Result<Option<Credits>, Refusal> {
        LimitBody::parse(&JsonBody::from(json))
    }

    #[test]
    fn a_number_null_and_nothing_are_three_things() {
        assert_eq!(limit(r#"{"monthly_credit_limit": 37}"#), Ok(Some(Credits::new(37))));
        assert_eq!(limit(r#"{"monthly_credit_limit": 10.0}"#), Ok(Some(Credits::new(10))));
        assert_eq!(limit(r#"{"monthly_credit_limit": 0}"#), Ok(Some(Credits::ZERO)));
        assert_eq!(limit(r#"{"monthly_credit_limit": null}"#), Ok(None));
        for json in [
            "{}",
            r#"{"limit": 1}"#,
            r#"{"monthly_credit_limit": -1}"#,
            r#"{"monthly_credit_limit": "1"}"#,
        ] {
            let Err(Refusal::Validation(details)) = limit(json) else { panic!("{json}") };
            assert_eq!(details[0].field, "monthly_credit_limit", "{json}");
        }
    }
}
