//! The connectors: one folder for each bank, and what they share.
//!
//! [`BANKS`] lists them. Each folder has the same files: `mod.rs` with what the bank declares, `connector.rs`,
//! `wire.rs` with the form of its answers, `push.rs` with its notices, and `tests.rs`. [`listing`] is for
//! banks that show every movement of a day: it keeps what was shown, so that many questions cost one look.
//! [`breaker`] spares a bank that is down, and its callers.

pub mod bdv;
mod breaker;
mod clock;
mod definition;
mod listing;
mod payer_text;
mod registry;
pub mod test_bank;

pub use self::clock::{Clock, Now};
pub use self::definition::{Connect, Definition, Setting, SettingError, SettingValue, Settings};
pub use self::payer_text::unknown_forms;
pub use self::registry::BANKS;
