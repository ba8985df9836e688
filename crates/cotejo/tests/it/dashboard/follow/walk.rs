//! A walk over all that somebody is offered, from the first page on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::language::Language;
use pages::dashboard::{PageRoute, routes};
use testkit::Response;

use super::Person;
use super::page::{Form, forms, links};

/// How many pages of one kind are opened, and how many forms of one kind are sent: a list leads to what is alike.
const OF_A_KIND: usize = 10;

/// A page that answers as long as somebody listens. What is on it, others look at.
pub(super) const ENDLESS: &str = "/app/events";

/// Forms that nobody sends here, since they end the walk: sessions end by them, though nothing is typed.
pub(super) const ENDING: [&str; 2] = ["/app/sign-out", "/app/sessions/{session_id}/end"];

/// Fields that are called otherwise where a form is given back: a code is typed again, and a bank has its own word
/// for what it knows an account by.
const CALLED_OTHERWISE: [&str; 2] = ["code", "username"];

pub(super) struct Walk<'a> {
    person: &'a Person,
    routes: Vec<PageRoute>,
    /// Where a way was found, and where it leads.
    ahead: VecDeque<(String, String)>,
    /// Where a form was found, and the form.
    forms: Vec<(String, Form)>,
    opened: BTreeMap<String, usize>,
    known: BTreeSet<String>,
    reached: BTreeSet<&'static str>,
    wrong: Vec<String>,
}

impl<'a> Walk<'a> {
    pub(super) fn of(person: &'a Person) -> Self {
        Self {
            person,
            routes: routes(),
            ahead: VecDeque::from([("the sign-in".to_owned(), "/app".to_owned())]),
            forms: Vec::new(),
            opened: BTreeMap::new(),
            known: BTreeSet::new(),
            reached: BTreeSet::new(),
            wrong: Vec::new(),
        }
    }

    /// Opens all pages that pages lead to.
    pub(super) async fn open_pages(&mut self) {
        while let Some((from, address)) = self.ahead.pop_front() {
            if let Some(route) = self.route("GET", &address) {
                self.reached.insert(route);
                if route == ENDLESS {
                    continue;
                }
            }
            if !self.is_another("GET", &address) {
                continue;
            }
            let answer = self.person.browser.get(&address).await;
            if !matches!(answer.status, 200 | 303) {
                self.note(&format!("{from} leads to {address}, which answers {}", answer.status));
            }
            self.look_at(&address, &answer);
        }
    }

    /// Sends every form that was found with nothing typed into it. Where that is enough, the form does what it is for.
    pub(super) async fn send_forms(&mut self) {
        for (from, form) in std::mem::take(&mut self.forms) {
            let Some(route) = self.route("POST", &form.action) else {
                // The language is anybody's to choose.
                assert_eq!(form.action, "/app/language", "{from} has a form that nobody takes");
                continue;
            };
            let entry = self.routes.iter().find(|one| one.path == route && one.method == "POST");
            let operation = entry.expect("it was found").operation;
            if operation.rule.check(&self.person.caller).is_err() {
                self.note(&format!("{from} has a form of {}", operation.name));
            }
            self.look_at_labels(&from, &form, route);
            if ENDING.contains(&route) || !self.is_another("POST", &form.action) {
                continue;
            }
            self.send(&from, &form).await;
        }
    }

    /// Checks that a form given back shows each typed value beside its label, and shows nothing that was not typed.
    fn look_at_labels(&mut self, from: &str, form: &Form, route: &str) {
        let entry = self.routes.iter().find(|one| one.path == route && one.method == "POST");
        let labels = entry.expect("it was found").labels(Language::Es);
        let label = |name: &str| labels.iter().find(|(field, _)| *field == name);
        let is_bare = |(name, shown): &&(String, String)| {
            let label = label(name).map(|(_, label)| *label);
            label != Some(shown) && !CALLED_OTHERWISE.contains(&name.as_str())
        };
        let bare = form.typed.iter().filter(is_bare);
        let bare =
            bare.map(|field| format!("{from}: {route} does not know the label of {field:?}"));
        let others = form.others.iter().filter(|name| label(name).is_some());
        let others =
            others.map(|name| format!("{from}: {name} has a label of {route}, and is not typed"));
        self.wrong.extend(bare.chain(others));
    }

