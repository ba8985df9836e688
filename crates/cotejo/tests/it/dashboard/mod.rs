//! The dashboard: what people who have signed in see, and what their forms do.

mod access;
mod accounts;
mod forms;
mod home;
mod keys;
mod links;
mod me;
mod payments;
mod profile;
mod sign_in;
mod step_up;
