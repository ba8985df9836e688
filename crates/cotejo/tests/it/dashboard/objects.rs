//! Pages and forms about one thing, by everybody who has a browser: whose it is, and nobody else's. And every form
//! without the token of its session.

use app::queue::Work;
use app::webhooks::Redelivery;
use pages::dashboard::{PageRoute, routes};
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::receiver::Receiver;
use testkit::{Browser, Key, Owner, TestApp, both_engines};

use super::receipts::newest;
use crate::pay::{make, paid_with};
use crate::payment_links::accept::{OWED, shown_of};
use crate::reach::table::Table;
use crate::subscriptions;
use crate::webhooks::write;

/// Objects that somebody has, by how paths call them.
struct Objects {
    named: Vec<(&'static str, String)>,
    refused: String,
}

impl Objects {
    /// Makes objects with that key on that account, which is that client's if one is given. Notes the name of the
    /// refused question on the owner's pages.
    async fn made(
        (owner, browser): (&Owner, &Browser),
        (key, bank, client): (&Key, &str, Option<&str>),
        reference: &str,
    ) -> Self {
        let link = make(key, bank, json!({})).await;
        let subscription = subscriptions::id(&subscriptions::make(key, bank, json!({})).await);
        let about = |reference: String| json!({ "bank_reference": reference });
        key.verify(bank, about(format!("{reference}123456")))
            .await
            .refused(404, "PAYMENT_NOT_FOUND");
        let checked = key.get("/v1/verifications").await.ok()["verifications"][0]["id"].clone();
        for limit in [json!(0), json!(null)] {
            match client {
                Some(client) => owner.set_quota(client, limit.clone()).await.ok(),
                None => owner.set_limit(key, limit.clone()).await.ok(),
            };
            if limit == json!(0) {
                let refused = key.verify(bank, about(format!("{reference}267890"))).await;
                assert_eq!(refused.status, 403, "{refused:?}");
            }
        }
        let found = browser.open(&format!("/app/payments/refused?search={reference}267890")).await;
        let (_, rest) = found.split_once("href=\"/app/payments/refused/").expect(&found);
        let named = vec![
            ("{key_id}", key.id.clone()),
            ("{bank_id}", bank.to_owned()),
            ("{payment_link_id}", link),
            ("{subscription_id}", subscription),
            ("{cycle}", "1".to_owned()),
            ("{verification_id}", checked.as_str().unwrap().to_owned()),
        ];
        Self { named, refused: rest.split('"').next().unwrap().to_owned() }
    }

