//! Every form that makes something, as pages show them, whose answer was lost: sent again from another session of the same
//! person, it is done once, and its answer leads to what was made.

use std::collections::BTreeSet;

use store::manifest::TABLES;
use testkit::{Browser, Owner, Response, Setup, TestApp, either_engine};

use super::filled::{Filled, filled};
use super::page::{heading, tags, value};
use super::shown::{Shown, look, post, shown};
use super::world::World;
use crate::payment_links::accept::{OWED, shown_of};

/// Texts that people type into each form that makes something. Choices stay as they are, and the first one is taken where none
/// is. `{name}` is the name of what the page is about.
const TYPED: [(&str, &[(&str, &str)]); 14] = [
    (
        "/app/accounts/new",
        &[
            ("description", "Tienda del centro"),
            ("username", testkit::bank::ACCOUNT),
            ("password", testkit::bank::KEY),
            ("user_bank_phone", "0412-0000001"),
            ("user_bank_dni", "J-123456789"),
            ("holder_name", "Tienda Ejemplo"),
        ],
    ),
    ("/app/accounts/{bank_id}/push", &[]),
    ("/app/first-payment", &[]),
    ("/app/keys/default/rotate", &[("rotate_name", "{name}")]),
    ("/app/keys/new", &[("name", "Caja nueva")]),
    ("/app/keys/{key_id}/rotate", &[("rotate_name", "{name}")]),
    ("/app/links/new", &[("amount", "10,00"), ("description", "Pedido 7")]),
    ("/app/links/{payment_link_id}/accept", &[]),
    ("/app/payments/movements/{movement_id}/accept", &[]),
    ("/app/payments/verify", &[("bank_reference", "4567890")]),
    (
        "/app/subscriptions/new",
        &[
            ("customer_name", "Ana Pérez"),
            ("customer_phone", "0414-1234567"),
            ("product_name", "Gimnasio"),
            ("amount", "20,00"),
        ],
    ),
    ("/app/webhooks/deliveries/{delivery_id}/redeliver", &[]),
    ("/app/webhooks/redeliveries", &[("since", "2026-11-19T08:00")]),
    ("/app/webhooks/secret/rotate", &[("word", "cambiar")]),
];

/// Fields whose every choice makes something else.
const CHOSEN: [&str; 1] = ["pays"];

/// Sentences of pages about a form that was not taken, or is another one: here it is neither.
const WRONG: [&str; 3] = ["No se hizo", "con otros datos", "Vuelva, cargue la página"];

/// A form of a kind, and what is chosen in it.
#[derive(Clone, Debug)]
struct Case {
    shown: Shown,
    chosen: Option<(String, String)>,
}

impl Case {
    /// All that a form can make.
    fn of(shown: &Shown) -> Vec<Self> {
        let fields = CHOSEN.iter().filter_map(|name| Some((*name, shown.form.fields.get(*name)?)));
        let choices: Vec<_> = fields
            .flat_map(|(name, field)| {
                field.offered.iter().map(move |value| (name.to_owned(), value.clone()))
            })
            .collect();
        let case = |chosen| Self { shown: shown.clone(), chosen };
        if choices.is_empty() {
            return vec![case(None)];
        }
        choices.into_iter().map(|choice| case(Some(choice))).collect()
    }

    /// The word by which it is known: one form of a kind is tried.
    fn kind(&self) -> String {
        let names: Vec<&str> = self.shown.form.fields.keys().map(String::as_str).collect();
        let chosen = self.chosen.as_ref().and_then(|(_, value)| value.split('_').next());
        format!("{} {names:?} {}", self.shown.route, chosen.unwrap_or_default())
    }

    /// The form as a person fills it in; nothing where its page has it no more, or offers the choice no more: another form
    /// may have paid that link since.
    async fn fill(&self, browser: &Browser) -> Option<Filled> {
        let name = heading(&browser.open(&self.shown.place.page).await);
        let form = look(browser, &self.shown.place).await?;
        if let Some((name, value)) = &self.chosen
            && !form.fields.get(name)?.offered.contains(value)
        {
            return None;
        }
        let (_, typed) =
            TYPED.iter().find(|(route, _)| *route == self.shown.route).expect("a known form");
        let typed =
            typed.iter().map(|(field, text)| ((*field).to_owned(), text.replace("{name}", &name)));
        let first = form.fields.iter().filter(|(_, field)| field.is_unanswered());
        let first =
            first.filter_map(|(name, field)| Some((name.clone(), field.offered.first()?.clone())));
        let edits = first.chain(typed).chain(self.chosen.clone());
        let edits: Vec<_> = edits.map(|(name, value)| (name, vec![value])).collect();
        Some(form.with(&edits))
    }
}

/// The rows of every table: whatever is done leaves one at least. One table has a line of each question, also of one
/// that was answered before and does nothing.
fn rows(app: &TestApp) -> i64 {
    let tables = TABLES.iter().filter(|(table, _)| *table != "activity");
    let counts: Vec<String> =
        tables.map(|(table, _)| format!("(select count(*) from {table})")).collect();
    app.database().number(&format!("select {}", counts.join(" + ")))
}

/// Returns the address that the answer leads to: its location, or the link on its page to what was made.
fn leads_to(answer: &Response) -> Option<String> {
    if let Some(location) = answer.header("location") {
        return Some(location.to_owned());
    }
    let page = answer.text();
    let (_, notice) = page.split_once("role=\"alert\"")?;
    tags(notice.split("</p>").next()?).find_map(|tag| value(tag, "href"))
}

/// The sending of a form once more.
struct Again {
    answer: Response,
    /// How many rows it left.
    left: i64,
}

