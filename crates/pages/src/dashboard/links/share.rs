//! What a link is shared by: its address, a picture of it, and a text for messaging apps. Nothing is loaded from elsewhere.

use app::links::LinkRecord;
use domain::language::Language;

use super::price;
use crate::dashboard::qr::Picture;
use crate::dashboard::sign_in::encoded;

/// A link as it is shared.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) url: String,
    pub(super) text: String,
    pub(super) whatsapp: String,
    pub(super) mail: String,
    pub(super) picture: Option<Picture>,
}

/// How that link is shared by that company.
pub(super) fn of(record: &LinkRecord, company: &str, language: Language) -> Share {
    let link = &record.link;
    let (amount, url) = (price(link.price, language), &record.url);
    let from = if company.is_empty() { String::new() } else { format!("{company}: ") };
    // It leads to a page where nobody pays, and must not be taken for one where somebody does.
    let from = match link.livemode {
        true => from,
        false => format!("{} {from}", language.pick("[PRUEBA, no pague]", "[TEST, do not pay]")),
    };
    let pay = match link.livemode {
        true => language.pick("Pague aquí", "Pay here"),
        false => language.pick("Página de prueba", "Test page"),
    };
    let what = &link.description;
    let text = format!("{from}{what}. {amount}. {pay}: {url}");
    let subject = format!("{from}{amount}");
    Share {
        whatsapp: format!("https://wa.me/?text={}", encoded(&text)),
        mail: format!("mailto:?subject={}&body={}", encoded(&subject), encoded(&text)),
        picture: Picture::of(url),
        url: url.clone(),
        text,
    }
}
