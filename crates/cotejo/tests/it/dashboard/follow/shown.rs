//! The forms that pages show, each with the page that it stands on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pages::dashboard::{PageRoute, routes};
use testkit::{Browser, Response};

use super::filled::{Filled, filled};
use super::page::links;
use super::walk::{ENDLESS, route_of};

/// How many pages of a kind are opened: a list leads to what is alike.
const PAGES_OF_A_KIND: usize = 12;

/// The place of a form.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) page: String,
    pub(super) action: String,
}

/// A form that a page shows.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// The route that takes it.
    pub(super) route: &'static str,
    pub(super) place: Place,
    pub(super) form: Filled,
}

/// Opens every page that a person is led to. Answers the forms on them, and what is wrong with the pages.
pub(super) async fn shown(browser: &Browser) -> (Vec<Shown>, Vec<String>) {
    let routes = routes();
    let mut ahead = VecDeque::from(["/app".to_owned()]);
    let (mut known, mut kinds) = (BTreeSet::new(), BTreeMap::<&str, usize>::new());
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    while let Some(address) = ahead.pop_front() {
        let path = address.split('#').next().expect("a first part").to_owned();
        let Some(route) = route_of(&routes, "GET", &path).filter(|route| *route != ENDLESS) else {
            continue;
        };
        let opened = kinds.entry(route).or_default();
        if *opened >= PAGES_OF_A_KIND || !known.insert(path.clone()) {
            continue;
        }
        *opened += 1;
        let answer = browser.get(&path).await;
        // *Back* asks for the page anew.
        if !answer.header("cache-control").is_some_and(|value| value.contains("no-store")) {
            wrong.push(format!("{path} may be shown as it was"));
        }
        let page = answer.text();
        ahead.extend(links(&page));
        found.extend(on_page(&routes, &path, &page));
    }
    (found, wrong)
}

/// The forms of a page that routes take.
fn on_page(routes: &[PageRoute], path: &str, page: &str) -> Vec<Shown> {
    let shown = |form: Filled| {
        let route = route_of(routes, "POST", &form.action)?;
        let place = Place { page: path.to_owned(), action: form.action.clone() };
        Some(Shown { route, place, form })
    };
    filled(page).into_iter().filter_map(shown).collect()
}

/// The form as its page has it now; nothing where it has none any more.
pub(super) async fn look(browser: &Browser, place: &Place) -> Option<Filled> {
    let page = browser.open(&place.page).await;
    filled(&page).into_iter().find(|form| form.action == place.action)
}

/// Sends the form as it is filled in.
pub(super) async fn post(browser: &Browser, form: &Filled) -> Response {
    let pairs = form.pairs();
    let fields: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    let path = form.action.split('#').next().expect("a first part");
    browser.send_only(path, &fields, &[("sec-fetch-site", "same-origin")]).await
}
