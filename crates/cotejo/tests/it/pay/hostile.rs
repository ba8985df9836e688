//! Requests that no page of ours sends.

use serde_json::json;
use testkit::{Principal, Response, TestApp, either_engine};

use super::{form, make, paid_with, pay, place, said, send, text};

const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

const FORM: &str = "application/x-www-form-urlencoded";

/// Whatever it says, an answer of the page is a page that runs nothing of anybody else's, that no
/// other site can read, frame or set a cookie through.
#[track_caller]
fn is_guarded(answer: &Response) {
    let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{answer:?}"));
    for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for (name, value) in [
        ("x-frame-options", Some("DENY")),
        ("x-content-type-options", Some("nosniff")),
        ("access-control-allow-origin", None),
        ("access-control-allow-credentials", None),
        ("set-cookie", None),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    let body = String::from_utf8(answer.body.to_vec()).expect("a page of UTF-8");
    assert!(body.matches("<script").count() <= 1 && !body.contains("<img"), "{body}");
}

/// Sends these bytes as a form.
async fn send_raw(payer: &Principal, id: &str, kind: &str, body: &[u8]) -> Response {
    let call = payer.request("POST", &format!("/pay/{id}")).header("content-type", kind);
    call.body(body.to_vec()).send().await
}

either_engine! {
    async fn bodies_of_every_kind_are_answered_by_a_guarded_page(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let long = format!("reference=167890&x={}", "x".repeat(40_000));
        // Cut where it is shown again, it must not become a phone or a document by that.
        let phone = format!("reference=167890&phone=04141234567{}1", "+".repeat(60));
        let document = format!("reference=167890&document=V12345678{}1", "-".repeat(60));
        for (kind, body, status) in [
            (FORM, &b""[..], 422),
            (FORM, b"&&&===&%", 422),
            (FORM, b"reference", 422),
            // A NUL is no digit, and what is no text becomes none.
            (FORM, b"reference=167890%00", 422),
            (FORM, b"reference=%00167890", 422),
            (FORM, b"reference=16\x007890", 422),
            (FORM, b"reference=\xff\xfe167890", 422),
            (FORM, b"reference=%ff%fe167890", 422),
            (FORM, b"reference=\xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4\xd9\xa5\xd9\xa6", 422),
            (FORM, b"reference=167890&phone=%00", 422),
            (FORM, b"reference=167890&document=V%00123", 422),
            // The first of several is the one, as browsers send them in the order of the page.
            (FORM, b"reference=1&reference=167890", 422),
            (FORM, b"REFERENCE=167890&reference[]=167890", 422),
            (FORM, phone.as_bytes(), 422),
            (FORM, document.as_bytes(), 422),
            (FORM, long.as_bytes(), 413),
            ("application/json", b"{\"reference\":\"167890\"}", 415),
            ("text/plain", b"reference=167890", 415),
            ("multipart/form-data; boundary=x", b"--x\r\n\r\n--x--", 415),
            ("", b"reference=167890", 415),
        ] {
            let answer = send_raw(&app.nobody(), &id, kind, body).await;
            let sent = String::from_utf8_lossy(&body[..body.len().min(60)]);
            assert_eq!(answer.status, status, "{kind}: {sent}");
            is_guarded(&answer);
            text(&answer);
        }
        let huge = vec![b'x'; 300 * 1024];
        assert_eq!(send_raw(&app.nobody(), &id, FORM, &huge).await.status, 413);
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
    }

    async fn fields_that_the_form_does_not_have_change_nothing(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let foreign = make(&stranger.key, &stranger.bank, json!({})).await;
        let fields = [
            ("reference", "167890"),
            ("seen", "15075"),
            ("amount", "1"),
            ("user_bank_id", stranger.bank.as_str()),
            ("bank_id", stranger.bank.as_str()),
            ("payment_link_id", foreign.as_str()),
            ("id", foreign.as_str()),
            ("v", "ver_00000000000000000000000000"),
            ("owner_id", stranger.id.as_str()),
            ("redirect_url", "https://elsewhere.example"),
        ];
        let path = format!("/pay/{id}?payment_link_id={foreign}&id={foreign}");
        let answer = send(&app.nobody(), &path, &fields).await;
        assert_eq!(answer.status, 303);
        assert!(answer.header("location").unwrap().starts_with(&format!("/pay/{id}?v=")));
        assert_eq!((super::status(&owner, &id).await.as_str(), owner.balance().await), ("paid", 999));
        let foreign = super::status(&stranger, &foreign).await;
        assert_eq!((foreign.as_str(), stranger.balance().await), ("pending", 1_000));
    }

    async fn ids_of_anything_else_are_ids_of_nothing(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let answer = pay(&app.nobody(), &id, "123456").await;
        let check = place(&answer).split("v=").nth(1).unwrap().to_owned();
        let nothing = app.nobody().get("/pay/nothing").await;
        for id in [
            &owner.bank,
            &stranger.bank,
            &check,
            &owner.id,
            &format!("{id}0"),
            &id.chars().take(30).collect(),
        ] {
            let paths = ["", "/events", &format!("?v={check}")].map(|rest| format!("/pay/{id}{rest}"));
            for path in paths {
                let answer = app.nobody().get(&path).await;
                assert_eq!((answer.status, &answer.body), (404, &nothing.body), "{path}");
                is_guarded(&answer);
            }
            let answer = pay(&app.nobody(), id, "167890").await;
            assert_eq!((answer.status, &answer.body), (404, &nothing.body), "{id}");
        }
        // A check is no verification of anybody else's, by whatever way it is asked for.
        let path = format!("/v1/verifications/{check}");
        stranger.key.get(&path).await.refused(404, "NOT_FOUND");
        stranger.get(&path).await.refused(404, "NOT_FOUND");
        app.nobody().get(&path).await.refused(401, "UNAUTHORIZED");
    }

    async fn texts_of_merchants_do_not_turn_what_stands_beside_them(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        let more = json!({ "description": "Pedido 7", "redirect_url": "https://shop.example/x" });
        let id = make(&owner.key, &owner.bank, more).await;
        // Kept before such texts were refused: a mark that turns the direction, and a Cyrillic letter.
        app.tamper("update payment_links set description = 'Pedido \u{202e}7', redirect_url = 'https://\u{455}hop.example/x'").await;
        app.tamper("update owner_profiles set name = 'Tienda \u{202e}X'").await;
        let page = app.nobody().get(&format!("/pay/{id}")).await;
        let body = String::from_utf8(page.body.to_vec()).unwrap();
        for isolated in ["<bdi>Pedido \u{202e}7</bdi>", "<bdi>Tienda \u{202e}X</bdi>", "\u{2068}Tienda \u{202e}X\u{2069}</title>"] {
            assert!(body.contains(isolated), "{body}");
        }
        paid_with(&app.nobody(), &id, "167890").await;
        let paid = app.nobody().get(&format!("/pay/{id}")).await;
        let body = String::from_utf8(paid.body.to_vec()).unwrap();
        assert!(body.contains("%D1%95hop.example"), "{body}");
    }

    async fn scripts_in_headers_and_queries_are_inert(app: TestApp) {
        let owner = app.owner().await;
        let refused = json!({
            "amount": 1, "description": "x", "user_bank_id": owner.bank,
            "redirect_url": "javascript:alert(1)",
        });
        owner.key.post("/v1/paymentlink", refused).await.refused(400, "VALIDATION_ERROR");
        let id = make(&owner.key, &owner.bank, json!({ "metadata": { "a\u{0}<b>": SCRIPT } })).await;
        let encoded: String = SCRIPT.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for path in [
            format!("/pay/{id}?v={encoded}"),
            format!("/pay/{id}?{encoded}={encoded}&lang={encoded}"),
            format!("/pay/{encoded}"),
            format!("/pay/assets/{encoded}"),
            format!("/pay/{id}%00"),
            format!("/pay/{id}/events?v={encoded}%00"),
        ] {
            let call = app.nobody().request("GET", &path);
            let call = call.header("accept-language", SCRIPT).header("x-request-id", SCRIPT);
            let call = call.header("x-forwarded-host", SCRIPT).header("referer", SCRIPT);
            let answer = app.clock().flow(call.header("x-forwarded-for", SCRIPT).send()).await;
            let body = String::from_utf8(answer.body.to_vec()).unwrap();
            assert!(!body.contains("alert(1)"), "{path}: {body}");
            let headers = format!("{:?}", answer.headers);
            assert!(!headers.contains("alert"), "{path}: {headers}");
            is_guarded(&answer);
        }
        let typed = [("reference", SCRIPT), ("phone", SCRIPT), ("document", SCRIPT), ("seen", SCRIPT)];
        let call = form(&app.nobody(), &format!("/pay/{id}"), &typed);
        let answer = call.raw_header("accept-language", b"\xff\xfe<script>").send().await;
        assert_eq!(answer.status, 422);
        is_guarded(&answer);
        is_guarded(&app.nobody().get(&format!("/pay/{id}")).await);
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
    }

    /// A form on another site's page that knows the link can do what anybody can who knows it, were
    /// it not for the visitors' addresses that it would spend. Browsers say where a form comes from
    /// (`Sec-Fetch-Site`, or else `Origin`), and such a one is refused. Programs say neither.
    async fn forms_of_other_sites_are_refused(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let fields = [("reference", "123456"), ("seen", "15075")];
        for (site, status) in [
            ("cross-site", 403),
            ("same-site", 403),
            ("same-origin", 200),
            ("none", 200),
        ] {
            let call = form(&app.nobody(), &format!("/pay/{id}"), &fields);
            let call = call.header("origin", "https://elsewhere.example");
            let answer = call.header("sec-fetch-site", site).send().await;
            assert_eq!(answer.status, status, "{site}");
            if status == 403 {
                assert_eq!(said(&text(&answer)), "Confirme su pago en esta página");
            }
            is_guarded(&answer);
        }
        let ours = format!("http://{}", owner.address());
        for (origin, status) in [
            ("null", 403),
            ("https://elsewhere.example", 403),
            (&*ours.replace("http:", "https:"), 403),
            (&*ours, 200),
        ] {
            let call = form(&app.nobody(), &format!("/pay/{id}"), &fields).header("origin", origin);
            let answer = call.header("cookie", "session=made-up").send().await;
            assert_eq!(answer.status, status, "{origin}");
            is_guarded(&answer);
        }
    }

    async fn heads_without_end_are_refused_and_the_next_request_is_served(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let path = format!("/pay/{id}");
        let mut many = app.nobody().request("GET", &path);
        for n in 0..1_000 {
            many = many.header(&format!("x-{n}"), "1");
        }
        assert_eq!(many.send().await.status, 431);
        let long = app.nobody().request("GET", &path).header("x-long", &"x".repeat(100_000));
        assert_eq!(long.send().await.status, 431);
        for method in ["PUT", "DELETE", "PATCH", "TRACE"] {
            let answer = app.nobody().request(method, &path).send().await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("GET,HEAD,POST")), "{method}");
            assert_eq!(said(&text(&answer)), "Así no se usa esta dirección");
            is_guarded(&answer);
        }
        for path in [format!("{path}/events"), "/pay/assets/none.css".to_owned()] {
            let answer = app.nobody().request("POST", &path).send().await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("GET,HEAD")), "{path}");
            is_guarded(&answer);
        }
        assert_eq!(app.nobody().get(&path).await.status, 200);
    }
}
