//! A caller that hangs up changes nothing but who gets the first report.

use std::time::Duration;

use testkit::log::access_line;
use testkit::principal::verify_path;
use testkit::{Owner, TestApp, both_engines};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::slow_bank::{ANSWER, SLOW, SLOW_REFERENCE, about};

const CALLER_GONE: u64 = 499;

/// Asks about a slow payment, and hangs up while the bank is being asked.
async fn hang_up(app: &TestApp, owner: &Owner, request_id: &str, more: &str) {
    let body = about(SLOW_REFERENCE).to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         x-request-id: {request_id}\r\n{more}content-length: {length}\r\n\r\n{body}",
        path = verify_path(&owner.bank),
        key = owner.key.text,
        length = body.len(),
    );
    let mut stream = TcpStream::connect(owner.address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    app.clock().is_awaited(app.now().plus(SLOW)).await;
    drop(stream);
    let line = access_line(request_id).await;
    assert_eq!((line.status, line.caller.as_deref()), (CALLER_GONE, Some(owner.key.id.as_str())));
}

/// Lets the bank answer a search that nobody waits for any more.
async fn finish(app: &TestApp) {
    app.clock().advance(ANSWER);
    app.clock().advance(SLOW - ANSWER);
    app.settle().await;
}

both_engines! {
    async fn the_payment_is_posted_all_the_same(app: TestApp) {
        let owner = app.owner().await;
        hang_up(&app, &owner, "hang-up-posted", "").await;
        finish(&app).await;
        assert_eq!(owner.balance().await, 999);
        assert_eq!(app.database().number("select count(*) from payments"), 1);

        // It was reported to nobody yet.
        let again = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(again["data"]["is_new"], true);
        assert_eq!(again["data"]["credit_cost"], 1);
        let third = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(third["data"]["is_new"], false);
    }

    async fn two_tills_never_both_get_the_first_report(app: TestApp) {
        let owner = app.owner().await;
        let till = owner.key_with(&["payment_verifications"]).await;
        hang_up(&app, &owner, "hang-up-tills", "").await;
        finish(&app).await;
        let other = till.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(other["data"]["is_new"], false);
        let own = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(own["data"]["is_new"], true);
    }

    async fn an_idempotency_key_finds_what_its_caller_missed(app: TestApp) {
        let owner = app.owner().await;
        hang_up(&app, &owner, "hang-up-kept", "idempotency-key: a-1\r\n").await;
        finish(&app).await;
        let call = || {
            let call = owner.key.request("POST", &verify_path(&owner.bank));
            call.header("idempotency-key", "a-1").body(about(SLOW_REFERENCE).to_string()).send()
        };
        let first = call().await;
        assert_eq!(first.ok()["data"]["is_new"], true);
        app.clock().advance(Duration::from_secs(1));
        assert_eq!(call().await.body, first.body);
        assert_eq!(owner.balance().await, 999);
    }
}
