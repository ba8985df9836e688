//! A server in the test's own process, on either engine, by a clock that runs fast.

mod commands;
mod drain;
mod hasty;
mod service;
