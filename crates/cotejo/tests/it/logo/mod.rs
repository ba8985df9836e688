//! `PUT` and `DELETE /v1/profile/logo`, and `GET /pay/logo/{file}`

mod kept;
mod redrawn;
mod refused;
mod shown;

use serde_json::Value;
use testkit::{Principal, Response, TestApp};

const PATH: &str = "/v1/profile/logo";

/// Sends a picture.
async fn put(caller: &Principal, file: impl Into<Vec<u8>>) -> Response {
    let call = caller.request("PUT", PATH).header("content-type", "image/png");
    call.body(file.into()).send().await
}

/// The path of the logo that an answer names.
fn path_of(profile: &Value) -> String {
    let url = profile["logo_url"].as_str().expect("a logo");
    let (_, path) = url.split_once("/pay/").expect("an address");
    format!("/pay/{path}")
}

/// The logo that comes of a picture.
async fn drawn(app: &TestApp, caller: &Principal, file: Vec<u8>) -> Vec<u8> {
    let kept = put(caller, file).await.ok();
    let answer = app.nobody().get(&path_of(&kept)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.to_vec()
}
