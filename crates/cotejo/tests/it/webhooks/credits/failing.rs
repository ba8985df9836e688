//! A receiver that fails is reported where another one listens.

use serde_json::json;
use testkit::receiver::Receiver;
use testkit::{TestApp, either_engine};

use super::{charge, events_of, listen, written};
use crate::webhooks::write;

const KIND: &str = "webhooks.destination_failing";

either_engine! {
    async fn a_host_that_fails_is_reported_once_an_hour_at_the_endpoint(app: TestApp) {
        let owner = app.owner().await;
        let (shop, office) = (Receiver::with_status(500), Receiver::with_status(200));
        listen(&owner, &office.url(), &[]).await;
        let first = write(&app, &owner, &shop.url()).await;
        let (delivery, attempts) = first.tried(&app, 1).await;
        let events = events_of(&office, 1).await;
        assert_eq!(events[0]["type"], KIND);
        assert_eq!(events[0]["data"], json!({
            "host": "127.0.0.1", "trouble": attempts[0].trouble.unwrap().as_str(),
            "since": app.now().to_string(), "event_id": delivery.event.id.to_string(),
        }));
        assert!(!events[0].to_string().contains("shop=7"), "nothing of the address");
        write(&app, &owner, &shop.url()).await.tried(&app, 1).await;
        assert_eq!(written(&app, KIND), 1);
    }

    async fn an_endpoint_that_fails_is_not_notified_of_it(app: TestApp) {
        let owner = app.owner_with(2).await;
        let office = Receiver::with_status(503);
        listen(&owner, &office.url(), &[1]).await;
        charge(&owner.key, &owner.bank, 1).await;
        office.received(1).await;
        app.settle().await;
        write(&app, &owner, &office.url()).await.tried(&app, 1).await;
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 2);
    }

    async fn without_an_endpoint_a_notice_is_all(app: TestApp) {
        let owner = app.owner().await;
        let shop = Receiver::with_status(500);
        write(&app, &owner, &shop.url()).await.tried(&app, 1).await;
        assert_eq!(app.database().number("select count(*) from notices"), 1);
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 1);
    }
}
