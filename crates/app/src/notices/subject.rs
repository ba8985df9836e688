//! The subject of a notice, and whether it is settled.

use std::time::Duration;

use domain::ids::{BankId, OwnerId, PaymentId, VerificationId};
use domain::links::{Currency, Price, Status};
use domain::money::Credits;
use domain::notices::{Kind, READ_WITHIN};
use domain::secret::PersonalText;
use domain::time::Timestamp;
use store::fault::Fault;
use store::links::Link;
use store::notices::{ListedNotice, NoticedMovement};
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{
    accounts, bank_access, links, notice_settings, notices, owners, subscriptions,
    unresponsive_banks,
};

/// How long a question may have been open that ended after a notice.
const OPEN: Duration = Duration::from_secs(60 * 60);

/// The subject of a notice, as people know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The amount that the bank credited, or that the link asks for.
    pub amount: Option<Price>,
    /// The name of the link.
    pub link_name: Option<String>,
    /// The customer and the label of the subscription.
    pub subscription: Option<PersonalText>,
    /// The payer's document or phone, as the bank says it.
    pub payer: Option<String>,
}

/// Looks at what a notice is about, and whether it is settled.
pub(super) fn look(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    notice: &ListedNotice,
    price: Credits,
    now: Timestamp,
) -> Result<(Subject, bool), Fault> {
    let link = match notice.link {
        Some(link) => links::find(tx, owner, link)?,
        None => None,
    };
    let movement = match notice.subject.parse() {
        Ok(movement) if is_about_movement(notice.kind) => notices::movement(tx, owner, movement)?,
        _ => None,
    };
    let subscription = match notice.subject.parse() {
        Ok(id) if notice.kind == Kind::SubscriptionCanceled => subscriptions::find(tx, owner, id)?,
        _ => None,
    };
    let is_settled = match notice.kind {
        // The money is there, and can be accepted, also when the link that it was meant for has ended.
        Kind::SameBankPayment | Kind::PaymentOutsideRate | Kind::LinkMoneyUnclaimed => {
            is_claimed(movement.as_ref())
        }
        Kind::PaymentContested => {
            let claimed_by = movement.as_ref().and_then(|movement| movement.payment);
            is_contest_settled(tx, owner, notice, link.as_ref(), claimed_by)?
        }
        Kind::LinkRefusedForCredits
        | Kind::LinkRefusedByPlan
        | Kind::RateMissing
        | Kind::AmountUnpayable => link.as_ref().is_some_and(|link| has_ended(link, now)),
        Kind::BankRefusesCredentials => takes_credentials(tx, owner, notice)?,
        Kind::LowBalance | Kind::CreditsExhausted => has_credits(tx, owner, notice.kind, price)?,
        Kind::SubscriptionCanceled => has_run_out(subscription.as_ref(), notice, now),
        Kind::WebhookFailing
        | Kind::WebhookExhausted
        | Kind::SignInAttempts
        | Kind::MailGivenUp
        | Kind::RateInDoubt
        | Kind::StatementRowUnread
        | Kind::ShortReferences => false,
    };
    Ok((subject(link, movement, subscription.as_ref()), is_settled))
}

const fn is_about_movement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::SameBankPayment
            | Kind::PaymentOutsideRate
            | Kind::LinkMoneyUnclaimed
            | Kind::PaymentContested
    )
}

fn subject(
    link: Option<Link>,
    movement: Option<NoticedMovement>,
    subscription: Option<&Subscription>,
) -> Subject {
    let credited = |movement: &NoticedMovement| Price {
        hundredths: movement.amount.hundredths(),
        currency: Currency::Vef,
    };
    let asked = link.as_ref().map(|link| link.price);
    Subject {
        amount: movement.as_ref().map(credited).or(asked),
        link_name: link.map(|link| link.name),
        subscription: subscription
            .map(|of| PersonalText::new(format!("{} · {}", of.customer.name.as_str(), of.label()))),
        payer: movement.and_then(|movement| movement.payer),
    }
}

fn is_claimed(movement: Option<&NoticedMovement>) -> bool {
    movement.is_some_and(|movement| movement.payment.is_some())
}

/// Answers whether a person has decided about the movement of which the bank contradicts itself: every row that may be the same
/// money is accepted, or it or one of these pays the link that waited for it.
fn is_contest_settled(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    notice: &ListedNotice,
    link: Option<&Link>,
    claimed_by: Option<PaymentId>,
) -> Result<bool, Fault> {
    let Ok(movement) = notice.subject.parse() else { return Ok(false) };
    let rivals = notices::contested_with(tx, owner, movement)?;
    let pays_link = link
        .and_then(|link| link.payment)
        .is_some_and(|payment| claimed_by == Some(payment) || rivals.contains(&Some(payment)));
    let is_accepted = !rivals.is_empty() && rivals.iter().all(Option::is_some);
    Ok(pays_link || is_accepted)
}

/// Answers whether no payer can pay the link any more.
fn has_ended(link: &Link, now: Timestamp) -> bool {
    !matches!(link.standing.status(now), Status::Pending | Status::Stopped)
}

/// Answers whether the bank takes the credentials of the account that the notice is about: it has taken others since, or answered;
/// or nobody asks about the account any more.
fn takes_credentials(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    notice: &ListedNotice,
) -> Result<bool, Fault> {
    let Ok(bank) = notice.subject.parse::<BankId>() else { return Ok(false) };
    if accounts::find(tx, owner, bank)?.is_none_or(|account| account.is_trashed) {
        return Ok(true);
    }
    let since = notice.updated_at;
    if bank_access::taken_at(tx, owner, bank)?.is_some_and(|taken_at| taken_at > since) {
        return Ok(true);
    }
    let behind = VerificationId::last_of(since.minus(OPEN));
    unresponsive_banks::has_answered(tx, owner, bank, (behind, since))
}

/// Answers whether a subscription has ended, and the notice of it has been there to be read.
fn has_run_out(of: Option<&Subscription>, notice: &ListedNotice, now: Timestamp) -> bool {
    let lives = of.is_some_and(|of| of.standing.end.is_none());
    !lives && notice.updated_at.plus(READ_WITHIN) <= now
}

/// Answers whether there are as many credits again as the notice says were lacking.
fn has_credits(tx: &mut Tx<'_>, owner: OwnerId, kind: Kind, price: Credits) -> Result<bool, Fault> {
    let Some(row) = owners::find(tx, owner)? else { return Ok(true) };
    if kind == Kind::CreditsExhausted {
        return Ok(row.balance >= price.get());
    }
    let below = notice_settings::find(tx, owner)?.low_balance_below;
    Ok(below.is_none_or(|below| row.balance >= below.get()))
}
