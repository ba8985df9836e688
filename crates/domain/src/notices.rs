//! Notices to an owner: what went wrong in its affairs, and what to do about it.
//!
//! A notice says little and nothing secret: of an address, the host alone. What happens again while
//! it is still the same matter is the same notice, which counts.

mod balance;
mod digest;
mod rules;
mod texts;

use std::time::Duration;

pub use balance::of_balance;
pub use digest::{Digest, Item, LATEST_MAX};
pub use rules::{EVERY_MAX, EVERY_MIN, LOW_BALANCE_BELOW, Rule, Settings};

use crate::ids::{ActorId, AuditId, BankId, EventId, LinkId, MovementId, OwnerId, SubscriptionId};
use crate::links::Currency;
use crate::reference::BankReference;
use crate::time::{CaracasDate, Timestamp};
use crate::webhooks::{Trouble, receiver};

/// The longest name of a host that is kept, in characters (RFC 1035, 2.3.4).
const HOST_LEN_MAX: usize = 253;

/// For how long failures of one receiver are one notice, in seconds.
const FAILING_SECONDS: i64 = 60 * 60;

/// How long a notice is open that asks for nothing but to be read: a week.
pub const READ_WITHIN: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long a notice is kept after it last happened: ninety days.
pub const RETENTION: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Kind of a notice: what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A receiver did not take a webhook at the first attempt.
    WebhookFailing,
    /// A webhook was not delivered, for good.
    WebhookExhausted,
    /// A payer's check could not begin, because the balance or a limit leaves no room.
    LinkRefusedForCredits,
    /// A payment was found for a link that had ended by then, and was left alone.
    LinkMoneyUnclaimed,
    /// The bank reported a payment again with another payer, so that it may be one or two.
    PaymentContested,
    /// A payer's check found no payment by its reference, and there is one from the same bank of that payer and amount.
    SameBankPayment,
    /// A charge or an adjustment brought the balance below what the owner has chosen.
    LowBalance,
    /// A charge left less than the next one costs.
    CreditsExhausted,
    /// Somebody tried passwords or codes again and again.
    SignInAttempts,
    /// The bank does not take the credentials of an account.
    BankRefusesCredentials,
    /// A mail to a person could not be delivered.
    MailGivenUp,
    /// A link in another currency could not be paid, because nobody has said what that costs.
    RateMissing,
    /// What a link asks for is no amount of bolívares that can be paid: less than a hundredth, or more than a payment
    /// can be.
    AmountUnpayable,
    /// A payer's check found the payment of an amount that the link had asked for, made when that was not owed.
    PaymentOutsideRate,
    /// A payer's check could not begin, because the owner's plan does not let it.
    LinkRefusedByPlan,
    /// A rate was held for a link though the source reports another, which is far from it and which nobody confirmed.
    RateInDoubt,
    /// Rows of a bank's statement that may be money could not be read.
    StatementRowUnread,
    /// A caller asked for so many short references of an account that it is answered no more.
    ShortReferences,
    /// The payer of a subscription canceled it.
    SubscriptionCanceled,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Self::WebhookFailing,
        Self::WebhookExhausted,
        Self::LinkRefusedForCredits,
        Self::LinkMoneyUnclaimed,
        Self::PaymentContested,
        Self::SameBankPayment,
        Self::LowBalance,
        Self::CreditsExhausted,
        Self::SignInAttempts,
        Self::BankRefusesCredentials,
        Self::MailGivenUp,
        Self::RateMissing,
        Self::AmountUnpayable,
        Self::PaymentOutsideRate,
        Self::LinkRefusedByPlan,
        Self::RateInDoubt,
        Self::StatementRowUnread,
        Self::ShortReferences,
        Self::SubscriptionCanceled,
    ];

    /// The word that stores keep and callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WebhookFailing => "webhook_failing",
            Self::WebhookExhausted => "webhook_exhausted",
            Self::LinkRefusedForCredits => "link_refused_for_credits",
            Self::LinkMoneyUnclaimed => "link_money_unclaimed",
            Self::PaymentContested => "payment_contested",
            Self::SameBankPayment => "same_bank_payment",
            Self::LowBalance => "low_balance",
            Self::CreditsExhausted => "credits_exhausted",
            Self::SignInAttempts => "sign_in_attempts",
            Self::BankRefusesCredentials => "bank_refuses_credentials",
            Self::MailGivenUp => "mail_given_up",
            Self::RateMissing => "rate_missing",
            Self::AmountUnpayable => "amount_unpayable",
            Self::PaymentOutsideRate => "payment_outside_rate",
            Self::LinkRefusedByPlan => "link_refused_by_plan",
            Self::RateInDoubt => "rate_in_doubt",
            Self::StatementRowUnread => "statement_row_unread",
            Self::ShortReferences => "short_references",
            Self::SubscriptionCanceled => "subscription_canceled",
        }
    }

    /// The kind of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// How many wrong passwords or codes of one person within an hour the owner is notified of.
