//! What was typed is not lost where a form is not taken for no fault of what stands in it.

use std::time::Duration;

use testkit::{Browser, TestApp, either_engine};

const NEW_KEY: &str = "/app/keys/new";

/// The value of a hidden field of the page.
fn hidden(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// Sends a form until it comes too often.
async fn too_often(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> testkit::Response {
    for _ in 0..100 {
        let answer = browser.send(path, fields).await;
        if answer.status == 429 {
            return answer;
        }
        assert!(answer.status < 500, "{answer:?}");
    }
    panic!("{path} can be sent as often as one likes");
}

either_engine! {
    async fn a_form_of_a_page_of_an_older_session_is_given_back_and_sent_again(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(NEW_KEY).await;
        let old = browser.form_token();
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        let fields = [("form_token", &*old), ("name", "caja \"2\""), ("once", "00")];
        let answer = browser.send(NEW_KEY, &fields).await;
        assert_eq!(answer.status, 403);
        let page = answer.text();
        assert!(page.contains("otra sesión") && page.contains(&format!("action=\"{NEW_KEY}\"")), "{page}");
        assert_eq!(hidden(&page, "name").as_deref(), Some("caja &#34;2&#34;"));
        assert!(page.contains("<li><span class=\"label\">Nombre</span> <bdi>caja &#34;2&#34;</bdi></li>") && !page.contains(&old), "{page}");
        assert_eq!(owner.get("/me/api-keys").await.ok()["api_keys"].as_array().unwrap().len(), 1);
        let again = browser.send(NEW_KEY, &[("name", "caja \"2\"")]).await;
        assert_eq!(again.status, 200);
        // A form in which nothing is typed would not show what it does: it is not given back.
        let switch = format!("/app/keys/{}/active", owner.key.id);
        let answer = browser.send(&switch, &[("form_token", &*old), ("active", "")]).await;
        assert!(answer.status == 403 && !answer.text().contains("<form"), "{}", answer.text());
        // While nobody can look whose session it is, the page that gives the form back has what it is sent again with.
        app.database().execute_unchecked("alter table sessions rename to sessions_out_of_reach");
        app.clock().advance(Duration::from_secs(2));
        let down = browser.send(NEW_KEY, &[("name", "caja 3")]).await;
        app.database().execute_unchecked("alter table sessions_out_of_reach rename to sessions");
        let page = down.text();
        assert!(down.status >= 500 && hidden(&page, "name").as_deref() == Some("caja 3"), "{page}");
        let token = hidden(&page, "form_token").unwrap();
        assert_eq!(token, browser.form_token());
        let again = browser.send(NEW_KEY, &[("form_token", &*token), ("name", "caja 3")]).await;
        assert_eq!(again.status, 200);
        // A form without any token is of no page of ours.
        let none = browser.send_only(NEW_KEY, &[("name", "x")], &[("sec-fetch-site", "same-origin")]).await;
        assert!(none.status == 403 && !none.text().contains("<form"), "{}", none.text());
    }
}

either_engine! {
    async fn a_press_is_given_back_to_whom_its_page_was_made_for_and_to_nobody_else(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["payments:write"]).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app").await;
        let (old, once) = (browser.form_token(), hidden(&page, "once").expect("a first payment"));
        let press = [("form_token", &*old), ("once", &*once)];
        // The same screen, an hour later.
        let person = app.browser();
        person.sign_in(&luis.email, testkit::employee::PASSWORD).await;
        let answer = person.send_only("/app/first-payment", &press, &[("sec-fetch-site", "same-origin")]).await;
        assert!(answer.status == 403 && !answer.text().contains("<form"), "{}", answer.text());
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        let answer = browser.send_only("/app/first-payment", &press, &[("sec-fetch-site", "same-origin")]).await;
        assert!(answer.status == 403 && answer.text().contains("no se hace dos veces"), "{}", answer.text());
    }

    async fn a_password_that_is_changed_too_often_is_given_back_without_the_passwords(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/me").await;
        let wrong = [("username", &*owner.email), ("current_password", "wrong wrong wrong"), ("new_password", "another password")];
        let answer = too_often(&browser, "/app/me/password", &wrong).await;
        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        let page = answer.text();
        for field in ["current_password", "new_password"] {
            assert!(page.contains(&format!("id=\"{field}\" name=\"{field}\" type=\"password\"")), "{field}: {page}");
        }
        assert!(!page.contains("wrong wrong") && !page.contains("another password"), "{page}");
        assert!(page.contains("no se perdió") && page.contains("action=\"/app/me/password\""), "{page}");
        app.clock().advance(Duration::from_secs(wait));
        let right = [("current_password", &*owner.password), ("new_password", "another password")];
        assert_eq!(browser.send("/app/me/password", &right).await.status, 303);
    }

    async fn a_bank_that_is_tried_too_often_leaves_what_was_typed(setup: testkit::Setup) {
        let (_bank, app) = crate::bdv::start(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let new = "/app/accounts/new";
        browser.open(&format!("{new}?bank=VE_BAN_EMP_V2")).await;
        let fields = [
            ("provider", "VE_BAN_EMP_V2"),
            ("description", "Tienda del centro"),
            ("username", testkit::bank::ACCOUNT),
            ("user_bank_phone", "0412-0000001"),
            ("user_bank_dni", "J-123456789"),
            ("holder_name", "Tienda Ejemplo"),
            ("password", "another key"),
        ];
        let page = too_often(&browser, new, &fields).await.text();
        assert_eq!(hidden(&page, "description").as_deref(), Some("Tienda del centro"));
        let shown = |label: &str, typed: &str| format!("<span class=\"label\">{label}</span> <bdi>{typed}</bdi>");
        assert!(page.contains(&shown("Con qué la conoce el banco", testkit::bank::ACCOUNT)), "{page}");
        // What was chosen is carried along, and is nothing to read.
        assert!(hidden(&page, "provider").is_some() && !page.contains("<bdi>VE_BAN_EMP_V2</bdi>"), "{page}");
        assert!(page.contains("name=\"password\" type=\"password\"") && !page.contains("another key"), "{page}");
    }

    async fn what_is_given_back_stands_beside_what_its_page_calls_it(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for (form, page, typed) in [
            ("/app/payments/verify", "/app/payments/verify", &["bank_reference", "amount", "fecha_pago", "dni_pagador"][..]),
            ("/app/links/new", "/app/links/new", &["amount", "description", "webhook_url"]),
            ("/app/subscriptions/new", "/app/subscriptions/new", &["customer_name", "customer_reference", "amount", "anchor_day"]),
            ("/app/profile", "/app/profile", &["public_name", "document", "support_url", "brand_colour"]),
            ("/app/rates", "/app/rates", &["rate", "value_date", "source"]),
            ("/app/accounts/new", "/app/accounts/new?bank=BANK_TEST", &["description"]),
            ("/app/notices/settings", "/app/notices/settings", &["low_balance_below"]),
            ("/app/webhooks/endpoint", "/app/webhooks/setup", &["url", "low_balance_levels"]),
            ("/app/webhooks/check", "/app/webhooks/test", &["url"]),
            (&*format!("/app/keys/{}/limit", owner.key.id), &*format!("/app/keys/{}", owner.key.id), &["limit"]),
        ] {
            let shown = browser.open(page).await;
            let fields: Vec<(&str, &str)> = typed.iter().map(|name| (*name, "7")).chain([("form_token", "old"), ("password", "a secret"), ("secret", "a secret")]).collect();
            let answer = browser.send(form, &fields).await;
            let given_back = answer.text();
            assert!(answer.status == 403 && !given_back.contains("a secret"), "{form}: {given_back}");
            for name in typed {
                let (_, label) = shown.split_once(&format!("<label for=\"{name}\">")).expect(name);
                let label = label.split('<').next().unwrap();
                let expected = format!("<span class=\"label\">{label}</span> <bdi>7</bdi>");
                assert!(given_back.contains(&expected), "{form}, {name}: {given_back}");
            }
        }
    }

    async fn a_form_whose_answer_was_lost_is_not_done_twice_by_another_session(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let new = "/app/links/new";
        let page = browser.open(new).await;
        let (token, once) = (browser.form_token(), hidden(&page, "once").unwrap());
        let typed = [("user_bank_id", &*owner.bank), ("amount", "10,00"), ("currency", "VEF"), ("expiration_time", "1440"), ("description", "Pedido 7")];
        let fields: Vec<(&str, &str)> = [("form_token", &*token), ("once", &*once)].into_iter().chain(typed).collect();
        let made = browser.send(new, &fields).await.header("location").unwrap().to_owned();
        // Its answer never came, the session ended, and the person signs in again.
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        let answer = browser.send(new, &fields).await;
        let given_back = answer.text();
        assert!(answer.status == 403 && !given_back.contains("No se hizo"), "{given_back}");
        assert!(given_back.contains("no se hace dos veces"), "{given_back}");
        // The page that gives it back has the same fields in another order, and another token.
        let (token, same) = (hidden(&given_back, "form_token").unwrap(), hidden(&given_back, "once").unwrap());
        assert!(token != fields[0].1 && same == once);
        let fields: Vec<(&str, &str)> = typed.into_iter().rev().chain([("again", "yes"), ("once", &*once), ("form_token", &*token), ("step_up_code", "123456")]).collect();
        let again = browser.send(new, &fields).await;
        assert_eq!((again.status, again.header("location")), (303, Some(&*made)), "{}", again.text());
        assert_eq!(app.database().number("select count(*) from payment_links"), 1);
    }

    async fn a_key_whose_answer_was_lost_is_one_press_away_with_what_to_do(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let once = hidden(&browser.open(NEW_KEY).await, "once").unwrap();
        let fields = [("once", &*once), ("name", "caja"), ("permissions", "payment_links")];
        assert_eq!(browser.send(NEW_KEY, &fields).await.status, 200);
        let again = browser.send(NEW_KEY, &fields).await;
        let page = again.text();
        let keys = owner.get("/me/api-keys").await.ok();
        let listed = keys["api_keys"].as_array().unwrap();
        let made = listed.iter().find(|key| key["name"] == "caja").unwrap()["id"].as_str().unwrap().to_owned();
        assert_eq!((again.status, listed.len()), (409, 2));
        assert!(page.contains(&format!("<a href=\"/app/keys/{made}\">Abrir la llave que se creó</a>")) && page.contains("rótela"), "{page}");
        assert!(!page.contains("COTEJO_API_KEY"), "{page}");
    }

    async fn a_sign_in_that_comes_too_often_keeps_the_address(app: TestApp) {
        let browser = app.browser();
        let typed = [("email", "ana@example.com"), ("password", "wrong wrong wrong"), ("next", NEW_KEY), ("again:name", "caja")];
        let mut answer = browser.send("/app/sign-in", &typed).await;
        for _ in 0..100 {
            if answer.status == 429 {
                break;
            }
            answer = browser.send("/app/sign-in", &typed).await;
        }
        assert_eq!(answer.status, 429);
        assert!(answer.header("retry-after").is_some());
        let page = answer.text();
        assert!(page.contains("value=\"ana@example.com\"") && page.contains("name=\"again:name\" value=\"caja\""), "{page}");
    }

    async fn a_mistyped_address_is_answered_by_a_page(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for path in ["/app/", "/app/nothing", "/app/keys/nothing/of/this"] {
            let answer = browser.get(path).await;
            assert_eq!(answer.status, 404, "{path}");
            assert!(answer.text().contains("Esta página no existe"), "{path}: {}", answer.text());
        }
    }

    async fn a_form_that_is_sent_again_with_something_else_says_so(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let once = hidden(&browser.open("/app/links/new").await, "once").unwrap();
        let send = async |description: &str| {
            let fields = [("once", &*once), ("user_bank_id", &*owner.bank), ("amount", "10,00"), ("currency", "VEF"), ("expiration_time", "1440"), ("description", description)];
            browser.send("/app/links/new", &fields).await
        };
        let first = send("Pedido 7").await;
        assert_eq!(first.status, 303, "{}", first.text());
        let second = send("Pedido 8").await;
        assert!(second.status == 422 && second.text().contains("ya se envió con otros datos"), "{}", second.text());
        let (made, _) = first.header("location").unwrap().split_once('?').unwrap();
        let way = format!("<a href=\"{made}\">Ver el enlace que se creó</a>");
        assert!(second.text().contains(&way), "{}", second.text());
    }
}
