//! `/v1/paymentlink`, `/paymentlink/{payment_link_id}` and `/me/payment-links`

pub(crate) mod accept;
mod creation;
mod ends;
mod golden;
mod listing;
mod scope;
mod settings;
