//! What a key is bound and limited to, what it may do and when it ends.

use serde_json::{Value, json};
use testkit::{Browser, Owner, TestApp, either_engine};

/// A browser in which the owner has signed in.
async fn signed_in(app: &TestApp, owner: &Owner) -> Browser {
    let browser = app.browser();
    browser.sign_in_as(owner).await;
    browser
}

/// The record of a key, as the API shows it.
async fn record(owner: &Owner, id: &str) -> Value {
    owner.get(&format!("/api-keys/{id}")).await.ok()["api_key"].clone()
}

either_engine! {
    async fn a_key_is_bound_to_a_client_and_its_accounts_and_comes_free_again(app: TestApp) {
        let owner = app.owner().await;
        let (client, key) = (owner.client(true).await, owner.key_with(&["payment_links"]).await);
        let browser = signed_in(&app, &owner).await;
        let (page, path) = (format!("/app/keys/{}", key.id), format!("/app/keys/{}/scope", key.id));
        let form = browser.open(&path).await;
        assert!(form.contains("pierde al instante los permisos"), "{form}");
        assert!(form.contains(&format!("<option value=\"{client}\">Sucursal")), "{form}");
        assert!(form.contains("value=\"all\" checked"));

        // Boxes that nobody ticked are not everything.
        let send = async |client: &str, accounts: &str, bank: &str| {
            let fields = [("client_owner_id", client), ("accounts", accounts), ("user_banks", bank)];
            browser.send(&path, &fields).await
        };
        for (client, accounts, bank) in
            [("", "selected", ""), ("", "", ""), (&*client, "selected", &*owner.bank)]
        {
            let refused = send(client, accounts, bank).await;
            assert_eq!(refused.status, 400, "{accounts}");
            assert!(refused.text().contains("id=\"accounts-wrong\""), "{}", refused.text());
        }
        assert_eq!(record(&owner, &key.id).await["client_owner_id"], json!(null));

        let moved = format!("/v1/usersbank/{}/client", owner.bank);
        owner.put(&moved, json!({ "client_owner_id": client })).await.ok();
        let bound = send(&client, "selected", &owner.bank).await;
        assert_eq!((bound.status, bound.header("location")), (303, Some(&*format!("{page}?saved"))));
        let kept = record(&owner, &key.id).await;
        assert_eq!((&kept["client_owner_id"], &kept["user_banks"]), (&json!(client), &json!([owner.bank])));
        assert_eq!(kept["permissions"], json!([]));
        for (path, said) in [("/app/keys", "<bdi>Sucursal</bdi> · "), (&*page, "<dd><bdi>Sucursal</bdi></dd>")] {
            let shown = browser.open(path).await;
            assert!(shown.contains(said), "{path}: {shown}");
        }
        let form = browser.open(&path).await;
        assert!(form.contains(&format!("<option value=\"{client}\" selected>")), "{form}");
        assert!(form.contains(&format!("value=\"{}\" checked", owner.bank)), "{form}");

        assert_eq!(send("", "all", "").await.status, 303);
        let kept = record(&owner, &key.id).await;
        assert_eq!((&kept["client_owner_id"], &kept["user_banks"]), (&json!(null), &json!([])));
        let shown = browser.open(&page).await;
        assert!(shown.contains("no puede hacer nada") && shown.contains(&format!("{page}/edit")));
    }

    async fn a_key_is_made_for_a_client_or_for_some_accounts(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(false).await, owner.key.link_bank().await);
        let browser = signed_in(&app, &owner).await;
        let page = browser.open("/app/keys/new").await;
        assert!(page.contains(&*client) && page.contains(&*other), "{page}");
        let made = async |name: &str, fields: &[(&str, &str)]| {
            browser.open("/app/keys/new").await;
            let fields = [&[("name", name), ("permissions", "payment_links")], fields].concat();
            browser.send("/app/keys/new", &fields).await
        };
        let none = made("nada", &[("accounts", "selected")]).await;
        assert_eq!(none.status, 400);
        assert!(none.text().contains("value=\"nada\"") && none.text().contains("accounts-wrong"));
        let bound = [("accounts", "all"), ("client_owner_id", &*client)];
        assert_eq!(made("suya", &bound).await.status, 200);
        let some = [("accounts", "selected"), ("user_banks", &*other)];
        assert_eq!(made("una", &some).await.status, 200);
        let keys = owner.get("/me/api-keys").await.ok();
        let of = |name: &str| {
            let keys = keys["api_keys"].as_array().unwrap();
            keys.iter().find(|key| key["name"] == name).unwrap().clone()
        };
        assert_eq!((&of("suya")["client_owner_id"], &of("suya")["permissions"]), (&json!(client), &json!([])));
        assert_eq!((&of("una")["user_banks"], &of("una")["permissions"]), (&json!([other]), &json!(["payment_links"])));
        assert_eq!(keys["api_keys"].as_array().unwrap().len(), 3);
    }

    async fn a_keys_name_permissions_and_end_are_changed(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let browser = signed_in(&app, &owner).await;
        let path = format!("/app/keys/{}/edit", key.id);
        let form = browser.open(&path).await;
        assert!(form.contains("value=\"payment_links\" checked"), "{form}");
        assert!(!form.contains("value=\"movements\" checked"));
        let fields = [
            ("name", "Caja 2"),
            ("permissions", "movements"),
            ("permissions", "payment_verifications"),
            ("expires_at", "2026-12-31"),
        ];
        assert_eq!(browser.send(&path, &fields).await.status, 303);
        let kept = record(&owner, &key.id).await;
        assert_eq!(kept["name"], "Caja 2");
        assert_eq!(kept["permissions"], json!(["payment_verifications", "movements"]));
        assert_eq!(kept["expires_at"], "2027-01-01T04:00:00.000Z");
        let shown = browser.open(&format!("/app/keys/{}", key.id)).await;
        assert!(shown.contains("Caja 2") && shown.contains("Preguntar al banco por un pago"), "{shown}");

        // An end that is no day's stays as it is where the day does.
        let end = json!({ "expires_at": "2026-12-31T15:00:00Z" });
        owner.patch(&format!("/v1/api-keys/{}", key.id), end).await.ok();
        let form = browser.open(&path).await;
        assert!(form.contains("value=\"2026-12-31\""), "{form}");
        let fields = [("name", "Caja 3"), ("expires_at", "2026-12-31"), ("permissions", "")];
        assert_eq!(browser.send(&path, &fields).await.status, 303);
        let kept = record(&owner, &key.id).await;
        assert_eq!((&kept["expires_at"], &kept["permissions"]), (&json!("2026-12-31T15:00:00.000Z"), &json!([])));
        browser.open(&path).await;
        assert_eq!(browser.send(&path, &[("name", "Caja 3"), ("expires_at", "")]).await.status, 303);
        assert_eq!(record(&owner, &key.id).await["expires_at"], json!(null));

        let past = browser.send(&path, &[("name", "Caja 4"), ("expires_at", "2026-01-01")]).await;
        assert_eq!(past.status, 400);
        assert!(past.text().contains("id=\"expires_at-wrong\""), "{}", past.text());
        assert_eq!(browser.send(&path, &[("name", "")]).await.status, 400);
        assert_eq!(record(&owner, &key.id).await["name"], "Caja 3");
    }

    async fn the_default_key_is_renamed_and_rotated_and_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        let page = format!("/app/keys/{}", owner.key.id);
        assert!(!browser.open(&page).await.contains(&format!("{page}/scope")));
        assert!(browser.open(&format!("{page}/scope")).await.contains("alcanza todo siempre"));
        let scope = browser.send(&format!("{page}/scope"), &[("accounts", "all")]).await;
        assert_eq!(scope.status, 403);
        let edit = format!("{page}/edit");
        assert!(!browser.open(&edit).await.contains("type=\"checkbox\""));
        let fields = [("name", "Principal"), ("permissions", "movements"), ("expires_at", "")];
        assert_eq!(browser.send(&edit, &fields).await.status, 409);
        browser.open(&edit).await;
        assert_eq!(browser.send(&edit, &[("name", "Principal"), ("expires_at", "")]).await.status, 303);
        let kept = record(&owner, &owner.key.id).await;
        assert_eq!((&kept["name"], kept["permissions"].as_array().map(Vec::len)), (&json!("Principal"), Some(9)));

        assert!(browser.open(&page).await.contains("action=\"/app/keys/default/rotate\""));
        let rotate = "/app/keys/default/rotate";
        assert_eq!(browser.send(rotate, &[("rotate_name", "principal")]).await.status, 400);
        owner.key.get("/me").await.ok();
        let rotated = browser.send(rotate, &[("rotate_name", "Principal")]).await;
        assert_eq!(rotated.status, 200);
        assert!(rotated.text().contains("COTEJO_API_KEY=ck_live_"));
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn another_owners_keys_clients_and_accounts_are_not_there(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (own, theirs) = (owner.client(true).await, stranger.client(true).await);
        let key = owner.key_with(&[]).await;
        let browser = signed_in(&app, &owner).await;
        for page in ["edit", "scope", "activity"] {
            let path = format!("/app/keys/{}/{page}", stranger.key.id);
            assert_eq!(browser.get(&path).await.status, 404, "{path}");
        }
        let path = format!("/app/keys/{}/scope", stranger.key.id);
        assert_eq!(browser.send(&path, &[("accounts", "all")]).await.status, 404);
        let path = format!("/app/keys/{}/edit", stranger.key.id);
        assert_eq!(browser.send(&path, &[("name", "mía")]).await.status, 404);
        let path = format!("/app/keys/{}/scope", key.id);
        let form = browser.open(&path).await;
        assert!(form.contains(&*own) && !form.contains(&*theirs) && !form.contains(&*stranger.bank));
        let client = browser.send(&path, &[("accounts", "all"), ("client_owner_id", &*theirs)]).await;
        assert_eq!(client.status, 400);
        assert!(client.text().contains("client_owner_id-wrong"));
        let account = [("accounts", "selected"), ("user_banks", &*stranger.bank)];
        assert_eq!(browser.send(&path, &account).await.status, 400);
    }

    async fn clients_of_one_name_are_marked_wherever_one_is_chosen(app: TestApp) {
        let owner = app.owner().await;
        let plain = owner.client(true).await;
        let document = json!({ "document": "J401234567" });
        owner.patch(&format!("/v1/clients/{plain}"), document).await.ok();
        let body = json!({ "name": "SUCURSAL", "document": "V12345678" });
        let known = owner.post("/v1/clients", body).await.ok()["client"]["id"].clone();
        let known = known.as_str().unwrap();
        let browser = signed_in(&app, &owner).await;
        let scope = format!("/app/keys/{}/scope", owner.key_with(&["payment_links"]).await.id);
        for path in [&*scope, "/app/payments"] {
            let page = browser.open(path).await;
            assert!(page.contains(&format!("<option value=\"{plain}\">Sucursal · J401234567<")), "{path}: {page}");
            assert!(page.contains(&format!("<option value=\"{known}\">SUCURSAL · V12345678<")), "{path}: {page}");
        }
    }
}
