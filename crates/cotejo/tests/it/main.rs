//! The service through its front door, on both engines. Folders mirror the paths.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod auth;
mod betaserio;
mod hang_up;
mod me;
mod me_usersbank;
mod slow_bank;
mod takeover;
mod v1;
