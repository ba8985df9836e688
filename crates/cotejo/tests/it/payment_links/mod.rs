//! `/v1/paymentlink`, `/paymentlink/{payment_link_id}` and `/me/payment-links`

mod accept;
mod creation;
mod ends;
mod golden;
mod listing;
mod scope;
mod settings;
