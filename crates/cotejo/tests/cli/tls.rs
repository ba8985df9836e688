//! TLS to PostgreSQL: a server is believed by its certificate alone, and a password goes to no other. What `operar.md` and
//! `operate.md` say of starting on such a database is tried here.

use testkit::certificates::{AUTHORITY_FILE, Shown};
use testkit::postgres::Database;
use testkit::tls_front::TlsFront;

use crate::program::{Data, text};

/// Host that the tests' certificate names, and one that it does not, though the same machine answers.
const NAMED: &str = "127.0.0.1";
const NOT_NAMED: &str = "localhost";

/// Migrates through `front`, and returns nothing or the error output.
fn migrate(front: &TlsFront, host: &str, mode: &str, trusted: &str) -> Result<(), String> {
    let data = Data::new();
    let url = format!("{}?sslmode={mode}", front.url(host));
    let mut command = data.command(&["migrate"]);
    let output = command.env("COTEJO_DATABASE", &url).env("SSL_CERT_FILE", trusted).output();
    let output = output.unwrap();
    let said = text(&output.stderr);
    let password = url.split(['/', ':', '@']).nth(4).unwrap();
    assert!(password.len() > 8 && !said.contains(password), "{said}");
    if output.status.success() { Ok(()) } else { Err(said) }
}

#[test]
fn a_server_that_shows_who_it_is_is_spoken_to_encrypted() {
    let database = Database::empty();
    let front = TlsFront::before(&database.url(), Some(Shown::Good));
    for mode in ["require", "prefer"] {
        let before = front.encrypted();
        migrate(&front, NAMED, mode, AUTHORITY_FILE).unwrap();
        assert!(front.encrypted() > before, "{mode}");
    }
    assert!(database.number("select count(*) from migrations") > 0);
}

#[test]
fn a_server_that_may_be_another_hears_no_password() {
    let database = Database::empty();
    for (shown, host) in [
        (Shown::Good, NOT_NAMED),
        (Shown::Expired, NAMED),
        (Shown::OfAnotherHost, NAMED),
        (Shown::SignedByItself, NAMED),
    ] {
        let front = TlsFront::before(&database.url(), Some(shown));
        for mode in ["require", "prefer"] {
            let said = migrate(&front, host, mode, AUTHORITY_FILE).unwrap_err();
            assert!(said.contains("invalid peer certificate"), "{shown:?} {mode}: {said}");
        }
    }
    assert_eq!(database.number("select count(*) from pg_tables where schemaname = 'public'"), 0);
}

#[test]
fn a_server_without_tls_is_spoken_to_only_where_the_address_allows_it() {
    let database = Database::empty();
    let front = TlsFront::before(&database.url(), None);
    let said = migrate(&front, NAMED, "require", AUTHORITY_FILE).unwrap_err();
    assert!(said.contains("the server does not do TLS, which is asked for"), "{said}");
    for mode in ["prefer", "disable"] {
        migrate(&front, NAMED, mode, AUTHORITY_FILE).unwrap();
    }
    assert_eq!(front.encrypted(), 0);
}

#[test]
fn a_server_whose_authority_is_not_trusted_is_not_believed() {
    let database = Database::empty();
    let front = TlsFront::before(&database.url(), Some(Shown::Good));
    let another = AUTHORITY_FILE.replace("ca.pem", "self_signed.pem");
    let said = migrate(&front, NAMED, "require", &another).unwrap_err();
    assert!(said.contains("UnknownIssuer"), "{said}");
}
