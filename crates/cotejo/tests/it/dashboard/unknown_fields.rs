//! No form ignores what it does not take: a field that its page does not have is refused by its name.

use pages::dashboard::{PageRoute, routes};
use testkit::{TestApp, either_engine};

/// A field that no page has.
const UNKNOWN: &str = "monthly_limit_of_nobody";

/// The path of a form, about something of the owner's or about nothing.
fn path(route: &PageRoute, named: [(&str, &str); 2]) -> String {
    let path = named.iter().fold(route.path.to_owned(), |path, (name, id)| path.replace(name, id));
    let parts = path.split('/').map(|part| if part.starts_with('{') { "none" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

either_engine! {
    async fn every_form_refuses_a_field_that_it_does_not_know_by_its_name(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let counted = "select (select count(*) from audit) + (select count(*) from verifications) \
             + (select count(*) from payment_links) + (select count(*) from user_banks) \
             + (select count(*) from api_keys) + (select count(*) from sessions where ended_at is null)";
        let before = app.database().number(counted);
        let forms: Vec<PageRoute> = routes().into_iter().filter(|route| route.method == "POST").collect();
        assert!(forms.len() > 30, "{}", forms.len());
        let mut wrong = Vec::new();
        for route in &forms {
            let path = path(route, [("{key_id}", &owner.key.id), ("{bank_id}", &owner.bank)]);
            // What a field showed is carried by it, and by no other.
            for name in [UNKNOWN.to_owned(), format!("was-{UNKNOWN}")] {
                let answer = browser.send(&path, &[(&name, "5")]).await;
                if answer.status != 400 || !answer.text().contains(UNKNOWN) {
                    wrong.push(format!("{path}, {name}: {}", answer.status));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(app.database().number(counted), before);
    }

    async fn a_form_that_somebody_may_not_send_shows_nothing_of_its_fields(app: TestApp) {
        let owner = app.owner().await;
        let person = owner.client_employee(&owner.client(true).await, 1).await;
        let browser = app.browser();
        browser.sign_in(&person.email, testkit::employee::PASSWORD).await;
        let answer = browser.send("/app/notices/settings", &[(UNKNOWN, "5")]).await;
        assert!(answer.status == 403 && !answer.text().contains(UNKNOWN), "{answer:?}");
    }
}
