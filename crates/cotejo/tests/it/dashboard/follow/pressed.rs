//! Two persons at every form that is no more than a press, as the pages have them: what the first did by it stands,
//! whatever the second sends from a page that was opened before.

use std::collections::BTreeSet;

use pages::dashboard::routes;
use serde_json::json;
use testkit::{Browser, TestApp, either_engine};

use super::filled::{Filled, filled};
use super::page::heading;
use super::shown::{Place, Shown, look, post, shown};
use super::two_persons::{FILLED_IN, OF_A_FILE};
use super::walk::{ENDING, route_of};
use super::world::World;
use crate::pay::make;

/// Forms that leave nothing which an old page could undo, and why.
const NOT_UNDONE: [(&str, &str); 12] = [
    ("/app/accounts/{bank_id}/secret", "the bank has one key, and takes it or does not"),
    ("/app/me/password", "the password in force is typed with it"),
    (
        "/app/me/second-factor",
        "it begins anew each time, and is in force once a code of it is shown",
    ),
    (
        "/app/me/second-factor/confirm",
        "a page shows it in answer to a form; the code is of what was begun last",
    ),
    ("/app/payments/movements/read", "it reads what the bank has"),
    ("/app/subscriptions/{subscription_id}/clock", "no clock is set back"),
    ("/app/sign-out", "it ends the session of whoever presses"),
    (
        "/app/subscriptions/{subscription_id}/payer-page",
        "the page is open for 30 days from the last press on",
    ),
    (
        "/app/subscriptions/{subscription_id}/payer-page/replace",
        "what was the address before is none any more, whoever replaces it",
    ),
    ("/app/test-mode", "it is of the session of whoever presses"),
    ("/app/webhooks/secret", "it shows what is in force"),
    (
        "/app/profile/logo/remove",
        "it carries the logo that it removes, as the form of the file does",
    ),
];

/// Forms of people who have what no owner here has: a second factor.
const OF_OTHERS: [(&str, &str); 2] = [
    (
        "/app/me/second-factor/codes",
        "each renewal makes the former codes void, and shows the new ones once",
    ),
    (
        "/app/me/second-factor/end",
        "what has ended is begun anew by its own form alone, which asks for a code",
    ),
];

/// How many owners there are at most, until each form has been tried.
const OWNERS_MAX: usize = 8;

/// A form that is pressed, and what else its page has.
struct Act {
    shown: Shown,
    kind: String,
}

fn is_act(shown: &Shown) -> bool {
    let is_explained = NOT_UNDONE.iter().chain(&OF_OTHERS).any(|(route, _)| *route == shown.route);
    let is_tried = shown.form.is_changing() || shown.form.makes();
    let is_filled_in = FILLED_IN.contains(&shown.route) || shown.route == OF_A_FILE;
    !is_explained && !is_tried && !is_filled_in
}

/// The word for a form: where it leads, and what its button says.
fn word(shown: &Shown) -> String {
    let button = shown.form.button.as_ref().map(|(_, value)| &**value);
    format!("{} {}", shown.route, button.unwrap_or_default())
}

/// Every form that is pressed. Of one kind are those whose pages have the same forms.
fn acts(shown: &[Shown]) -> Vec<Act> {
    let beside = |page: &str| {
        let beside = shown.iter().filter(|other| other.place.page == page).map(word);
        beside.collect::<BTreeSet<_>>()
    };
    let acts = shown.iter().filter(|shown| is_act(shown));
    acts.map(|one| Act {
        shown: one.clone(),
        kind: format!("{} among {:?}", word(one), beside(&one.place.page)),
    })
    .collect()
}

/// The form with that text typed where it asks for a name or a reason.
fn named(form: &Filled, name: &str) -> Filled {
    let is_asked = |field: &&String| field.ends_with("_name") || field.ends_with("_reason");
    let asks = form.fields.keys().filter(is_asked);
    let typed: Vec<_> = asks.map(|field| (field.clone(), vec![name.to_owned()])).collect();
    form.with(&typed)
}

/// Answers whether the page has the form yet, with the same button.
async fn offers(browser: &Browser, place: &Place, form: &Filled) -> bool {
    let answer = browser.get(&place.page).await;
    let is_it = |other: &Filled| other.action == form.action && other.button == form.button;
    answer.status == 200 && filled(&answer.text()).iter().any(is_it)
}

