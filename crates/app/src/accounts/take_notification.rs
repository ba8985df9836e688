//! The operation: `POST /hooks/bank/{provider}/{bank_id}`, by which a bank notifies of a payment.
//!
//! A notice makes a movement known, or confirms one that is. It claims and charges nothing: that
//! needs a caller who asks for the payment.

use bank::{Bank, Notice, Push, PushOutcome};
use domain::access::TakeBankNotice;
use domain::ids::{BankId, MovementId, NoticeId, NotificationId, OwnerId};
use domain::matching::Rule;
use domain::push_secret::{PushSecret, PushSecretHash};
use domain::refusal::Refusal;
use domain::secret::{PersonalText, SecretText};
use domain::time::{CaracasDate, Timestamp};
use store::bank_notifications::{BankNotification, KeptNotice};
use store::fault::Fault;
use store::movements::ReferenceQuery;
use store::tx::Tx;
use store::{Lane, accounts, bank_notifications, bank_push, notices};

use crate::ingestion::{self, Held, Ingested};
use crate::locator::Locator;
use crate::{Act, App, Error};

/// Sender that showed the secret of an account, and may send notices of its payments.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    owner: OwnerId,
    bank: BankId,
    secret: PushSecretHash,
}

/// The bank whose notices come under that name in lower case.
///
/// # Errors
/// Not found where there is none.
pub fn pushing_bank<'a>(
    app: &'a App,
    provider: &str,
) -> Result<(&'a dyn Bank, &'a dyn Push), Refusal> {
    let mut banks = app.banks.iter().map(|bank| &**bank);
    let bank = banks.find(|bank| bank.capabilities().provider.to_ascii_lowercase() == provider);
    let pushing = bank.and_then(|bank| Some((bank, bank.push()?)));
    pushing.ok_or(Refusal::RouteNotFound)
}

/// Finds out by the head of a request alone who sends it: nobody where the secret is wrong or there is no such
/// account, which looks the same from outside. What has not the form of a secret is wrong without asking the store.
///
/// # Errors
/// A failure of the store: the notice should come again.
pub async fn find_sender(
    app: &App,
    act: &Act<TakeBankNotice>,
    account: &str,
    shown: Option<SecretText>,
) -> Result<Option<Sender>, Error> {
    let shown = shown.and_then(PushSecret::parse);
    let (Ok(id), Some(shown)) = (account.parse::<BankId>(), shown) else { return Ok(None) };
    let secret = shown.hash();
    let read = app.store.look_up(act.meter(), move |tx| {
        let located = Locator::of_push(id).find(tx)?;
        // Where there is no such account the same is read, so that it takes as long.
        let owner = located.map_or(OwnerId::from_bytes([0; 16]), |located| located.owner);
        Ok((owner, bank_push::find(tx, owner, id)?))
    });
    let (owner, kept) = read.await?;
    let is_right = kept == Some(secret);
    Ok(is_right.then_some(Sender { owner, bank: id, secret }))
}

/// Takes in a bank's notice; of a body there is nothing where it could not be read whole. A body that says
/// nothing is refused as a wrong secret is.
///
/// # Errors
/// A failure of the store: the notice was not taken in, and should come again.
pub async fn take_notification(
    app: &App,
    act: &Act<TakeBankNotice>,
    (bank, push): (&dyn Bank, &dyn Push),
    sender: Sender,
    body: Option<Vec<u8>>,
) -> Result<PushOutcome, Error> {
    let Some((notice, raw)) = readable(push, body, act.now) else {
        tracing::warn!(account = %sender.bank, "a bank's notice could not be read");
        return Ok(PushOutcome::Refused);
    };
    keep(app, act, (sender, bank.capabilities().rule), notice, raw).await
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
    from: (Sender, Rule),
    notice: Notice,
    raw: PersonalText,
) -> Result<PushOutcome, Error> {
    let now = act.now;
    let movement = MovementId::new(&*app.ids, now);
    let notification = NotificationId::new(&*app.ids, now);
    let write = app.store.write(act.meter(), Lane::Admission, from.0.owner, move |tx| {
        write(tx, from, &notice, &raw, (notification, movement), now)
    });
    Ok(write.await?)
}

fn write(
    tx: &mut Tx<'_>,
    (sender, rule): (Sender, Rule),
    notice: &Notice,
    raw: &PersonalText,
    (id, new_movement): (NotificationId, MovementId),
    now: Timestamp,
) -> Result<PushOutcome, Fault> {
    let Sender { owner, bank, secret } = sender;
    let Some(account) = accounts::find(tx, owner, bank)? else { return Ok(PushOutcome::Refused) };
    let identity = account.identity;
    let new = BankNotification {
        id,
        identity,
        bank,
        reference: notice.reference.clone(),
        amount: notice.amount,
        paid_on: notice.paid_on,
        paid_at: notice.paid_at,
        payer: notice.payer.clone(),
        is_same_bank: notice.is_same_bank,
        message: notice.message.clone(),
        raw: raw.clone(),
    };
    let sought: Vec<_> =
        notice.movement.iter().flat_map(|seen| ReferenceQuery::from_bank(rule, seen)).collect();
    let locked = bank_notifications::lock(tx, owner, &new, &sought)?;
    // It was rotated, or the account put into the trash, since it was looked at.
    if locked.secret != Some(secret) {
        return Ok(PushOutcome::Refused);
    }
    if let Some(kept) = locked.kept {
        return take_again(tx, owner, &kept, &new, now);
    }
    let mut known = locked.candidates;
    let held = Held { owner, identity, rule, now, is_named: true };
    let taken = match &notice.movement {
        Some(seen) => Some(ingestion::ingest(tx, held, &mut known, seen, new_movement)?),
        None => None,
    };
    let movement = match taken {
        Some(Ingested::Movement(movement)) => Some(movement),
        Some(Ingested::Several | Ingested::Contested { .. }) | None => None,
    };
    if let Some(movement) = movement {
        // A new one has none.
        if movement != new_movement && bank_notifications::exists_for(tx, owner, movement)? {
            return Ok(PushOutcome::Again);
        }
    }
    bank_notifications::insert(tx, owner, &new, movement, now)?;
    if let Some(Ingested::Contested { with, .. }) = taken {
        notify_contested(tx, owner, id, with, now)?;
    }
    Ok(PushOutcome::Taken)
}

/// Takes a notice that was sent before: what the first one said stays, and what it left open is kept now.
fn take_again(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kept: &KeptNotice,
    again: &BankNotification,
    now: Timestamp,
) -> Result<PushOutcome, Fault> {
    // With another payer it is no repeat, and may be the same money.
    if kept.notice.payer.contradict(&again.payer) {
        if !kept.is_contested {
            bank_notifications::rewrite(tx, owner, &kept.contested())?;
        }
        if let Some(movement) = kept.movement {
            notify_contested(tx, owner, again.id, movement, now)?;
        }
        return Ok(PushOutcome::Again);
    }
    let completed = kept.completed_by(again);
    if completed.notice.payer != kept.notice.payer
        || completed.notice.paid_at != kept.notice.paid_at
    {
        bank_notifications::rewrite(tx, owner, &completed)?;
    }
    Ok(PushOutcome::Again)
}

/// Notifies the owner that a notice may be of that movement, though it names another payer.
fn notify_contested(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NotificationId,
    with: MovementId,
    now: Timestamp,
) -> Result<(), Fault> {
    let notice = domain::notices::Notice::payment_contested(with, None);
    notices::notify(tx, owner, NoticeId::from_bytes(id.to_bytes()), &notice, now)
}
