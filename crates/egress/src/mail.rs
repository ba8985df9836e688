//! The way to the operator's mail server. Who gets a mail is an argument, which server takes it never is.

mod headers;

use std::error::Error as _;
use std::fmt;
use std::io::Error as IoError;
use std::iter::successors;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};
use domain::time::Timestamp;
use lettre::message::header::{ContentType, MIME_VERSION_1_0};
use lettre::message::{Mailbox, MessageBuilder};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{
    Certificate, CertificateStore, Tls as TlsMode, TlsParameters,
};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use self::headers::{AutoSubmitted, ListUnsubscribe, ListUnsubscribePost};
use crate::{TlsError, Wait, within};

/// How long one command of the conversation with the server may take.
const COMMAND_MAX: Duration = Duration::from_secs(15);

/// How long the whole conversation about a mail may take.
const SENDING_MAX: Duration = Duration::from_secs(25);

/// Statuses by which a server says that it will never take this mail (RFC 5321, 4.2.2), unless its words are
/// [about us](is_about_us). Others that begin with 5 may be about us, such as 535 about the password, and end when the
/// operator has mended it.
const NEVER: std::ops::RangeInclusive<u16> = 550..=553;

/// How the connection to the server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// From its beginning.
    Implicit,
    /// From the command STARTTLS on, without which nothing is sent.
    StartTls,
    /// Not at all: for a server on this machine.
    Off,
}

/// Whom mail is from: an address, with a name before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    name: Option<String>,
    address: EmailAddress,
}

/// Text that is no sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an e-mail address, such as cobros@example.com or Cobros <cobros@example.com>")]
pub struct InvalidSender;

impl Sender {
    /// Reads an address, or a name and an address in angle brackets.
    ///
    /// # Errors
    /// [`InvalidSender`] where it is neither.
    pub fn parse(text: &str) -> Result<Self, InvalidSender> {
        let text = text.trim();
        // No name that people see has a line break in it, and a header ends at one.
        if text.contains(char::is_control) {
            return Err(InvalidSender);
        }
        let (name, address) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
            Some((name, address)) => (Some(name.trim().trim_matches('"')), address),
            None => (None, text),
        };
        let address = EmailAddress::parse(address).map_err(|_| InvalidSender)?;
        let name = name.filter(|name| !name.is_empty());
        let name = name.map(Text::<1, 120>::parse).transpose().map_err(|_| InvalidSender)?;
        Ok(Self { name: name.map(Text::into_string), address })
    }

    /// Returns what stands behind the `@`.
    fn domain(&self) -> &str {
        self.address.as_str().rsplit('@').next().unwrap_or_default()
    }
}

/// Settings of where mail goes, as the operator has set them.
#[derive(Clone, Debug)]
pub struct MailSettings {
    /// The server's name or address.
    pub server: String,
    /// Its port.
    pub port: u16,
    /// How the connection is encrypted.
    pub tls: Tls,
    /// The file of those who vouch for the server's certificate. Without it whom the machine trusts.
    pub ca_file: Option<PathBuf>,
    /// User and password, where the server asks for them.
    pub credentials: Option<(String, SecretText)>,
    /// Whom mail is from.
    pub from: Sender,
}

impl MailSettings {
    /// Tells whether the server is on this machine, where a connection needs no encryption.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let address = self.server.trim_matches(['[', ']']).parse::<IpAddr>();
        self.server.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback())
    }
}

/// A mail for one person.
#[derive(Clone)]
pub struct Envelope {
    /// What distinguishes it from all others, the same at every try: receivers may drop a mail that they have.
    pub id: String,
    /// Whom it goes to.
    pub to: EmailAddress,
    /// One line.
    pub subject: String,
    /// Plain text.
    pub body: SecretText,
    /// The address that stops such mails, of mails that can be stopped.
    pub stop_url: Option<String>,
    /// Its date.
    pub date: Timestamp,
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envelope").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why a mail was not taken. None of these names an address or anything that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// The server will never take it.
    #[error("the mail server refuses it for good, with status {0}")]
    Refused(u16),
    /// The server does not take it now, or not from us.
    #[error("the mail server does not take it, with status {0}")]
    Deferred(u16),
    /// The server is not reached, or says what is no SMTP.
    #[error("the mail server cannot be reached")]
    Unreachable,
    /// There is no TLS that can be trusted.
    #[error("the mail server's TLS cannot be trusted, or it offers none")]
    Tls,
    /// It took too long.
    #[error("the mail server took too long")]
    TimedOut,
    /// The address cannot be written to.
    #[error("the address cannot be written to")]
    Address,
}

