//! The service through its front door, on both engines. Folders mirror the paths.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod access;
mod auth;
mod bad_input;
mod bdv;
mod bdv_push;
mod betaserio;
mod changed;
mod check_ledger;
mod clocks;
mod contested;
mod corruption;
mod cors;
mod errors;
mod evidence;
mod graceful_stop;
mod hang_up;
mod health;
mod late_body;
mod master_key;
mod me;
mod me_usersbank;
mod me_webhook_secret;
mod months;
mod pay;
mod payment_links;
mod profile;
mod reach;
mod same_bank;
mod secrets_in_the_log;
mod slow_bank;
mod statements;
mod takeover;
mod v1;
mod webhooks;
mod wire;
