//! The tabs of Integrations.

use domain::access::{Entry, ListDeliveries, ListMyKeys, ListNotices, Operation, ShowMyActivity};
use domain::language::Language;
use web::Signed;

/// A tab.
#[derive(Debug)]
pub(crate) struct Tab {
    pub(crate) href: &'static str,
    pub(crate) text: &'static str,
    pub(crate) is_here: bool,
}

const TABS: [(&str, (&str, &str), Entry); 4] = [
    ("/app/keys", ("Llaves", "Keys"), ListMyKeys::ENTRY),
    ("/app/webhooks", ("Webhooks", "Webhooks"), ListDeliveries::ENTRY),
    ("/app/notices", ("Avisos", "Notices"), ListNotices::ENTRY),
    ("/app/activity", ("Quién usó qué", "Who used what"), ShowMyActivity::ENTRY),
];

/// The tabs that whoever has signed in may see.
pub(super) fn tabs<O: Operation>(signed: &Signed<O>, path: &str) -> Vec<Tab> {
    let (caller, now, language) = (signed.caller(), signed.act.now, signed.language());
    let open = TABS.iter().filter(|(.., entry)| entry.check(caller, now).is_ok());
    let tab = |(href, text, _): &(&'static str, (&'static str, &'static str), Entry)| Tab {
        href,
        text: Language::pick(language, text.0, text.1),
        is_here: path.starts_with(href),
    };
    open.map(tab).collect()
}