impl MailError {
    /// Tells whether another try will end alike.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Refused(_) | Self::Address)
    }
}

/// The operator's mail server. Each mail has a connection of its own: they are few.
pub struct MailServer {
    from: Sender,
    transport: AsyncSmtpTransport<Tokio1Executor>,
    wait: Wait,
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailServer").field("from", &self.from).finish_non_exhaustive()
    }
}

impl MailServer {
    /// The server of these settings. Nothing is connected yet.
    ///
    /// # Errors
    /// [`TlsError`] where there is no TLS to be had, the file of authorities names none, or the server's name is none
    /// that a certificate can have.
    pub fn new(settings: &MailSettings, wait: Wait) -> Result<Self, TlsError> {
        let tls = match settings.tls {
            Tls::Implicit => TlsMode::Wrapper(trusting(settings)?),
            Tls::StartTls => TlsMode::Required(trusting(settings)?),
            Tls::Off => TlsMode::None,
        };
        let mut transport =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(settings.server.clone())
                .port(settings.port)
                .tls(tls)
                .timeout(Some(COMMAND_MAX))
                .hello_name(ClientId::Domain(settings.from.domain().to_owned()));
        if let Some((user, password)) = &settings.credentials {
            let password = password.expose().to_owned();
            transport = transport.credentials(Credentials::new(user.clone(), password));
        }
        Ok(Self { from: settings.from.clone(), transport: transport.build(), wait })
    }

    /// Hands a mail to the server.
    ///
    /// # Errors
    /// [`MailError`] where it has not taken it. It may have where it took too long.
    pub async fn send(&self, mail: &Envelope) -> Result<(), MailError> {
        let message = self.message(mail).ok_or(MailError::Address)?;
        let sent = within(&self.wait, SENDING_MAX, self.transport.send(message)).await;
        match sent {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(reason(&error)),
            None => Err(MailError::TimedOut),
        }
    }

    /// The mail as it goes over the wire. Headers are encoded by the library, which lets no line end inside of one.
    fn message(&self, mail: &Envelope) -> Option<Message> {
        let from = mailbox(self.from.name.clone(), &self.from.address)?;
        let micros = u64::try_from(mail.date.as_micros()).unwrap_or_default();
        let builder: MessageBuilder = Message::builder()
            .from(from)
            .to(mailbox(None, &mail.to)?)
            .subject(one_line(&mail.subject))
            .date(UNIX_EPOCH + Duration::from_micros(micros))
            .message_id(Some(format!("<{}@{}>", mail.id, self.from.domain())))
            .header(AutoSubmitted)
            .header(MIME_VERSION_1_0)
            .header(ContentType::TEXT_PLAIN);
        let builder = match &mail.stop_url {
            // One press is for addresses that are encrypted on their way (RFC 8058).
            Some(url) if url.starts_with("https://") => {
                builder.header(ListUnsubscribe(one_line(url))).header(ListUnsubscribePost)
            }
            Some(url) => builder.header(ListUnsubscribe(one_line(url))),
            None => builder,
        };
        builder.body(mail.body.expose().to_owned()).ok()
    }
}

/// TLS with the server of these settings, which is believed where a trusted authority vouches for it.
fn trusting(settings: &MailSettings) -> Result<TlsParameters, TlsError> {
    let mut builder = TlsParameters::builder(settings.server.clone());
    match &settings.ca_file {
        None => drop(crate::connect::roots()?),
        Some(path) => {
            let pem = std::fs::read(path).map_err(TlsError::Unread)?;
            let authorities = certificates(&pem).ok_or(TlsError::NoAuthority)?;
            builder = builder.certificate_store(CertificateStore::None);
            for authority in authorities {
                builder = builder.add_root_certificate(authority);
            }
        }
    }
    builder.build().map_err(|_| TlsError::Host)
}

