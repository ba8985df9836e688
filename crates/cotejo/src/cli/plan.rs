//! What can be said of plans.

use app::admin::OwnerName;
use clap::{Args, Subcommand};
use domain::ids::PlanId;
use domain::money::Bolivars;
use domain::plans::{Benefit, Period, PlanType};
use domain::text::Text;

use super::{OneOwner, Place};

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Make a plan. It is never changed: make another, and give it to owners.
    Create(Box<CreatePlan>),
    /// List the plans, oldest first.
    List(ListPlans),
    /// Give an owner a plan, which is active.
    Set(SetPlan),
    /// Take an owner's plan away: nothing limits it then but its balance.
    Remove(OneOwner),
    /// Have an owner's plan go on.
    Activate(OneOwner),
    /// Refuse new charges of an owner; its links cannot be paid meanwhile.
    Deactivate(OneOwner),
}

#[derive(Args, Debug)]
pub(crate) struct CreatePlan {
    /// What it is called
    #[arg(long, value_parser = Text::<1, 120>::parse)]
    pub(crate) name: Text<1, 120>,
    /// What it is, for people
    #[arg(long, default_value = "", value_parser = Text::<0, 500>::parse)]
    pub(crate) description: Text<0, 500>,
    /// How it is sold: credit, unlimited or counter
    #[arg(long = "type", default_value = "credit", value_parser = plan_type)]
    pub(crate) kind: PlanType,
    /// For how long it is paid: month, six_months or year
    #[arg(long, default_value = "month", value_parser = period)]
    pub(crate) period: Period,
    /// What it costs, such as 25.00
    #[arg(long, default_value = "0", value_parser = price)]
    pub(crate) price: i64,
    /// Payments that a month of Caracas may charge [default: any number]
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) request_limit: Option<i64>,
    /// Bank accounts that may be linked [default: as many as anybody may]
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) bank_account_limit: Option<i64>,
    /// Credits that it is sold with; grant them by credits grant
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) initial_credits: i64,
    /// Credits that may be kept, as it is sold [default: any number]
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_accumulated_credits: Option<i64>,
    /// What people are told that it has; may be said several times
    #[arg(long = "benefit", value_name = "TEXT", value_parser = Benefit::parse)]
    pub(crate) benefits: Vec<Benefit>,
    /// Show it before others
    #[arg(long)]
    pub(crate) salient: bool,
    /// Offer it to nobody
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct ListPlans {
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct SetPlan {
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// The plan's id, as plan list shows it
    #[arg(long)]
    pub(crate) plan: PlanId,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

fn plan_type(text: &str) -> Result<PlanType, &'static str> {
    PlanType::parse(text).ok_or("must be credit, unlimited or counter")
}

fn period(text: &str) -> Result<Period, &'static str> {
    Period::parse(text).ok_or("must be month, six_months or year")
}

/// An amount as text, in hundredths.
fn price(text: &str) -> Result<i64, &'static str> {
    let number = text.replace(',', ".").parse().map_err(|_| "must be a number such as 25.00")?;
    let price = Bolivars::from_number(number)
        .map_err(|_| "must be 0 or more, with two decimals at most")?;
    Ok(price.hundredths())
}
