//! The dashboard: what people who have signed in see, and what their forms do.

mod accept_movement;
mod access;
mod accounts;
mod advice;
mod again;
mod days;
mod first_reports;
mod follow;
mod forms;
mod home;
mod key_activity;
mod key_reach;
mod keys;
mod links;
mod me;
mod notices;
mod objects;
mod payments;
mod profile;
mod rates;
mod receivers;
mod refused;
mod sign_in;
mod step_up;
pub(crate) mod test_mode;
mod webhooks;
mod who;
