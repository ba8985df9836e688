//! `/auth`

mod api_key;
mod login;
mod logout;
mod refresh;
