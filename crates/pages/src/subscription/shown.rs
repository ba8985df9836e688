//! From what is known of a subscription to what its payer's page shows.

use app::subscriptions::{OwedByPayer, PaidByPayer, PayerPage, Remains};
use askama::Template;
use axum::response::Response;
use domain::language::Language;
use domain::receipts::ReceiptAddress;
use domain::subscriptions::{PayerAddress, Status};
use domain::time::CaracasDate;
use http::StatusCode;

use super::texts::SubscriptionTexts;
use crate::assets::ASSETS;
use crate::brand;
use crate::page::{Link, Notice, ShownLogo, of_template};
use crate::said::said;
use crate::texts::Texts;
use crate::view::contacts;
use crate::written;

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "subscription.html")]
pub(super) struct SubscriptionPage {
    t: &'static SubscriptionTexts,
    /// What the page has in common with that of a link.
    p: &'static Texts,
    css: &'static str,
    icon: &'static str,
    /// The stylesheet of the merchant's colour.
    brand: Option<String>,
    title: String,
    merchant: Option<String>,
    /// The merchant's logo, above its name.
    logo: Option<ShownLogo>,
    heading: String,
    amount: Option<String>,
    /// How often it is due, and when next.
    every: Option<String>,
    is_test: bool,
    notice: Option<Notice>,
    /// What a payer can do about a page that does not open.
    steps: Vec<&'static str>,
    owed: Vec<Owed>,
    paid: Vec<Paid>,
    /// Where the page is that says what canceling does.
    cancel: Option<String>,
    /// What canceling does, where that is asked.
    confirm: Option<Confirm>,
    /// How to reach the merchant.
    contacts: Vec<Link>,
}

/// A period that is to be paid.
struct Owed {
    period: String,
    amount: String,
    due: String,
    /// The form that leads to its link, where that can be paid.
    pay: Option<String>,
}

/// A period that was paid.
struct Paid {
    period: String,
    amount: String,
    day: String,
    /// The path of its receipt.
    receipt: Option<String>,
    /// Mark of a receipt that is void.
    void: Option<&'static str>,
}

/// The last look before a cancellation.
struct Confirm {
    effect: String,
    /// Where the form is sent.
    action: String,
    back: String,
}

impl SubscriptionPage {
    /// The page of a subscription.
    pub(super) fn of(page: &PayerPage, address: PayerAddress, language: Language) -> Self {
        let t = SubscriptionTexts::of(language);
        let path = address.path();
        let owed = page.owed.iter().map(|owed| owed_of(owed, &path, t, language));
        Self {
            notice: Some(standing(page, t)),
            owed: owed.collect(),
            paid: page.paid.iter().map(|paid| paid_of(paid, t, language)).collect(),
            cancel: page.remains.map(|_| format!("{path}/cancel")),
            ..Self::headed(page, language)
        }
    }

    /// The page that says what canceling does, and has the button for it.
    pub(super) fn confirming(
        (page, remains): (&PayerPage, Remains),
        address: PayerAddress,
        language: Language,
    ) -> Self {
        let t = SubscriptionTexts::of(language);
        let with = |text: &str, day: CaracasDate| text.replace("{day}", &written::day(day));
        let effect = match remains {
            Remains::Nothing => t.effect_now.to_owned(),
            Remains::Paid(day) => with(t.effect_paid, day),
            Remains::PaidAndLate(day) => with(t.effect_late, day),
            Remains::Owed(day) => with(t.effect_owed, day),
        };
        let path = address.path();
        let confirm = Confirm { effect, action: format!("{path}/cancel"), back: path };
        Self { confirm: Some(confirm), ..Self::headed(page, language) }
    }

    /// The same page, which says first that a payment is being checked.
    pub(super) fn while_checking(self) -> Self {
        let t = self.t;
        let notice = Notice::new("busy", said(t.checking, t.checking_text));
        Self { notice: Some(notice), ..self }
    }

    /// The page about an address that opens nothing. It does not say whether it ever did.
    pub(super) fn unknown(language: Language) -> Self {
        let t = SubscriptionTexts::of(language);
        let notice = Notice::new("warn", said(t.unknown, t.unknown_text));
        let steps = vec![t.unknown_open, t.unknown_ask, t.unknown_paid];
        Self { steps, ..Self::bare(notice, language) }
    }

    /// A page that says this and nothing else.
    pub(super) fn bare(notice: Notice, language: Language) -> Self {
        Self { title: notice.title.to_owned(), notice: Some(notice), ..Self::empty(language) }
    }