pub const SIGN_IN_ATTEMPTS: i64 = 10;

/// How many within a day, in hours without a notice of their own, the owner is notified of: somebody guesses slowly.
pub const SLOW_ATTEMPTS: i64 = 20;

/// A notice that is about to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub kind: Kind,
    /// Its subject in particular: a host, a balance, a currency and a day, a day and a reference, or the id of a
    /// link, a subscription, a movement, an account or a person.
    pub subject: String,
    /// The link that it is about, if it is about one.
    pub link: Option<LinkId>,
    /// Why a webhook was not delivered.
    pub trouble: Option<Trouble>,
    /// Whether it is about money that exists. Of one about a link, the link says so when it is kept.
    pub livemode: bool,
    /// What makes it the same notice again, among those of its kind.
    pub slot: String,
}

impl Notice {
    /// A receiver at that address did not take a webhook at first: one notice for a host and hour.
    #[must_use]
    pub fn webhook_failing(url: &str, trouble: Trouble, now: Timestamp) -> Self {
        let host = host(url);
        Self {
            kind: Kind::WebhookFailing,
            slot: format!("{} {host}", now.as_seconds().div_euclid(FAILING_SECONDS)),
            subject: host,
            link: None,
            trouble: Some(trouble),
            livemode: true,
        }
    }

    /// An event was not delivered to that address, for good; the link that it was about, if it was about one.
    #[must_use]
    pub fn webhook_exhausted(
        url: &str,
        event: EventId,
        link: Option<LinkId>,
        trouble: Trouble,
    ) -> Self {
        Self {
            kind: Kind::WebhookExhausted,
            slot: link.map_or_else(|| event.to_string(), |link| link.to_string()),
            subject: host(url),
            link,
            trouble: Some(trouble),
            livemode: true,
        }
    }

    /// A check of that link could not begin for want of credits.
    #[must_use]
    pub fn link_refused_for_credits(link: LinkId) -> Self {
        Self::of_link(Kind::LinkRefusedForCredits, link, link.to_string())
    }

    /// That movement was found for a link which had ended by then.
    #[must_use]
    pub fn link_money_unclaimed(link: LinkId, movement: MovementId) -> Self {
        Self::of_link(Kind::LinkMoneyUnclaimed, link, movement.to_string())
    }

    /// Makes the notice that what the bank reported again may be that movement, with another payer. `link` is the link
    /// that is waiting for it, if one is.
    #[must_use]
    pub fn payment_contested(movement: MovementId, link: Option<LinkId>) -> Self {
        Self { link, ..Self::of_movement(Kind::PaymentContested, movement) }
    }

    /// A payer of that link may have paid by that movement from the same bank, which no reference names.
    #[must_use]
    pub fn same_bank_payment(link: LinkId, movement: MovementId) -> Self {
        let slot = format!("{link} {movement}");
        Self { slot, ..Self::of_link(Kind::SameBankPayment, link, movement.to_string()) }
    }

    /// Passwords or codes of that person, the owner or an employee, were tried again and again, as the entry of the
    /// audit trail says.
    #[must_use]
    pub fn sign_in_attempts(person: &str, entry: AuditId) -> Self {
        Self::of(Kind::SignInAttempts, person.to_owned(), entry.to_string())
    }

