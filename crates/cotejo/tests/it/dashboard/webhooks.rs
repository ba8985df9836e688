//! The pages of webhooks: what was sent, once more, and all that failed.

use app::queue::Work;
use app::webhooks::Redelivery;
use domain::webhooks::DeliveryState;
use serde_json::Value;
use testkit::employee::PASSWORD;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{TestApp, either_engine};

use crate::webhooks::{secret, write};

/// How many rows a table has.
fn rows(page: &str) -> usize {
    page.matches("<th scope=\"row\"").count()
}

fn path_of(id: impl std::fmt::Display) -> String {
    format!("/app/webhooks/deliveries/{id}")
}

either_engine! {
    async fn a_delivery_is_found_looked_at_sent_again_and_proved(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            1 => Play::Answer(410, b"<b>cerrado</b>".to_vec()),
            _ => Play::Answer(204, Vec::new()),
        });
        let written = write(&app, &owner, &receiver.url()).await;
        written.ended(&app).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = path_of(written.id);
        let list = browser.open("/app/webhooks").await;
        assert!(list.contains(&format!("href=\"{path}\"")) && list.contains("No entregado"), "{list}");
        let page = browser.open(&path).await;
        for said in [&*receiver.url(), "Enlace pagado", "X-Service-Signature", "410", "Pedido 7"] {
            assert!(page.to_lowercase().contains(&said.to_lowercase()), "{said}: {page}");
        }
        assert!(page.contains("&#60;b&#62;cerrado") && !page.contains("<b>cerrado"), "{page}");

        let again = browser.send(&format!("{path}/redeliver"), &[]).await;
        assert_eq!((again.status, again.header("location")), (303, Some(&*format!("{path}?again"))));
        assert_eq!(written.ended(&app).await.0.state, DeliveryState::Delivered);
        let page = browser.open(&path).await;
        assert!(page.contains("Intento 2") && page.contains("Aceptado"), "{page}");

        let proof = browser.get(&format!("{path}/evidence")).await;
        assert_eq!(proof.header("content-type"), Some("application/json"));
        let name = format!("attachment; filename=\"{}.json\"", written.id);
        assert_eq!(proof.header("content-disposition"), Some(&*name));
        let proof: Value = serde_json::from_slice(&proof.body).unwrap();
        assert_eq!((&proof["format"], proof["attempts"].as_array().map(Vec::len)), (&"cotejo-proof-1".into(), Some(2)));
    }

    async fn deliveries_are_filtered_by_what_stands_in_the_list(app: TestApp) {
        let owner = app.owner().await;
        let (well, ill) = (Receiver::with_status(204), Receiver::with_status(410));
        for receiver in [&well, &well, &ill] {
            write(&app, &owner, &receiver.url()).await.ended(&app).await;
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let host = ill.url().split('/').nth(2).unwrap().replace(':', "%3A");
        let link = "link_04100000000000000000000000";
        for (query, count) in [
            (String::new(), 3),
            ("state=&event=&receiver=&from=&to=&payment_link_id=".to_owned(), 3),
            ("state=exhausted".to_owned(), 1),
            ("state=delivered&event=payment_link.paid".to_owned(), 2),
            ("event=test".to_owned(), 0),
            (format!("receiver={host}"), 1),
            ("from=2026-11-20&to=2026-11-20".to_owned(), 3),
            ("to=2026-11-19".to_owned(), 0),
            (format!("payment_link_id={link}"), 0),
        ] {
            let page = browser.open(&format!("/app/webhooks?{query}")).await;
            assert_eq!(rows(&page), count, "{query}");
        }
        let page = browser.open("/app/webhooks?payment_link_id=7&state=exhausted").await;
        assert!(page.contains("payment_link_id-wrong") && page.contains("value=\"exhausted\" selected"));
    }

    async fn what_is_another_owners_is_not_there_and_a_clients_person_asks_by_a_link(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let theirs = write(&app, &stranger, &Receiver::with_status(204).url()).await;
        theirs.ended(&app).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = path_of(theirs.id);
        for path in [path.clone(), format!("{path}/evidence"), path_of("evt_1")] {
            assert_eq!(browser.get(&path).await.status, 404, "{path}");
        }
        assert_eq!(browser.send(&format!("{path}/redeliver"), &[]).await.status, 404);
        assert_eq!(rows(&browser.open("/app/webhooks").await), 0);

        let client = owner.client(true).await;
        let person = owner.client_employee(&client, 1).await;
        let written = write(&app, &owner, &Receiver::with_status(204).url()).await;
        written.ended(&app).await;
        browser.sign_in(&person.email, PASSWORD).await;
        let page = browser.open("/app/webhooks").await;
        assert!(page.contains("Escriba el id de un enlace suyo") && rows(&page) == 0, "{page}");
        assert_eq!(browser.get(&path_of(written.id)).await.status, 404);
        let other = "/app/webhooks?payment_link_id=link_00000000000000000000000001";
        assert_eq!(browser.get(other).await.status, 404);
    }

    async fn what_failed_is_sent_again_and_the_page_follows_it(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| {
            Play::Answer(if number <= 2 { 410 } else { 204 }, Vec::new())
        });
        let mut written = Vec::new();
        for _ in 0..2 {
            let one = write(&app, &owner, &receiver.url()).await;
            one.ended(&app).await;
            written.push(one);
        }
        // The worker of jobs rests, and looks again when time goes on.
        app.clock().advance(Redelivery::POLL);
        app.clock().is_awaited(app.now().plus(Redelivery::POLL)).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let form = browser.open("/app/webhooks/redeliveries").await;
        assert!(form.contains("value=\"2026-11-19T"), "{form}");
        for (since, until) in [("", ""), ("2030-01-01T00:00", ""), ("2026-11-20T00:00", "2026-11-19T00:00"), ("x", "")] {
            let fields = [("since", since), ("until", until)];
            let refused = browser.send("/app/webhooks/redeliveries", &fields).await;
            assert_eq!(refused.status, 400, "{since}");
            assert!(refused.text().contains("since-wrong"));
        }
        browser.open("/app/webhooks/redeliveries").await;
        let fields = [("since", "2026-11-19T08:00"), ("until", "")];
        let begun = browser.send("/app/webhooks/redeliveries", &fields).await;
        assert_eq!(begun.status, 303);
        let path = begun.header("location").unwrap().to_owned();
        let running = browser.get(&path).await;
        assert_eq!((running.status, running.header("refresh")), (200, Some("2")));
        assert!(running.text().contains("se actualiza sola"));
        // Another one leads to that which runs.
        browser.open("/app/webhooks/redeliveries").await;
        let other = browser.send("/app/webhooks/redeliveries", &fields).await;
        assert_eq!((other.status, other.header("location")), (303, Some(&*path)));
        let stranger = app.owner().await;
        let theirs = app.browser();
        theirs.sign_in_as(&stranger).await;
        assert_eq!(theirs.get(&path).await.status, 404);

        let done = async {
            loop {
                let page = browser.get(&path).await;
                if page.header("refresh").is_none() {
                    return page.text();
                }
                tokio::task::yield_now().await;
            }
        };
        let page = app.clock().flow(done).await;
        assert!(page.contains("Terminado") && page.contains("<dd>2 de 2</dd>"), "{page}");
        for one in written {
            let (delivery, _) = app.clock().flow(one.ended(&app)).await;
            assert_eq!(delivery.state, DeliveryState::Delivered);
        }
    }

    async fn the_secret_is_shown_by_its_form_alone_and_changed_by_a_word(app: TestApp) {
        let owner = app.owner().await;
        let first = secret(&owner).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app/webhooks/setup").await;
        assert!(!page.contains(&first), "{page}");
        assert_eq!(browser.get("/app/webhooks/secret").await.status, 405);
        let shown = browser.send("/app/webhooks/secret", &[]).await;
        assert_eq!(shown.status, 200);
        assert!(shown.text().contains(&format!("COTEJO_WEBHOOK_SECRET={first}")));

        let rotate = "/app/webhooks/secret/rotate";
        for (word, hours) in [("", "24"), ("rotar", "24"), ("CAMBIAR", "169"), ("CAMBIAR", "")] {
            let refused = browser.send(rotate, &[("word", word), ("overlap_hours", hours)]).await;
            assert_eq!(refused.status, 400, "{word} {hours}");
        }
        assert_eq!(secret(&owner).await, first);
        let rotated = browser.send(rotate, &[("word", "Cambiar"), ("overlap_hours", "72")]).await;
        assert_eq!(rotated.status, 200);
        let second = secret(&owner).await;
        assert_ne!(first, second);
        let page = rotated.text();
        assert!(page.contains(&second) && !page.contains(&first), "{page}");
        assert!(page.contains("sirve todavía hasta 2026-11-23"), "{page}");
    }
}
