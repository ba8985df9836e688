//! `GET` and `POST /pay/{payment_link_id}`

use app::Error;
use app::links::checkout::{Typed, look_again, pay as begin, view as look};
use app::verification::link_check::CheckOutcome;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{PayLink, ViewLink};
use domain::ids::{LinkId, VerificationId};
use domain::language::Language;
use domain::links::Status;
use domain::money::Bolivars;
use domain::payer::{Document, Phone};
use domain::reference::{InvalidPaste, TypedReference};
use domain::refusal::{Code, LinkRefusal, Refusal};
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, FormBody};

use crate::message_page::{set_wait, unknown};
use crate::page::{Input, Notice, PayPage};
use crate::texts::Texts;
use crate::view::{Retry, page, preview};

/// How many digits of the reference a payer types at least, leading zeros included.
const DIGITS_MIN: usize = 6;

/// How much of what was typed wrongly is shown again.
const SHOWN_AGAIN_MAX: usize = 300;

/// The name of the parameter that says which check the payer asks about.
pub(crate) const CHECK: &str = "v";

pub(crate) async fn view(
    admitted: Admitted<ViewLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(id) = id.parse::<LinkId>() else { return Ok(unknown(language)) };
    let check = check(&uri);
    match look(&state.app, &admitted.0, id, check).await {
        Ok(checkout) => {
            // A check that is none of this link's says nothing.
            let check = check.filter(|_| checkout.outcome.is_some());
            let preview = preview(&checkout, &state.app.settings.base_url, language);
            let page = page(&checkout, language, check, Retry::default());
            Ok(PayPage { preview: Some(preview), ..page }.answer(StatusCode::OK))
        }
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(unknown(language)),
        Err(error) => Err(error.into()),
    }
}

/// The check that the address names.
pub(crate) fn check(uri: &Uri) -> Option<VerificationId> {
    web::query::find(uri, CHECK)?.parse().ok()
}

