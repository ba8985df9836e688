//! What the dashboard says of a subscription's money: on its page, and where its charges are listed.

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Browser, Setup, either_engine};

use crate::pay::{self, paid_with};
use crate::subscriptions::{begin, day_comes, id, link_of, make};

/// Reads what a subscription's page says of what was collected.
async fn collected(browser: &Browser, path: &str) -> String {
    let page = browser.open(path).await;
    let (_, rest) = page.split_once("<dt>Cobrado</dt><dd><bdi>").expect(&page);
    rest.split('<').next().unwrap().to_owned()
}

either_engine! {
    async fn its_page_adds_up_its_paid_cycles_and_its_charges_lead_there(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let more = json!({ "subscriptionPeriodType": "day" });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let path = format!("/app/subscriptions/{of}");
        assert_eq!(collected(&browser, &path).await, "Nada todavía");
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "10167890").await;
        assert_eq!(collected(&browser, &path).await, "Bs. 150,75 en 1 pago");
        let link = pay::make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &link, "10267890").await;
        day_comes(&app, "2026-11-21").await;
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 2).await, "10367890").await;
        assert_eq!(collected(&browser, &path).await, "Bs. 301,50 en 2 pagos");

        let page = browser.open(&format!("/app/keys/{}/activity", owner.key.id)).await;
        let leads = format!("<a href=\"{path}\">Suscripción</a>");
        assert_eq!(page.matches(&leads).count(), 2, "{page}");
        assert!(page.contains(&format!("<a href=\"/app/links/{link}\">Enlace de pago</a>")), "{page}");
    }

    async fn a_charge_leads_to_what_the_person_who_looks_may_see(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let employee = owner.employee(1, &["subscriptions:write", "billing:read"]).await;
        let of = id(&make(&employee, &owner.bank, json!({})).await);
        let link = link_of(&owner.key, &of, 1).await;
        paid_with(&app.nobody(), &link, "167890").await;
        let to_subscription = format!("<a href=\"/app/subscriptions/{of}\">Suscripción</a>");
        let to_link = format!("<a href=\"/app/links/{link}\">Suscripción</a>");
        for (permissions, leads) in [
            (vec!["subscriptions:read", "payment_links:read", "billing:read"], Some(&to_subscription)),
            (vec!["payment_links:read", "billing:read"], Some(&to_link)),
            (vec!["billing:read"], None),
        ] {
            owner.patch(&employee.path(), json!({ "permissions": permissions })).await.ok();
            let browser = app.browser();
            browser.sign_in(&employee.email, PASSWORD).await;
            let page = browser.open("/app/activity/mine").await;
            assert!(page.contains("Suscripción"), "{page}");
            for one in [&to_subscription, &to_link] {
                assert_eq!(page.contains(one), leads == Some(one), "{permissions:?}: {page}");
            }
        }
    }
}
