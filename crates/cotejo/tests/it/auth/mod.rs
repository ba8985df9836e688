//! `/auth`

mod api_key;
mod login;
