//! Where a question or a payment came from.

use domain::access::Operation;
use domain::ids::LinkId;
use domain::language::Language;
use web::Signed;

use crate::dashboard::links;

/// Returns what the caller called a question, and the page of the link by which a payer asked. A link's checks have its
/// id for a name: in its place stands the page or, for those who see no links, that it was one.
pub(super) fn origin<O: Operation>(
    signed: &Signed<O>,
    link: Option<LinkId>,
    called: Option<&str>,
) -> (String, Option<String>) {
    let Some(link) = link else { return (called.unwrap_or_default().to_owned(), None) };
    match links::path_for(signed, link) {
        Some(page) => (String::new(), Some(page)),
        None => (Language::pick(signed.language(), "Enlace", "Link").to_owned(), None),
    }
}