    async fn send(&mut self, from: &str, form: &Form) {
        let path = form.action.split('#').next().expect("a first part");
        let fields: Vec<(&str, &str)> =
            form.carried.iter().map(|(name, value)| (&**name, &**value)).collect();
        let ours = [("sec-fetch-site", "same-origin")];
        let answer = self.person.browser.send_only(path, &fields, &ours).await;
        // What has changed since the page was opened is answered as 409.
        if !matches!(answer.status, 200 | 303 | 400 | 409 | 422) {
            self.note(&format!("{from} has a form to {path}, which answers {}", answer.status));
        }
        if let Some(address) = answer.header("location") {
            let status = self.person.browser.get(address).await.status;
            if status != 200 {
                self.note(&format!("{path} leads on to {address}, which answers {status}"));
            }
        }
    }

    /// Keeps what an answer offers.
    fn look_at(&mut self, address: &str, answer: &Response) {
        if let Some(on) = answer.header("location") {
            self.ahead.push_back((address.to_owned(), on.to_owned()));
        }
        if answer.header("content-type").is_none_or(|kind| !kind.starts_with("text/html")) {
            return;
        }
        let page = answer.text();
        for link in links(&page) {
            self.ahead.push_back((address.to_owned(), link));
        }
        for form in forms(&page) {
            if form.is_post {
                self.forms.push((address.to_owned(), form));
            } else {
                self.ahead.push_back((address.to_owned(), form.action));
            }
        }
    }

    /// Tells whether the address is new, and not one too many of its kind: of one route, with the same questions in it.
    fn is_another(&mut self, method: &str, address: &str) -> bool {
        let path = address.split('#').next().expect("a first part");
        if !self.known.insert(format!("{method} {path}")) {
            return false;
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let names: Vec<&str> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
        let kind = format!("{method} {} {names:?}", self.route(method, path).unwrap_or(path));
        let opened = self.opened.entry(kind).or_default();
        *opened += 1;
        *opened <= OF_A_KIND
    }

    fn route(&self, method: &str, address: &str) -> Option<&'static str> {
        route_of(&self.routes, method, address)
    }

    fn note(&mut self, what: &str) {
        self.wrong.push(format!("{}: {what}", self.person.who));
    }

    /// Lists the ways that were offered and are not open.
    pub(super) fn wrong_ways(&self) -> Vec<String> {
        self.wrong.clone()
    }

    /// Pages that this person may open by the table of operations, and is led to by none; but for those.
    pub(super) fn unreached(&self, but_for: &[&str]) -> Vec<String> {
        let unreached = self.routes.iter().filter(|route| {
            route.method == "GET"
                && route.operation.rule.check(&self.person.caller).is_ok()
                && !but_for.contains(&route.path)
                && !self.reached.contains(route.path)
        });
        unreached
            .map(|route| format!("{}: nothing leads to {}", self.person.who, route.path))
            .collect()
    }
}

/// The path of the route that answers there: the one that has the most of it by name.
pub(in crate::dashboard) fn route_of(
    routes: &[PageRoute],
    method: &str,
    address: &str,
) -> Option<&'static str> {
    let path = address.split(['?', '#']).next()?;
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |route: &&PageRoute| {
        let named: Vec<&str> = route.path.split('/').collect();
        let fits = |(named, part): (&&str, &&str)| named == part || named.starts_with('{');
        route.method == method && named.len() == parts.len() && named.iter().zip(&parts).all(fits)
    };
    let found = routes.iter().filter(fits);
    found.min_by_key(|route| route.path.matches('{').count()).map(|route| route.path)
}
