//! `GET /app/payments/verifications/{verification_id}`: why was this reference refused?

use app::Act;
use app::links::acceptable;
use app::verification::explain::{Explained, explain};
use app::verification::report::report;
use app::verification::{Asked, FirstReportGuard};
use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State as Extracted};
use axum::response::{IntoResponse, Response};
use domain::access::{AcceptLink, Operation, ShowLink, ShowVerification, Verify};
use domain::ids::{OwnerId, VerificationId};
use domain::language::Language;
use domain::money::Bolivars;
use domain::payer::{Document, Phone};
use domain::reference::TypedReference;
use domain::refusal::Refusal;
use domain::verification::{Failed, State};
use http::header::REFRESH;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use web::{AppState, Delivered, Failure, Signed};

use super::asker::{Asker, Named};
use super::explained::{self, Explanation, Facts, News};
use super::outcome::{self, Word};
use super::verifications::PATH_VERIFICATIONS;
use super::verify::PATH_VERIFY;
use super::{PaymentsTexts, movement, tabs};
use crate::dashboard::choice::{accounts, name_of};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::links;
use crate::dashboard::money::bolivars;
use crate::dashboard::reader::Reader;
use crate::dashboard::receipts;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;
use crate::written::{self, encoded};

/// After how many seconds a page whose search goes on is loaded again.
const AGAIN: HeaderValue = HeaderValue::from_static("5");

/// With fewer typed digits than these, the bank's amount is not shown to a client's people.
const DIGITS_MIN: usize = 6;

texts! {
    /// What the pages of one question say.
    ShowTexts {
        title: "Verificación", "Verification";
        why: "Por qué", "Reason";
        now: "Qué hacer ahora", "What to do next";
        typed: "Lo que se escribió", "Details entered";
        payment: "El pago", "Payment";
        kind: "Tipo", "Type";
        phone: "Teléfono del pagador", "Payer's phone";
        document: "Documento del pagador", "Payer's document";
        bank_origin: "Banco del pagador", "Payer's bank";
        payer_account: "Cuenta del pagador", "Payer's account";
        paid_on: "Día del pago", "Payment date";
        source: "Origen", "Source";
        searched: "Días buscados", "Days searched";
        any_amount: "Cualquiera", "Any";
        asked_at: "Preguntado", "Requested";
        ended_at: "Terminado", "Finished";
        calls: "Veces que se preguntó al banco", "Times the bank was asked";
        cost: "Créditos", "Credits";
        see_link: "Ver el enlace", "View link";
        bank_reference: "Referencia del banco", "Bank reference";
        paid_at: "Pagado", "Paid";
        verified: "Verificado", "Verified";
        see_first: "Ver esa verificación", "View that verification";
        receipt: "Comprobante", "Receipt";
        see_receipt: "Ver el comprobante", "View receipt";
        shown: "Lo que el banco ha mostrado", "Shown by the bank";
        shown_lead: "Movimientos de la cuenta que esa referencia puede nombrar, hasta este momento.", "Account movements that this reference may match, up to now.";
        shown_none: "Ninguno.", "None.";
        used: "Usado", "Used";
        unused: "Sin usar", "Unused";
        outgoing: "Salió", "Outgoing";
        again: "Verificar otra vez", "Verify again";
        another: "Verificar otro pago", "Verify another payment";
        accept: "Ver y aceptar el pago", "Review and accept payment";
        hidden: "Quien la pidió es otro: lo que escribió no se le muestra.", "Someone else requested this verification, so you cannot see the details they entered.";
        id: "Código", "ID";
        test: "Es de prueba: no es dinero.", "This is a test: it is not money.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/show.html")]
