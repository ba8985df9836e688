//! A mail server that encrypts and asks who is there.

use domain::secret::SecretText;
use egress::{MailSettings, Tls};
use testkit::certificates::Shown;
use testkit::log::{all, keep_all};
use testkit::mail_server::{PASSWORD, Secured, USER};
use testkit::{Setup, TestApp, TestMailServer, either_engine};

use super::{deliver, invite};

const EMAIL: &str = "luis@tienda.example";

const STARTTLS: Secured = Secured { tls: Tls::StartTls, shown: Shown::Good, mechanism: "PLAIN" };

/// Invites somebody by mail, by that server.
async fn invited(setup: Setup, settings: MailSettings) -> TestApp {
    let app = setup.with_mail(settings).start().await;
    let owner = app.owner().await;
    invite(&owner, EMAIL).await;
    deliver(&app).await;
    app
}

/// How many mails wait, and how often they were tried.
fn waiting(app: &TestApp) -> (i64, i64) {
    let of =
        |what: &str| app.database().number(&format!("select {what} from mails where state = 0"));
    (of("count(*)"), of("cast(coalesce(sum(attempts), 0) as bigint)"))
}

/// Why the log says that mails were not sent.
fn reasons() -> Vec<String> {
    let lines = all().into_iter().filter(|line| line.contains("mail not sent; it is tried again"));
    lines.collect()
}

either_engine! {
    async fn mail_goes_encrypted_by_the_user_that_signed_in(setup: Setup) {
        let setup = &setup;
        for (tls, mechanism) in
            [(Tls::StartTls, "PLAIN"), (Tls::StartTls, "LOGIN"), (Tls::Implicit, "PLAIN")]
        {
            let server = TestMailServer::secured(Secured { tls, mechanism, ..STARTTLS });
            let app = invited(setup.clone(), server.settings()).await;
            assert_eq!(waiting(&app), (0, 0), "{tls:?} {mechanism}");
            let mails = server.mails();
            assert_eq!(mails.len(), 1);
            assert_eq!((mails[0].to(), mails[0].by()), (vec![EMAIL], (Some(USER), true)));
        }
    }

    async fn a_wrong_password_is_logged_without_it_and_tried_again_until_it_is_right(setup: Setup) {
        keep_all();
        let server = TestMailServer::secured(STARTTLS);
        let wrong = "another made-up password";
        let credentials = Some((USER.to_owned(), SecretText::from(wrong)));
        let mut app = invited(setup, MailSettings { credentials, ..server.settings() }).await;
        assert_eq!((waiting(&app), server.mails().len()), ((1, 1), 0));
        let logged = reasons();
        assert_eq!(logged.len(), 1, "{logged:?}");
        assert!(logged[0].contains("the mail server does not take it, with status 535"), "{logged:?}");
        for secret in [wrong, PASSWORD, EMAIL] {
            assert!(all().iter().all(|line| !line.contains(secret)), "{secret}");
        }
        // The operator mends it and starts anew.
        app.send_mail_to(server.settings());
        app.restart().await;
        app.clock().advance(std::time::Duration::from_secs(60));
        deliver(&app).await;
        assert_eq!((waiting(&app), server.mails().len()), ((0, 0), 1));
    }

    async fn a_server_that_nobody_vouches_for_gets_neither_password_nor_mail(setup: Setup) {
        keep_all();
        let setup = &setup;
        for (tried, (shown, has_ca_file)) in [
            (Shown::SignedByItself, true),
            (Shown::Expired, true),
            (Shown::OfAnotherHost, true),
            (Shown::Good, false),
        ]
        .into_iter()
        .enumerate()
        {
            let server = TestMailServer::secured(Secured { shown, ..STARTTLS });
            let mut settings = server.settings();
            if !has_ca_file {
                settings.ca_file = None;
            }
            let app = invited(setup.clone(), settings).await;
            assert_eq!((waiting(&app), server.mails().len()), ((1, 1), 0), "{shown:?}");
            let logged = reasons();
            assert_eq!(logged.len(), tried + 1, "{shown:?}");
            assert!(logged[tried].contains("the mail server's TLS cannot be trusted"), "{shown:?}: {logged:?}");
        }
    }

    async fn a_server_that_offers_no_encryption_gets_neither(setup: Setup) {
        keep_all();
        let server = TestMailServer::start();
        let settings = MailSettings { tls: Tls::StartTls, ..server.settings() };
        let credentials = Some((USER.to_owned(), SecretText::from(PASSWORD)));
        let app = invited(setup, MailSettings { credentials, ..settings }).await;
        assert_eq!((waiting(&app), server.mails().len()), ((1, 1), 0));
        assert!(reasons()[0].contains("it offers none"), "{:?}", reasons());
    }
}
