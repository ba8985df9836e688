//! Servers of which one follows another: a session that is to write goes on to the next host.

use pg::{Config, Connection, Error};

use crate::fake::{Fake, login, message, ready};

/// A server that refuses to begin a transaction that writes, by that state.
fn standby(state: &str) -> Fake {
    let refusal = format!("SFATAL\0C{state}\0Mcannot set transaction read-write mode\0\0");
    Fake::saying(&[login(), [message(b'E', refusal.as_bytes()), ready()].concat()], false)
}

/// A server that begins it and rolls it back.
fn primary() -> Fake {
    let done = [message(b'C', b"BEGIN\0"), message(b'C', b"ROLLBACK\0"), ready()].concat();
    Fake::saying(&[login(), done], false)
}

/// The address of all of them, in this order.
fn address(servers: &[&Fake]) -> String {
    let urls: Vec<String> = servers.iter().map(|server| server.url("")).collect();
    let places = urls.iter().map(|url| url.split(['@', '/']).nth(3).unwrap());
    let places = places.collect::<Vec<_>>().join(",");
    format!("postgres://me:hunter2@{places}/db?connect_timeout=5")
}

#[test]
fn a_server_that_takes_no_writes_is_passed_over_by_who_writes_alone() {
    for state in ["0A000", "25006"] {
        let (standby, primary) = (standby(state), primary());
        let both = Config::parse(&address(&[&standby, &primary])).unwrap();
        Connection::open(&both.clone().writable()).unwrap().close();
        Connection::open(&both).unwrap().close();
        let asked = format!("{}&target_session_attrs=read-write", address(&[&standby, &primary]));
        Connection::open(&Config::parse(&asked).unwrap()).unwrap().close();
    }
}

#[test]
fn that_no_server_takes_writes_is_said_rather_than_that_another_is_gone() {
    let standby = standby("0A000");
    let alone = Config::parse(&address(&[&standby])).unwrap().writable();
    let error = Connection::open(&alone).unwrap_err();
    assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
    assert!(error.to_string().contains("takes no writes: 0A000"), "{error}");
    // Nobody listens on port 1.
    let with_gone = address(&[&standby]).replace("/db", ",127.0.0.1:1/db");
    let error = Connection::open(&Config::parse(&with_gone).unwrap().writable()).unwrap_err();
    assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
    // What it refuses for another reason is that.
    let refusing = self::standby("57P03");
    let config = Config::parse(&address(&[&refusing])).unwrap().writable();
    let error = Connection::open(&config).unwrap_err();
    assert!(matches!(&error, Error::Server { state, .. } if state == "57P03"), "{error:?}");
}
