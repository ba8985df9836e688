//! `/auth`

mod api_key;
mod email;
mod forgotten_sessions;
mod guesses;
mod key_limit;
mod login;
mod logout;
mod password;
mod refresh;
mod second_factor;
mod sessions;
