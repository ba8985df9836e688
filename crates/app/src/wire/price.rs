//! The price of a payment in another currency.

use domain::money::Bolivars;
use domain::rates::PaidPrice;
use domain::time::CaracasDate;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shown;

/// Lo que pedía el enlace que se pagó, en su moneda, y la tasa con que se pagó. / What the paid link asked for, in its
/// currency, and the exchange rate that it was paid at.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PaymentPrice")]
pub struct WirePrice<'a> {
    amount: f64,
    #[schemars(extend("enum" = ["USD", "EUR", "USDT"]))]
    currency: &'static str,
    /// Bolívares por unidad. / Bolívares for one unit.
    rate: f64,
    /// La fecha valor de la tasa. / The value date of the rate.
    value_date: Shown<CaracasDate>,
    source: &'a str,
}

impl<'a> WirePrice<'a> {
    /// The price of a payment that was paid so.
    #[must_use]
    pub fn of(paid: &'a PaidPrice) -> Self {
        Self {
            amount: Bolivars::from_hundredths(paid.price.hundredths).to_number(),
            currency: paid.price.currency.as_str(),
            rate: paid.rate.to_number(),
            value_date: Shown(paid.value_date),
            source: paid.source.as_str(),
        }
    }
}
