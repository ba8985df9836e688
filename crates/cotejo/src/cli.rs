//! The command line: what can be said on it.

mod copies;
mod email;
mod plan;
mod rates;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;

use app::admin::OwnerName;
use clap::error::ContextKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use domain::ids::{EventId, KeyId};
use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};

pub(crate) use self::copies::{Backup, KeysChoice, Restore, Restored};
pub(crate) use self::email::{FreeEmail, SetEmail};
pub(crate) use self::plan::{CreatePlan, ListPlans, PlanCommand, SetPlan};
pub(crate) use self::rates::{AddRate, ImportRates, ListRates, RatesCommand};
use crate::config::Flags;

/// Verifies bank payments in Venezuela.
#[derive(Debug, Parser)]
#[command(name = "cotejo", version, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the service.
    Serve(Serve),
    /// Merchant accounts.
    #[command(subcommand)]
    Owner(OwnerCommand),
    /// Credits of owners.
    #[command(subcommand)]
    Credits(CreditsCommand),
    /// Plans: how many payments and accounts owners may have.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Clients of owners.
    #[command(subcommand)]
    Client(ClientCommand),
    /// API keys of owners.
    #[command(subcommand)]
    Key(KeyCommand),
    /// What other currencies cost in bolívares, for links in dollars.
    #[command(subcommand)]
    Rates(RatesCommand),
    /// Sessions of owners.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// The key that opens the secrets in the database.
    #[command(subcommand)]
    MasterKey(MasterKeyCommand),
    /// The mail that the service sends.
    #[command(subcommand)]
    Mail(MailCommand),
    /// Simulate banks over HTTP, for development and tests.
    Banks(Banks),
    /// Bring the database's schema up to date, and do nothing else.
    Migrate(Place),
    /// Print the tables as SQL, to be read, or how they are spread over several servers.
    Schema(Schema),
    /// Write a copy of everything into one file, beside a server that works: never the master key.
    Backup(Backup),
    /// Put a copy back into an empty place, and have what may have been accepted since looked at.
    Restore(Restore),
    /// Say of a PostgreSQL that was put back by other means that it was.
    Restored(Restored),
    /// Compute every balance and counter from the ledger, and name each difference.
    CheckLedger(CheckLedger),
    /// Compute the proof of every delivery again, and name each difference.
    CheckDeliveries(CheckDeliveries),
    /// Print everything that proves how an event was delivered, as JSON.
    ExportDelivery(ExportDelivery),
    /// Print the configuration file with every key and what it is for.
    #[command(hide = true)]
    ConfigExample,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OwnerCommand {
    /// Make an owner, its default key and its test bank account.
    Create(CreateOwner),
    /// List the owners, oldest first.
    List(ListOwners),
    /// Let an owner use the service again.
    Activate(OneOwner),
    /// Let an owner use the service no longer: its keys, sessions and payment pages open nothing until it is activated.
    Deactivate(OneOwner),
    /// Give an owner another password and end its sessions; its keys stay.
    ResetPassword(ResetPassword),
    /// Give an owner, or one of its people, another address to sign in with; its sessions end.
    SetEmail(SetEmail),
    /// Let an address go that leads to somebody who signs in with another, or to nobody.
    FreeEmail(FreeEmail),
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// List the keys of an owner, oldest first.
    List(OneOwner),
    /// Revoke a key for good.
    Revoke(RevokeKey),
}

#[derive(Debug, Subcommand)]
pub(crate) enum CreditsCommand {
    /// Add credits to an owner's balance, or take some away.
    Grant(GrantCredits),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Make a client of an owner.
    Create(CreateClient),
    /// List the clients of an owner, newest first.
    List(OneOwner),
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Make a new key that signs session tokens; no server may run on the data folder meanwhile.
    RotateKey(RotateSessionKey),
}

#[derive(Debug, Subcommand)]
pub(crate) enum MasterKeyCommand {
    /// Put a new key above the former ones in the file and seal all secrets anew; no server may run meanwhile.
    Rotate(ChangeMasterKey),
    /// Seal anew what a former key of the file has sealed, as after a rotation that was cut short.
    Reseal(ChangeMasterKey),
}

#[derive(Debug, Subcommand)]
pub(crate) enum MailCommand {
    /// Send a mail by the configured server, to see that it arrives.
    Test(TestMail),
}