pub(super) struct ShowPage {
    pub(super) f: Frame,
    pub(super) t: &'static ShowTexts,
    pub(super) p: &'static PaymentsTexts,
    pub(super) title: &'static str,
    pub(super) tabs: Vec<Tab>,
    pub(super) heading: String,
    pub(super) is_test: bool,
    pub(super) word: Word,
    pub(super) explanation: Explanation,
    /// A label, and what was typed.
    pub(super) typed: Vec<(&'static str, String)>,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) payment: Option<PaymentShown>,
    /// Nothing where the bank was not asked, or the person who looks may not know what was typed.
    pub(super) movements: Option<Vec<movement::Row>>,
    pub(super) knows: bool,
    /// Where a payment that waits for it is accepted.
    pub(super) accept: Option<String>,
    /// The page of the key that decided, and what leads there.
    pub(super) key: Option<(String, &'static str)>,
    pub(super) link: Option<String>,
    pub(super) again: Option<String>,
    /// The form by which another payment is verified, where this one was looked for by hand.
    pub(super) another: Option<&'static str>,
}

pub(super) struct PaymentShown {
    reference: String,
    amount: String,
    paid_at: String,
    verified: String,
    /// The verification that claimed it, where it is another.
    first: Option<String>,
    /// The receipt of it, where the person who looks sees it.
    receipt: Option<String>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowVerification, _, _>(
        "/app/payments/verifications/{verification_id}",
        view,
    )]
}

async fn view(
    signed: Signed<ShowVerification>,
    Extracted(state): Extracted<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (ShowTexts::of(language), PaymentsTexts::of(language));
    let id: VerificationId = id.parse().map_err(|_| Refusal::NotFound("verification"))?;
    let (found, first_report) = look(&state, &signed.act, id, is_looked_at(&headers)).await?;
    let is_test = !found.shown.livemode;
    if let Some(instead) = test_mode::instead(&state, &signed, &uri, is_test).await? {
        return Ok(instead);
    }
    let linked = accounts(&state.app, &signed).await?;
    let row = &found.shown.row;
    let report = report_of(&found, &signed.act, first_report.is_some(), is_test);
    let explained =
        Facts { report, ..facts_of(&found, signed.caller().client().is_some(), language) };
    // What is verified by hand pays no link.
    let is_by_hand = row.link.is_none() && signed.may::<Verify>();
    let is_over = row.ended_at.is_some() && found.shown.payment.is_none();
    let again = found.asked.as_ref().filter(|_| is_over && is_by_hand);
    let explanation = explained::explain(
        row.state,
        row.failed.as_ref(),
        &explained,
        (&Reader::of(&signed), signed.act.now, language),
    );
    let word = outcome::word(row.state, row.failed.as_ref(), language);
    let accept = accepted_at(&state, &signed, &found, &explanation).await?;
    let row_of = |one| movement::row(one, is_test, language);
    let asker = match asker(&found, signed.act.owner()) {
        Some(asker) => asker.named(&state, &signed).await?,
        None => Named::default(),
    };
    let page = ShowPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        p,
        title: t.title,
        tabs: tabs(&signed, PATH_VERIFICATIONS),
        heading: heading(&found),
        is_test,
        word: Word { class: explanation.class.unwrap_or(word.class), ..word }.of(is_test),
        explanation,
        typed: found.asked.as_ref().map(|asked| typed(asked, t, p, language)).unwrap_or_default(),
        facts: facts(&found, asker.facts, &name_of(row.bank, &linked), t, p),
        payment: payment(&found, &signed),
        movements: found.asked.is_some().then(|| found.movements.iter().map(row_of).collect()),
        knows: found.asked.is_some(),
        accept,
        key: asker.key,
        link: row.link.and_then(|link| links::path_for(&signed, link)),
        again: again.map(|asked| again_path(asked, row.bank)),
        another: (row.state == State::Confirmed && is_by_hand).then_some(PATH_VERIFY),
    };
    let mut response = of_template(&page, StatusCode::OK);
    if row.state == State::Asking {
        response.headers_mut().insert(REFRESH, AGAIN);
    }
    Ok(match first_report {
        Some(first_report) => delivering(response, first_report).await,
        None => response,
    })
}

/// The reference that was asked about, or the verification's id where nobody may see it.
fn heading(found: &Explained) -> String {
    let asked = found.asked.as_ref();
    asked.map_or_else(|| found.shown.row.id.to_string(), |asked| asked.reference.clone())
}

