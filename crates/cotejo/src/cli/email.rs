//! Addresses that people sign in with.

use app::admin::OwnerName;
use clap::Args;
use domain::ids::EmployeeId;
use domain::text::EmailAddress;

use super::Place;

#[derive(Args, Debug)]
pub(crate) struct SetEmail {
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// The person of the owner or of one of its clients whose address it is, instead of the owner's
    #[arg(long)]
    pub(crate) person: Option<EmployeeId>,
    /// The new address. Be sure that it is theirs: whoever reads its mail can set the password
    #[arg(long, value_parser = EmailAddress::parse)]
    pub(crate) email: EmailAddress,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct FreeEmail {
    /// The address
    #[arg(long, value_parser = EmailAddress::parse)]
    pub(crate) email: EmailAddress,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}
