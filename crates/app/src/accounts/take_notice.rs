//! The operation: `POST /hooks/bank/{provider}/{bank_id}`, by which a bank tells of a payment.
//!
//! A notice makes a movement known, or confirms one that is. It claims and charges nothing: that
//! takes somebody who asks for the payment.

use bank::{Bank, Heard, Notice, Push};
use domain::access::TakeBankNotice;
use domain::ids::{BankId, MovementId, NotificationId, OwnerId};
use domain::matching::Rule;
use domain::push_secret::PushSecretHash;
use domain::refusal::Refusal;
use domain::secret::{PersonalText, SecretText};
use domain::time::{CaracasDate, Timestamp};
use store::bank_notifications::NewNotification;
use store::fault::Fault;
use store::locators::Kind;
use store::movements::Sought;
use store::tx::Tx;
use store::{Lane, accounts, bank_notifications, bank_push, locators};

use super::push::hash;
use crate::ingestion::{self, Held};
use crate::{Act, App, Error};

/// What came to the address of an account.
#[derive(Debug)]
pub struct Pushed {
    /// The account's id, as it was written.
    pub account: String,
    /// What was shown as its secret.
    pub secret: Option<SecretText>,
    /// The body; nothing where it could not be read whole.
    pub body: Option<Vec<u8>>,
}

/// The account that a notice is about.
#[derive(Clone, Copy)]
struct Addressed {
    owner: OwnerId,
    bank: BankId,
    secret: PushSecretHash,
    rule: Rule,
}

/// The bank whose notices come under that name in lower case.
///
/// # Errors
/// Not found where there is none.
pub fn pushing_bank<'a>(
    app: &'a App,
    provider: &str,
) -> Result<(&'a dyn Bank, &'a dyn Push), Refusal> {
    let mut banks = app.banks.values().map(|bank| &**bank);
    let bank = banks.find(|bank| bank.capabilities().provider.to_ascii_lowercase() == provider);
    let pushing = bank.and_then(|bank| Some((bank, bank.push()?)));
    pushing.ok_or(Refusal::NotFound("route"))
}

/// Takes in what a bank tells. Whoever shows a wrong secret, an account that is not there and a body
/// that says nothing are refused alike.
///
/// # Errors
/// A failure of the store: the notice was not taken in, and should come again.
pub async fn take_notice(
    app: &App,
    act: &Act<TakeBankNotice>,
    (bank, push): (&dyn Bank, &dyn Push),
    pushed: Pushed,
) -> Result<Heard, Error> {
    let (Ok(id), Some(shown)) = (pushed.account.parse::<BankId>(), pushed.secret) else {
        return Ok(Heard::Refused);
    };
    let secret = PushSecretHash::of(&shown);
    let read = app.store.look_up(act.meter(), move |tx| {
        let located = locators::find(tx, Kind::BankPush, &hash(id))?;
        // Where there is no such account the same is read, so that it takes as long.
        let owner = located.map_or(OwnerId::from_bytes([0; 16]), |located| located.owner);
        Ok((owner, bank_push::find(tx, owner, id)?))
    });
    let (owner, kept) = read.await?;
    if kept != Some(secret) {
        return Ok(Heard::Refused);
    }
    let Some((notice, raw)) = readable(push, pushed.body, act.now) else {
        tracing::warn!(account = %id, "a bank's notice could not be read");
        return Ok(Heard::Refused);
    };
    let addressed = Addressed { owner, bank: id, secret, rule: bank.capabilities().rule };
    keep(app, act, addressed, notice, raw).await
}

/// The notice in a body that is text. One of a day that is yet to come is none.
fn readable(
    push: &dyn Push,
    body: Option<Vec<u8>>,
    now: Timestamp,
) -> Option<(Notice, PersonalText)> {
    let raw = String::from_utf8(body?).ok()?;
    let notice = push.read(raw.as_bytes())?;
    // The bank's clock may be ahead of ours.
    let is_past = notice.paid_on <= CaracasDate::of(now).plus_days(1);
    is_past.then(|| (notice, PersonalText::new(raw)))
}

async fn keep(
    app: &App,
    act: &Act<TakeBankNotice>,
    addressed: Addressed,
    notice: Notice,
    raw: PersonalText,
) -> Result<Heard, Error> {
    let now = act.now;
    let movement = MovementId::new(&*app.ids, now);
    let notification = NotificationId::new(&*app.ids, now);
    let write = app.store.write(act.meter(), Lane::Admission, addressed.owner, move |tx| {
        write(tx, addressed, &notice, &raw, (notification, movement), now)
    });
    Ok(write.await?)
}

fn write(
    tx: &mut Tx<'_>,
    addressed: Addressed,
    notice: &Notice,
    raw: &PersonalText,
    (id, new_movement): (NotificationId, MovementId),
    now: Timestamp,
) -> Result<Heard, Fault> {
    let Addressed { owner, bank, secret, rule } = addressed;
    let Some(account) = accounts::find(tx, owner, bank)? else { return Ok(Heard::Refused) };
    let identity = account.identity;
    let new = NewNotification {
        id,
        identity,
        bank,
        reference: notice.reference.clone(),
        amount: notice.amount,
        paid_on: notice.paid_on,
        payer: notice.payer.clone(),
        message: notice.message.clone(),
        raw: raw.clone(),
    };
    let sought: Vec<_> =
        notice.movement.iter().flat_map(|seen| Sought::shown(rule, seen)).collect();
    let locked = bank_notifications::lock(tx, owner, &new, &sought)?;
    // It was rotated, or the account put into the trash, since it was looked at.
    if locked.secret != Some(secret) {
        return Ok(Heard::Refused);
    }
    if locked.is_kept {
        return Ok(Heard::Again);
    }
    let mut known = locked.candidates;
    let movement = match &notice.movement {
        Some(seen) => {
            let held = Held { owner, identity, rule, now };
            ingestion::take_in(tx, held, &mut known, seen, new_movement)?
        }
        None => None,
    };
    if let Some(movement) = movement {
        // A new one has none.
        if movement != new_movement && bank_notifications::tells_of(tx, owner, movement)? {
            return Ok(Heard::Again);
        }
    }
    bank_notifications::insert(tx, owner, &new, movement, now)?;
    Ok(Heard::Taken)
}
