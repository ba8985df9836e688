//! `GET /me/webhook-secret`

use futures_util::future::join_all;
use serde_json::json;
use testkit::{Principal, TestApp, both_engines, either_engine};

const PATH: &str = "/me/webhook-secret";

async fn secret(caller: &Principal) -> String {
    let answer = caller.get(PATH).await.ok();
    let fields: Vec<_> = answer.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["message", "standard_webhooks_secret", "webhook_secret"]);
    answer["webhook_secret"].as_str().unwrap().to_owned()
}

either_engine! {
    async fn a_client_gets_no_secret(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        owner.client_key(&client).await.get(PATH).await.refused(403, "FORBIDDEN");
        let body = json!({ "name": "sucursal", "client_owner_id": client, "user_banks": [] });
        owner.issue(body).await.get(PATH).await.refused(403, "FORBIDDEN");
        owner.key_with(&["payment_links"]).await.get(PATH).await.refused(403, "FORBIDDEN");
    }

    async fn what_is_kept_of_it_does_not_open_where_it_does_not_belong(mut app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let mine = secret(&owner).await;
        secret(&other).await;
        let in_the_clear = app.database().number(&format!(
            "select count(*) from webhook_secrets where length(secret) < 80 or secret = '{mine}'"
        ));
        assert_eq!(in_the_clear, 0);
        app.database().execute(
            "update webhook_secrets set secret = \
             (select secret from webhook_secrets order by owner_id asc limit 1)",
        );
        let ends = [owner.get(PATH).await.status, other.get(PATH).await.status];
        assert!(ends == [200, 500] || ends == [500, 200], "{ends:?}");
        app.expect_disorder();
    }
}

both_engines! {
    async fn an_owner_has_one_secret_however_often_it_asks(mut app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let key = owner.key_with(&["integrations"]).await;
        let callers = [&*owner, &*owner.key, &owner.key.by_app_key(), &*key];
        // All at once, and nobody before them.
        let secrets = join_all(callers.map(secret)).await;
        let first = &secrets[0];
        assert!(secrets.iter().all(|one| one == first), "{} different ones", secrets.len());
        assert!(first.len() == 64 && first.bytes().all(|byte| b"0123456789abcdef".contains(&byte)));
        assert_ne!(secret(&other).await, *first);
        app.restart().await;
        assert_eq!(secret(&owner).await, *first);
    }
}
