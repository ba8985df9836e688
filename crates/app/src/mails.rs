//! Mail: put into the outbox by the transaction of what causes it, and sent by the node that has the lease.
//!
//! A crash between the server's word and our own note of it sends a mail again, with the same `Message-ID`. What a
//! mail says is sealed while it waits, since it may hold a one-time secret, and wiped at its end.

use std::sync::Arc;
use std::time::Duration;

use domain::access::Guarded;
use domain::ids::{ActorId, IdSource, LinkId, MailId, OwnerId};
use domain::language::Language;
use domain::links::{Currency, Price, Status};
use domain::mail::{
    INVITATION, Letter, MAILS_A_DAY, PAUSE_MAX, PAYMENT_REMINDER, TRIED_FOR, pause,
};
use domain::notices::{self, Digest, Item};
use domain::refusal::Refusal;
use domain::secret::{PersonalText, SecretBytes, SecretText};
use domain::subscriptions::{PaymentReminder, StopAddress};
use domain::text::EmailAddress;
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::Trouble;
use egress::{Envelope, MailError};
use serde_json::{Value, json};
use store::due::{Due, Kind};
use store::fault::Fault;
use store::mails::{self, End, NewMail, Waiting};
use store::tx::Tx;
use store::{Lane, Meter, links, owners, people, subscriptions};

use crate::mail_counts;
use crate::outcome::Outcome;
use crate::queue::{Progress, Work};
use crate::vault::{Place, Vault};
use crate::{Act, App, Error};

/// How long a node has a mail: longer than sending it can take.
const LEASE: Duration = Duration::from_secs(120);

/// Most tries of a mail: as many as fit into [`TRIED_FOR`] and a few more. They end a mail whose own end was written
/// by a clock that ran ahead.
const TRIES_MAX: i64 = 100;

/// The longest that a mail is put off: the longer one of a lease and of the pause after a failure.
pub(crate) const WAIT_MAX: Duration = PAUSE_MAX;

/// How long somebody waits whose owner has caused too many mails.
pub(crate) const LIMIT_WAIT: Duration = Duration::from_secs(60 * 60);

/// Returns the place to which the content of a mail is sealed.
pub(crate) fn place(owner: OwnerId, row: &[u8; 16]) -> Place<'_> {
    Place { table: "mails", column: "facts", owner: Some(owner), row }
}

/// A mail about a person's affairs that says `letter`, to be put into the outbox by a transaction. Nothing where the
/// service sends no mail.
pub(crate) fn draft(
    app: &App,
    whose: (OwnerId, ActorId),
    to: &str,
    (letter, language): (&Letter, Language),
    (now, expires_at): (Timestamp, Timestamp),
) -> Option<NewMail> {
    app.mail.as_ref()?;
    let made = (&*app.ids, &app.vault, MailId::new(&*app.ids, now));
    Some(seal(made, whose, to, (letter, language), (now, expires_at)))
}

/// A mail of that id that says `letter`, for a service that sends mail.
pub(crate) fn seal(
    (ids, vault, id): (&dyn IdSource, &Vault, MailId),
    (owner, person): (OwnerId, ActorId),
    to: &str,
    (letter, language): (&Letter, Language),
    (now, expires_at): (Timestamp, Timestamp),
) -> NewMail {
    let facts = SecretBytes::new(facts_of(letter).to_string().into_bytes());
    NewMail {
        id,
        kind: letter.kind(),
        is_notice: matches!(letter, Letter::Notices(_)),
        person,
        recipient: PersonalText::new(to.to_owned()),
        language,
        facts: vault.seal(ids, place(owner, &id.to_bytes()), facts.expose()),
        created_at: now,
        expires_at: expires_at.min(now.plus(TRIED_FOR)),
    }
}

/// A mail that notifies the caller of a change to how it signs in. Nothing where the service sends no mail.
///
/// # Errors
/// A failure of the store.
pub(crate) async fn to_caller<O: Guarded>(
    app: &App,
    act: &Act<O>,
    letter: &Letter,
) -> Result<Option<NewMail>, Fault> {
    if app.mail.is_none() {
        return Ok(None);
    }
    let person = (act.owner(), act.actor());
    let find = move |tx: &mut Tx<'_>| people::find(tx, person, None);
    let found = app.store.look_up(act.meter(), find).await?;
    let (now, written) = (app.clock.now(), (letter, act.request.language));
    Ok(found
        .and_then(|found| draft(app, person, found.email(), written, (now, now.plus(TRIED_FOR)))))
}

