//! A monthly limit: what sets it, and its record.

use app::credit_limits::CreditLimit;
use domain::money::Credits;
use domain::time::CaracasMonth;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::operation::{NullOr, Shown, request};

request! {
    /// It must be there, so that a slip in its name does not take a limit away.
    pub(crate) struct LimitBody {
        /// Créditos de un mes de Caracas; `null` es sin límite. / Credits of a month of Caracas; `null` is no limit.
        monthly_credit_limit: NullOr<Credits>,
    }
}

/// Lo que se usó de un límite en un mes. / What was used of a limit in a month.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CreditLimit")]
pub(crate) struct WireCreditLimit {
    message: &'static str,
    /// El mes de Caracas de que se trata. / The month of Caracas that it is about.
    month: Shown<CaracasMonth>,
    /// Si el límite es el del cliente de la llave. / Whether the limit is that of the key's client.
    inherited: bool,
    monthly_credit_limit: Option<i64>,
    /// Los créditos cobrados en el mes. / Credits charged in the month.
    consumed: i64,
    /// Cuántas operaciones se cobraron. / How many operations were charged.
    operations: i64,
    /// Lo que cuenta para el límite: lo cobrado y lo reservado. / What counts against the limit: what was charged and
    /// what is reserved.
    quota_used: i64,
    /// Los créditos que quedan; `null` sin límite. / The credits that are left; `null` without a limit.
    remaining: Option<i64>,
}

impl WireCreditLimit {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({
            "message": message,
            "month": "2026-11",
            "inherited": false,
            "monthly_credit_limit": 500,
            "consumed": 37,
            "operations": 37,
            "quota_used": 37,
            "remaining": 463,
        })
    }

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
    use domain::refusal::Refusal;
    use web::JsonBody;

    use super::*;
    use crate::operation::Request;

    fn limit(json: &'static str) -> Result<Option<Credits>, Refusal> {
        LimitBody::read(&JsonBody::from(json)).map(|body| body.monthly_credit_limit)
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
