//! What the commands do. Each prints its answer on standard output and returns; why one failed is
//! printed at the program's end.

mod backup;
mod banks;
mod check_deliveries;
mod check_ledger;
mod create_owner;
mod export_delivery;
mod lists;
mod master_key;
mod offline;
mod plans;
mod progress;
mod rates;
mod reset_password;
mod restore;
mod rotate_session_key;
mod serve;
mod signals;
mod test_mail;
mod write;

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::mpsc;

use anyhow::{Context, bail};
use store::{OnFatal, distribution};

use crate::admin::{CommandOutcome, Request};
use crate::cli::{
    ClientCommand, Command, CreditsCommand, KeyCommand, MailCommand, MasterKeyCommand, OneOwner,
    OwnerCommand, Place, SessionsCommand,
};
use crate::config::{Config, ConfigError, Flags};
use crate::data_folder::DataFolder;
use crate::opening::{close_store, open_store};
use crate::system::Runtime;
use crate::telemetry;

/// Runs the command.
///
/// # Errors
/// Why it was not done: a [`ConfigError`] where the configuration is of no use.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(serve) => serve::run(&configure(&serve.flags())?),
        Command::Owner(command) => owner(command),
        Command::Key(KeyCommand::List(list)) => lists::keys(&list),
        Command::Key(KeyCommand::Revoke(revoke)) => {
            let (owner, key) = (revoke.owner.to_string(), revoke.key.to_string());
            write(&revoke.place, Request::RevokeKey { owner, key }, revoke.json)
        }
        Command::Client(ClientCommand::List(list)) => lists::clients(&list),
        Command::Rates(command) => rates::run(&command),
        Command::Plan(plan) => plans::run(&plan),
        Command::Credits(CreditsCommand::Grant(grant)) => {
            let request =
                Request::GrantCredits { owner: grant.owner.to_string(), amount: grant.amount };
            write(&grant.place, request, grant.json)
        }
        Command::Client(ClientCommand::Create(create)) => {
            let request = Request::CreateClient {
                owner: create.owner.to_string(),
                name: create.name.into_string(),
                payments_enabled: create.payments_enabled,
            };
            write(&create.place, request, create.json)
        }
        Command::Sessions(SessionsCommand::RotateKey(rotate)) => {
            rotate_session_key::run(&configure(&rotate.place.flags())?, &rotate)
        }
        Command::MasterKey(MasterKeyCommand::Rotate(rotate)) => {
            master_key::rotate(&configure(&rotate.place.flags())?, &rotate)
        }
        Command::MasterKey(MasterKeyCommand::Reseal(reseal)) => {
            master_key::reseal(&configure(&reseal.place.flags())?, &reseal)
        }
        Command::Mail(MailCommand::Test(test)) => {
            test_mail::run(&configure(&test.flags())?, test.to)
        }
        Command::Banks(banks) => banks::run(&banks),
        Command::Migrate(place) => migrate(&configure(&place.flags())?),
        Command::Schema(of) => schema(of.distributed),
        Command::Backup(backup) => backup::run(&configure(&backup.place.flags())?, &backup),
        Command::Restore(restore) => restore::run(&configure(&restore.place.flags())?, &restore),
        Command::Restored(restored) => {
            restore::restored(&configure(&restored.place.flags())?, &restored)
        }
        Command::CheckLedger(check) => {
            check_ledger::run(&configure(&check.place.flags())?, check.json)
        }
        Command::CheckDeliveries(check) => {
            check_deliveries::run(&configure(&check.place.flags())?, check.json)
        }
        Command::ExportDelivery(export) => {
            export_delivery::run(&configure(&export.place.flags())?, export.event)
        }
        Command::ConfigExample => config_example(),
    }
}

fn owner(command: OwnerCommand) -> anyhow::Result<ExitCode> {
    match command {
        OwnerCommand::Create(create) => create_owner::run(&create),
        OwnerCommand::List(list) => lists::owners(&list),
        OwnerCommand::Activate(owner) => set_active(&owner, true),
        OwnerCommand::Deactivate(owner) => set_active(&owner, false),
        OwnerCommand::ResetPassword(reset) => reset_password::run(&reset),
        OwnerCommand::SetEmail(set) => {
            let request = Request::SetEmail {
                owner: set.owner.to_string(),
                person: set.person.map(|person| person.to_string()),
                email: set.email.to_string(),
            };
            write(&set.place, request, set.json)
        }
        OwnerCommand::FreeEmail(free) => {
            write(&free.place, Request::FreeEmail { email: free.email.to_string() }, free.json)
        }
    }
}