/// Checks that one more invitation may be sent by mail for the owner. Links for passwords are counted by person:
/// nobody who invites, and nobody who asks for another's, leaves the owner without its own.
///
/// # Errors
/// That there were too many, or a fault of the store.
pub(crate) fn check_limit(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Outcome<()> {
    let sent = mails::count(tx, owner, INVITATION, now.minus(domain::mail::DAY), MAILS_A_DAY)?;
    let is_full = sent >= MAILS_A_DAY;
    if is_full { Err(Refusal::MailLimit { retry_after: LIMIT_WAIT }.into()) } else { Ok(()) }
}

fn facts_of(letter: &Letter) -> Value {
    match letter {
        Letter::Invitation { merchant, client, token } => {
            json!({ "merchant": merchant, "client": client, "token": token.expose() })
        }
        Letter::PasswordReset { token } => json!({ "token": token.expose() }),
        Letter::EmailChange { merchant, token } => {
            json!({ "merchant": merchant, "token": token.expose() })
        }
        Letter::EmailChangeAsked { merchant } => json!({ "merchant": merchant }),
        Letter::PasswordChanged
        | Letter::PasswordReplaced
        | Letter::PasswordResetByOperator
        | Letter::SecondFactorBegun
        | Letter::SecondFactorEnded
        | Letter::EmailChanged => json!({}),
        Letter::PaymentReminder { reminder, stop, link } => {
            facts_of_reminder(reminder, *stop, *link)
        }
        Letter::Notices(digest) => {
            let item = |item: &Item| {
                let trouble = item.trouble.map(Trouble::as_str);
                let Item { subject, times, livemode, .. } = item;
                json!({ "subject": subject, "trouble": trouble, "times": times, "livemode": livemode })
            };
            json!({
                "times": digest.times,
                "since": digest.since.as_micros(),
                "latest": digest.latest.iter().map(item).collect::<Vec<_>>(),
                "others": digest.others,
            })
        }
    }
}

fn facts_of_reminder(reminder: &PaymentReminder, stop: StopAddress, link: LinkId) -> Value {
    json!({
        "merchant": reminder.merchant,
        "what": reminder.what,
        "hundredths": reminder.price.hundredths,
        "currency": reminder.price.currency.as_str(),
        "due": reminder.due.to_string(),
        "until": reminder.until.to_string(),
        "today": reminder.today.to_string(),
        "url": reminder.url,
        "payer_url": reminder.payer_url,
        "livemode": reminder.livemode,
        "stop": stop.to_string(),
        "link": link.to_string(),
    })
}

/// Reads the content of a sealed mail that reminds a payer.
fn reminder_of(facts: &Value) -> Option<PaymentReminder> {
    let text = |name: &str| facts[name].as_str().map(ToOwned::to_owned);
    let day = |name: &str| CaracasDate::parse(facts[name].as_str()?).ok();
    Some(PaymentReminder {
        merchant: text("merchant")?,
        what: text("what")?,
        price: Price {
            hundredths: facts["hundredths"].as_i64()?,
            currency: Currency::parse(facts["currency"].as_str()?)?,
        },
        due: day("due")?,
        until: day("until")?,
        today: day("today")?,
        url: text("url")?,
        payer_url: text("payer_url")?,
        livemode: facts["livemode"].as_bool()?,
    })
}

/// Reads the content of a sealed mail about notices.
fn digest_of(kind: notices::Kind, facts: &Value) -> Option<Digest> {
    let item = |item: &Value| {
        let trouble = item["trouble"].as_str().and_then(Trouble::parse);
        let (subject, times) = (item["subject"].as_str()?.to_owned(), item["times"].as_i64()?);
        // A mail that was written before mails had `livemode` says nothing of it.
        let livemode = item["livemode"].as_bool().unwrap_or(true);
        Some(Item { subject, trouble, times, livemode })
    };
    Some(Digest {
        kind,
        times: facts["times"].as_i64()?,
        since: Timestamp::from_micros(facts["since"].as_i64()?),
        latest: facts["latest"].as_array()?.iter().map(item).collect::<Option<_>>()?,
        others: facts["others"].as_i64()?,
    })
}

/// Reads the content of a sealed mail; `None` where a newer program has written it.
fn letter_of(kind: &str, facts: &[u8]) -> Option<Letter> {
    let facts: Value = serde_json::from_slice(facts).ok()?;
    let text = |name: &str| facts[name].as_str().map(ToOwned::to_owned);
    Some(match kind {
        "invitation" => Letter::Invitation {
            merchant: text("merchant")?,
            client: text("client"),
            token: SecretText::new(text("token")?),
        },
        "password_reset" => Letter::PasswordReset { token: SecretText::new(text("token")?) },
        "password_changed" => Letter::PasswordChanged,
        "password_replaced" => Letter::PasswordReplaced,
        "password_reset_by_operator" => Letter::PasswordResetByOperator,
        "second_factor_begun" => Letter::SecondFactorBegun,
        "second_factor_ended" => Letter::SecondFactorEnded,
        "email_change" => Letter::EmailChange {
            merchant: text("merchant")?,
            token: SecretText::new(text("token")?),
        },
        "email_change_asked" => Letter::EmailChangeAsked { merchant: text("merchant")? },
        "email_changed" => Letter::EmailChanged,
        PAYMENT_REMINDER => Letter::PaymentReminder {
            reminder: reminder_of(&facts)?,
            stop: text("stop")?.parse().ok()?,
            link: text("link")?.parse().ok()?,
        },
        _ => Letter::Notices(digest_of(notices::Kind::parse(kind)?, &facts)?),
    })
}

/// Mail to people about their own affairs, and to payers.
#[derive(Debug)]
pub enum PersonalMail {}

impl Work for PersonalMail {
    const KIND: Kind = Kind::Mail;
    const POLL: Duration = Duration::from_millis(1_300);
    const WAIT_MAX: Option<Duration> = Some(WAIT_MAX);
    /// A slow server keeps no more of them waiting than that.
    const AT_ONCE: usize = 4;

    fn is_done_by(app: &App) -> bool {
        app.mail.is_some()
    }

    fn shown(subject: [u8; 16]) -> String {
        MailId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: Due, _: Timestamp) -> Result<Progress, Error> {
        send(app, Self::KIND, due).await
    }
}

/// Claims a mail, sends it, and records the result.
pub(crate) async fn send(app: &App, kind: Kind, due: Due) -> Result<Progress, Error> {
    let (meter, now) = (&Meter::default(), app.clock.now());
    let (owner, id) = (due.owner, MailId::from_bytes(due.subject));
    let Some(server) = &app.mail else { return Ok(Progress::Rested) };
    let claim = move |tx: &mut Tx<'_>| mails::claim(tx, owner, (kind, id), now, now.plus(LEASE));
    let claimed = app.store.write(meter, Lane::Maintenance, owner, claim).await?;
    // Another node was faster.
    let Some(waiting) = claimed else { return Ok(Progress::Rested) };
    let Some((letter, to)) = open(app, owner, id, &waiting, now) else {
        return conclude(app, meter, (owner, id), waiting, End::GivenUp).await;
    };
    if let Letter::PaymentReminder { stop, link, .. } = letter
        && !is_reminded(app, meter, stop, link).await?
    {
        tracing::info!(mail = %id, "reminder not sent: paid, over or stopped meanwhile");
        return conclude(app, meter, (owner, id), waiting, End::GivenUp).await;
    }
    let written = letter.write(waiting.language, &app.settings.base_url);
    let (subject, body, stop_url) = (written.subject, written.body, written.stop_url);
    let envelope = Envelope { id: id.to_string(), to, subject, body, stop_url, date: now };
    let sent = server.send(&envelope).await;
    let kind = waiting.kind.clone();
    let Err(error) = sent else {
        mail_counts::note_sent();
        tracing::info!(mail = %id, kind, "mail sent");
        return conclude(app, meter, (owner, id), waiting, End::Sent).await;
    };
    let then = app.clock.now().plus(pause(waiting.attempts()));
    let is_over = then >= waiting.expires_at || waiting.attempts() >= TRIES_MAX;
    if error.is_final() || is_over {
        mail_counts::note_given_up();
        tracing::warn!(mail = %id, kind, attempts = waiting.attempts(), %error, "mail retries exhausted");
        return conclude(app, meter, (owner, id), waiting, End::GivenUp).await;
    }
    note_failure(id, &kind, error);
    let postpone = move |tx: &mut Tx<'_>| mails::postpone(tx, owner, id, &waiting, then).map(drop);
    app.store.write(meter, Lane::Maintenance, owner, postpone).await?;
    Ok(Progress::Rested)
}

fn note_failure(id: MailId, kind: &str, error: MailError) {
    mail_counts::note_failed();
    tracing::warn!(mail = %id, kind, %error, "mail not sent; it is tried again");
}

/// Tells whether a payer is still to be reminded by mail: the link can be paid, and nobody has stopped such mails.
async fn is_reminded(
    app: &App,
    meter: &Meter,
    StopAddress { owner, subscription }: StopAddress,
    link: LinkId,
) -> Result<bool, Error> {
    let now = app.clock.now();
    let look = move |tx: &mut Tx<'_>| -> Result<bool, Fault> {
        let Some(of) = subscriptions::find(tx, owner, subscription)? else { return Ok(false) };
        let Some(email) = &of.customer.email else { return Ok(false) };
        let is_pending = links::find(tx, owner, link)?
            .is_some_and(|link| link.standing.status(now) == Status::Pending);
        let merchant = owners::find(tx, owner)?;
        Ok(is_pending
            && merchant.is_some_and(|merchant| merchant.is_active)
            && !subscriptions::is_mail_stopped(tx, owner, email.as_str())?)
    };
    Ok(app.store.look_up(meter, look).await?)
}

