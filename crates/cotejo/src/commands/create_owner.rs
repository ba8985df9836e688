//! Making an owner.
//!
//! The password is known here before anybody is asked to make the owner with it: where the answer
//! is lost on its way, the operator still has what is kept nowhere else.

use std::process::ExitCode;

use anyhow::Context;
use app::admin::{AdminError, generate_password};
use domain::secret::SecretText;
use serde::Serialize;
use zeroize::Zeroizing;

use super::{print, show, single_threaded, write};
use crate::admin::Request;
use crate::admin_socket::AnswerLost;
use crate::cli::CreateOwner;
use crate::system::SystemRandom;
use crate::{commands, telemetry};

/// The longest password that is read from standard input.
const PASSWORD_INPUT_MAX: u64 = 4 * 1024;

/// E-mail address and password that the operator is left with when nobody knows whether the owner was made.
#[derive(Serialize)]
struct Unsure<'a> {
    email: &'a str,
    password: &'a str,
}

pub(super) fn run(create: &CreateOwner) -> anyhow::Result<ExitCode> {
    let config = commands::configure(&create.place.flags())?;
    let password =
        if create.password_stdin { read_password()? } else { generate_password(&SystemRandom) };
    let email = create.email.to_string();
    let request = Request::CreateOwner {
        email: email.clone(),
        name: create.name.as_ref().map(ToString::to_string),
        password: Some(password.expose().to_owned()),
        credits: create.credits,
        test_account: create.test_account,
    };
    telemetry::start(&config.log)?;
    match single_threaded()?.block_on(write::write(&config, request)) {
        Ok(outcome) => show(&outcome, create.json)?,
        Err(error) if may_be_done(&error) => {
            let left = Unsure { email: &email, password: password.expose() };
            print(serde_json::to_value(left)?, create.json)?;
            let advice = "the owner may have been made, with the password on standard output; if \
                          that does not sign in, create it again";
            return Err(error.context(advice));
        }
        Err(error) => return Err(error),
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells whether an error leaves open if the work was done.
pub(super) fn may_be_done(error: &anyhow::Error) -> bool {
    let is_unknown = matches!(error.downcast_ref(), Some(AdminError::Unknown));
    is_unknown || error.is::<AnswerLost>()
}

/// The first line of standard input.
pub(super) fn read_password() -> anyhow::Result<SecretText> {
    use std::io::{BufRead, Read, stdin};
    let mut line = Zeroizing::new(String::new());
    let mut input = stdin().lock().take(PASSWORD_INPUT_MAX);
    input.read_line(&mut line).context("the password on standard input")?;
    Ok(line.trim_end_matches(['\r', '\n']).into())
}
