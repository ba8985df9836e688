//! Linked bank accounts, what they are reached with, and what banks show and report of them.

pub mod account_use;
pub mod accounts;
pub mod bank_access;
pub mod bank_notifications;
pub mod bank_push;
pub mod bank_tokens;
pub mod contested;
pub mod movement_pages;
pub mod movements;
pub mod notification_pages;
pub mod reviews;
pub mod unnamed_movements;
pub mod unresponsive_banks;