    /// They were tried now and then through a whole day: one notice for a person and day.
    #[must_use]
    pub fn slow_sign_in_attempts(person: &str, now: Timestamp) -> Self {
        let slot = format!("{person} {}", CaracasDate::of(now));
        Self::of(Kind::SignInAttempts, person.to_owned(), slot)
    }

    /// The bank does not take that account's credentials: one notice for an account and day. The test bank says so where it
    /// is asked to.
    #[must_use]
    pub fn bank_refuses_credentials(bank: BankId, livemode: bool, now: Timestamp) -> Self {
        let slot = format!("{bank} {}", CaracasDate::of(now));
        Self { livemode, ..Self::of(Kind::BankRefusesCredentials, bank.to_string(), slot) }
    }

    /// A mail to that person, the owner or an employee, could not be delivered: one notice for a person and kind of
    /// mail.
    #[must_use]
    pub fn mail_given_up(person: &str, kind: &str) -> Self {
        Self::of(Kind::MailGivenUp, person.to_owned(), format!("{person} {kind}"))
    }

    /// A mail about notices could not be delivered to the owner: one notice for a day.
    #[must_use]
    pub fn notices_given_up(owner: OwnerId, now: Timestamp) -> Self {
        let slot = format!("{owner} {}", CaracasDate::of(now));
        Self::of(Kind::MailGivenUp, owner.to_string(), slot)
    }

    /// That link could not be paid, because nobody has said what its currency costs.
    #[must_use]
    pub fn rate_missing(link: LinkId) -> Self {
        Self::of_link(Kind::RateMissing, link, link.to_string())
    }

    /// Makes the notice that what that link asks for is no amount of bolívares that can be paid.
    #[must_use]
    pub fn amount_unpayable(link: LinkId) -> Self {
        Self::of_link(Kind::AmountUnpayable, link, link.to_string())
    }

    /// A payer of that link paid by that movement what it had asked for, at another time than it was owed.
    #[must_use]
    pub fn payment_outside_rate(link: LinkId, movement: MovementId) -> Self {
        let slot = format!("{link} {movement}");
        Self { slot, ..Self::of_link(Kind::PaymentOutsideRate, link, movement.to_string()) }
    }

    /// A check of that link could not begin because of the owner's plan.
    #[must_use]
    pub fn link_refused_by_plan(link: LinkId) -> Self {
        Self::of_link(Kind::LinkRefusedByPlan, link, link.to_string())
    }

    /// A rate was held for that link, and the source reports another of that day: one notice for a currency and day.
    #[must_use]
    pub fn rate_in_doubt(link: LinkId, currency: Currency, day: CaracasDate) -> Self {
        Self::of_link(Kind::RateInDoubt, link, format!("{} {day}", currency.as_str()))
    }

    /// Rows of that account's statement of a day could not be read, the first of that reference where it could be: one
    /// notice for an account and day, which counts them.
    #[must_use]
    pub fn statement_rows_unread(
        bank: BankId,
        day: CaracasDate,
        first: Option<&BankReference>,
    ) -> Self {
        let named = first.map(|reference| format!(" {}", reference.shown()));
        let subject = format!("{day}{}", named.unwrap_or_default());
        Self::of(Kind::StatementRowUnread, subject, format!("{bank} {day}"))
    }

    /// That caller asked for too many short references of that account: one notice for both and a day.
    #[must_use]
    pub fn short_references(actor: ActorId, bank: BankId, now: Timestamp) -> Self {
        let slot = format!("{actor} {bank} {}", CaracasDate::of(now));
        Self::of(Kind::ShortReferences, bank.to_string(), slot)
    }

    /// The payer of that subscription canceled it, which is about money that exists where the subscription is.
    #[must_use]
    pub fn subscription_canceled(subscription: SubscriptionId, livemode: bool) -> Self {
        let id = subscription.to_string();
        Self { livemode, ..Self::of(Kind::SubscriptionCanceled, id.clone(), id) }
    }

