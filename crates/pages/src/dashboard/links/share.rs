//! What a link is shared by: its address, a picture of it, and a text for messaging apps. Nothing is loaded from elsewhere.

use app::links::LinkRecord;
use domain::language::Language;
use fast_qr::{ECL, QRBuilder};

use super::price;
use crate::dashboard::sign_in::encoded;

/// The white edge that readers of the picture need, in its modules.
const EDGE: usize = 4;

/// A link as it is shared.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) url: String,
    pub(super) text: String,
    pub(super) whatsapp: String,
    pub(super) mail: String,
    pub(super) picture: Option<Picture>,
}

/// A QR code as one path of an SVG.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) size: usize,
    pub(super) path: String,
}

/// How that link is shared by that company.
pub(super) fn of(record: &LinkRecord, company: &str, language: Language) -> Share {
    let link = &record.link;
    let (amount, url) = (price(link.price, language), &record.url);
    let from = if company.is_empty() { String::new() } else { format!("{company}: ") };
    let pay = language.pick("Pague aquí", "Pay here");
    let what = &link.description;
    let text = format!("{from}{what}. {amount}. {pay}: {url}");
    let subject = format!("{from}{amount}");
    Share {
        whatsapp: format!("https://wa.me/?text={}", encoded(&text)),
        mail: format!("mailto:?subject={}&body={}", encoded(&subject), encoded(&text)),
        picture: picture(url),
        url: url.clone(),
        text,
    }
}

/// The picture of an address; none where the address is too long for one.
fn picture(url: &str) -> Option<Picture> {
    let code = QRBuilder::new(url).ecl(ECL::M).build().ok()?;
    let mut path = String::new();
    for y in 0..code.size {
        let mut x = 0;
        while x < code.size {
            let run = (x..code.size).take_while(|x| code[y][*x].value()).count();
            if run > 0 {
                path.push_str(&format!("M{} {}h{run}v1h-{run}z", x + EDGE, y + EDGE));
            }
            x += run.max(1);
        }
    }
    Some(Picture { size: code.size + 2 * EDGE, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_three_corners_and_an_edge() {
        let picture = picture("https://pagos.tienda.example/pay/link_00000000000000000000000001");
        let picture = picture.unwrap();
        let far = picture.size - EDGE - 7;
        // The upper side of each corner is seven modules.
        for corner in [(EDGE, EDGE), (far, EDGE), (EDGE, far)] {
            let side = format!("M{} {}h7v1h-7z", corner.0, corner.1);
            assert!(picture.path.contains(&side), "{corner:?}");
        }
        assert!(super::picture(&"x".repeat(5_000)).is_none());
    }
}
