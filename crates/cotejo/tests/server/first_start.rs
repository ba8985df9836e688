//! A first start that is cut short, and the one after it.

use std::fs;

use testkit::proxy::Proxy;

use crate::lost_commits::{COMMITS_AT_MOST, lose_commits, was_one_lost};
use crate::service::{Service, signs_in};

const EMAIL: &str = "owner@localhost";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_owner_is_not_lost_with_any_commit() {
    let mut left_behind = 0;
    for number in 1..COMMITS_AT_MOST {
        let service = Service::on_postgres();
        let proxy = Proxy::before(&service.url());
        let lost = lose_commits(&proxy, number, true);
        let first = service.start_on(Some(proxy.url())).await;
        proxy.disarm();
        if !was_one_lost(&lost) {
            assert!(left_behind > 0, "no loss met the owner's own commit");
            return;
        }
        let server = match first {
            Some(server) => server,
            None => service.start().await,
        };
        let password = match server.first_owner() {
            Some(made) => made.password.expose().to_owned(),
            None => {
                left_behind += 1;
                let letter = fs::read_to_string(service.folder().join("first-secrets.txt"));
                let letter = letter.unwrap();
                let line = letter.lines().find(|line| line.contains("password:")).unwrap();
                line.rsplit(' ').next().unwrap().to_owned()
            }
        };
        assert!(signs_in(&server, EMAIL, &password).await, "commit {number}");
        server.stop().await.unwrap();
    }
    panic!("a start with more than {COMMITS_AT_MOST} commits");
}
