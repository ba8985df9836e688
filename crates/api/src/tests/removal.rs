//! An operation that is going to be removed says so.

use domain::time::Timestamp;

use super::world::{World, request};
use crate::operation::document;
use crate::{Endpoint, Removal, endpoints, list_platforms, me};

/// 2026-11-20T12:00:00Z and half a year later.
const REMOVAL: Removal = Removal {
    deprecated_at: Timestamp::from_micros(1_795_176_000_000_000),
    gone_at: Timestamp::from_micros(1_810_900_800_000_000),
};

fn is_announced(headers: &http::HeaderMap) -> bool {
    headers.contains_key("deprecation") || headers.contains_key("sunset")
}

#[tokio::test]
async fn its_answers_say_since_when_and_when_it_is_gone() {
    let removed = me::endpoint().removed(REMOVAL);
    let world = World::new().await.with_endpoints(vec![removed, list_platforms::endpoint()]);
    let (key, path) = (world.key(), me::endpoint().path);
    let refused = world.ask(request("GET", path, &[], "")).await;
    let answered = world.get(&key, path).await;
    assert_eq!((refused.status, answered.status), (401, 200));
    for answer in [&refused, &answered] {
        assert_eq!(answer.headers["deprecation"], "@1795176000");
        assert_eq!(answer.headers["sunset"], "Fri, 21 May 2027 12:00:00 GMT");
    }
    let other = world.get(&key, list_platforms::endpoint().path).await;
    assert!(other.status == 200 && !is_announced(&other.headers), "{other:?}");
}

#[test]
fn the_document_says_so_too() {
    let of = |endpoint: Endpoint| {
        document::of(&[endpoint], "/")["paths"][me::endpoint().path]["get"].clone()
    };
    let (removed, kept) = (of(me::endpoint().removed(REMOVAL)), of(me::endpoint()));
    assert_eq!((&removed["deprecated"], kept.get("deprecated")), (&true.into(), None));
    let text = removed["description"].as_str().unwrap();
    assert!(text.ends_with("It is removed on 2027-05-21T12:00:00.000Z."), "{text}");
}

#[tokio::test]
async fn every_answer_announces_what_is_declared_of_its_operation() {
    let world = World::new().await;
    for entry in endpoints() {
        let path = entry.path.replace(['{', '}'], "");
        let answer = world.ask(request(entry.method.as_str(), &path, &[], "")).await;
        assert_eq!(is_announced(&answer.headers), entry.removal().is_some(), "{}", entry.name);
    }
}
