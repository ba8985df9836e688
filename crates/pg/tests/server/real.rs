//! The client against a real server.

use std::thread;
use std::time::Duration;

use pg::{Config, Connection, Error, Param, Run, Tag, Type, Value};
use testkit::postgres::Database;

fn open(database: &Database) -> Connection {
    Connection::open(&Config::parse(&database.url()).unwrap()).unwrap()
}

/// Prepares and runs a statement.
fn ask(connection: &mut Connection, text: &str, params: Vec<Param<'_>>) -> Vec<Vec<Value>> {
    let statement = connection.prepare(&[text]).unwrap().remove(0);
    let answer = connection.run(&[Run { statement: &statement, params }]).unwrap().remove(0);
    answer.rows.into_iter().map(pg::Row::into_values).collect()
}

#[test]
fn values_come_back_as_they_went_in() {
    let database = Database::empty();
    let mut connection = open(&database);
    let text = "select $1::boolean, $2::bigint, $3::text, $4::bytea";
    let params =
        vec![Param::Bool(true), Param::Int(i64::MIN), Param::Text("ñ"), Param::Bytes(&[0])];
    let values = [
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Text("ñ".to_owned()),
        Value::Bytes(vec![0]),
    ];
    assert_eq!(ask(&mut connection, text, params), [values]);
    let nothing = [Value::Null, Value::Null, Value::Null, Value::Null];
    assert_eq!(ask(&mut connection, text, vec![Param::Null; 4]), [nothing]);

    let statement = connection.prepare(&[text]).unwrap().remove(0);
    let types = [Type::Bool, Type::Int, Type::Text, Type::Bytes];
    assert_eq!((statement.params(), statement.columns()), (&types[..], &types[..]));
    connection.close();
}

#[test]
fn nothing_behind_a_failure_is_done_and_the_session_goes_on() {
    let database = Database::empty();
    let mut connection = open(&database);
    connection.command("create table a (b bigint unique)").unwrap();
    let texts = ["insert into a values ($1)", "commit", "begin"];
    let [insert, commit, begin] = <[_; 3]>::try_from(connection.prepare(&texts).unwrap()).unwrap();
    let put = |number| Run { statement: &insert, params: vec![Param::Int(number)] };
    let plain = |statement| Run { statement, params: Vec::new() };
    let answers = connection.run(&[plain(&begin), put(1), put(2), plain(&commit)]).unwrap();
    let tags: Vec<Tag> = answers.iter().map(|answer| answer.tag).collect();
    assert_eq!(tags, [Tag::Other, Tag::Rows(1), Tag::Rows(1), Tag::Commit]);

    let stopped = connection.run(&[plain(&begin), put(3), put(1), put(4), plain(&commit)]);
    let stopped = stopped.unwrap_err();
    assert!(
        matches!(&stopped.error, Error::Server { state, .. } if state == "23505"),
        "{stopped:?}"
    );
    assert_eq!(stopped.at, 2);
    let answers = connection.run(&[plain(&commit)]).unwrap();
    assert_eq!(answers[0].tag, Tag::Rollback);
    assert_eq!(database.number("select count(*) from a"), 2);
}

