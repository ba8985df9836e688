//! A first start that is cut short, and the one after it.

use std::fs;

use testkit::proxy::Proxy;

use crate::lost_commits::{COMMITS_AT_MOST, lose_commits, was_one_lost};
use crate::service::{Service, signs_in};

const EMAIL: &str = "owner@localhost";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_owner_is_not_lost_with_any_commit() {
    let (mut left_behind, mut kept) = (0, 0);
    for number in 1..COMMITS_AT_MOST {
        let service = Service::on_postgres();
        let proxy = Proxy::before(&service.url());
        let lost = lose_commits(&proxy, number, true);
        let first = service.start_on(Some(proxy.url())).await;
        proxy.disarm();
        if !was_one_lost(&lost) {
            assert!(left_behind > 0, "no loss met the owner's own commit");
            assert!(kept > 0, "no start went on with the password of another");
            return;
        }
        // Nobody knows whether the owner of a start that was cut short will be there: its letter is good in any case.
        let left = fs::read_to_string(service.folder().join("first-secrets.txt")).ok();
        let is_second = first.is_none();
        let server = match first {
            Some(server) => server,
            None => service.start().await,
        };
        let made = server.first_owner().map(|made| made.password.expose().to_owned());
        let left = left.map(|letter| {
            let line = letter.lines().find(|line| line.contains("password:")).unwrap();
            line.rsplit(' ').next().unwrap().to_owned()
        });
        let password = match (made, left) {
            (Some(made), Some(left)) => {
                kept += u32::from(is_second);
                assert_eq!(made, left, "commit {number}");
                made
            }
            (Some(made), None) => made,
            (None, left) => {
                left_behind += 1;
                left.unwrap()
            }
        };
        assert!(signs_in(&server, EMAIL, &password).await, "commit {number}");
        server.stop().await.unwrap();
    }
    panic!("a start with more than {COMMITS_AT_MOST} commits");
}
