//! `POST /userbankpayment/{bank_id}/betaserio`

mod ambiguous;
mod bank_down;
mod concurrent;
mod fingerprint;
mod found;
mod idempotency;
mod limits;
mod not_found;
mod other_amount;
mod repeat;
mod scope;
mod slow;
mod validation;