#[test]
fn a_table_goes_out_and_comes_in_again() {
    let database = Database::empty();
    let mut connection = open(&database);
    connection
        .command(
            "create table a (b bigint primary key, c text); create table d (like a including all); \
             insert into a select n, repeat('x', 10000) from generate_series(1, 1000) n",
        )
        .unwrap();
    let mut copy = Vec::new();
    let out = "copy a to stdout (format binary)";
    connection
        .copy_out(out, |piece| {
            copy.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
    let mut pieces = copy.chunks(4_096);
    let into = "copy d from stdin (format binary)";
    let mut next = |piece: &mut Vec<u8>| {
        let part = pieces.next();
        piece.extend_from_slice(part.unwrap_or_default());
        Ok(part.is_some())
    };
    connection.copy_in(into, &mut next).unwrap();
    assert_eq!(database.number("select count(*) from d join a on a.b = d.b and a.c = d.c"), 1_000);

    // What is there already is refused, and the session goes on.
    let mut pieces = copy.chunks(4_096);
    let mut again = |piece: &mut Vec<u8>| {
        let part = pieces.next();
        piece.extend_from_slice(part.unwrap_or_default());
        Ok(part.is_some())
    };
    let error = connection.copy_in(into, &mut again).unwrap_err();
    assert!(matches!(&error, Error::Server { state, .. } if state == "23505"), "{error:?}");
    assert!(!connection.is_lost());

    // A source that fails takes the connection with it, and nothing of it stays.
    connection.command("truncate d").unwrap();
    let broken = |_: &mut Vec<u8>| Err(std::io::ErrorKind::UnexpectedEof.into());
    assert!(matches!(connection.copy_in(into, broken), Err(Error::Lost(_))));
    assert!(connection.is_lost());
    assert_eq!(database.number("select count(*) from d"), 0);
    let mut connection = open(&database);
    let full = |_: &[u8]| Err(std::io::ErrorKind::StorageFull.into());
    assert!(matches!(connection.copy_out(out, full), Err(Error::Lost(_))));
}

#[test]
fn what_does_not_fit_is_not_sent() {
    let database = Database::empty();
    let mut connection = open(&database);
    let error = connection.prepare(&["select 1::integer"]).unwrap_err();
    assert!(matches!(error, Error::Mismatch(_)), "{error:?}");
    let statement = connection.prepare(&["select $1::bigint"]).unwrap().remove(0);
    for params in [vec![], vec![Param::Text("1")], vec![Param::Int(1), Param::Int(1)]] {
        let stopped = connection.run(&[Run { statement: &statement, params }]).unwrap_err();
        assert!(matches!(stopped.error, Error::Mismatch(_)), "{stopped:?}");
    }
    // Names of statements are alike on every connection.
    let mut other = open(&database);
    other.prepare(&["select 'other'::text"]).unwrap();
    other.prepare(&["select 'other'::text"]).unwrap();
    let run = Run { statement: &statement, params: vec![Param::Int(1)] };
    assert!(matches!(other.run(&[run]).unwrap_err().error, Error::Mismatch(_)));
    assert!(!connection.is_lost() && !other.is_lost());
}

#[test]
fn more_than_the_buffers_hold_goes_through() {
    let database = Database::empty();
    let mut connection = open(&database);
    let statement = connection.prepare(&["select $1::text"]).unwrap().remove(0);
    let text = "x".repeat(100_000);
    let run = || Run { statement: &statement, params: vec![Param::Text(&text)] };
    let answers = connection.run(&std::iter::repeat_with(run).take(100).collect::<Vec<_>>());
    assert_eq!(answers.unwrap().len(), 100);
}

#[test]
fn a_statement_that_is_given_up_is_cancelled_at_the_server() {
    let database = Database::empty();
    let config = Config::parse(&database.url()).unwrap();
    // Long enough for the server to have begun on a busy machine.
    let config = config.answer_limit(Some(Duration::from_secs(2)));
    let asleep = "select count(*) from pg_stat_activity where datname = current_database() \
                  and state = 'active' and pid <> pg_backend_pid()";
    let run = |connection: &mut Connection| {
        let text = "select 1::bigint from (select pg_sleep(3600)) as s";
        let statement = connection.prepare(&[text]).unwrap().remove(0);
        connection.run(&[Run { statement: &statement, params: Vec::new() }]).unwrap_err().error
    };
    let command =
        |connection: &mut Connection| connection.command("select pg_sleep(3600)").unwrap_err();
    for sleep in [run, command] {
        let mut connection = Connection::open(&config).unwrap();
        let error = sleep(&mut connection);
        assert!(matches!(error, Error::Lost(_)), "{error:?}");
        assert!(connection.is_lost());
        while database.number(asleep) > 0 {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_session_that_the_server_ended_is_seen_to_have_ended() {
    let database = Database::empty();
    let mut connection = open(&database);
    let pid = ask(&mut connection, "select pg_backend_pid()::bigint", Vec::new());
    assert!(!connection.has_ended());
    let [Value::Int(pid)] = pid[0][..] else { panic!("{pid:?}") };
    database.execute(&format!("select pg_terminate_backend({pid}, 5000)"));
    while !connection.has_ended() {
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn every_address_is_tried_and_an_answer_is_reported_rather_than_silence() {
    let database = Database::empty();
    let url = database.url();
    let (login, server) = url.rsplit_once('@').unwrap();
    let (port, name) = server.rsplit_once(':').unwrap().1.split_once('/').unwrap();
    // Nobody listens on port 1, and the test server on one of the addresses of the name.
    for hosts in [format!("127.0.0.1:1,127.0.0.1:{port}"), format!("localhost:{port}")] {
        let config = Config::parse(&format!("{login}@{hosts}/{name}")).unwrap();
        Connection::open(&config).unwrap().close();
    }
    let wrong = format!("postgres://postgres:wrong@127.0.0.1:{port},127.0.0.1:1/{name}");
    let error = Connection::open(&Config::parse(&wrong).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::Server { state, .. } if state == "28P01"), "{error:?}");
}

#[test]
fn options_are_those_of_the_session() {
    let database = Database::empty();
    let config = Config::parse(&database.url()).unwrap();
    let config = config.default_options("-c lock_timeout=5s").option("statement_timeout=7s");
    let mut connection = Connection::open(&config.application_name("a test")).unwrap();
    for (name, value) in
        [("lock_timeout", "5s"), ("statement_timeout", "7s"), ("application_name", "a test")]
    {
        let text = "select current_setting($1)";
        let found = ask(&mut connection, text, vec![Param::Text(name)]);
        assert_eq!(found, [[Value::Text(value.to_owned())]], "{name}");
    }
}