/// The verification, and the first report of its payment where this page makes it.
async fn look(
    state: &AppState,
    act: &Act<ShowVerification>,
    id: VerificationId,
    is_looked_at: bool,
) -> Result<(Explained, Option<FirstReportGuard>), Failure> {
    let found = explain(&state.app, act, id).await?;
    let is_unreported = found.shown.row.reported_by.is_none();
    if !is_looked_at || !is_unreported || found.shown.row.state != State::Confirmed {
        return Ok((found, None));
    }
    match report(&state.app, act, &found).await? {
        Some(first_report) => Ok((found, Some(first_report))),
        // Another page may have reported it meanwhile.
        None => Ok((explain(&state.app, act, id).await?, None)),
    }
}

/// The page that reports a payment as new. Dropped before the connection takes it, the report goes to the next page or
/// call.
async fn delivering(response: Response, first_report: FirstReportGuard) -> Response {
    let (parts, body) = response.into_parts();
    // A page without its text reports nothing.
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    Response::from_parts(parts, Body::new(Delivered::new(body, move || first_report.delivered())))
}

/// Answers whether somebody looks at the page: browsers also load pages ahead that nobody may ever open.
fn is_looked_at(headers: &HeaderMap) -> bool {
    let says_ahead = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.contains("prefetch") || value.contains("prerender"))
    };
    !["sec-purpose", "purpose", "x-moz", "x-purpose"].into_iter().any(says_ahead)
}

/// The report of a payment that its verification claimed.
fn report_of(
    found: &Explained,
    act: &Act<ShowVerification>,
    is_first: bool,
    is_test: bool,
) -> Option<News> {
    let row = &found.shown.row;
    let payment = &found.shown.payment.as_ref()?.payment;
    if payment.verification != row.id {
        return None;
    }
    if row.link.is_some() {
        return Some(News::PaidLink { at: payment.created_at });
    }
    let is_own = row.actor == act.actor() && !found.is_left_to_caller;
    Some(match row.reported_by {
        _ if is_first && is_test => News::Test,
        _ if is_first => News::New,
        Some(report) => News::Reported { at: report.instant(), is_own },
        None if found.is_left_to_caller => News::Left,
        None => News::Unreported { is_own },
    })
}

fn facts_of(found: &Explained, is_client: bool, language: Language) -> Facts {
    let row = &found.shown.row;
    let reference = found.asked.as_ref().map(|asked| TypedReference::parse(&asked.reference));
    let digits = reference.and_then(Result::ok).map_or(0, |one| one.count());
    let payment = found.shown.payment.as_ref().map(|whole| &whole.payment);
    let amount = found.asked.as_ref().and_then(|asked| asked.amount);
    Facts {
        days: (found.days.start().to_string(), found.days.end().to_string()),
        amount: amount.map(|amount| bolivars(Bolivars::from_hundredths(amount), language)),
        bank_amount: match row.failed {
            Some(Failed::OtherAmount(amount)) if !is_client || digits >= DIGITS_MIN => {
                Some(bolivars(amount, language))
            }
            _ => None,
        },
        digits,
        is_repeat: payment.is_some_and(|payment| payment.verification != row.id),
        is_by_payer: payment.is_some_and(|payment| payment.is_by_payer),
        is_of_link: row.link.is_some(),
        report: None,
        is_accepted: found.is_accepted,
        is_outside_rate: matches!(row.failed, Some(Failed::OtherAmount(of_bank))
            if amount == Some(of_bank.hundredths())),
    }
}

/// Tells whether the page leads to where a payment is accepted: where one waits for that, and for a person who does not
/// see the link and so finds no other way there.
fn is_accepted_here<O: Operation>(
    found: &Explained,
    explanation: &Explanation,
    signed: &Signed<O>,
) -> bool {
    let is_missing = matches!(found.shown.row.failed, Some(Failed::NotFound { same_bank: None }));
    explanation.is_to_be_accepted && (!is_missing || !signed.may::<ShowLink>())
}

/// Path of the page where a payment is accepted for the link, if it takes one, and the person who looks may and is to be
/// led there.
async fn accepted_at(
    state: &AppState,
    signed: &Signed<ShowVerification>,
    found: &Explained,
    explanation: &Explanation,
) -> Result<Option<String>, Failure> {
    let link = found.shown.row.link.filter(|_| is_accepted_here(found, explanation, signed));
    let Some(link) = link else { return Ok(None) };
    let takes_one = match signed.also::<AcceptLink>() {
        Ok(act) => acceptable(&state.app, &act, link).await?.is_open,
        Err(_) => false,
    };
    Ok(takes_one.then(|| format!("{}/accept", links::path_of(link))))
}

