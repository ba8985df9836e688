//! `GET /recibo/{address}` and `GET /recibo/{address}/pdf`: the receipt of a payment, for whoever has its address.

mod face;
mod logo;
mod paper;
mod pdf;
mod reading;
mod sheet;
mod texts;

use app::Error;
use app::receipts::{Open, Receipt, open};
use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ViewReceipt;
use domain::language::Language;
use domain::receipts::ReceiptAddress;
use domain::refusal::{Code, Refusal};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use web::{Admitted, AppState, Failure, Glance};

use self::sheet::Sheet;
use self::texts::ReceiptTexts;
use crate::assets::{ASSETS, RECEIPT_CSS};
use crate::brand;
use crate::message_page::answer_failure;
use crate::page::{Fact, Link, Notice, Paid, PayPage, Preview, ShownLogo, of_template};
use crate::qr::Picture;
use crate::said::said;
use crate::texts::Texts;
use crate::written::{encoded, receipt_number};

/// Prefix of the paths of receipts.
pub(crate) const PREFIX: &str = ReceiptAddress::PREFIX;

const PDF: HeaderValue = HeaderValue::from_static("application/pdf");

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptPage {
    t: &'static ReceiptTexts,
    css: &'static str,
    receipt_css: &'static str,
    js: &'static str,
    icon: &'static str,
    /// The stylesheet of the merchant's colour.
    brand: Option<String>,
    logo: Option<ShownLogo>,
    title: String,
    preview: Option<Preview>,
    sheet: Sheet,
    picture: Option<Picture>,
    pdf: String,
    whatsapp: String,
}

pub(crate) async fn view(
    admitted: Admitted<ViewReceipt>,
    State(state): State<AppState>,
    Path(address): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Some(found) = look(&state, &admitted, &address).await? else {
        return Ok(unknown(language));
    };
    let Open { receipt, profile } = found;
    let t = ReceiptTexts::of(language);
    let sheet = sheet_of(&state, &receipt, language);
    let (_, message) = message(&receipt, &sheet.url, language);
    let page = ReceiptPage {
        t,
        css: &ASSETS.css,
        receipt_css: &RECEIPT_CSS,
        js: &ASSETS.js,
        icon: &ASSETS.icon,
        brand: profile.brand_colour.map(brand::path),
        logo: profile.logo.as_ref().map(ShownLogo::of),
        title: sheet.name(),
        preview: Some(preview(&sheet, profile.logo.map(|logo| state.app.logo_url(&logo)))),
        picture: Picture::of(&sheet.url),
        pdf: format!("{}/pdf", receipt.address.path()),
        whatsapp: format!("https://wa.me/?text={}", encoded(&message)),
        sheet,
    };
    Ok(of_template(&page, StatusCode::OK))
}

pub(crate) async fn download(
    admitted: Admitted<ViewReceipt>,
    State(state): State<AppState>,
    Path(address): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Some(found) = look(&state, &admitted, &address).await? else {
        return Ok(unknown(language));
    };
    // It costs some milliseconds of a processor, whoever asks.
    state.try_page(found.receipt.address.id.to_bytes(), admitted.0.request.received)?;
    let t = ReceiptTexts::of(language);
    let sheet = sheet_of(&state, &found.receipt, language);
    let logo = app::receipts::logo(&state.app, &admitted.0, &found).await?;
    let bytes = state.print(move || pdf::write(&sheet, t, logo)).await?;
    let bytes = bytes.map_err(Failure::internal)?;
    let name = t.file.replace("{number}", &receipt_number(&found.receipt));
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let mut response = web::page(StatusCode::OK, String::new());
    *response.body_mut() = Body::from(bytes);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, PDF);
    headers.insert(CONTENT_DISPOSITION, name.map_err(Failure::internal)?);
    Ok(response)
}

/// The payment of a link in short, as the link's page shows it.
pub(crate) fn paid(receipt: &Receipt, language: Language) -> Paid {
    let t = ReceiptTexts::of(language);
    let amount = Fact { name: t.amount, shown: sheet::amount(receipt, language), copy: None };
    let href = receipt.address.path();
    Paid {
        title: t.facts,
        marks: sheet::marks(receipt, t),
        facts: std::iter::once(amount).chain(sheet::of_payment(receipt, t)).collect(),
        receipt: Link { href, text: t.see.to_owned(), is_outside: false },
    }
}

/// The page about whatever went wrong before a receipt was looked at.
pub(crate) fn of_failure(glance: &Glance, language: Language) -> Response {
    let t = ReceiptTexts::of(language);
    let notice = match glance.code {
        Code::NotFound | Code::BadRequest => return unknown(language),
        Code::MethodNotSupport => Notice::new("warn", said(t.wrong_method, t.wrong_method_text)),
        Code::RequestLimitReached => Notice::new("warn", said(t.too_many, t.too_many_text)),
        _ => Notice::new("bad", said(t.broken, t.broken_text)),
    };
    answer_failure(glance, |status| bare(t, notice, language).answer(status))
}

/// Finds the receipt of an address; nothing where there is none.
async fn look(
    state: &AppState,
    admitted: &Admitted<ViewReceipt>,
    address: &str,
) -> Result<Option<Open>, Failure> {
    let Ok(address) = address.parse::<ReceiptAddress>() else { return Ok(None) };
    match open(&state.app, &admitted.0, address).await {
        Ok(found) => Ok(Some(found)),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn sheet_of(state: &AppState, receipt: &Receipt, language: Language) -> Sheet {
    Sheet::of(receipt, receipt.address.url(&state.app.settings.base_url), language)
}

/// The page about a receipt that is not there. An address of another form is one of nothing.
fn unknown(language: Language) -> Response {
    let t = ReceiptTexts::of(language);
    let notice = Notice::new("warn", said(t.unknown, t.unknown_text));
    let steps = vec![t.unknown_open, t.unknown_ask];
    PayPage { steps, ..bare(t, notice, language) }.answer(StatusCode::NOT_FOUND)
}

/// A page that says this and nothing else.
fn bare(t: &ReceiptTexts, notice: Notice, language: Language) -> PayPage {
    let page = PayPage::bare(Texts::of(language), notice);
    PayPage { heading: t.receipt.to_owned(), is_failure: false, ..page }
}

fn preview(sheet: &Sheet, logo: Option<String>) -> Preview {
    let marks = sheet.marks.iter().map(|mark| mark.title);
    let parts = marks.chain([sheet.amount.as_str(), sheet.notes[0]]);
    Preview {
        title: sheet.name(),
        description: parts.collect::<Vec<_>>().join(" · "),
        url: sheet.url.clone(),
        image: logo,
    }
}

/// Returns the subject and the text by which a receipt is sent on, by whoever paid and by the merchant.
pub(crate) fn message(receipt: &Receipt, url: &str, language: Language) -> (String, String) {
    let sheet = Sheet::of(receipt, url.to_owned(), language);
    let t = ReceiptTexts::of(language);
    // It must not be taken for a good one.
    let marks: String = sheet.marks.iter().map(|mark| format!("[{}] ", mark.title)).collect();
    let title = match sheet.merchant.trim() {
        "" => sheet.title,
        merchant => t.from.replace("{title}", &sheet.title).replace("{merchant}", merchant),
    };
    let subject = format!("{marks}{title}");
    let text = format!("{subject}: {}. {url}", sheet.amount);
    (subject, text)
}
