//! The people who sign in: owners, employees, and the people of clients.

mod account;
mod known_password;

pub(crate) use self::account::{Account, email_hash, merchant_name};
pub(crate) use self::known_password::{KnownPassword, known_password};
