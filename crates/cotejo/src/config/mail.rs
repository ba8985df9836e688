//! What the configuration says of mail, in the section `[mail]`.

use std::path::PathBuf;

use domain::secret::SecretText;
use egress::{MailSettings, Sender, Tls};

use super::ConfigError;
use super::layers::Layers;

/// The longest name of a server (RFC 1035, 2.3.4).
const SERVER_LEN_MAX: usize = 253;

/// Keys that mean nothing without a server.
const OF_SERVER: [&str; 5] =
    ["mail.port", "mail.user", "mail.password", "mail.from", "mail.ca_file"];

/// The mail server, if there is one.
pub(super) fn read(layers: &Layers) -> Result<Option<MailSettings>, ConfigError> {
    let tls = layers.read_with("mail.tls", tls)?;
    let Some(server) = layers.read("mail.server", server)? else {
        return match OF_SERVER.into_iter().find(|path| layers.text(path).is_some()) {
            Some(path) => Err(layers.wrong(path, "means nothing without mail.server".to_owned())),
            None => Ok(None),
        };
    };
    let from = layers.read("mail.from", |text| Sender::parse(text).map_err(|e| e.to_string()))?;
    let must = || layers.wrong("mail.from", "must have a value where mail.server has one".into());
    let settings = MailSettings {
        server,
        port: layers.read("mail.port", port)?.unwrap_or(match tls {
            Tls::Implicit => 465,
            Tls::StartTls => 587,
            Tls::Off => 25,
        }),
        tls,
        ca_file: layers.text("mail.ca_file").map(PathBuf::from),
        credentials: credentials(layers)?,
        from: from.ok_or_else(must)?,
    };
    if tls == Tls::Off && settings.ca_file.is_some() {
        let problem = "means nothing where mail.tls is off";
        return Err(layers.wrong("mail.ca_file", problem.to_owned()));
    }
    if tls == Tls::Off && !settings.is_loopback() {
        let problem = "may be off only where mail.server is this machine: localhost or 127.0.0.1";
        return Err(layers.wrong("mail.tls", problem.to_owned()));
    }
    if layers.text("base_url").is_none() && !settings.is_loopback() {
        let problem = "must have a value where mail.server has one: links in mails begin with it";
        return Err(layers.wrong("base_url", problem.to_owned()));
    }
    Ok(Some(settings))
}

fn credentials(layers: &Layers) -> Result<Option<(String, SecretText)>, ConfigError> {
    let user = layers.text("mail.user").map(ToOwned::to_owned);
    let password = layers.text("mail.password").map(SecretText::from);
    match (user, password) {
        (Some(user), Some(password)) => Ok(Some((user, password))),
        (None, None) => Ok(None),
        (Some(_), None) => {
            Err(layers.wrong("mail.password", "must have a value where mail.user has one".into()))
        }
        (None, Some(_)) => {
            Err(layers.wrong("mail.user", "must have a value where mail.password has one".into()))
        }
    }
}

fn server(text: &str) -> Result<String, String> {
    let is_one = (1..=SERVER_LEN_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let problem = "must be a name or an address, such as smtp.example.com, without a port";
    if is_one { Ok(text.to_owned()) } else { Err(problem.to_owned()) }
}

fn port(text: &str) -> Result<u16, String> {
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| "must be a port from 1 to 65535".to_owned())
}

fn tls(text: &str) -> Result<Tls, String> {
    match text {
        "starttls" => Ok(Tls::StartTls),
        "implicit" => Ok(Tls::Implicit),
        "off" => Ok(Tls::Off),
        _ => Err("must be starttls, implicit or off".to_owned()),
    }
}