/// The first presses, and then the second sends every form of a page that was opened before. Nothing where the form has
/// gone.
async fn press(first: &Browser, second: &Browser, place: &Place) -> Option<Result<(), String>> {
    let form = look(first, place).await?;
    let old = second.open(&place.page).await;
    let name = heading(&old);
    let answer = post(first, &named(&form, &name)).await;
    if !matches!(answer.status, 200 | 303) {
        return Some(Err(format!("the first is answered {}: {}", answer.status, answer.text())));
    }
    if offers(first, place, &form).await {
        return Some(Err("the first has done nothing that is to be seen".to_owned()));
    }
    let routes = routes();
    let is_sent = |form: &Filled| {
        route_of(&routes, "POST", &form.action).is_some_and(|route| !ENDING.contains(&route))
    };
    let mut others: Vec<Filled> = filled(&old).into_iter().filter(is_sent).collect();
    // The same form comes first, while all is as the first one left it.
    others.sort_by_key(|other| other.action != form.action);
    for other in others {
        let status = post(second, &named(&other, &name)).await.status;
        if status >= 500 {
            return Some(Err(format!("{} of the second is answered {status}", other.action)));
        }
        if offers(first, place, &form).await {
            return Some(Err(format!("{} of the second's old page has undone it", other.action)));
        }
    }
    Some(Ok(()))
}

/// An owner that has some of everything, and besides a link that is stopped and a key that is switched off.
async fn owner_with_switches(app: &TestApp) -> World {
    let world = World::new(app).await;
    let link = make(&world.owner.key, &world.owner.bank, json!({})).await;
    world.owner.post(&format!("/v1/paymentlink/{link}/stop"), json!({})).await.ok();
    let key = world.owner.key_with(&["payment_links"]).await;
    world.owner.deactivate(&key).await;
    world
}

either_engine! {
    async fn what_one_person_did_by_a_press_is_undone_by_no_old_page_of_another(app: TestApp) {
        let (mut left, mut tried, mut wrong) = (None, BTreeSet::new(), Vec::new());
        for _ in 0..OWNERS_MAX {
            let world = owner_with_switches(&app).await;
            let (first, second) = (app.browser(), app.browser());
            first.sign_in_as(&world.owner).await;
            second.sign_in_as(&world.owner).await;
            let (found, _) = shown(&first).await;
            let acts = acts(&found);
            let left: &mut BTreeSet<String> = left.get_or_insert_with(|| acts.iter().map(|act| act.kind.clone()).collect());
            let mut pages = BTreeSet::new();
            for act in &acts {
                let place = &act.shown.place;
                // A page that something was pressed on has other forms.
                if !left.contains(&act.kind) || !pages.insert(place.page.clone()) {
                    continue;
                }
                let Some(result) = press(&first, &second, place).await else { continue };
                left.remove(&act.kind);
                tried.insert(act.shown.route);
                wrong.extend(result.err().map(|error| format!("{}: {error}", act.kind)));
            }
            if left.is_empty() {
                break;
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(left.as_ref().is_some_and(BTreeSet::is_empty), "these were not tried: {left:#?}");
        assert!(tried.len() >= 8, "{tried:#?}");
    }

    async fn every_form_that_is_taken_is_tried_by_two_persons_or_said_why_not(setup: testkit::Setup) {
        let (_bank, app) = crate::bdv::start(setup).await;
        let world = owner_with_switches(&app).await;
        let (newcomer, merchant) = (app.owner().await, app.owner().await);
        crate::bdv::link(&merchant).await;
        let mut found = BTreeSet::new();
        for owner in [&newcomer, &merchant, &world.owner] {
            let browser = app.browser();
            browser.sign_in_as(owner).await;
            found.extend(shown(&browser).await.0.into_iter().map(|shown| shown.route));
        }
        let is_explained = |path: &str| FILLED_IN.contains(&path) || path == OF_A_FILE || NOT_UNDONE.iter().chain(&OF_OTHERS).any(|(route, _)| *route == path);
        let forms = routes().into_iter().filter(|route| route.method == "POST").map(|route| route.path);
        // A form that a page shows is looked at by what it carries; one that none shows is named with a reason.
        let unseen: Vec<_> = forms.filter(|path| !found.contains(path) && !is_explained(path)).collect();
        assert!(unseen.is_empty(), "no page shows {unseen:#?}");
    }
}
