//! `/auth`

mod api_key;
mod forgotten_sessions;
mod login;
mod logout;
mod refresh;
