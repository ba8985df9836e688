//! What a link or a receipt is shared by: its address, a picture of it, and a text for messaging apps. Nothing is loaded
//! from elsewhere.

use app::links::LinkRecord;
use domain::language::Language;
use domain::payer::Phone;

use super::price;
use crate::qr::Picture;
use crate::written::{encoded, test_mark};

/// A page as it is shared.
#[derive(Debug)]
pub(in crate::dashboard) struct Share {
    pub(in crate::dashboard) url: String,
    pub(in crate::dashboard) text: String,
    pub(in crate::dashboard) whatsapp: String,
    pub(in crate::dashboard) mail: String,
    pub(in crate::dashboard) picture: Option<Picture>,
}

impl Share {
    /// Share of that address by that text, which names it; mail has a subject besides.
    pub(in crate::dashboard) fn of_text(url: &str, text: String, subject: &str) -> Self {
        Self {
            whatsapp: format!("https://wa.me/?text={}", encoded(&text)),
            mail: format!("mailto:?subject={}&body={}", encoded(subject), encoded(&text)),
            picture: Picture::of(url),
            url: url.to_owned(),
            text,
        }
    }

    /// Returns it with a message that goes to that phone at once, where it is one; without, a person chooses to whom.
    pub(in crate::dashboard) fn with_phone(self, phone: &str) -> Self {
        Self { whatsapp: sent_to(phone, &self.text), ..self }
    }
}

/// Returns the address that sends a text by WhatsApp: to that phone, where it is one; else a person chooses to whom.
pub(in crate::dashboard) fn sent_to(phone: &str, text: &str) -> String {
    let phone = Phone::parse(phone).map(|phone| phone.as_str().to_owned()).unwrap_or_default();
    format!("https://wa.me/{phone}?text={}", encoded(text))
}

/// The link as that company shares it.
pub(in crate::dashboard) fn of(record: &LinkRecord, company: &str, language: Language) -> Share {
    let link = &record.link;
    let (amount, url) = (price(link.price, language), &record.url);
    let from = if company.is_empty() { String::new() } else { format!("{company}: ") };
    let from = format!("{}{from}", test_mark(link.livemode, language));
    let pay = match link.livemode {
        true => language.pick("Pague aquí", "Pay here"),
        false => language.pick("Página de prueba", "Test page"),
    };
    let what = &link.description;
    let text = format!("{from}{what}. {amount}. {pay}: {url}");
    Share::of_text(url, text, &format!("{from}{amount}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_goes_to_a_mobile_phone_and_to_nobody_where_there_is_none() {
        let share = || Share {
            url: String::new(),
            text: "Gimnasio, diciembre".to_owned(),
            whatsapp: "https://wa.me/?text=Gimnasio%2C%20diciembre".to_owned(),
            mail: String::new(),
            picture: None,
        };
        let sent = share().with_phone("0414-123.45.67").whatsapp;
        assert_eq!(sent, "https://wa.me/584141234567?text=Gimnasio%2C%20diciembre");
        for other in ["0212-1234567", "llamar a Ana", ""] {
            assert_eq!(share().with_phone(other).whatsapp, share().whatsapp, "{other}");
        }
    }
}
