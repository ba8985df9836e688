//! `GET /pay/brand/{file}`: an owner's colour as a stylesheet of the payer's page. The policy lets no style into the page
//! itself. Nobody is looked up: the colour is in the name, and all that is made of it can be read.

use axum::extract::Path;
use axum::response::Response;
use domain::brand::Colour;
use domain::language::Language;
use http::Extensions;
use web::Glance;

use crate::assets::{CSS_KIND, immutable};
use crate::message_page;

/// The grounds of the payer's page on which its colour is hardest to read, by day and by night.
pub(crate) const GROUNDS: [Colour; 2] =
    [Colour::of(0xe8, 0xf1, 0xfb), Colour::of(0x14, 0x2a, 0x42)];

/// Returns the path of the stylesheet of that colour.
pub(crate) fn path(colour: Colour) -> String {
    format!("/pay/brand/{}.css", colour.to_string().trim_start_matches('#'))
}

pub(crate) async fn handle(Path(file): Path<String>, extensions: Extensions) -> Response {
    let named = file.strip_suffix(".css").filter(|name| name.len() == 6);
    let colour = named.and_then(|name| Colour::parse(name).ok());
    // Each colour has one name.
    match colour.filter(|colour| path(*colour).ends_with(&file)) {
        Some(colour) => immutable(css(colour), CSS_KIND),
        None => {
            let language: Language = Glance::language(&extensions);
            message_page::unknown(language)
        }
    }
}

fn css(colour: Colour) -> String {
    let [day, night] = GROUNDS.map(|ground| colour.readable_on(ground));
    let rule = |strong: Colour| format!(":root{{--strong:{strong};--on-strong:{}}}", strong.ink());
    format!("{}@media (prefers-color-scheme:dark){{{}}}", rule(day), rule(night))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_corrected_for_day_and_night() {
        let css = css(Colour::parse("#ffd700").unwrap());
        assert!(
            css.starts_with(":root{--strong:#") && css.ends_with(";--on-strong:#000000}}"),
            "{css}"
        );
        // Gold is none to read by on white, and is one on black.
        assert!(!css.starts_with(":root{--strong:#ffd700") && css.contains("--strong:#ffd700"));
        assert_eq!(path(Colour::WHITE), "/pay/brand/ffffff.css");
    }
}