/// The certificates of a file, each of which can vouch: one at least.
fn certificates(pem: &[u8]) -> Option<Vec<Certificate>> {
    let mut roots = RootCertStore::empty();
    let mut all = Vec::new();
    for der in CertificateDer::pem_slice_iter(pem) {
        let der = der.ok()?;
        all.push(Certificate::from_der(der.to_vec()).ok()?);
        roots.add(der).ok()?;
    }
    (!all.is_empty()).then_some(all)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn mailbox(name: Option<String>, address: &EmailAddress) -> Option<Mailbox> {
    let address: Address = address.as_str().parse().ok()?;
    Some(Mailbox::new(name, address))
}

/// Translates an error of the library, without a word of the server's: it may repeat addresses.
fn reason(error: &lettre::transport::smtp::Error) -> MailError {
    match error.status().map(u16::from) {
        Some(status) if NEVER.contains(&status) && !is_about_us(&error.to_string()) => {
            MailError::Refused(status)
        }
        Some(status) => MailError::Deferred(status),
        None if error.is_timeout() => MailError::TimedOut,
        None if is_about_tls(error) => MailError::Tls,
        None => MailError::Unreachable,
    }
}

/// Tells whether there is no TLS to be had with the server: the library reports a handshake that failed as any
/// connection that failed, and a server that offers none in words of its own.
fn is_about_tls(error: &lettre::transport::smtp::Error) -> bool {
    // The library wraps its errors in errors of its own.
    let is_of_handshake = |cause: &(dyn std::error::Error + 'static)| {
        let inner = cause.downcast_ref::<IoError>().and_then(IoError::get_ref);
        inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()).is_some()
    };
    let mut causes = successors(error.source(), |&cause| cause.source());
    causes.any(is_of_handshake)
        || error.is_tls()
        || (error.is_client() && error.to_string().contains("STARTTLS"))
}