    /// The page as an answer.
    pub(super) fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }

    /// A page with what it is about and nothing else.
    fn headed(page: &PayerPage, language: Language) -> Self {
        let PayerPage { profile, subscription: of, .. } = page;
        let t = SubscriptionTexts::of(language);
        let merchant = Some(page.merchant.clone()).filter(|merchant| !merchant.is_empty());
        let named =
            merchant.as_deref().map(|merchant| format!(" · {}", written::isolated(merchant)));
        let each = written::every(of.terms.schedule.length(), language);
        let next = page.next_due.filter(|_| page.owed.is_empty()).map(written::day);
        let next = next.map(|day| format!(" · {} {day}", t.next)).unwrap_or_default();
        Self {
            brand: profile.brand_colour.map(brand::path),
            title: format!("{}{}", t.title, named.unwrap_or_default()),
            merchant,
            logo: profile.logo.as_ref().map(ShownLogo::of),
            heading: of.description.clone().unwrap_or_else(|| of.product.name.clone()),
            amount: Some(written::price(of.price, language)),
            every: Some(format!("{each}{next}")),
            is_test: !of.livemode,
            contacts: contacts(profile, Texts::of(language)),
            ..Self::empty(language)
        }
    }

    /// A page with nothing on it.
    fn empty(language: Language) -> Self {
        let t = SubscriptionTexts::of(language);
        Self {
            t,
            p: Texts::of(language),
            css: &ASSETS.css,
            icon: &ASSETS.icon,
            brand: None,
            title: String::new(),
            merchant: None,
            logo: None,
            heading: t.title.to_owned(),
            amount: None,
            every: None,
            is_test: false,
            notice: None,
            steps: Vec::new(),
            owed: Vec::new(),
            paid: Vec::new(),
            cancel: None,
            confirm: None,
            contacts: Vec::new(),
        }
    }
}

fn owed_of(
    owed: &OwedByPayer,
    path: &str,
    t: &'static SubscriptionTexts,
    language: Language,
) -> Owed {
    let due = if owed.is_late { t.late } else { t.due };
    let number = owed.number.saturating_add(1);
    Owed {
        period: owed.period.in_words(language),
        amount: written::price(owed.price, language),
        due: format!("{due} {}", written::day(owed.due)),
        pay: owed.is_payable.then(|| format!("{path}/pay/{number}")),
    }
}

fn paid_of(paid: &PaidByPayer, t: &'static SubscriptionTexts, language: Language) -> Paid {
    let day = written::day(CaracasDate::of(paid.paid_at));
    Paid {
        period: paid.period.in_words(language),
        amount: written::price(paid.price, language),
        day: format!("{} {day}", t.paid_on),
        receipt: paid.receipt.map(ReceiptAddress::path),
        void: paid.is_void.then_some(t.void),
    }
}

/// Says how the subscription stands.
fn standing(page: &PayerPage, t: &'static SubscriptionTexts) -> Notice {
    let PayerPage { subscription: of, .. } = page;
    let first_day = |cycle| of.terms.schedule.boundary(cycle);
    let ends = of.standing.canceled_from.filter(|_| of.standing.end.is_none());
    let (kind, said_of, day) = match (page.standing, ends) {
        (Status::Pending, _) => ("warn", said(t.pending, t.pending_text), None),
        // What is late is said before the end.
        (Status::PastDue, _) => ("warn", said(t.past_due, t.past_due_text), None),
        (_, Some(from)) => {
            let said_of = match of.standing.ends_unpaid {
                true => said(t.ending_unpaid, t.ending_unpaid_text),
                false => said(t.ending, t.ending_text),
            };
            ("warn", said_of, Some(first_day(from).plus_days(-1)))
        }
        (Status::Trialing, None) => ("good", said(t.trialing, t.trialing_text), Some(first_day(0))),
        (Status::Active, None) => ("good", said(t.active, t.active_text), None),
        (Status::Paused, None) => ("warn", said(t.paused, t.paused_text), None),
        (Status::Completed, None) => ("good", said(t.completed, t.completed_text), None),
        (Status::Canceled, None) => ("warn", said(t.canceled, t.canceled_text), None),
        (Status::Expired, None) if of.standing.ends_unpaid => {
            ("warn", said(t.unpaid, t.unpaid_text), None)
        }
        (Status::Expired, None) => ("warn", said(t.expired, t.expired_text), None),
    };
    // Nothing of the test bank's is in the green of money.
    let kind = if of.livemode { kind } else { "warn" };
    let day = day.map(written::day).unwrap_or_default();
    Notice { text: said_of.text.replace("{day}", &day), ..Notice::new(kind, said_of) }
}