    const fn of(kind: Kind, subject: String, slot: String) -> Self {
        Self { kind, subject, slot, link: None, trouble: None, livemode: true }
    }

    fn of_movement(kind: Kind, movement: MovementId) -> Self {
        Self::of(kind, movement.to_string(), movement.to_string())
    }

    fn of_link(kind: Kind, link: LinkId, subject: String) -> Self {
        Self { link: Some(link), ..Self::of(kind, subject.clone(), subject) }
    }
}

/// The host of an address and nothing else of it, whatever was let through when it was kept.
fn host(url: &str) -> String {
    let receiver = receiver(url);
    let place = receiver.rsplit('@').next().unwrap_or_default();
    let host = match place.find(']') {
        Some(end) => place.get(..=end).unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    host.chars().take(HOST_LEN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    const LINK: LinkId = LinkId::from_bytes([1; 16]);

    #[test]
    fn of_an_address_the_host_alone_is_shown() {
        for (url, expected) in [
            ("https://Shop.Example/hook?key=s3cret#a", "shop.example"),
            ("https://shop.example:8443/", "shop.example"),
            ("https://user:pass@shop.example:1?key=a@b", "shop.example"),
            ("http://[2001:db8::1]:80/a", "[2001:db8::1]"),
            ("nonsense", "nonsense"),
        ] {
            let event = EventId::from_bytes([1; 16]);
            let notice = Notice::webhook_exhausted(url, event, Some(LINK), Trouble::Tls);
            assert_eq!(notice.subject, expected);
        }
        let long = format!("https://{}/", "ñ".repeat(2_000));
        assert_eq!(host(&long).chars().count(), HOST_LEN_MAX);
    }

    #[test]
    fn failures_of_one_host_within_an_hour_are_one_notice() {
        let slot = |url: &str, seconds: i64| {
            let now = Timestamp::from_micros(seconds * 1_000_000);
            Notice::webhook_failing(url, Trouble::Reset, now).slot
        };
        assert_eq!(slot("https://a.example/1", 3_600), slot("http://a.example:80/2", 7_199));
        assert_ne!(slot("https://a.example", 3_600), slot("https://a.example", 7_200));
        assert_ne!(slot("https://a.example", 3_600), slot("https://b.example", 3_600));
    }

    #[test]
    fn unreadable_rows_of_an_account_and_day_are_one_notice() {
        let (bank, other) = (BankId::from_bytes([1; 16]), BankId::from_bytes([2; 16]));
        let day = CaracasDate::parse("2026-11-20").unwrap();
        let named = BankReference::parse("0079912345").ok();
        let of = |bank, day, reference| Notice::statement_rows_unread(bank, day, reference);
        let notice = of(bank, day, named.as_ref());
        assert_eq!(notice.subject, "2026-11-20 0079912345");
        assert_eq!(of(bank, day, None).slot, notice.slot);
        assert_ne!(of(other, day, None).slot, notice.slot);
        assert_ne!(of(bank, day.plus_days(1), None).slot, notice.slot);
    }

    #[test]
    fn every_kind_reads_back_and_says_what_it_is_about() {
        let mut texts = std::collections::HashSet::new();
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
            for language in Language::ALL {
                let text = kind.text("shop.example", Some(Trouble::Gone), language);
                assert!(!text.contains(['{', '}']), "{text}");
                let is_of_webhooks = matches!(kind, Kind::WebhookFailing | Kind::WebhookExhausted);
                let is_named = matches!(kind, Kind::LowBalance | Kind::StatementRowUnread);
                let says_what = is_of_webhooks || is_named;
                assert_eq!(text.contains("shop.example"), says_what, "{text}");
                assert_eq!(text.contains("410"), is_of_webhooks, "{text}");
                assert!(texts.insert(text));
            }
        }
        assert_eq!(Kind::parse("nothing"), None);
    }

    #[test]
    fn a_host_that_looks_like_a_placeholder_stays_what_it_is() {
        let text = Kind::WebhookFailing.text("{why}", Some(Trouble::Gone), Language::En);
        assert_eq!(text.matches("410").count(), 1, "{text}");
    }
}
