//! The nouns and the rules of Cotejo, as values and pure functions.
//!
//! Nothing here reads a clock, makes randomness, does I/O or is async: what is needed of these
//! comes in as an argument, so that every decision can be tested by its inputs alone.

pub mod access;
mod backoff;
pub mod bank_text;
pub mod brand;
pub mod client_names;
pub mod email_change;
pub mod fingerprint;
pub mod ids;
pub mod invitation;
pub mod keys;
pub mod language;
pub mod links;
pub mod logo;
pub mod mail;
pub mod matching;
pub mod money;
pub mod network;
pub mod notices;
pub mod payer;
pub mod permissions;
pub(crate) mod person_link;
pub mod plans;
pub mod profile;
pub mod public_address;
pub mod push_secret;
pub mod quota;
pub mod rates;
pub mod receipts;
pub mod reference;
pub mod refusal;
pub mod reset;
pub mod review;
pub mod rights;
pub mod seals;
pub mod second_factor;
pub mod secret;
mod secret_hash;
pub mod session;
pub mod session_cookie;
pub mod sign_in;
pub mod statistics;
pub mod subscriptions;
pub mod text;
pub mod time;
pub mod typed;
pub mod url;
pub mod verification;
pub mod webhooks;
