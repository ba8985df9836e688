//! Pages that only say something: unknown links, limits, failures.

use std::time::Duration;

use axum::response::Response;
use domain::ids::LinkId;
use domain::language::Language;
use domain::refusal::Code;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use web::Glance;

use crate::page::{Link, Notice, PayPage};
use crate::texts::Texts;

/// The page about a link that is not there. An id of another form is an id of nothing.
pub(crate) fn unknown(language: Language) -> Response {
    let t = Texts::of(language);
    let page = PayPage::bare(t, Notice::new("warn", t.unknown));
    PayPage { steps: t.unknown_steps.to_vec(), is_failure: false, ..page }
        .answer(StatusCode::NOT_FOUND)
}

/// The page about whatever went wrong before the link at `path` was looked at.
pub(crate) fn of_failure(glance: &Glance, path: &str, language: Language) -> Response {
    let t = Texts::of(language);
    let said = match glance.code {
        Code::NotFound | Code::BadRequest => return unknown(language),
        Code::MethodNotSupport => Notice::new("warn", t.wrong_method),
        Code::Forbidden => Notice::new("warn", t.elsewhere),
        Code::RequestLimitReached => Notice::new("warn", t.too_many),
        _ => Notice::new("bad", t.broken),
    };
    let notice = Notice { link: back(path, t), ..said };
    answer_failure(glance, |status| PayPage::bare(t, notice).answer(status))
}

/// Answers about a failure: by a page that is given its status, and with how long to wait where trying again makes sense.
pub(crate) fn answer_failure(
    glance: &Glance,
    answer: impl FnOnce(StatusCode) -> Response,
) -> Response {
    let status = StatusCode::from_u16(glance.code.status());
    let mut response = answer(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    if let Some(wait) = glance.retry_after {
        set_wait(&mut response, wait);
    }
    response
}

/// The way back to the link that the request was about, if it was about any.
fn back(path: &str, t: &Texts) -> Option<Link> {
    let id: LinkId = path.strip_prefix("/pay/")?.split('/').next()?.parse().ok()?;
    let (href, text) = (format!("/pay/{id}"), t.back_to_link.to_owned());
    Some(Link { href, text, is_outside: false })
}

/// Says after how long trying again makes sense.
pub(crate) fn set_wait(response: &mut Response, wait: Duration) {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
}