    /// The path of the page about it; nothing where it has nothing of that kind.
    fn path(&self, route: &PageRoute) -> Option<String> {
        let mut path = route.path.to_owned();
        if path.contains("/refused/") {
            path = path.replace("{verification_id}", &self.refused);
        }
        for (name, id) in &self.named {
            path = path.replace(name, id);
        }
        (!path.contains('{')).then_some(path)
    }
}

/// Fields that fill every form about one thing. With them, no form is refused for want of a field before the thing's
/// owner is checked.
pub(super) const FILLED: [(&str, &str); 29] = [
    ("cancel_sure", "yes"),
    ("reject_sure", "yes"),
    ("waive_sure", "yes"),
    ("void_sure", "yes"),
    ("void_reason", "x"),
    ("replace_sure", "yes"),
    ("push_sure", "yes"),
    ("client_sure", "yes"),
    ("client", ""),
    ("secret", "another key"),
    ("holder_name", "Otra"),
    ("same_bank_by_payer", "yes"),
    ("short_references", "yes"),
    ("trash_name", "x"),
    ("name", "x"),
    ("revoke_name", "x"),
    ("rotate_name", "x"),
    ("active", "yes"),
    ("limit", "5"),
    ("amount", "5"),
    ("currency", "VEF"),
    ("unpaid_policy", "stay"),
    ("description", "x"),
    ("accounts", "all"),
    ("movement_id", "mov_00000000000000000000000000"),
    ("pays", "sale"),
    ("accept_sure", "yes"),
    ("permissions", "payment_links"),
    ("days", "1"),
];

async fn asked(browser: &Browser, route: &PageRoute, path: &str) -> u16 {
    match route.method.as_str() {
        "GET" => browser.get(path).await.status,
        _ => {
            let filled: Vec<_> =
                FILLED.into_iter().filter(|(name, _)| route.taken().contains(name)).collect();
            browser.send(path, &filled).await.status
        }
    }
}

async fn signed_in(app: &TestApp, email: &str, password: &str) -> Browser {
    let browser = app.browser();
    browser.sign_in(email, password).await;
    browser
}

/// Makes the objects that only the owner has: an employee, a session, and webhooks that were sent.
async fn of_the_owner(
    app: &TestApp,
    owner: &Owner,
    browser: &Browser,
) -> Vec<(&'static str, String)> {
    let employee = owner.employee(7, &[]).await;
    let receiver = Receiver::with_status(410);
    let written = write(app, owner, &receiver.url()).await;
    written.ended(app).await;
    app.clock().advance(Redelivery::POLL);
    app.clock().is_awaited(app.now().plus(Redelivery::POLL)).await;
    browser.open("/app/webhooks/redeliveries").await;
    let fields = [("since", "2026-11-19T08:00"), ("until", "")];
    let begun = browser.send("/app/webhooks/redeliveries", &fields).await;
    let redelivery = begun.header("location").unwrap().rsplit('/').next().unwrap().to_owned();
    let sessions = owner.get("/auth/sessions").await.ok();
    // Its own: the list has those of its clients' people, too.
    let mut listed = sessions["sessions"].as_array().unwrap().iter();
    let own = listed.find(|session| session["is_current"] == true).expect("the owner's session");
    let session = own["id"].as_str().unwrap().to_owned();
    let notices = owner.get("/v1/notices").await.ok();
    let notice = notices["notices"][0]["id"].as_str().expect("a receiver that is gone").to_owned();
    vec![
        ("{notice_id}", notice),
        ("{employee_id}", employee.path().rsplit('/').next().unwrap().to_owned()),
        ("{delivery_id}", written.id.to_string()),
        ("{redelivery_id}", redelivery),
        ("{session_id}", session),
    ]
}

both_engines! {
    async fn what_is_about_one_thing_is_for_those_whose_it_is(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let (person, others) = (owner.client_employee(&client, 1).await, owner.client_employee(&other, 2).await);
        let owners = signed_in(&app, &owner.email, &owner.password).await;
        let person = signed_in(&app, &person.email, PASSWORD).await;
        let others = signed_in(&app, &others.email, PASSWORD).await;
        let strangers = signed_in(&app, &stranger.email, &stranger.password).await;
        let mut own = Objects::made((&owner, &owners), (&owner.key, &owner.bank, None), "1").await;
        own.named.extend(of_the_owner(&app, &owner, &owners).await);
        let mut of_client = Objects::made((&owner, &owners), (&key, &bank, Some(&client)), "2").await;
        for (objects, key, bank) in [(&mut own, &owner.key, &owner.bank), (&mut of_client, &key, &bank)] {
            let movement = shown_of(&app, &owner, bank, "7654321", OWED).await;
            objects.named.push(("{movement_id}", movement));
            let paid = make(key, bank, json!({})).await;
            paid_with(&app.nobody(), &paid, "3167890").await;
            objects.named.push(("{receipt_id}", newest(&owners).await));
        }

        let table = Table::below("Operations");
        let column = table.columns.iter().position(|column| column == "person of a client").unwrap();
        let may = |route: &PageRoute| {
            let (_, cells) = table.rows.iter().find(|(row, _)| row == route.operation.name).unwrap();
            cells[column] == "yes"
        };
        let about_one: Vec<PageRoute> = routes().into_iter().filter(|route| route.path.contains('{')).collect();
        let mut wrong = Vec::new();
        let mut note = |route: &PageRoute, path: &str, who: &str, status: u16, is_right: bool| {
            if !is_right {
                wrong.push(format!("{} {path} by {who}: {status}", route.method));
            }
        };
        for route in &about_one {
            let path = own.path(route).expect(route.path);
            // What everybody but the owner sends does nothing, so that all of it is there for the next.
            for (who, browser) in [("a stranger", &strangers), ("a client's person", &person), ("another client's person", &others)] {
                let status = asked(browser, route, &path).await;
                note(route, &path, who, status, matches!(status, 403 | 404));
            }
            if let Some(path) = of_client.path(route) {
                for (who, browser) in [("a stranger", &strangers), ("another client's person", &others)] {
                    let status = asked(browser, route, &path).await;
                    note(route, &path, who, status, matches!(status, 403 | 404));
                }
                if route.method == "GET" {
                    let status = asked(&person, route, &path).await;
                    note(route, &path, "whose it is", status, if may(route) { status == 200 } else { status == 403 });
                }
            }
        }
        // And it is all there, as the owner sees.
        for route in about_one.iter().filter(|route| route.method == "GET") {
            for path in [own.path(route), of_client.path(route)].into_iter().flatten() {
                let status = owners.get(&path).await.status;
                note(route, &path, "its owner", status, status == 200);
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        let unpaid = "select distinct cast(state as text) from payment_links where payment_id is null";
        let statuses = app.database().texts(unpaid);
        assert_eq!(statuses, ["0"], "links that somebody else has ended");
        assert_eq!(app.database().number("select count(*) from receipts where voided_at is not null"), 0);
    }
}

both_engines! {
    async fn no_form_is_taken_without_the_token_of_its_session(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let browser = signed_in(&app, &owner.email, &owner.password).await;
        let old = browser.form_token();
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        let right = browser.form_token();
        let foreign = signed_in(&app, &stranger.email, &stranger.password).await.form_token();
        let ours = ("sec-fetch-site", "same-origin");
        let counted = "select (select count(*) from audit) + (select count(*) from verifications) \
             + (select count(*) from payment_links) + (select count(*) from user_banks) \
             + (select count(*) from sessions where ended_at is null)";
        let before = app.database().number(counted);
        let forms: Vec<PageRoute> = routes().into_iter().filter(|route| route.method == "POST").collect();
        assert!(forms.len() > 30, "{}", forms.len());
        let mut wrong = Vec::new();
        for route in &forms {
            let path = route.path.replace("{key_id}", &owner.key.id).replace("{bank_id}", &owner.bank);
            for (what, token, header) in [
                ("an old token", Some(&*old), ours),
                ("a foreign token", Some(&*foreign), ours),
                ("an empty token", Some(""), ours),
                ("no token", None, ours),
                ("another site", Some(&*right), ("sec-fetch-site", "cross-site")),
                ("another origin", Some(&*right), ("origin", "https://evil.example")),
            ] {
                let token = token.map(|token| ("form_token", token));
                let fields: Vec<(&str, &str)> = token.into_iter().chain(FILLED).collect();
                let answer = browser.send_only(&path, &fields, &[header]).await;
                let is_right = answer.status == 403 && !answer.text().contains(&old) && !answer.text().contains(&foreign);
                if !is_right {
                    wrong.push(format!("{path} by {what}: {}", answer.status));
                }
                // A form of another session is given back with the session's own token; one from elsewhere is not.
                let is_of_a_page = matches!(what, "an old token" | "a foreign token");
                if answer.text().contains(&right) != is_of_a_page {
                    wrong.push(format!("{path} by {what}: given back or not"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(app.database().number(counted), before);
    }
}
