//! `/auth`

mod api_key;
mod forgotten_sessions;
mod key_limit;
mod login;
mod logout;
mod password;
mod refresh;
mod second_factor;
mod sessions;
