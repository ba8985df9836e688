//! What answers and webhooks write alike: values by their text, and the price of a payment.
//!
//! The payment and the link are one object each, wherever they are shown: [`crate::verification::WirePayment`] and
//! [`crate::links::WireLink`]. They are of this crate and not of the API, since its transactions write the bodies of
//! webhooks.

mod price;
mod shown;

pub use price::WirePrice;
pub use shown::{Shown, WireForm};