#[derive(Args, Debug)]
pub(crate) struct TestMail {
    /// Whom it goes to
    #[arg(long, value_parser = EmailAddress::parse)]
    pub(crate) to: EmailAddress,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl TestMail {
    /// Converts to flags, which win over the configuration.
    pub(crate) fn flags(&self) -> Flags {
        Flags { config: self.config.clone(), ..Flags::default() }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ChangeMasterKey {
    /// With PostgreSQL, where the command cannot see other nodes: all are stopped
    #[arg(long)]
    pub(crate) nodes_stopped: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct RotateSessionKey {
    /// End all sessions, as where somebody may know the former key
    #[arg(long)]
    pub(crate) end_sessions: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Place of the data, which every command needs to know.
#[derive(Args, Debug)]
pub(crate) struct Place {
    /// The data folder [default: ./data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A PostgreSQL instead of the data folder's file; better said by COTEJO_DATABASE
    #[arg(long, value_name = "URL", value_parser = secret)]
    database: Option<SecretText>,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The master key [default: DIR/master.key]
    #[arg(long, value_name = "FILE")]
    master_key_file: Option<PathBuf>,
}

impl Place {
    /// Converts to flags, which win over the configuration.
    pub(crate) fn flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            data: self.data.clone(),
            database: self.database.clone(),
            master_key_file: self.master_key_file.clone(),
            ..Flags::default()
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Where HTTP is served [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Let webhooks go to this machine and private networks: for development
    #[arg(long)]
    allow_private_webhooks: bool,
    /// Log in JSON also on a terminal
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

impl Serve {
    /// Converts to flags, which win over the configuration.
    pub(crate) fn flags(&self) -> Flags {
        Flags {
            listen: self.listen.clone(),
            json_logs: self.json,
            allow_private_webhooks: self.allow_private_webhooks,
            ..self.place.flags()
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Banks {
    /// Where HTTP is served
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8102")]
    pub(crate) listen: SocketAddr,
    /// Let the banks' clock stand until PUT /admin/clock sets it
    #[arg(long)]
    pub(crate) manual_clock: bool,
    /// Listen where other machines reach it; nobody is asked for credentials there
    #[arg(long)]
    pub(crate) allow_remote: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CreateOwner {
    /// What it signs in with
    #[arg(long, value_parser = EmailAddress::parse)]
    pub(crate) email: EmailAddress,
    /// The merchant's name
    #[arg(long, value_parser = Text::<1, 120>::parse)]
    pub(crate) name: Option<Text<1, 120>>,
    /// Read the password from standard input instead of making one up
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// Credits to begin with
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) credits: i64,
    /// Link an account at the test bank, to try the service out; its money does not exist
    #[arg(long)]
    pub(crate) test_account: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct ListOwners {
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct OneOwner {
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct ResetPassword {
    /// The owner's e-mail address or id
    #[arg(long, required_unless_present = "email", conflicts_with = "email")]
    pub(crate) owner: Option<OwnerName>,
    /// What the person signs in with, in place of --owner: an owner, an employee, or a person of a client
    #[arg(long, value_parser = EmailAddress::parse)]
    pub(crate) email: Option<EmailAddress>,
    /// Read the password from standard input instead of making one up
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// End the second factor, too: for whoever has lost its authenticator and its recovery codes. Be sure of
    /// whom you help, since the password alone signs in from then on
    #[arg(long)]
    pub(crate) end_second_factor: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct RevokeKey {
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// The key's id, as key list shows it
    #[arg(long)]
    pub(crate) key: KeyId,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct GrantCredits {
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// How many; a negative number takes some away
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) amount: i64,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct CreateClient {
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// The client's name
    #[arg(long, value_parser = Text::<1, 120>::parse)]
    pub(crate) name: Text<1, 120>,
    /// Whether the client's keys may verify payments
    #[arg(long)]
    pub(crate) payments_enabled: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// Print the statements that spread the tables over the servers of a distributed PostgreSQL (Citus)
    #[arg(long)]
    pub(crate) distributed: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckLedger {
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct CheckDeliveries {
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct ExportDelivery {
    /// The event's id
    #[arg(value_name = "EVENT")]
    pub(crate) event: EventId,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// The commands that there are where one was not understood, with what each does.
pub(crate) fn commands_like(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let mut at = Cli::command();
    // The usage names the commands that were understood: `Usage: cotejo owner <COMMAND>`.
    for word in usage.split_whitespace() {
        if let Some(found) = at.find_subcommand(word) {
            at = found.clone();
        }
    }
    let mut text = String::from("Commands:");
    for command in at.get_subcommands().filter(|command| !command.is_hide_set()) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("\n  {:<18} {about}", command.get_name()));
    }
    text
}

fn secret(text: &str) -> Result<SecretText, Infallible> {
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_databases_password_is_not_shown() {
        let line = ["cotejo", "migrate", "--database", "postgres://u:hunter2@db/c"];
        let cli = Cli::try_parse_from(line).unwrap();
        assert!(!format!("{cli:?}").contains("hunter2"));
    }
}
