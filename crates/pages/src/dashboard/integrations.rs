//! The tabs of Integrations, and to which page of several a place leads.

use domain::access::{
    Caller, Entry, ListDeliveries, ListMyKeys, ListNotices, Operation, ShowMyActivity,
    ShowNoticeSettings,
};
use domain::language::Language;
use domain::time::Timestamp;
use web::Signed;

/// A tab.
#[derive(Debug)]
pub(crate) struct Tab {
    pub(crate) href: &'static str,
    pub(crate) text: &'static str,
    pub(crate) is_here: bool,
}

/// The pages of a place, each with the operation that it stands for. The first is what others know the place by.
pub(super) type Pages = &'static [(&'static str, Entry)];

/// The first of the pages that `caller` may open; nothing where it may open none.
pub(super) fn first_open(pages: Pages, caller: &Caller, now: Timestamp) -> Option<&'static str> {
    let open = pages.iter().find(|(_, entry)| entry.check(caller, now).is_ok());
    open.map(|(path, _)| *path)
}

/// The pages of each tab, by what the tab is called.
const TABS: [((&str, &str), Pages); 4] = [
    (("Llaves", "API keys"), KEYS),
    (("Webhooks", "Webhooks"), WEBHOOKS),
    (("Avisos", "Notices"), NOTICES),
    (("Quién usó qué", "Usage"), ACTIVITY),
];

const KEYS: Pages = &[("/app/keys", ListMyKeys::ENTRY)];
const WEBHOOKS: Pages = &[("/app/webhooks", ListDeliveries::ENTRY)];
const NOTICES: Pages =
    &[("/app/notices", ListNotices::ENTRY), ("/app/notices/settings", ShowNoticeSettings::ENTRY)];
const ACTIVITY: Pages = &[("/app/activity", ShowMyActivity::ENTRY)];

/// The tabs that the person signed in may see, at the place of that path.
pub(super) fn tabs<O: Operation>(signed: &Signed<O>, path: &str) -> Vec<Tab> {
    let (caller, now, language) = (signed.caller(), signed.act.now, signed.language());
    let tab = |((es, en), pages): &((&'static str, &'static str), Pages)| {
        let href = first_open(pages, caller, now)?;
        let is_here = pages.first().is_some_and(|(place, _)| path.starts_with(place));
        Some(Tab { href, text: Language::pick(language, es, en), is_here })
    };
    TABS.iter().filter_map(tab).collect()
}

/// The page of Integrations that the caller sees first.
pub(super) fn first(caller: &Caller, now: Timestamp) -> Option<&'static str> {
    TABS.iter().find_map(|(_, pages)| first_open(pages, caller, now))
}