/// The mail and whom it goes to; nothing where it is over, or cannot be read.
fn open(
    app: &App,
    owner: OwnerId,
    id: MailId,
    waiting: &Waiting,
    now: Timestamp,
) -> Option<(Letter, EmailAddress)> {
    let give_up = |why: &str| {
        mail_counts::note_given_up();
        tracing::warn!(mail = %id, kind = waiting.kind, why, "mail retries exhausted");
        None
    };
    if waiting.expires_at <= now {
        return give_up("it is over");
    }
    let facts = match app.vault.open(place(owner, &id.to_bytes()), &waiting.facts) {
        Ok(facts) => SecretBytes::new(facts),
        Err(error) => return give_up(&error.to_string()),
    };
    let Some(letter) = letter_of(&waiting.kind, facts.expose()) else {
        return give_up("it is of a kind that this program does not know");
    };
    let Ok(to) = EmailAddress::parse(waiting.recipient.as_str()) else {
        return give_up("its address is none");
    };
    Some((letter, to))
}

async fn conclude(
    app: &App,
    meter: &Meter,
    (owner, id): (OwnerId, MailId),
    waiting: Waiting,
    end: End,
) -> Result<Progress, Error> {
    let now = app.clock.now();
    let write = move |tx: &mut Tx<'_>| mails::end(tx, owner, id, &waiting, end, now);
    let is_held = app.store.write_again(meter, Lane::Maintenance, owner, write).await?;
    if !is_held {
        tracing::warn!(mail = %id, "the lease of a mail was over before its end was kept");
    }
    Ok(Progress::Rested)
}

