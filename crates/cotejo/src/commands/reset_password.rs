//! Giving an owner, or a person who signs in with an address, another password, which is known here before anybody
//! is asked to set it: see [`super::create_owner`].

use std::process::ExitCode;

use app::admin::generate_password;
use serde_json::{Value, json};

use super::create_owner::{may_be_done, read_password};
use super::{print, single_threaded, write};
use crate::admin::{CommandOutcome, Request};
use crate::cli::ResetPassword;
use crate::system::SystemRandom;
use crate::{commands, telemetry};

pub(super) fn run(reset: &ResetPassword) -> anyhow::Result<ExitCode> {
    let config = commands::configure(&reset.place.flags())?;
    let password =
        if reset.password_stdin { read_password()? } else { generate_password(&SystemRandom) };
    let request = Request::ResetPassword {
        owner: reset.owner.as_ref().map(ToString::to_string),
        email: reset.email.as_ref().map(ToString::to_string),
        password: password.expose().to_owned(),
        end_second_factor: reset.end_second_factor,
    };
    telemetry::start(&config.log)?;
    let print_with_password = |fields: Value| {
        let mut fields = fields;
        fields["password"] = json!(password.expose());
        print(fields, reset.json)
    };
    match single_threaded()?.block_on(write::write(&config, request)) {
        Ok(CommandOutcome::Password(set)) => print_with_password(serde_json::to_value(set)?)?,
        Ok(_) => anyhow::bail!("the server answered something else"),
        Err(error) if may_be_done(&error) => {
            let email = reset.email.as_ref().map(ToString::to_string);
            let owner = reset.owner.as_ref().map(ToString::to_string);
            print_with_password(json!({ "owner": email.or(owner) }))?;
            let advice = "the person may have the password on standard output now; if that does not sign in, reset it \
                          again";
            return Err(error.context(advice));
        }
        Err(error) => return Err(error),
    }
    Ok(ExitCode::SUCCESS)
}
