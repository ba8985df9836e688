//! Notices to owners, and mail.

pub mod mails;
pub mod notice_mails;
pub mod notice_settings;
pub mod notices;
