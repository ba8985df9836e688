//! Where the links of pages lead: nowhere that is out of reach of whoever sees them.

use std::collections::BTreeSet;

use domain::rights::Right;
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::receiver::Receiver;
use testkit::{Browser, Owner, TestApp, either_engine};

use crate::pay::{make, paid_with, pay};
use crate::webhooks::write;

/// Something of all by which pages lead to one another: payments by a link and without, what the bank does not show, what it was
/// not asked, and a webhook that nobody took.
async fn fill(app: &TestApp, owner: &Owner) {
    let paid = make(&owner.key, &owner.bank, json!({})).await;
    paid_with(&app.nobody(), &paid, "1167890").await;
    let open = make(&owner.key, &owner.bank, json!({})).await;
    pay(&app.nobody(), &open, "1123456").await;
    owner.key.verify(&owner.bank, json!({ "bank_reference": "2267890" })).await.ok();
    owner.set_limit(&owner.key, json!(0)).await.ok();
    pay(&app.nobody(), &open, "3367890").await;
    let refused = owner.key.verify(&owner.bank, json!({ "bank_reference": "4467890" })).await;
    refused.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
    let receiver = Receiver::with_status(410);
    write(app, owner, &receiver.url()).await.ended(app).await;
}

/// Follows every link from the first page on; answers how many pages there are, and which are out of reach.
async fn walk(browser: &Browser) -> (usize, Vec<String>) {
    let mut seen = BTreeSet::from(["/app".to_owned()]);
    let mut waiting = vec!["/app".to_owned()];
    let mut out_of_reach = Vec::new();
    while let Some(path) = waiting.pop() {
        let answer = browser.get(&path).await;
        if answer.status == 403 {
            out_of_reach.push(path);
            continue;
        }
        let page = answer.text();
        for link in page.split("<a ").skip(1).filter_map(address).filter(|link| !link.contains('#'))
        {
            if seen.insert(link.clone()) {
                waiting.push(link);
            }
        }
    }
    (seen.len(), out_of_reach)
}

/// Where a link on this service leads that begins there.
fn address(link: &str) -> Option<String> {
    let (_, rest) = link.split_once('>')?.0.split_once("href=\"")?;
    let path = rest.split('"').next()?;
    path.starts_with("/app").then(|| path.replace("&amp;", "&"))
}

either_engine! {
    async fn no_link_leads_to_what_is_out_of_reach_of_whoever_sees_it(app: TestApp) {
        let owner = app.owner().await;
        fill(&app, &owner).await;
        let mut people = vec![("the owner", owner.email.clone(), owner.password.clone())];
        for (number, right) in (1..).zip(Right::all()) {
            let employee = owner.employee(number, &[right.as_str()]).await;
            people.push((right.as_str(), employee.email.clone(), PASSWORD.to_owned()));
        }
        let person = owner.client_employee(&owner.client(true).await, 20).await;
        people.push(("a client's person", person.email.clone(), PASSWORD.to_owned()));
        let mut wrong = Vec::new();
        for (who, email, password) in people {
            let browser = app.browser();
            browser.sign_in(&email, &password).await;
            let (pages, out_of_reach) = walk(&browser).await;
            assert!(pages >= 3, "{who}: {pages}");
            wrong.extend(out_of_reach.into_iter().map(|path| format!("{path} by {who}")));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
