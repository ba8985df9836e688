//! `GET /me`

use axum::response::Response;
use domain::access::Me;
use serde::Serialize;
use web::{Failure, Looked, answer};

use crate::login::User;
use crate::wire::say;

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    user: User<'a>,
}

pub(crate) async fn handle(looked: Looked<Me>) -> Result<Response, Failure> {
    let Looked(act, seen) = looked;
    let user = app::me::show(&act, seen)?;
    let message = say(act.request.language, "usuario", "user");
    answer::json(&Answer { message, user: User::of(&user) })
}
