//! Sending a mail by the configured server, so that an operator sees whether mail arrives.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use domain::ids::MailId;
use domain::secret::SecretText;
use domain::text::EmailAddress;
use egress::{Envelope, MailServer, Wait};
use serde_json::json;

use super::{print, single_threaded};
use crate::config::Config;
use crate::system::Runtime;
use crate::telemetry;

pub(super) fn run(config: &Config, to: EmailAddress) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let settings = config.mail.as_ref();
    let settings = settings.context("no mail server is set: see [mail] in the configuration")?;
    let Runtime { clock, ids, .. } = Runtime::default();
    let now = clock.now();
    let wait: Wait = std::sync::Arc::new(move |time: Duration| clock.sleep(time));
    let server = MailServer::new(settings, wait).context("the connection to the mail server")?;
    let mail = Envelope {
        id: MailId::new(&*ids, now).to_string(),
        to,
        subject: "Prueba de correo / Mail test".to_owned(),
        body: SecretText::from("El correo de Cotejo llega. / The mail of Cotejo arrives.\n"),
        stop_url: None,
        date: now,
    };
    single_threaded()?.block_on(server.send(&mail)).context("the mail was not sent")?;
    print(json!({ "message": "the mail server has taken the mail" }), false)?;
    Ok(ExitCode::SUCCESS)
}
