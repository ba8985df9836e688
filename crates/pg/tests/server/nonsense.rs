//! A server that says what it should not: the connection is lost, and nothing else.

use std::sync::atomic::Ordering;
use std::time::Duration;

use pg::{Connection, Error, Run, Statement};
use proptest::prelude::*;

use crate::fake::{Fake, demand, login, message, prepared, ready};

/// Runs a statement where the server answers that, and returns the result.
fn run(answer: Vec<u8>, hangs_up: bool) -> (Result<usize, Error>, Fake) {
    let fake = Fake::saying(&[login(), prepared(), answer], hangs_up);
    let mut connection = Connection::open(&fake.config()).unwrap();
    let statement = connection.prepare(&["select"]).unwrap().remove(0);
    (run_in(&mut connection, &statement), fake)
}

fn run_in(connection: &mut Connection, statement: &Statement) -> Result<usize, Error> {
    let run = Run { statement, params: Vec::new() };
    let result = connection.run(std::slice::from_ref(&run));
    if matches!(&result, Err(stopped) if matches!(stopped.error, Error::Lost(_))) {
        assert!(connection.is_lost() && connection.has_ended());
        assert!(matches!(connection.run(&[run]).unwrap_err().error, Error::Lost(_)));
        assert!(matches!(connection.command("select 1"), Err(Error::Lost(_))));
    }
    result.map(|answers| answers.len()).map_err(|stopped| stopped.error)
}

/// The message of that type, whatever its length says.
fn with_length(tag: u8, length: u32, body: &[u8]) -> Vec<u8> {
    [&[tag], length.to_be_bytes().as_slice(), body].concat()
}

#[test]
fn a_message_that_makes_no_sense_loses_the_connection_and_cancels_the_statement() {
    for answer in [
        with_length(b'D', 0, &[]),
        with_length(b'D', 3, &[]),
        with_length(b'D', u32::MAX, b"x"),
        with_length(b'D', 17 * 1024 * 1024, b"x"),
        // Another number of columns, a column that is longer than its row, one that is no text.
        message(b'D', &[0, 2]),
        message(b'D', &[0]),
        message(b'D', &[0, 1, 0x7f, 0xff, 0xff, 0xff, b'x']),
        message(b'D', &[0, 1, 0, 0, 0, 1, 0xff]),
        message(b'E', b"CXX000"),
        message(b'E', b""),
        message(b'?', b""),
        message(b'1', b""),
    ] {
        let (result, fake) = run(answer.clone(), false);
        assert!(matches!(result, Err(Error::Lost(_))), "{answer:?}: {result:?}");
        fake.wait_for_cancel(&format!("{answer:?}"));
    }
}

#[test]
fn a_silent_server_is_given_up_and_one_that_hung_up_is_not_called_again() {
    let fake = Fake::saying(&[login(), prepared(), message(b'2', &[])], false);
    let config = fake.config().answer_limit(Some(Duration::from_millis(300)));
    let mut connection = Connection::open(&config).unwrap();
    // On a busy machine it may be as late with this.
    let prepared = connection.prepare(&["select"]);
    let result = prepared.and_then(|mut all| run_in(&mut connection, &all.remove(0)));
    assert!(result.unwrap_err().to_string().contains("did not answer in time"));
    fake.wait_for_cancel("");
    let (result, fake) = run(message(b'2', &[]), true);
    assert!(matches!(result, Err(Error::Lost(_))));
    assert!(!fake.was_cancelled());
}

#[test]
fn an_answer_without_end_does_not_fill_the_memory() {
    let row =
        message(b'D', &[[0, 1].as_slice(), &[0, 0x0f, 0, 0], &vec![b'x'; 0x0f_0000]].concat());
    let (result, fake) = run(row.repeat(300), false);
    assert!(result.unwrap_err().to_string().contains("too long"));
    fake.wait_for_cancel("");
}

#[test]
fn remarks_are_passed_over_and_errors_leave_the_session() {
    let remark = message(b'N', b"SNOTICE\0\0");
    let done = message(b'C', b"SELECT 0\0");
    let (result, _) = run([remark.clone(), remark, done, ready()].concat(), false);
    assert_eq!(result.unwrap(), 1);
    let (result, fake) = run([message(b'E', b"C22012\0Mby zero\0\0"), ready()].concat(), false);
    let Err(Error::Server { state, message }) = result else { panic!("{result:?}") };
    assert_eq!((state.as_str(), message.as_str()), ("22012", "by zero"));
    assert!(!fake.was_cancelled());
}

#[test]
fn a_login_that_makes_no_sense_is_refused() {
    let scram = demand(10, b"SCRAM-SHA-256\0\0");
    let first = |text: &str| demand(11, text.as_bytes());
    for answers in [
        vec![message(b'R', &[])],
        vec![message(b'R', &[0, 0])],
        vec![demand(5, &[1, 2, 3])],
        vec![demand(7, &[])],
        vec![demand(10, b"\0")],
        vec![demand(10, b"SCRAM-SHA-1\0\0")],
        vec![scram.clone(), first("")],
        vec![scram.clone(), first("r=other,s=AAAA,i=4096")],
        vec![scram.clone(), demand(0, &[])],
        vec![scram, demand(12, b"v=AAAA")],
        vec![[demand(0, &[]), message(b'K', &[0, 1])].concat()],
        vec![[demand(0, &[]), message(b'D', &[])].concat()],
    ] {
        let fake = Fake::saying(&answers, true);
        let error = Connection::open(&fake.config()).unwrap_err();
        assert!(matches!(error, Error::Lost(_)), "{answers:?}: {error:?}");
        assert!(!format!("{error:?} {error}").contains("hunter2"));
    }
}

#[test]
fn a_login_that_never_ends_does() {
    let remarks = message(b'N', b"SNOTICE\0\0").repeat(1_000);
    for answer in [Vec::new(), remarks] {
        let fake = Fake::saying(&[answer], false);
        let error = Connection::open(&fake.config()).unwrap_err();
        assert!(error.to_string().contains("did not answer in time"), "{error}");
    }
}

#[test]
fn a_password_is_not_sent_where_it_is_to_be_bound_and_is_not_asked_for_so() {
    use testkit::certificates::{Shown, trusted};
    use testkit::tls_front::TlsFront;

    for way in
        [demand(0, &[]), demand(3, &[]), demand(5, &[1; 4]), demand(10, b"SCRAM-SHA-256\0\0")]
    {
        let fake = Fake::saying(&[way, login()], false);
        let front = TlsFront::before(&fake.url(""), Some(Shown::Good));
        let url = format!("{}?sslmode=require&channel_binding=require", front.url("127.0.0.1"));
        let config = pg::Config::parse_trusting(&url, trusted()).unwrap();
        let error = Connection::open(&config).unwrap_err();
        assert!(error.to_string().contains("does not do channel binding"), "{error}");
        assert_eq!(fake.received.load(Ordering::SeqCst), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_server_says_nothing_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        tag in prop::sample::select(b"12CDEIKNRSTZt".to_vec()),
        body in prop::collection::vec(any::<u8>(), 0..40),
        part in 0..4_usize,
    ) {
        let nonsense = [message(tag, &body), bytes].concat();
        let mut answers = vec![login(), prepared(), ready()];
        answers.truncate(part);
        answers.push(nonsense);
        let fake = Fake::saying(&answers, true);
        if let Ok(mut connection) = Connection::open(&fake.config()) {
            if let Ok(statements) = connection.prepare(&["select"]) {
                let run = Run { statement: &statements[0], params: Vec::new() };
                drop(connection.run(&[run]));
            }
            connection.close();
        }
    }
}