/// Tells whether the words of a refusal are about who sends and not about whom it goes to: the server relays nothing
/// for us, or a policy of it is against us (RFC 3463, 3.8).
fn is_about_us(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    words.contains("relay")
        || words.split([' ', ':', '(', '#']).any(|word| word.starts_with("5.7."))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;

    fn settings(server: &str) -> MailSettings {
        MailSettings {
            server: server.to_owned(),
            port: 25,
            tls: Tls::Off,
            ca_file: None,
            credentials: Some(("user".to_owned(), SecretText::from("pa55word"))),
            from: Sender::parse("Cobros Ñandú <cobros@example.com>").unwrap(),
        }
    }

    fn written(subject: &str, to: &str) -> Option<String> {
        written_with(subject, to, None)
    }

    fn written_with(subject: &str, to: &str, stop_url: Option<&str>) -> Option<String> {
        let wait: Wait = Arc::new(|_| Box::pin(std::future::pending()));
        let server = MailServer::new(&settings("localhost"), wait).unwrap();
        assert!(!format!("{server:?}").contains("pa55word"));
        let mail = Envelope {
            id: "mail_1".to_owned(),
            to: EmailAddress::parse(to).unwrap(),
            subject: subject.to_owned(),
            body: SecretText::from("¡Hola!\r\n.\r\nhttps://c.example/x"),
            stop_url: stop_url.map(ToOwned::to_owned),
            date: Timestamp::from_micros(1_795_176_000_000_000),
        };
        assert!(!format!("{mail:?}").contains("example.com"));
        server.message(&mail).map(|message| String::from_utf8(message.formatted()).unwrap())
    }

    #[test]
    fn a_mail_has_its_headers_and_no_others() {
        let hostile = "Tienda\r\nBcc: otro@example.com\r\n\r\nOtro texto ñ";
        for subject in ["Tienda", hostile] {
            let text = written(subject, "luis@example.com").unwrap();
            let (head, _) = text.split_once("\r\n\r\n").unwrap();
            let names = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
            let names: Vec<_> = names.map(|line| line.split(':').next().unwrap()).collect();
            assert_eq!(
                names,
                [
                    "From",
                    "To",
                    "Subject",
                    "Date",
                    "Message-ID",
                    "Auto-Submitted",
                    "MIME-Version",
                    "Content-Type",
                    "Content-Transfer-Encoding",
                ],
                "{text}"
            );
            assert!(text.contains("Message-ID: <mail_1@example.com>"), "{text}");
            assert!(text.contains("Date: Fri, 20 Nov 2026 12:00:00 +0000"), "{text}");
        }
    }

    #[test]
    fn a_mail_that_can_be_stopped_says_where_and_by_one_press_where_that_is_encrypted() {
        let long = "x".repeat(80);
        for (url, is_by_one_press) in [
            (format!("https://c.example/{long}"), true),
            (format!("http://c.example/{long}"), false),
        ] {
            let text = written_with("Tienda", "luis@example.com", Some(&url)).unwrap();
            let (head, _) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.contains(&format!("List-Unsubscribe: <{url}>\r\n")), "{text}");
            let press = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
            assert_eq!(head.contains(press), is_by_one_press, "{text}");
        }
    }

    #[test]
    fn an_address_that_mail_does_not_know_is_no_panic() {
        assert!(written("a", "a@b").is_some());
        assert!(written("a", "a..b@example.com").is_none());
    }

    #[test]
    fn senders_are_addresses_with_or_without_a_name() {
        for good in ["a@b.c", " Ana <a@b.c> ", "\"Ana, S.A.\" <a@b.c>", "<a@b.c>"] {
            assert_eq!(Sender::parse(good).unwrap().address.as_str(), "a@b.c");
        }
        for wrong in ["", "Ana", "Ana <a>", "a@b.c, d@e.f", "A\r\nBcc: <a@b.c>", "Ana <a@b.c"] {
            assert_eq!(Sender::parse(wrong), Err(InvalidSender), "{wrong}");
        }
    }

    #[test]
    fn what_a_server_says_about_us_is_distinguished_from_what_it_says_about_the_recipient() {
        for about_us in [
            "permanent error (550): 5.7.1 Unable to relay",
            "permanent error (550): Relaying denied",
            "permanent error (553): sorry, that domain isn't allowed (#5.7.1)",
            "permanent error (554): 5.7.26 unauthenticated mail",
        ] {
            assert!(is_about_us(about_us), "{about_us}");
        }
        for about_them in [
            "permanent error (550): 5.1.1 no such user",
            "permanent error (550): mailbox 15.7.1 is gone",
            "permanent error (550)",
        ] {
            assert!(!is_about_us(about_them), "{about_them}");
        }
    }

    #[test]
    fn a_file_without_a_certificate_trusts_nobody() {
        let path = std::env::temp_dir().join(format!("cotejo-mail-ca-{}.pem", std::process::id()));
        let with_file = |path: &Path| {
            let wait: Wait = Arc::new(|_| Box::pin(std::future::pending()));
            let ca_file = Some(path.to_owned());
            let settings = MailSettings { tls: Tls::StartTls, ca_file, ..settings("localhost") };
            MailServer::new(&settings, wait).unwrap_err()
        };
        let broken = "-----BEGIN CERTIFICATE-----\nbm9uZQ\n-----END CERTIFICATE-----\n";
        let none = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n";
        let key = "-----BEGIN PRIVATE KEY-----\nbm9uZQ==\n-----END PRIVATE KEY-----\n";
        for pem in ["", "no PEM", broken, none, key] {
            std::fs::write(&path, pem).unwrap();
            let refused = with_file(&path);
            assert!(matches!(refused, TlsError::NoAuthority), "{pem}: {refused}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(with_file(&path), TlsError::Unread(_)));
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for here in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
            assert!(settings(here).is_loopback(), "{here}");
        }
        for elsewhere in ["10.0.0.1", "localhost.example.com", "mail.example.com", "0.0.0.0", ""] {
            assert!(!settings(elsewhere).is_loopback(), "{elsewhere}");
        }
    }
}
