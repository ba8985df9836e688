//! What a receiver gets.

use domain::webhooks::{DeliveryState, Trouble, Zone};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use testkit::receiver::{Receiver, is_signed};
use testkit::scripted::Play;
use testkit::{Setup, TestApp, either_engine};

use super::{secret, write};

either_engine! {
    async fn an_event_is_received_signed_and_kept(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        // The secret is made by what needs it first: here, the delivery.
        let written = write(&app, &owner, &receiver.url()).await;
        let received = &receiver.received(1).await[0];
        assert_eq!(received.line, "POST /hook?shop=7");
        assert_eq!(received.header("content-type"), Some("application/json"));
        assert_eq!(received.header("x-service-event-id"), Some(&*written.id.to_string()));
        let seconds = app.now().as_seconds().to_string();
        assert_eq!(received.header("x-service-timestamp"), Some(&*seconds));
        let signatures =
            received.headers.iter().filter(|(name, _)| name == "x-service-signature").count();
        assert_eq!(signatures, 1);
        let secret = secret(&owner).await;
        assert!(is_signed(received, &secret, "Service"));
        assert!(!is_signed(received, "another", "Service"));

        let body: Value = serde_json::from_str(&received.body).unwrap();
        assert_eq!(body["id"], written.id.to_string());
        assert_eq!(body["status"], "paid");
        assert_eq!(body["credit_balance"], 999);
        assert_eq!(body["livemode"], false);
        assert_eq!(body["metadata"], json!([{ "key": "orden", "value": "7" }]));
        assert_eq!(body["payment_link"]["amount"], 150.5);
        assert_eq!(body["payment_link"]["description"], "Café de la peña");
        assert_eq!(body["payment_link"]["webhook_url"], receiver.url());
        assert_eq!(body["user_bank_payment"]["bank_reference_id"], "0012345678");

        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!(delivery.state, DeliveryState::Delivered);
        assert_eq!(delivery.event.body, received.body.as_bytes());
        assert_eq!((attempts.len(), attempts[0].status), (1, Some(200)));
        assert_eq!(attempts[0].answer, b"made-up answer");
        assert_eq!(app.database().number("select count(*) from due where kind = 2"), 0);
    }

    /// A receiver that uses a library of Standard Webhooks needs nothing of ours: this one is theirs.
    async fn a_public_library_verifies_what_is_received(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let written = write(&app, &owner, &receiver.url()).await;
        let received = &receiver.received(1).await[0];
        let header = |name: &str| received.header(name).unwrap();
        let answer = owner.get("/me/webhook-secret").await.ok();
        let library = Webhook::new(answer["standard_webhooks_secret"].as_str().unwrap()).unwrap();
        assert_eq!(header("webhook-id"), written.id.to_string());
        assert_eq!(header("webhook-timestamp"), header("x-service-timestamp"));
        let seconds = header("webhook-timestamp").parse().unwrap();
        let expected = library.sign(header("webhook-id"), seconds, received.body.as_bytes()).unwrap();
        assert_eq!(header("webhook-signature"), expected);
        written.ended(&app).await;
    }

    async fn whatever_is_a_success_is_one(app: TestApp) {
        let owner = app.owner().await;
        for status in [200, 201, 202, 204, 299] {
            let receiver = Receiver::answering(move |_| Play::Answer(status, Vec::new()));
            let (delivery, attempts) =
                write(&app, &owner, &receiver.url()).await.ended(&app).await;
            assert_eq!(delivery.state, DeliveryState::Delivered, "{status}");
            assert_eq!(attempts[0].status, Some(status));
        }
    }

    async fn the_word_in_the_headers_is_the_installations(setup: Setup) {
        let app = setup.header_word("Mi-Tienda").start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let written = write(&app, &owner, &receiver.url()).await;
        let received = &receiver.received(1).await[0];
        assert!(is_signed(received, &secret(&owner).await, "Mi-Tienda"));
        assert!(received.header("x-mi-tienda-event-id").is_some());
        assert!(received.headers.iter().all(|(name, _)| !name.contains("service")));
        written.ended(&app).await;
    }

    /// However the address came to be kept, it is checked again when it is called.
    async fn nothing_inside_is_called(setup: Setup) {
        let app = setup.without_private_webhooks().start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let port = receiver.url().rsplit(':').next().unwrap().to_owned();
        let forbidden = |zone| Some(Trouble::Forbidden(zone));
        for (host, trouble) in [
            ("127.0.0.1", forbidden(Zone::Loopback)),
            ("localhost", forbidden(Zone::Loopback)),
            ("[::ffff:7f00:1]", forbidden(Zone::Loopback)),
            ("169.254.169.254", forbidden(Zone::LinkLocal)),
            ("2130706433", Some(Trouble::InvalidUrl)),
        ] {
            let written = write(&app, &owner, &format!("http://{host}:{port}")).await;
            let (delivery, attempts) = written.tried(&app, 1).await;
            assert_eq!(delivery.state, DeliveryState::Pending, "{host}");
            assert_eq!((delivery.trouble, attempts[0].trouble), (trouble, trouble), "{host}");
            assert_eq!(attempts[0].status, None);
        }
        assert_eq!(receiver.connections(), 0);
    }
}