fn config_example() -> anyhow::Result<ExitCode> {
    write!(stdout(), "{}", Config::example())?;
    Ok(ExitCode::SUCCESS)
}

fn schema(is_distributed: bool) -> anyhow::Result<ExitCode> {
    let sql = if is_distributed { distribution::spread() } else { distribution::tables() };
    write!(stdout(), "{sql}")?;
    Ok(ExitCode::SUCCESS)
}

fn set_active(of: &OneOwner, is_active: bool) -> anyhow::Result<ExitCode> {
    let request = Request::SetOwnerActive { owner: of.owner.to_string(), is_active };
    write(&of.place, request, of.json)
}

fn configure(flags: &Flags) -> Result<Config, ConfigError> {
    // A variable that is not UTF-8 is none of ours.
    let variables = std::env::vars_os();
    let readable = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Config::load(flags, readable)
}

fn write(place: &Place, request: Request, json: bool) -> anyhow::Result<ExitCode> {
    let config = configure(&place.flags())?;
    telemetry::start(&config.log)?;
    let outcome = single_threaded()?.block_on(write::write(&config, request))?;
    show(&outcome, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the answer: one JSON object, or its fields for a person.
fn show(outcome: &CommandOutcome, json: bool) -> anyhow::Result<()> {
    let fields = match outcome {
        CommandOutcome::Owner(owner) => serde_json::to_value(owner)?,
        CommandOutcome::Credits(credits) => serde_json::to_value(credits)?,
        CommandOutcome::Client(client) => serde_json::to_value(client)?,
        CommandOutcome::OwnerStanding(owner) => serde_json::to_value(owner)?,
        CommandOutcome::Password(owner) => serde_json::to_value(owner)?,
        CommandOutcome::Email(given) => serde_json::to_value(given)?,
        CommandOutcome::EmailFreed(freed) => serde_json::to_value(freed)?,
        CommandOutcome::Revoked(key) => serde_json::to_value(key)?,
        CommandOutcome::Owners(owners) => serde_json::to_value(owners)?,
        CommandOutcome::Clients(clients) => serde_json::to_value(clients)?,
        CommandOutcome::Keys(keys) => serde_json::to_value(keys)?,
        CommandOutcome::RatesRecorded(recorded) => {
            warn_of_superseded(recorded.superseded);
            serde_json::to_value(recorded)?
        }
        CommandOutcome::Rates(rates) => serde_json::to_value(rates)?,
        CommandOutcome::RatesStatus(status) => serde_json::to_value(status)?,
        CommandOutcome::Plan(plan) => serde_json::to_value(plan)?,
        CommandOutcome::Plans(plans) => serde_json::to_value(plans)?,
        CommandOutcome::OwnersPlan(plan) => serde_json::to_value(plan)?,
    };
    print(fields, json)
}

/// Says of rates of a file that they do not serve, though they are in it.
fn warn_of_superseded(rates: u64) {
    if rates > 0 {
        eprintln!(
            "{rates} rates were corrected since they were recorded, and the corrections stay: `cotejo rates list` shows \
             both, and `cotejo rates add` says one anew"
        );
    }
}

fn print(fields: serde_json::Value, json: bool) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{fields}")?;
    } else if let serde_json::Value::Object(fields) = fields {
        for (name, value) in fields {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            writeln!(out, "{name}: {text}")?;
        }
    }
    Ok(())
}

fn migrate(config: &Config) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    single_threaded()?.block_on(async {
        let data = DataFolder::make(&config.data)?;
        let now = Runtime::default().clock.now();
        let (failed, failure) = mpsc::channel();
        let on_fatal = OnFatal::new(move |reason| drop(failed.send(reason.to_owned())));
        let store = open_store(config, &data, now, on_fatal).await?;
        close_store(&store).await?;
        match failure.try_recv() {
            Ok(reason) => bail!("the store failed: {reason}"),
            Err(_) => Ok(()),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// For commands, which end anyhow. A job whose outcome is unknown has reported that, and what was committed stays in
/// the log.
fn ends_by_itself() -> OnFatal {
    OnFatal::new(|reason| tracing::error!(reason, "the store failed"))
}

fn single_threaded() -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime")
}
