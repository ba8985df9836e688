//! The configuration, checked and shown.

use std::io::{Write, stdout};
use std::process::ExitCode;

use serde_json::json;

use super::explain;
use crate::cli::OfConfig;
use crate::doctor::{Report, configuration};

/// Prints what is to be said of the configuration by itself.
pub(super) fn check(of: &OfConfig) -> anyhow::Result<ExitCode> {
    let explained = explain(&of.place.flags())?;
    let config = explained.config?;
    Report::new(configuration::look(&config, &explained.shown)).print(of.json)
}

/// Prints every key, and then what is wrong with one, if anything is.
pub(super) fn dump(of: &OfConfig) -> anyhow::Result<ExitCode> {
    let explained = explain(&of.place.flags())?;
    let mut out = stdout().lock();
    if of.json {
        writeln!(out, "{}", json!({ "settings": explained.shown }))?;
    } else {
        for one in &explained.shown {
            let value = one.value.as_deref().unwrap_or("-");
            let place = one.place.as_ref().map(|place| format!(" {place}")).unwrap_or_default();
            writeln!(out, "{} = {value}  ({}{place})", one.key, one.from)?;
        }
    }
    explained.config?;
    Ok(ExitCode::SUCCESS)
}
