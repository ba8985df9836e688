//! Mail: what the service writes to people, in their language, and how long it goes on trying.
//!
//! A mail is short plain text. Of what others have chosen it has names alone, without line
//! breaks: of the merchant, of its client, of what a payment is for, and of what a notice is about.

mod account;
mod reminder;

use std::time::Duration;

use crate::ids::LinkId;
use crate::language::Language::{self, En, Es};
use crate::notices::Digest;
use crate::secret::SecretText;
use crate::subscriptions::{PaymentReminder, StopAddress};

/// How long a mail is tried to be sent, unless what it says is over sooner.
pub const TRIED_FOR: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How long a mail's row is kept.
pub const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many mails an owner may cause in a day: nobody sends advertisements by invitations.
pub const MAILS_A_DAY: i64 = 200;

/// In which time [`MAILS_A_DAY`] are counted.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The word of an invitation's kind.
pub const INVITATION: &str = "invitation";

/// Word of the kind of mails that remind payers.
pub const PAYMENT_REMINDER: &str = "payment_reminder";

/// Path below which payers stop the mails that remind them.
pub const STOP_PATH: &str = "/recordatorios/";

/// How many mails an owner's payers are reminded by in a day.
pub const REMINDERS_A_DAY: i64 = 500;

/// How many of them one address gets in a day.
pub const REMINDERS_A_DAY_TO_ONE: i64 = 1;

/// The pause after the first failure. It doubles.
const FIRST_PAUSE: Duration = Duration::from_secs(60);

/// The longest pause between two tries.
pub const PAUSE_MAX: Duration = Duration::from_secs(60 * 60);

/// The most of a name that a mail shows, in characters.
const NAME_MAX: usize = 120;

/// How long to wait after so many failures.
#[must_use]
pub fn pause(failures: i64) -> Duration {
    let doublings = u32::try_from(failures.clamp(1, 16) - 1).unwrap_or_default();
    FIRST_PAUSE.saturating_mul(1 << doublings).min(PAUSE_MAX)
}

/// Content of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Letter {
    /// Somebody is invited to be an employee.
    Invitation {
        /// The merchant that invites; empty where it has no name.
        merchant: String,
        /// The merchant's client whose person it is to be, if it is one's.
        client: Option<String>,
        /// The secret of the invitation.
        token: SecretText,
    },
    /// Somebody wants to set another password.
    PasswordReset {
        /// The secret of the reset.
        token: SecretText,
    },
    /// The password was set by a link.
    PasswordChanged,
    /// Something went wrong for the owner, once or more often.
    Notices(Digest),
    /// The password was changed by a person who knew the former one.
    PasswordReplaced,
    /// The operator of the service gave the person another password.
    PasswordResetByOperator,
    /// Sign-ins ask for a second factor from now on.
    SecondFactorBegun,
    /// They ask for none any more.
    SecondFactorEnded,
    /// Somebody wants to sign in with the address that this goes to.
    EmailChange {
        /// The name of the merchant whose affairs the account is about; empty where it has none.
        merchant: String,
        /// The secret of the change.
        token: SecretText,
    },
    /// Somebody wants to sign in with another address than the one that this goes to.
    EmailChangeAsked {
        /// The name of the merchant whose affairs the account is about; empty where it has none.
        merchant: String,
    },
    /// The person signs in with another address from now on. It goes to the former one.
    EmailChanged,
    /// A payer of a subscription is reminded.
    PaymentReminder {
        /// What is to be paid.
        reminder: PaymentReminder,
        /// Where the payer stops such mails.
        stop: StopAddress,
        /// The link by which it is paid.
        link: LinkId,
    },
}

