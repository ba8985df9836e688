//! Who used what: the sessions of each person.

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{TestApp, either_engine};

const PATH: &str = "/app/activity";

either_engine! {
    async fn what_each_person_asked_is_shown_of_each(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payments:write", "payments:read", "billing:read"]).await;
        let idle = owner.employee(2, &["payments:read"]).await;
        employee.verify(&owner.bank, json!({ "bank_reference": "1167890" })).await.ok();
        employee.verify(&owner.bank, json!({ "bank_reference": "1123456" })).await.refused(404, "PAYMENT_NOT_FOUND");
        owner.verify(&owner.bank, json!({ "bank_reference": "2267890" })).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(PATH).await;
        let id = employee.path().rsplit('/').next().unwrap().to_owned();
        let of = format!("{PATH}/employees/{id}");
        let (_, rest) = page.split_once("Mis sesiones").expect(&page);
        let numbers = |row: &str| row.matches("class=\"number\">").count();
        assert!(numbers(rest) >= 6 && page.contains(&format!("href=\"{of}\"")), "{page}");
        let row = |href: &str| {
            let (before, _) = page.split_once(&format!("href=\"{href}\"")).expect(href);
            before.rsplit("<tr>").next().unwrap().to_owned()
        };
        let row_of = row(&of);
        assert!(row_of.contains("class=\"number\">1<") && row_of.contains("class=\"number\">2<"), "{row_of}");
        let own = row(&format!("{PATH}/mine"));
        assert_eq!(own.matches("class=\"number\">1<").count(), 2, "{own}");
        let idle_row = row(&format!("{PATH}/employees/{}", idle.path().rsplit('/').next().unwrap()));
        assert_eq!(idle_row.matches("class=\"number\">0<").count(), 2, "{idle_row}");
        let asked = browser.open(&format!("{of}?list=requests")).await;
        assert!(asked.contains("Confirmado") && asked.contains("No encontrado"), "{asked}");
        assert!(browser.open(&format!("{PATH}/mine?list=requests")).await.contains("Confirmado"));

        // Who may see what is used sees its own, and nobody else's.
        let theirs = app.browser();
        theirs.sign_in(&employee.email, PASSWORD).await;
        let page = theirs.open(PATH).await;
        assert!(page.contains("Mis sesiones") && !page.contains("/employees/"), "{page}");
        assert_eq!(theirs.get(&of).await.status, 403);
        let other = app.browser();
        other.sign_in(&idle.email, PASSWORD).await;
        assert_eq!(other.get(PATH).await.status, 403);
    }

    async fn a_clients_person_is_not_shown_what_the_owner_has_left(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let bank = owner.client_key(&client).await.link_bank().await;
        let person = owner.client_employee(&client, 1).await;
        person.verify(&bank, json!({ "bank_reference": "1167890" })).await.ok();
        owner.verify(&owner.bank, json!({ "bank_reference": "2267890" })).await.ok();
        let (theirs, owners) = (app.browser(), app.browser());
        theirs.sign_in(&person.email, PASSWORD).await;
        owners.sign_in_as(&owner).await;
        let path = format!("{PATH}/mine");
        let (theirs, own) = (theirs.open(&path).await, owners.open(&path).await);
        assert!(theirs.contains(">Verificación<") && !theirs.contains("Saldo"), "{theirs}");
        assert!(own.contains(">Verificación<") && own.contains("Saldo"), "{own}");
    }

    async fn payments_of_two_weeks_are_drawn_and_listed_in_numbers(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(!browser.open("/app").await.contains("class=\"chart\""));
        for reference in ["1167890", "2267890"] {
            owner.key.verify(&owner.bank, json!({ "bank_reference": reference })).await.ok();
        }
        let page = browser.open("/app").await;
        assert_eq!(page.matches("<rect ").count(), 14, "{page}");
        assert!(page.contains("<th scope=\"row\">2026-11-20</th><td class=\"number\">2</td>"), "{page}");
        assert!(page.contains("<th scope=\"row\">2026-11-07</th><td class=\"number\">0</td>"), "{page}");
    }
}
