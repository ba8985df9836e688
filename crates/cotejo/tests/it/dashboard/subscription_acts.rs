//! What an owner does with a subscription on its page, beside canceling it.

use serde_json::json;
use testkit::{Setup, either_engine};

use super::subscriptions::{NEW, filled, leads_to, path_of};
use crate::subscriptions::{begin, day_comes, details, id, make};

either_engine! {
    async fn a_period_that_is_owed_is_waived_on_the_page_once_that_is_confirmed(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let (path, waive) = (path_of(&of), format!("{}/cycles/1/waive", path_of(&of)));
        let page = browser.open(&path).await;
        assert!(page.contains("Perdonar un período") && page.contains(&format!("action=\"{waive}\"")), "{page}");
        let unsure = browser.send(&waive, &[("waive_reason", "Cortesía"), ("waive_sure", "")]).await;
        assert!(unsure.status == 400 && unsure.text().contains("id=\"waive_sure-wrong\""), "{unsure:?}");
        assert!(unsure.text().contains("value=\"Cortesía\""), "{unsure:?}");
        assert_eq!(details(&owner.key, &of).await["status"], "pending");
        browser.open(&path).await;
        let sure = [("waive_reason", "Cortesía"), ("waive_sure", ""), ("waive_sure", "yes")];
        assert_eq!(leads_to(&browser.send(&waive, &sure).await), path);
        let page = browser.open(&format!("{path}?done=waive")).await;
        assert!(page.contains("Período perdonado") && page.contains(">Perdonado<") && page.contains(">Al día<"), "{page}");
        assert!(!page.contains("/waive\"") && !page.contains("id=\"share\""), "{page}");
        let trail = owner.get("/v1/audit").await.ok()["entries"].clone();
        let waived = json!({ "cycle_waived": 1, "waive_reason": "Cortesía" });
        let lines = trail.as_array().unwrap().iter().filter(|line| line["after"] == waived);
        assert_eq!(lines.count(), 1, "{trail}");
        for cycle in ["0", "2", "x"] {
            let none = browser.send(&format!("{path}/cycles/{cycle}/waive"), &sure).await;
            assert_eq!(none.status, 404, "{cycle}");
        }
    }

    async fn a_pause_gets_its_last_day_on_the_page(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "pay_first": false })).await);
        let (path, pause) = (path_of(&of), format!("{}/pause", path_of(&of)));
        browser.open(&path).await;
        let wrong = browser.send(&pause, &[("resumesOn", "2026-11-20")]).await;
        assert!(wrong.status == 400 && wrong.text().contains("id=\"resumesOn-wrong\""), "{wrong:?}");
        assert!(wrong.text().contains("debe ser después de hoy"), "{wrong:?}");
        browser.open(&path).await;
        assert_eq!(leads_to(&browser.send(&pause, &[("resumesOn", "2027-02-05")]).await), path);
        let page = browser.open(&path).await;
        assert!(page.contains("Se pausa el 20/12/2026. Se reanuda el 05/02/2027."), "{page}");
        // Nothing was skipped yet.
        assert!(page.contains("/resume\"") && !page.contains("value=\"new\""), "{page}");
    }

    async fn a_subscription_resumes_with_another_calendar_on_the_page(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let more = json!({ "pay_first": false, "subscriptionPeriodType": "day" });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let path = path_of(&of);
        browser.open(&path).await;
        assert_eq!(leads_to(&browser.send(&format!("{path}/pause"), &[]).await), path);
        day_comes(&app, "2026-11-22").await;
        assert!(browser.open(&path).await.contains("Reanudar con un período desde hoy"));
        let new = [("calendar", "new")];
        assert_eq!(leads_to(&browser.send(&format!("{path}/resume"), &new).await), path);
        let resumed = details(&owner.key, &of).await;
        assert_eq!((&resumed["calendarStartDate"], &resumed["startDate"]), (&json!("2026-11-22"), &json!("2026-11-20")));
    }

    async fn the_end_of_a_grace_is_chosen_with_a_new_subscription_and_changed_on_its_page(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(NEW).await;
        let mut fields = filled(&owner);
        fields.push(("unpaid_policy", "pause"));
        let path = leads_to(&browser.send(NEW, &fields).await);
        let of = path.rsplit('/').next().unwrap().to_owned();
        assert_eq!(details(&owner.key, &of).await["unpaidPolicy"], "pause");
        let page = browser.open(&path).await;
        assert!(page.contains("<option value=\"pause\" selected>Se pausa, hasta que usted la reanude<"), "{page}");
        let policy = format!("{path}/unpaid-policy");
        let wrong = browser.send(&policy, &[("unpaid_policy", "forgive")]).await;
        assert!(wrong.status == 400 && wrong.text().contains("id=\"unpaid_policy-wrong\""), "{wrong:?}");
        browser.open(&path).await;
        assert_eq!(leads_to(&browser.send(&policy, &[("unpaid_policy", "end")]).await), path);
        let page = browser.open(&format!("{path}?done=unpaid-policy")).await;
        assert!(page.contains("Elección guardada") && page.contains("Termina, y ya no se debe nada"), "{page}");
        assert_eq!(details(&owner.key, &of).await["unpaidPolicy"], "end");
    }
}
