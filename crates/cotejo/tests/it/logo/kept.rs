//! Whose a logo is: set, replaced, taken away, and shown.

use domain::ids::OwnerId;
use domain::rights::Right;
use serde_json::{Value, json};
use store::sessions;
use store::tx::Tx;
use testkit::picture::{BLUE, NOTHING, RED, jpeg, png};
use testkit::{TestApp, both_engines, either_engine};

use super::{PATH, path_of, put};
use crate::changed::after;

const PROFILE: &str = "/v1/profile";

/// The newest line of the audit trail about a logo, and how many there are.
async fn audited(owner: &testkit::Owner) -> (Value, usize) {
    let listed = owner.get("/v1/audit?limit=100").await.ok();
    let entries = listed["entries"].as_array().unwrap().iter();
    let about =
        entries.filter(|entry| entry["action"].as_str().is_some_and(|it| it.ends_with("Logo")));
    let all: Vec<_> = about.cloned().collect();
    (all.first().cloned().unwrap_or_default(), all.len())
}

/// The name of a logo in its address.
fn hash(path: &str) -> &str {
    path.rsplit('/').next().unwrap().split('.').next().unwrap()
}

either_engine! {
    async fn a_logo_is_set_replaced_and_taken_away(app: TestApp) {
        let owner = app.owner().await;
        assert!(owner.get(PROFILE).await.ok()["logo_url"].is_null());
        let first = png(64, 64, |x, _| if x < 32 { RED } else { NOTHING });
        let kept = put(&owner, first.clone()).await.ok();
        let path = path_of(&kept);
        assert!(path.ends_with(".png"), "{path}");
        assert_eq!(owner.get(PROFILE).await.ok()["logo_url"], kept["logo_url"]);
        assert_eq!(owner.key.get(PROFILE).await.ok()["logo_url"], kept["logo_url"]);
        let (line, count) = audited(&owner).await;
        assert_eq!((&line["action"], count), (&json!("SetLogo"), 1));
        let facts = [json!({ "logo": null }), json!({ "logo": hash(&path) })];
        assert_eq!([&line["before"], &line["after"]], facts.each_ref());
        assert!(line["actor"].as_str().unwrap().starts_with("ses_"), "{line}");

        // The same again changes nothing, and leaves no line.
        assert_eq!(put(&owner, first.clone()).await.ok()["logo_url"], kept["logo_url"]);
        assert_eq!(audited(&owner).await.1, 1);
        // What else payers are shown changes no logo.
        let named = owner.put(PROFILE, json!({ "public_name": "Tienda" })).await.ok();
        assert_eq!(named["logo_url"], kept["logo_url"]);

        app.clock().advance(std::time::Duration::from_secs(1));
        let replaced = path_of(&put(&owner, jpeg(64, 64, |_, _| BLUE)).await.ok());
        assert!(replaced.ends_with(".jpg") && hash(&replaced) != hash(&path), "{replaced}");
        assert_eq!(app.nobody().get(&path).await.status, 404, "it is nobody's any more");
        assert_eq!(app.nobody().get(&replaced).await.status, 200);
        let (line, _) = audited(&owner).await;
        let facts = [json!({ "logo": hash(&path) }), json!({ "logo": hash(&replaced) })];
        assert_eq!([&line["before"], &line["after"]], facts.each_ref());

        app.clock().advance(std::time::Duration::from_secs(1));
        for _ in 0..2 {
            let gone = owner.delete(PATH).await.ok();
            assert!(gone["logo_url"].is_null() && gone["public_name"] == "Tienda", "{gone}");
            let (line, count) = audited(&owner).await;
            assert_eq!((&line["action"], count), (&json!("RemoveLogo"), 3));
            let facts = [json!({ "logo": hash(&replaced) }), json!({ "logo": null })];
            assert_eq!([&line["before"], &line["after"]], facts.each_ref());
        }
        assert_eq!(app.nobody().get(&replaced).await.status, 404);
        assert_eq!(app.database().number("select count(*) from logos"), 0);
        // What was somebody's once can be so again, at the same address.
        assert_eq!(path_of(&put(&owner, first).await.ok()), path);
        assert_eq!(app.nobody().get(&path).await.status, 200);
    }

    async fn two_owners_with_the_same_logo_have_each_its_own(app: TestApp) {
        let (one, other) = (app.owner().await, app.owner().await);
        let file = png(40, 40, |_, _| BLUE);
        let paths = [put(&one, file.clone()).await, put(&other, file).await];
        let [of_one, of_other] = paths.map(|kept| path_of(&kept.ok()));
        assert_ne!(of_one, of_other, "a picture does not tell whose logo it is");
        let served = [app.nobody().get(&of_one).await, app.nobody().get(&of_other).await];
        assert_eq!(served[0].body, served[1].body);
        one.delete(PATH).await.ok();
        assert_eq!(app.nobody().get(&of_one).await.status, 404);
        let still = app.nobody().get(&of_other).await;
        assert_eq!((still.status, &still.body), (200, &served[1].body));
    }

    async fn only_the_owners_session_says_which_it_is(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let rights: Vec<String> = Right::all().map(|right| right.to_string()).collect();
        let rights: Vec<&str> = rights.iter().map(String::as_str).collect();
        let employee = owner.employee(1, &rights).await;
        let person = owner.client_employee(&client, 2).await;
        let client_key = owner.client_key(&client).await;
        let path = path_of(&put(&owner, png(20, 20, |_, _| RED)).await.ok());
        let file = png(20, 20, |_, _| BLUE);
        for caller in [&*owner.key, &*employee, &*person, &*client_key] {
            put(caller, file.clone()).await.refused(403, "OWNER_SESSION_REQUIRED");
            caller.delete(PATH).await.refused(403, "OWNER_SESSION_REQUIRED");
        }
        put(&app.nobody(), file.clone()).await.refused(401, "UNAUTHORIZED");
        app.nobody().delete(PATH).await.refused(401, "UNAUTHORIZED");
        assert_eq!(path_of(&owner.get(PROFILE).await.ok()), path);
        assert_eq!(app.nobody().get(&path).await.status, 200);
    }
}

both_engines! {
    async fn a_session_that_ends_meanwhile_sets_and_takes_nothing(app: TestApp) {
        let mut owner = app.owner().await;
        let path = path_of(&put(&owner, png(20, 20, |_, _| RED)).await.ok());
        for (method, body) in [("PUT", png(20, 20, |_, _| BLUE)), ("DELETE", Vec::new())] {
            let now = app.now();
            let end = move |tx: &mut Tx<'_>, owner: OwnerId| sessions::end_all(tx, owner, now);
            let call = owner.request(method, PATH).body(body).send();
            let answer = after(&app, owner.id.parse().unwrap(), end, call).await;
            answer.refused(401, "UNAUTHORIZED");
            owner.sign_in_again().await;
        }
        assert_eq!(path_of(&owner.get(PROFILE).await.ok()), path);
        assert_eq!(audited(&owner).await.1, 1);
    }
}
