//! A first start that is cut short, and the one after it.

use std::fs;

use testkit::proxy::Proxy;

use crate::lost_commits::{COMMITS_AT_MOST, lose_commits, was_one_lost};
use crate::service::{Service, signs_in};

const EMAIL: &str = "owner@localhost";

/// Makes every statement that reads owners fail with a state, whether there are any or not.
const FAILING: &str = "\
    create function answers() returns boolean language plpgsql stable as $$ begin \
        raise exception 'not now' using errcode = 'STATE'; \
    end $$; \
    alter table owners rename to kept_owners; \
    create view owners as select * from kept_owners where answers()";

const BACK: &str =
    "drop view owners; drop function answers(); alter table kept_owners rename to owners";

/// A time limit, and a server that has lost another one.
const TOO_SLOW: &str = "57014";
const LOST: &str = "08006";

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

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_cannot_know_whether_there_is_an_owner_ends() {
    let service = Service::on_postgres();
    service.make_tables();
    for state in [TOO_SLOW, LOST] {
        service.execute(&FAILING.replace("STATE", state));
        assert!(service.start_on(Some(&service.url())).await.is_none(), "{state}");
        service.execute(BACK);
    }
    let server = service.start().await;
    assert!(server.first_owner().is_some());
    server.stop().await.unwrap();

    // One that was there is out of reach where its server is lost.
    for (state, starts) in [(TOO_SLOW, false), (LOST, true)] {
        service.execute(&FAILING.replace("STATE", state));
        let started = service.start_on(Some(&service.url())).await;
        assert_eq!(started.is_some(), starts, "{state}");
        if let Some(server) = started {
            assert!(server.first_owner().is_none());
            server.stop().await.unwrap();
        }
        service.execute(BACK);
    }
}
