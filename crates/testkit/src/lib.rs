//! What the tests of all crates share: a database for every test, and, with the feature `service`,
//! a whole service to test from outside, on either engine and in a time of its own.

mod closed_port;
pub mod postgres;
pub mod proxy;
pub mod scripted;

#[cfg(feature = "contract")]
pub mod contract;
#[cfg(feature = "contract")]
pub mod schema;

#[cfg(feature = "tls")]
pub mod certificates;
#[cfg(feature = "tls")]
pub mod tls_front;

#[cfg(feature = "service")]
pub mod authenticator;
#[cfg(feature = "service")]
pub mod bank;
#[cfg(feature = "service")]
pub mod bank_process;
#[cfg(feature = "service")]
mod both_engines;
#[cfg(feature = "service")]
pub mod browser;
#[cfg(feature = "service")]
pub mod clock;
#[cfg(feature = "service")]
pub mod database;
#[cfg(feature = "service")]
pub mod employee;
#[cfg(feature = "service")]
mod folder;
#[cfg(feature = "service")]
pub mod golden;
#[cfg(feature = "service")]
pub mod http;
#[cfg(feature = "service")]
pub mod log;
#[cfg(feature = "service")]
pub mod mail_server;
#[cfg(feature = "service")]
pub mod open_read;
#[cfg(feature = "service")]
pub mod owner;
#[cfg(feature = "service")]
pub mod picture;
#[cfg(feature = "service")]
pub mod principal;
#[cfg(feature = "service")]
pub mod receiver;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "service")]
mod setup;
#[cfg(feature = "service")]
pub mod write_lock;

pub use crate::closed_port::closed_port;
#[cfg(feature = "service")]
pub use crate::{
    authenticator::Authenticator,
    both_engines::{Fixture, run, run_in_turn},
    browser::Browser,
    clock::VirtualClock,
    database::Engine,
    employee::Employee,
    http::Response,
    mail_server::{Caught, TestMailServer},
    owner::{Key, Owner},
    principal::Principal,
    service::TestApp,
    setup::Setup,
};