pub(crate) async fn pay(
    admitted: Admitted<PayLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    form: FormBody,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(id) = id.parse::<LinkId>() else { return Ok(unknown(language)) };
    if is_from_elsewhere(&headers, &state.app.settings.base_url) {
        // Another site's page would spend the link's attempts from its visitors' addresses.
        return Err(Refusal::Forbidden.into());
    }
    state.try_link(id, admitted.0.request.received)?;
    let (typed, mut retry) = read(&form, language);
    let refusal = match typed {
        Some(typed) => match begin(&state.app, &admitted.0, id, typed).await {
            Ok(check) => return Ok(found(&state, &admitted, id, check, retry).await),
            Err(Error::Refused(refusal)) => refusal,
            Err(error) => return Err(error.into()),
        },
        None => Refusal::Validation(Vec::new()),
    };
    if let Refusal::Link(LinkRefusal::Closed) = refusal {
        // The link's own page shows best what it is now.
        return Ok(see(&format!("/pay/{id}")));
    }
    // So few digits mean something only together with who paid, also where nobody is asked that.
    retry.phone.is_wrong |= refusal.details().iter().any(|detail| detail.field == "phone");
    retry.notice = notice_of(&refusal, language);
    retry.has_paid =
        retry.notice.is_some() && !matches!(refusal, Refusal::Link(LinkRefusal::Changed));
    let checkout = match look_again(&state.app, &admitted.0, id, None).await {
        Ok(checkout) => checkout,
        Err(Error::Refused(Refusal::NotFound(_))) => return Ok(unknown(language)),
        Err(error) => return Err(error.into()),
    };
    if refusal.code() == Code::ValidationError {
        retry.mark_missing(&checkout.payee);
    }
    // What the merchant's plan has left is nothing that a payer could wait for.
    let is_the_merchants = matches!(refusal, Refusal::PlanRequestLimit { .. });
    let status = match refusal.code() {
        Code::ValidationError => StatusCode::UNPROCESSABLE_ENTITY,
        Code::Conflict => StatusCode::CONFLICT,
        Code::RequestLimitReached if !is_the_merchants => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    let mut response = page(&checkout, language, None, retry).answer(status);
    if let Some(wait) = refusal.retry_after().filter(|_| !is_the_merchants) {
        set_wait(&mut response, wait);
    }
    Ok(response)
}

/// Answers what has become of a check that has just begun. Where it found no payment, the page is the answer itself,
/// with all that was typed: the page's own address is anybody's who has it, and must not reveal it. Everything else is
/// shown there, where loading it again sends nothing again.
async fn found(
    state: &AppState,
    admitted: &Admitted<PayLink>,
    id: LinkId,
    check: VerificationId,
    retry: Retry,
) -> Response {
    let here = format!("/pay/{id}?{CHECK}={check}");
    let Ok(checkout) = look_again(&state.app, &admitted.0, id, Some(check)).await else {
        // The check has begun, whatever keeps it from being looked at.
        return see(&here);
    };
    let is_in_vain = matches!(
        checkout.outcome,
        Some(
            CheckOutcome::Unconfirmed
                | CheckOutcome::OtherAmount
                | CheckOutcome::OutsideRate
                | CheckOutcome::Unheard
        )
    );
    if checkout.status != Status::Pending || !is_in_vain {
        return see(&here);
    }
    let page = page(&checkout, admitted.language(), Some(check), retry);
    PayPage { here: Some(here), ..page }.answer(StatusCode::OK)
}

/// Returns what the payer reads instead of going on; wrong fields speak for themselves.
fn notice_of(refusal: &Refusal, language: Language) -> Option<Notice> {
    let t = Texts::of(language);
    Some(match refusal {
        Refusal::Validation(_) => return None,
        Refusal::Link(LinkRefusal::Changed) => Notice::new("warn", t.changed),
        Refusal::TooManyRequests { .. } => Notice::new("warn", t.too_many),
        Refusal::PlanNotActive => Notice::new("warn", t.unavailable),
        // Credits, limits, or the account: the merchant's affair, whichever it is.
        _ => Notice::new("warn", t.no_credits),
    })
}

/// Reads the payer's form: what was typed, if all of it can be used, and the fields to show again.
fn read(form: &FormBody, language: Language) -> (Option<Typed>, Retry) {
    let input = |name| {
        let value: String = form.field(name).chars().take(SHOWN_AGAIN_MAX).collect();
        Input { value, ..Input::default() }
    };
    let mut retry = Retry {
        reference: input("reference"),
        phone: input("phone"),
        document: input("document"),
        ..Retry::default()
    };
    let text = form.field("reference");
    let reference = match TypedReference::pasted(&text) {
        Ok(reference) => Some(reference).filter(|one| one.count() >= DIGITS_MIN),
        Err(InvalidPaste::Several(runs)) => {
            let several = Texts::of(language).reference_several;
            retry.reference.problem = Some(several.replace("{runs}", &runs.join(", ")));
            None
        }
        Err(InvalidPaste::Reference(_)) => None,
    };
    retry.reference.is_wrong = reference.is_none();
    let phone = optional(&mut retry.phone, &form.field("phone"), Phone::parse);
    let document = optional(&mut retry.document, &form.field("document"), Document::parse);
    retry.seen = form.field("seen").parse().ok();
    let seen = retry.seen.map(Bolivars::from_hundredths);
    let is_right = !retry.phone.is_wrong && !retry.document.is_wrong;
    let typed = reference.filter(|_| is_right);
    (typed.map(|reference| Typed { reference, phone, document, seen }), retry)
}

/// A fact that may be empty, read from all that was typed, however much of it is shown again.
fn optional<T, E>(
    input: &mut Input,
    typed: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<T> {
    if typed.is_empty() {
        return None;
    }
    let parsed = parse(typed).ok();
    input.is_wrong = parsed.is_none();
    parsed
}

/// Sends the browser to look: loading that page again sends nothing again.
pub(crate) fn see(path: &str) -> Response {
    let mut response = web::page(StatusCode::SEE_OTHER, String::new());
    if let Ok(path) = HeaderValue::from_str(path) {
        response.headers_mut().insert(LOCATION, path);
    }
    response
}