impl Again {
    /// Sends the form of that page which leads on to the same place, with the secrets typed once more.
    async fn sent(
        app: &TestApp,
        browser: &Browser,
        page: &str,
        typed: &Filled,
    ) -> Result<Self, String> {
        if let Some(wrong) = WRONG.iter().find(|wrong| page.contains(**wrong)) {
            return Err(format!("it is not given back: {wrong}"));
        }
        let form = filled(page).into_iter().find(|form| form.action == typed.action);
        let form = form.ok_or("it is not given back")?;
        let again: Vec<_> =
            form.fields.keys().map(|name| (name.clone(), typed.shows(name))).collect();
        let before = rows(app);
        let answer = post(browser, &form.with(&again)).await;
        Ok(Self { answer, left: rows(app) - before })
    }
}

/// Sends the form from a session that began after its page was opened.
async fn from_another_session(
    app: &TestApp,
    browser: &Browser,
    owner: &Owner,
    form: &Filled,
) -> Result<Again, String> {
    browser.send("/app/sign-out", &[]).await;
    browser.sign_in_as(owner).await;
    let page = post(browser, form).await.text();
    Again::sent(app, browser, &page, form).await
}

/// Sends the form when its session has ended, and signs in by the page that it is answered with.
async fn by_signing_in(
    app: &TestApp,
    browser: &Browser,
    owner: &Owner,
    form: &Filled,
) -> Result<Again, String> {
    browser.send("/app/sign-out", &[]).await;
    let page = post(browser, form).await.text();
    let sign_in = filled(&page).into_iter().find(|form| form.action == "/app/sign-in");
    let person = [("email", &owner.email), ("password", &owner.password)];
    let person = person.map(|(name, text)| (name.to_owned(), vec![text.clone()]));
    let sign_in = sign_in.ok_or("nobody is asked to sign in")?.with(&person);
    let page = post(browser, &sign_in).await.text();
    Again::sent(app, browser, &page, form).await
}

/// Fails for what is done twice, and for an answer that is not the way to what the first one made.
async fn compare(
    browser: &Browser,
    first: &Response,
    again: Result<Again, String>,
) -> Result<(), String> {
    let Again { answer, left } = again?;
    let page = answer.text();
    if left != 0 {
        return Err(format!("it is done twice: {left} rows, {page}"));
    }
    if let Some(wrong) = WRONG.iter().find(|wrong| page.contains(**wrong)) {
        return Err(format!("it is answered {}: {wrong}", answer.status));
    }
    let way = leads_to(&answer).ok_or(format!("{} leads nowhere: {page}", answer.status))?;
    // A secret is shown once: that it was made is said, and what it is about is one press away.
    if first.status == 303 && leads_to(first).as_ref() != Some(&way) {
        return Err(format!("it leads to {way} and not to {:?}", leads_to(first)));
    }
    match browser.get(&way).await.status {
        200 => Ok(()),
        status => Err(format!("it leads to {way}, which answers {status}")),
    }
}

/// Tries one form. Answers whether it was there to be tried.
async fn send(
    app: &TestApp,
    browser: &Browser,
    owner: &Owner,
    case: &Case,
) -> Result<bool, String> {
    if TYPED.iter().all(|(route, _)| *route != case.shown.route) {
        return Err("nobody says how it is filled in".to_owned());
    }
    let Some(form) = case.fill(browser).await else { return Ok(false) };
    let before = rows(app);
    let first = post(browser, &form).await;
    if !matches!(first.status, 200 | 303) || rows(app) == before {
        return Err(format!(
            "as it is filled in it makes nothing: {} {}",
            first.status,
            first.text()
        ));
    }
    let older = from_another_session(app, browser, owner, &form).await;
    compare(browser, &first, older)
        .await
        .map_err(|error| format!("from an older session: {error}"))?;
    let ended = by_signing_in(app, browser, owner, &form).await;
    compare(browser, &first, ended).await.map_err(|error| format!("by signing in: {error}"))?;
    Ok(true)
}

either_engine! {
    async fn a_form_that_makes_something_and_is_sent_again_after_a_lost_answer_leads_to_what_it_made(setup: Setup) {
        let (_bank, app) = crate::bdv::start(setup).await;
        let world = World::new(&app).await;
        for number in ["8654321", "8654322", "8654323"] {
            shown_of(&app, &world.owner, &world.owner.bank, number, OWED).await;
        }
        let (newcomer, merchant) = (app.owner().await, app.owner().await);
        crate::bdv::link(&merchant).await;
        let (mut tried, mut wrong) = (BTreeSet::new(), Vec::new());
        for owner in [&newcomer, &merchant, &world.owner] {
            let browser = app.browser();
            browser.sign_in_as(owner).await;
            let (found, _) = shown(&browser).await;
            let mut cases: Vec<Case> = found.iter().filter(|shown| shown.form.makes()).flat_map(Case::of).collect();
            // An account that is linked last hides what is of the test bank.
            cases.sort_by_key(|case| (case.shown.route == "/app/accounts/new", case.kind()));
            for case in cases {
                if tried.contains(&case.kind()) {
                    continue;
                }
                match send(&app, &browser, owner, &case).await {
                    Ok(false) => continue,
                    Ok(true) => {}
                    Err(error) => wrong.push(format!("{}: {error}", case.kind())),
                }
                tried.insert(case.kind());
            }
        }
        assert!(wrong.is_empty(), "{} of {tried:#?}: {wrong:#?}", wrong.len());
        for (route, _) in TYPED {
            assert!(tried.iter().any(|kind| kind.starts_with(&format!("{route} "))), "{route}: {tried:#?}");
        }
    }
}
