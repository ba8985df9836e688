//! A look at all that the service needs.

use std::process::ExitCode;

use super::{explain, single_threaded};
use crate::cli::Doctor;
use crate::doctor::{Report, configuration, database, folder, network};

pub(super) fn run(doctor: &Doctor) -> anyhow::Result<ExitCode> {
    let explained = explain(&doctor.place.flags())?;
    let config = explained.config?;
    let mut findings = configuration::look(&config, &explained.shown);
    findings.extend(folder::look(&config));
    single_threaded()?.block_on(async {
        findings.extend(database::look(&config).await);
        if !doctor.offline {
            findings.extend(network::look(&config, &explained.shown).await);
        }
    });
    Report::new(findings).print(doctor.json)
}