impl Letter {
    /// The word of its kind, which stores keep. It never changes.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Invitation { .. } => INVITATION,
            Self::PasswordReset { .. } => "password_reset",
            Self::PasswordChanged => "password_changed",
            Self::Notices(digest) => digest.kind.as_str(),
            Self::PasswordReplaced => "password_replaced",
            Self::PasswordResetByOperator => "password_reset_by_operator",
            Self::SecondFactorBegun => "second_factor_begun",
            Self::SecondFactorEnded => "second_factor_ended",
            Self::EmailChange { .. } => "email_change",
            Self::EmailChangeAsked { .. } => "email_change_asked",
            Self::EmailChanged => "email_changed",
            Self::PaymentReminder { .. } => PAYMENT_REMINDER,
        }
    }

    /// The mail as it is read, with links to the service at `base_url`.
    #[must_use]
    pub fn write(&self, language: Language, base_url: &str) -> Written {
        let (subject, body) = match self {
            Self::Invitation { merchant, client, token } => {
                let link = format!("{base_url}/invitation/{}", token.expose());
                let client = client.as_deref().map(one_line).filter(|name| !name.is_empty());
                invitation((&one_line(merchant), client.as_deref()), &link, language)
            }
            Self::PasswordReset { token } => {
                let link = format!("{base_url}/password-reset/{}", token.expose());
                password_reset(&link, language)
            }
            Self::PasswordChanged => password_changed(language),
            Self::Notices(digest) => digest.write(language, base_url),
            Self::PasswordReplaced => plain(&account::PASSWORD_REPLACED, language),
            Self::PasswordResetByOperator => plain(&account::PASSWORD_RESET_BY_OPERATOR, language),
            Self::SecondFactorBegun => plain(&account::SECOND_FACTOR_BEGUN, language),
            Self::SecondFactorEnded => plain(&account::SECOND_FACTOR_ENDED, language),
            Self::EmailChange { merchant, token } => {
                let link = format!("{base_url}/email-change/{}", token.expose());
                account::email_change(&one_line(merchant), &link, language)
            }
            Self::EmailChangeAsked { merchant } => {
                account::email_change_asked(&one_line(merchant), language)
            }
            Self::EmailChanged => plain(&account::EMAIL_CHANGED, language),
            Self::PaymentReminder { reminder, stop, .. } => {
                reminder::write(reminder, &stop_url(base_url, *stop), language)
            }
        };
        Written { subject, body: SecretText::new(body), stop_url: self.stop_url(base_url) }
    }

    /// Returns the address at which whoever gets the mail wants no more of the kind, where it is one that can be stopped.
    fn stop_url(&self, base_url: &str) -> Option<String> {
        let Self::PaymentReminder { stop, .. } = self else { return None };
        Some(stop_url(base_url, *stop))
    }
}

/// A mail as it is read.
#[derive(Clone, Debug)]
pub struct Written {
    /// One line.
    pub subject: String,
    /// Plain text. It may have a link that opens something.
    pub body: SecretText,
    /// The address that stops such mails, of mails that can be stopped.
    pub stop_url: Option<String>,
}

fn stop_url(base_url: &str, stop: StopAddress) -> String {
    format!("{base_url}{STOP_PATH}{stop}")
}

/// One that says the same to everybody.
fn plain(texts: &account::Texts, language: Language) -> (String, String) {
    let (subject, body) = match language {
        Es => texts.es,
        En => texts.en,
    };
    (subject.to_owned(), body.to_owned())
}

/// A name as a part of a line.
fn one_line(name: &str) -> String {
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().chars().take(NAME_MAX).collect()
}

/// An invitation to the team of a merchant or of a client of it.
fn invitation(
    (merchant, client): (&str, Option<&str>),
    link: &str,
    language: Language,
) -> (String, String) {
    let is_named = !merchant.is_empty();
    let (subject, what) = match language {
        Es => {
            let who = if is_named { merchant } else { "Un comercio" };
            match client {
                None => (
                    format!("{who} le invita a su equipo"),
                    format!("{who} le invita a trabajar en su cuenta."),
                ),
                Some(client) => (
                    format!("{who} le invita a trabajar para {client}"),
                    format!("{who} le invita a trabajar para {client}, que es su cliente."),
                ),
            }
        }
        En => {
            let who = if is_named { merchant } else { "A merchant" };
            match client {
                None => (
                    format!("{who} invited you to join their team"),
                    format!("{who} invited you to work on their account."),
                ),
                Some(client) => (
                    format!("{who} invited you to work for {client}"),
                    format!("{who} invited you to work for {client}, one of their clients."),
                ),
            }
        }
    };
    let how = match language {
        Es => format!(
            "Abra este enlace para elegir su contraseña. Sirve una vez, durante siete días:\n\n{link}\n\nEs solo para \
             usted: no lo reenvíe. Si no esperaba esta invitación, no haga nada.\n"
        ),
        En => format!(
            "Open this link to choose your password. It works once, for seven days:\n\n{link}\n\nIt is only for you: \
             do not forward it. If you were not expecting this invitation, you can ignore this email.\n"
        ),
    };
    (subject, format!("{what}\n\n{how}"))
}

fn password_reset(link: &str, language: Language) -> (String, String) {
    match language {
        Es => (
            "Elija otra contraseña".to_owned(),
            format!(
                "Alguien pidió otra contraseña para este correo.\n\nSi fue usted, abra este enlace. Sirve una vez, \
                 durante una hora:\n\n{link}\n\nSi no fue usted, no haga nada: su contraseña sigue siendo la \
                 misma.\n"
            ),
        ),
        En => (
            "Reset your password".to_owned(),
            format!(
                "Someone requested a new password for this email address.\n\nIf it was you, open this link. It works \
                 once, for one hour:\n\n{link}\n\nIf it was not you, you can ignore this email: your password has \
                 not changed.\n"
            ),
        ),
    }
}

