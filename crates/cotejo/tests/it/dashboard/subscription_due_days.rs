//! The days on which a new subscription would be due, as its form shows them.

use testkit::{Browser, Owner, TestApp, either_engine};

use super::subscriptions::{NEW, filled};

/// The button that asks for them.
const PREVIEW: (&str, &str) = ("preview", "yes");

/// The beginning of the sentence with them.
const DUE: &str = "Se cobrará el: ";

/// The form filled in, with that typed into it instead.
fn with<'a>(owner: &'a Owner, typed: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = filled(owner);
    fields.retain(|(name, _)| typed.iter().all(|(one, _)| one != name));
    fields.extend(typed);
    fields
}

/// The due days that a page shows.
fn due_days(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(DUE)?;
    rest.split('<').next()
}

/// Presses the button with that typed into the form; answers the page.
async fn previewed(browser: &Browser, owner: &Owner, typed: &[(&str, &str)]) -> String {
    browser.open(NEW).await;
    let mut fields = with(owner, typed);
    fields.push(PREVIEW);
    let answer = browser.send(NEW, &fields).await;
    assert_eq!(answer.status, 200, "{typed:?}: {}", answer.text());
    answer.text()
}

either_engine! {
    async fn the_form_shows_when_a_subscription_would_be_due(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(NEW).await;
        assert!(page.contains("name=\"preview\"") && due_days(&page).is_none(), "{page}");
        let start = ("start_date", "2026-12-31");
        for (typed, expected) in [
            (&[start, ("anchor_day", "31")][..], "31/12/2026, 31/01/2027, 28/02/2027, 31/03/2027, 30/04/2027, 31/05/2027 …"),
            (&[start, ("period_unit", "week"), ("period_count", "2")], "31/12/2026, 14/01/2027, 28/01/2027, 11/02/2027, 25/02/2027, 11/03/2027 …"),
            (&[start, ("cycles", "2")], "31/12/2026, 31/01/2027"),
            (&[start, ("cycles", "6"), ("period_unit", "year")], "31/12/2026, 31/12/2027, 31/12/2028, 31/12/2029, 31/12/2030, 31/12/2031"),
            (&[start, ("pay_first", "no"), ("cycles", "3")], "31/01/2027, 28/02/2027, 31/03/2027"),
            (&[start, ("trial_days", "1"), ("anchor_day", "5"), ("cycles", "1")], "05/01/2027"),
        ] {
            let page = previewed(&browser, &owner, typed).await;
            assert_eq!(due_days(&page), Some(expected), "{typed:?}: {page}");
        }
        assert_eq!(app.database().number("select count(*) from subscriptions"), 0);
    }

    async fn everything_that_was_typed_is_kept_and_the_form_can_be_sent_then(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(NEW).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let typed = [("cycles", "2"), ("period_unit", "week"), ("pay_first", "no"), ("reminders", "7"), ("once", once)];
        let page = previewed(&browser, &owner, &typed).await;
        for kept in [
            "value=\"Ana Pérez\"",
            "value=\"C-7\"",
            "value=\"150,75\"",
            "value=\"week\" selected",
            "value=\"no\" selected",
            "value=\"7\" checked",
            "<details class=\"field\" open>",
        ] {
            assert!(page.contains(kept), "{kept}: {page}");
        }
        assert!(!page.contains("value=\"-3\" checked") && !page.contains("-wrong\""), "{page}");
        // The press has used nothing up: the same form makes a subscription.
        let made = browser.send(NEW, &with(&owner, &typed)).await;
        assert_eq!(made.status, 303, "{}", made.text());
        assert_eq!(app.database().number("select count(*) from subscriptions"), 1);
    }

    async fn a_calendar_that_cannot_be_has_no_days_and_other_fields_have_no_say(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for (name, typed) in [("anchor_day", "32"), ("start_date", "2026-11-19"), ("cycles", "0"), ("period_count", "61")] {
            browser.open(NEW).await;
            let mut fields = with(&owner, &[(name, typed)]);
            fields.push(PREVIEW);
            let answer = browser.send(NEW, &fields).await;
            let page = answer.text();
            assert!(answer.status == 400 && page.contains(&format!("id=\"{name}-wrong\"")), "{name}: {page}");
            assert!(due_days(&page).is_none() && page.contains("value=\"Ana Pérez\""), "{name}: {page}");
        }
        // Who pays what is not looked at before the form is sent.
        let nobody = [("customer_name", ""), ("amount", "x"), ("start_date", "2026-12-01"), ("cycles", "1")];
        let page = previewed(&browser, &owner, &nobody).await;
        assert_eq!(due_days(&page), Some("01/12/2026"), "{page}");
        assert!(!page.contains("-wrong\"") && page.contains("value=\"x\""), "{page}");
        // Where it is refused for something else, the days stand beside what is wrong.
        let refused = browser.send(NEW, &with(&owner, &nobody)).await;
        let page = refused.text();
        assert!(refused.status == 400 && page.contains("id=\"amount-wrong\""), "{page}");
        assert_eq!(due_days(&page), Some("01/12/2026"), "{page}");
        assert_eq!(app.database().number("select count(*) from subscriptions"), 0);
    }

    async fn the_days_are_announced_in_english_too(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(NEW).await;
        browser.send("/app/language", &[("language", "en"), ("next", NEW)]).await;
        let page = previewed(&browser, &owner, &[("start_date", "2026-12-01"), ("cycles", "1")]).await;
        assert!(page.contains("Payments will be due on: 01/12/2026") && page.contains(">View dates<"), "{page}");
    }
}
