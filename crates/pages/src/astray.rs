//! Addresses that changed on their way to a person. Messengers take the end of a sentence for part of an address, people add
//! a slash, telephones begin with a capital, and contacts put characters around that nobody sees. What still names one
//! link, receipt, subscription, invitation or reset leads to it; nothing else is made of an address, and no other host
//! is led to.

use axum::extract::Request;
use axum::response::Response;
use domain::email_change::EmailChangeToken;
use domain::ids::LinkId;
use domain::invitation::InvitationToken;
use domain::receipts::ReceiptAddress;
use domain::refusal::Refusal;
use domain::reset::ResetToken;
use domain::subscriptions::PayerAddress;
use domain::typed::seen;
use http::{Method, Uri};
use web::Failure;

use crate::checkout::{CHECK, check, see};
use crate::{email_change, invitation, password_reset, receipt};

/// The paths below which an address may have changed; the first part that follows names what it leads to.
pub(crate) const PLACES: [&str; 8] = [
    "/pay/",
    "/PAY/",
    "/Pay/",
    receipt::PREFIX,
    PayerAddress::PREFIX,
    invitation::PREFIX,
    password_reset::PREFIX,
    email_change::PREFIX,
];

/// Answers an address that leads nowhere.
pub(crate) async fn nowhere() -> Result<Response, Failure> {
    Err(Refusal::RouteNotFound.into())
}

/// Leads a browser to the address that this one was before it changed; nothing where it is that address, or was none.
pub(crate) fn led_back(request: &Request) -> Option<Response> {
    let is_look = matches!(*request.method(), Method::GET | Method::HEAD);
    let uri = request.uri();
    let place = address(uri).filter(|place| is_look && place != uri.path())?;
    Some(match check(uri) {
        Some(check) => see(&format!("{place}?{CHECK}={check}")),
        None => see(&place),
    })
}

/// The address of what a path names, changed or not.
fn address(uri: &Uri) -> Option<String> {
    let prefix = PLACES.into_iter().find(|prefix| uri.path().starts_with(prefix))?;
    let path = web::query::decoded_path(uri.path().strip_prefix(prefix)?);
    let path = seen(&path);
    let text = path.trim_start_matches(|one: char| !one.is_ascii_alphanumeric());
    let end = text.find(|one: char| !one.is_ascii_alphanumeric() && one != '_');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    // What is behind another slash is another page, unless that is no word either.
    let below = rest.split_once('/').map_or("", |(_, below)| below);
    if below.contains(|one: char| one.is_ascii_alphanumeric()) {
        return None;
    }
    let name = name.trim_end_matches('_');
    match prefix {
        invitation::PREFIX => InvitationToken::parse(name).map(|_| format!("{prefix}{name}")),
        password_reset::PREFIX => ResetToken::parse(name).map(|_| format!("{prefix}{name}")),
        PayerAddress::PREFIX => {
            name.to_ascii_lowercase().parse().ok().map(|address: PayerAddress| address.path())
        }
        email_change::PREFIX => EmailChangeToken::parse(name).map(|_| format!("{prefix}{name}")),
        receipt::PREFIX => {
            let address = name.to_ascii_lowercase().parse::<ReceiptAddress>().ok();
            address.map(|address| format!("{prefix}{address}"))
        }
        _ => name.to_ascii_lowercase().parse::<LinkId>().ok().map(|id| format!("/pay/{id}")),
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::{OwnerId, ReceiptId};

    use super::*;

    const ID: &str = "link_1g64s36d1n6rvkgeb1c9hp8sb6";

    fn address_of(path: &str) -> Option<String> {
        address(&path.parse().unwrap())
    }

    #[test]
    fn what_is_added_to_an_address_on_its_way_still_leads_to_it() {
        let right = Some(format!("/pay/{ID}"));
        for changed in [
            "",
            "/",
            "//",
            ".",
            ",",
            ")",
            ").",
            "%20",
            "%20/",
            "/%29",
            "_",
            "*",
            "%22%3E",
            "%E2%80%8B",
            "%E2%80%8E/",
            "%C2%A0",
            "!",
            ";",
            ".%20Gracias",
            "%0A",
        ] {
            assert_eq!(address_of(&format!("/pay/{ID}{changed}")), right, "{changed}");
        }
        assert_eq!(address_of(&format!("/PAY/{}/", ID.to_uppercase())), right);
        assert_eq!(address_of(&format!("/Pay/{ID}")), right);
        let page = format!("/suscripcion/{}", "0".repeat(52));
        assert_eq!(address_of(&format!("{page}).")), Some(page.clone()));
        assert_eq!(address_of(&format!("{page}/cancel")), None);
        assert_eq!(address_of(&format!("/pay/%E2%81%A8%20{ID}%E2%81%A9")), right);
    }

    #[test]
    fn an_address_of_a_receipt_is_found_again_too() {
        let owner = OwnerId::from_bytes([1; 16]);
        let address = ReceiptAddress { owner, id: ReceiptId::from_bytes([2; 16]) };
        let right = Some(format!("/recibo/{address}"));
        for changed in ["", "/", ".", "%20", ").", ".%20Gracias"] {
            assert_eq!(address_of(&format!("/recibo/{address}{changed}")), right, "{changed}");
        }
        assert_eq!(address_of(&format!("/recibo/{address}").to_uppercase()), None);
        let upper = address.to_string().to_uppercase();
        assert_eq!(address_of(&format!("/recibo/{upper}")), right);
        assert_eq!(address_of(&format!("/recibo/{address}/pdf")), None);
        assert_eq!(address_of(&format!("/recibo/{}", OwnerId::from_bytes([1; 16]))), None);
    }

    #[test]
    fn nothing_else_is_made_of_an_address() {
        for other in [
            format!("/pay/{ID}/rate"),
            format!("/pay/{ID}/events"),
            format!("/pay/{ID}0"),
            format!("/pay/{}", ID.trim_end_matches('6')),
            format!("/pay//evil.example/{ID}"),
            format!("/pay/evil.example/{ID}"),
            format!("/app/{ID}"),
            "/pay/".to_owned(),
            "/pay/assets/pay.css".to_owned(),
            "/invitation/iv_live_0123.".to_owned(),
        ] {
            assert_eq!(address_of(&other), None, "{other}");
        }
    }
}