fn password_changed(language: Language) -> (String, String) {
    let (subject, body) = match language {
        Es => (
            "Su contraseña cambió",
            "Su contraseña se cambió por un enlace enviado a este correo, y todas sus sesiones se cerraron.\n\nSi no \
             fue usted, alguien lee su correo: cambie primero la clave de su correo y pida luego otra contraseña \
             aquí.\n",
        ),
        En => (
            "Your password was changed",
            "Your password was changed with a link sent to this email address, and all your sessions have \
             ended.\n\nIf it was not you, someone is reading your email: change your email password first, and then \
             request a new password here.\n",
        ),
    };
    (subject.to_owned(), body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Letter; 10] {
        let token = SecretText::from("t0ken");
        [
            Letter::Invitation {
                merchant: "Tienda Ñandú".to_owned(),
                client: None,
                token: token.clone(),
            },
            Letter::PasswordReset { token: token.clone() },
            Letter::EmailChange { merchant: "Tienda Ñandú".to_owned(), token },
            Letter::PasswordChanged,
            Letter::PasswordReplaced,
            Letter::PasswordResetByOperator,
            Letter::SecondFactorBegun,
            Letter::SecondFactorEnded,
            Letter::EmailChangeAsked { merchant: "Tienda Ñandú".to_owned() },
            Letter::EmailChanged,
        ]
    }

    #[test]
    fn every_mail_is_written_in_both_languages_and_shows_its_secret_to_no_log() {
        for letter in all() {
            let [es, en] = [Es, En].map(|language| letter.write(language, "https://c.example"));
            assert_ne!(es.subject, en.subject);
            assert_ne!(es.body, en.body);
            for written in [&es, &en] {
                assert!(!written.subject.contains(char::is_control), "{written:?}");
                let has_link = written.body.expose().contains("https://c.example/");
                let has_secret = matches!(
                    letter,
                    Letter::Invitation { .. }
                        | Letter::PasswordReset { .. }
                        | Letter::EmailChange { .. }
                );
                assert_eq!(has_link, has_secret);
                assert_eq!(has_link, written.body.expose().contains("t0ken"));
                assert!(!format!("{written:?}{letter:?}").contains("t0ken"));
            }
        }
    }

    #[test]
    fn a_merchants_name_stays_a_part_of_one_line() {
        let merchant = format!("Mal\r\nBcc: otro@example.com\u{2028}{}", "x".repeat(1_000));
        let letter = Letter::Invitation { merchant, client: None, token: SecretText::from("t") };
        let subject = letter.write(Es, "").subject;
        assert!(!subject.contains(['\r', '\n']), "{subject}");
        assert!(subject.chars().count() < 160, "{subject}");
        let nameless =
            Letter::Invitation { merchant: " \n".to_owned(), client: None, token: "t".into() };
        assert_eq!(nameless.write(En, "").subject, "A merchant invited you to join their team");
    }

    #[test]
    fn who_changes_its_address_reads_of_which_account_it_is() {
        let of = |merchant: &str| {
            let (merchant, token) = (merchant.to_owned(), SecretText::from("t"));
            let asked = Letter::EmailChangeAsked { merchant: merchant.clone() };
            [Letter::EmailChange { merchant, token }, asked]
        };
        for (language, named) in
            [(Es, "la cuenta de Tienda Ñandú"), (En, "the account of Tienda Ñandú")]
        {
            for letter in of(" Tienda\nÑandú ") {
                let body = letter.write(language, "").body;
                let (before, _) = body.expose().split_once(named).expect(named);
                let preposition = before.split_whitespace().last();
                assert!(matches!(preposition, Some("en" | "in" | "to")), "{before}");
            }
            for letter in of("") {
                assert!(!letter.write(language, "").body.expose().contains("  "));
            }
        }
    }

    #[test]
    fn a_clients_person_reads_whom_it_is_to_work_for() {
        let client = Some("Bodega\r\nLuz".to_owned());
        let merchant = "Tienda".to_owned();
        let letter = Letter::Invitation { merchant, client, token: SecretText::from("t") };
        let written = letter.write(Es, "");
        assert_eq!(written.subject, "Tienda le invita a trabajar para Bodega  Luz");
        assert!(written.body.expose().contains("Bodega  Luz, que es su cliente"), "{written:?}");
        assert_eq!(letter.write(En, "").subject, "Tienda invited you to work for Bodega  Luz");
    }

    #[test]
    fn the_pauses_double_up_to_an_hour() {
        let minutes = |failures| pause(failures).as_secs() / 60;
        assert_eq!([1, 2, 3, 6, 7, 100].map(minutes), [1, 2, 4, 32, 60, 60]);
        assert_eq!(minutes(0), 1);
    }
}
