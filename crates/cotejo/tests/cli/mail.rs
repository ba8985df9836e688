//! `cotejo mail test`

use testkit::TestMailServer;

use crate::program::{bare, text};

const TO: [&str; 4] = ["mail", "test", "--to", "ana@example.com"];

/// Runs the command with these settings, and answers its status and what it said.
fn run(settings: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = bare(&TO);
    command.envs(settings.iter().copied());
    let output = command.output().unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_mail_shows_whether_the_server_takes_it() {
    let server = TestMailServer::start();
    let port = server.settings().port.to_string();
    let settings = [
        ("COTEJO_MAIL_SERVER", "127.0.0.1"),
        ("COTEJO_MAIL_PORT", &*port),
        ("COTEJO_MAIL_TLS", "off"),
        ("COTEJO_MAIL_FROM", "Cobros <cobros@example.com>"),
    ];
    let (status, said) = run(&settings);
    assert_eq!((status, said.contains("has taken the mail")), (Some(0), true), "{said}");
    let mails = server.mails();
    assert_eq!((mails.len(), mails[0].to()), (1, vec!["ana@example.com"]));
    assert_eq!(mails[0].header("From"), "Cobros <cobros@example.com>");

    server.answer("550");
    let (status, said) = run(&settings);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("refuses it for good, with status 550"), "{said}");
    // A server that offers no encryption gets nothing where encryption is asked for.
    let (status, said) = run(&[&settings[..2], &settings[3..]].concat());
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(server.mails().len(), 2);
}

#[test]
fn without_a_server_it_says_what_to_set() {
    let (status, said) = run(&[]);
    assert_eq!(status, Some(1));
    assert!(said.contains("no mail server is set: see [mail]"), "{said}");
    let (status, said) = run(&[("COTEJO_MAIL_SERVER", "smtp.example.com")]);
    assert_eq!(status, Some(2));
    assert!(said.contains("must have a value where mail.server has one"), "{said}");
}