#[cfg(test)]
mod tests {
    use domain::ids::{LinkId, SubscriptionId};

    use super::*;

    #[test]
    fn every_letter_is_read_back_as_it_was_written() {
        let token = SecretText::from("t");
        for letter in [
            Letter::Invitation {
                merchant: "Tienda \"Ñ\"".to_owned(),
                client: Some("Luz".to_owned()),
                token: token.clone(),
            },
            Letter::PasswordReset { token: token.clone() },
            Letter::EmailChange { merchant: "Tienda \"Ñ\"".to_owned(), token },
            Letter::PasswordChanged,
            Letter::PasswordReplaced,
            Letter::PasswordResetByOperator,
            Letter::SecondFactorBegun,
            Letter::SecondFactorEnded,
            Letter::EmailChangeAsked { merchant: String::new() },
            Letter::EmailChanged,
            Letter::Notices(Digest {
                kind: notices::Kind::WebhookFailing,
                times: 3,
                since: Timestamp::from_micros(1),
                latest: vec![Item {
                    subject: "shop.example".to_owned(),
                    trouble: Some(Trouble::Gone),
                    times: 2,
                    livemode: false,
                }],
                others: 1,
            }),
            Letter::PaymentReminder {
                reminder: PaymentReminder {
                    merchant: "Tienda \"Ñ\"".to_owned(),
                    what: "Gimnasio, diciembre de 2026".to_owned(),
                    price: Price { hundredths: 15_075, currency: Currency::Usd },
                    due: CaracasDate::parse("2026-12-20").unwrap(),
                    until: CaracasDate::parse("2026-12-23").unwrap(),
                    today: CaracasDate::parse("2026-12-17").unwrap(),
                    url: "https://c.example/pay/link_1".to_owned(),
                    payer_url: "https://c.example/x".to_owned(),
                    livemode: false,
                },
                stop: StopAddress {
                    owner: OwnerId::from_bytes([1; 16]),
                    subscription: SubscriptionId::from_bytes([2; 16]),
                },
                link: LinkId::from_bytes([3; 16]),
            },
        ] {
            let facts = facts_of(&letter).to_string();
            assert_eq!(letter_of(letter.kind(), facts.as_bytes()), Some(letter));
        }
        assert_eq!(letter_of("unknown", b"{}"), None);
        assert_eq!(letter_of("password_reset", b"{}"), None);
        assert_eq!(letter_of("password_changed", b"no JSON"), None);
        assert_eq!(letter_of("low_balance", b"{}"), None);
    }
}