pub(super) fn typed(
    asked: &Asked,
    t: &ShowTexts,
    p: &PaymentsTexts,
    language: Language,
) -> Vec<(&'static str, String)> {
    let amount = asked.amount.map(|amount| bolivars(Bolivars::from_hundredths(amount), language));
    let phone = asked.phone.as_deref().and_then(|text| Phone::parse(text).ok());
    let document = asked.document.as_deref().and_then(|text| Document::parse(text).ok());
    let kind = Some(&asked.movement_type).filter(|kind| *kind != "GENERIC");
    let is_link = asked.source_name.as_deref().is_some_and(|name| name.starts_with("link_"));
    let all = [
        (p.reference, Some(asked.reference.clone())),
        (p.amount, Some(amount.unwrap_or_else(|| t.any_amount.to_owned()))),
        (t.paid_on, asked.paid_on.clone()),
        (t.phone, phone.as_ref().map(written::phone)),
        (t.document, document.as_ref().map(written::document)),
        (t.bank_origin, asked.bank_origin.clone()),
        (t.payer_account, asked.account.clone()),
        (t.kind, kind.cloned()),
        (t.source, asked.source_name.clone().filter(|_| !is_link)),
    ];
    all.into_iter().filter_map(|(label, text)| Some((label, text?))).collect()
}

/// Returns who asked, where the person who looks may know what was typed.
fn asker(found: &Explained, owner: OwnerId) -> Option<Asker> {
    let row = &found.shown.row;
    let (key, employee) = (row.actor.key(owner), row.actor.employee());
    found.asked.as_ref().map(|_| Asker { link: row.link, key, employee, client: row.client })
}

fn facts(
    found: &Explained,
    asker: Vec<(&'static str, String)>,
    account: &str,
    t: &ShowTexts,
    p: &PaymentsTexts,
) -> Vec<(&'static str, String)> {
    let row = &found.shown.row;
    let claimed = found.shown.payment.as_ref().map(|whole| whole.payment.verification);
    let cost = if claimed == Some(row.id) { row.cost.get() } else { 0 };
    // What a person accepts is asked of no bank.
    let calls = if found.is_accepted { 0 } else { row.calls };
    let mut facts = asker;
    facts.extend([
        (p.account, account.to_owned()),
        (t.searched, format!("{} – {}", found.days.start(), found.days.end())),
        (t.asked_at, instant(row.asked_at)),
        (t.ended_at, row.ended_at.map_or_else(|| "…".to_owned(), instant)),
        (t.calls, calls.to_string()),
        (t.cost, cost.to_string()),
        (t.id, row.id.to_string()),
    ]);
    facts
}

fn payment(found: &Explained, signed: &Signed<ShowVerification>) -> Option<PaymentShown> {
    let payment = &found.shown.payment.as_ref()?.payment;
    let receipt = payment.receipt.filter(|_| signed.caller().sees_made_for(payment.client));
    let is_other = payment.verification != found.shown.row.id;
    Some(PaymentShown {
        reference: payment.reference.clone(),
        amount: bolivars(payment.amount, signed.language()),
        paid_at: instant(payment.paid_at),
        verified: instant(payment.created_at),
        first: is_other.then(|| outcome::path_of(payment.verification)),
        receipt: receipts::path_for(signed, receipt),
    })
}

/// The form by which the same is asked again, filled in.
pub(super) fn again_path(asked: &Asked, bank: domain::ids::BankId) -> String {
    let mut path = format!(
        "{}?user_bank_id={bank}&bank_reference={}",
        super::verify::PATH_VERIFY,
        encoded(&asked.reference)
    );
    let amount = asked.amount.map(written::plain);
    // Who paid is typed again: it has no business in an address.
    for (name, value) in [("amount", amount.as_ref()), ("fecha_pago", asked.paid_on.as_ref())] {
        if let Some(value) = value {
            path.push_str(&format!("&{name}={}", encoded(value)));
        }
    }
    path
}
