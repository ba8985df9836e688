//! TLS, and passwords that are bound to the certificate of whoever asks for them. The test server shows the
//! certificate of the tests ([`Shown::Good`]).

use pg::{Config, Connection, Error, Run, Value};
use testkit::certificates::{Shown, trusted};
use testkit::postgres::Database;
use testkit::tls_front::TlsFront;

fn open(url: &str) -> Result<Connection, Error> {
    Connection::open(&Config::parse_trusting(url, trusted()).unwrap())
}

#[test]
fn a_session_is_encrypted_and_its_password_bound() {
    let database = Database::empty();
    for mode in ["sslmode=require&channel_binding=require", "sslmode=prefer"] {
        let mut connection = open(&format!("{}?{mode}", database.url())).unwrap();
        let text = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
        let statement = connection.prepare(&[text]).unwrap().remove(0);
        let run = Run { statement: &statement, params: Vec::new() };
        let row = connection.run(&[run]).unwrap().remove(0).rows.remove(0);
        assert_eq!(row.into_values(), [Value::Bool(true)], "the test server does no TLS");
    }
}

#[test]
fn a_server_in_between_with_a_certificate_of_its_own_cannot_use_a_password() {
    let database = Database::empty();
    let between = TlsFront::between(&database.url(), Shown::OfAnotherHost);
    let url = |binding| {
        let url = between.url("other.example");
        format!("{url}?hostaddr=127.0.0.1&sslmode=require&channel_binding={binding}")
    };
    for binding in ["prefer", "require"] {
        let error = open(&url(binding)).unwrap_err();
        assert!(matches!(&error, Error::Server { state, .. } if state == "28000"), "{error:?}");
    }
    open(&url("disable")).unwrap();
}

#[test]
fn a_server_that_cannot_bind_is_refused_only_where_that_is_asked_for() {
    let database = Database::empty();
    let front = TlsFront::before(&database.url(), Some(Shown::Good));
    let url =
        |binding| format!("{}?sslmode=require&channel_binding={binding}", front.url("127.0.0.1"));
    let error = open(&url("require")).unwrap_err();
    assert!(error.to_string().contains("does not do channel binding"), "{error}");
    open(&url("prefer")).unwrap();
    open(&url("disable")).unwrap();
}
