//! From what is known of a link to what its page shows.

use std::time::Duration;

use app::links::checkout::{Checkout, Closed};
use app::verification::attempt::Outcome;
use domain::ids::VerificationId;
use domain::language::Language;
use domain::links::Status;
use domain::url::UrlText;

use crate::assets::PATHS;
use crate::page::{Fact, Form, Input, Link, Notice, PayPage};
use crate::texts::Texts;
use crate::written;

/// After how long the page admits that the bank is slow.
pub(crate) const SLOW: Duration = Duration::from_secs(12);

/// After how many seconds a page without a script looks again.
const REFRESH_S: u32 = 4;
const SLOW_REFRESH_S: u32 = 8;

/// What was typed, where it did not do, and what is said about it.
#[derive(Clone, Default)]
pub(crate) struct Retry {
    pub(crate) reference: Input,
    pub(crate) phone: Input,
    pub(crate) document: Input,
    pub(crate) notice: Option<Notice>,
    /// Whether what was typed did, so that the payer has paid already.
    pub(crate) has_paid: bool,
}

/// The page of a link.
pub(crate) fn page(
    checkout: &Checkout,
    language: Language,
    check: Option<VerificationId>,
    retry: Retry,
) -> PayPage {
    let t = Texts::of(language);
    let Checkout { link, status, .. } = checkout;
    let is_checking = is_checking(checkout);
    let since = match checkout.outcome {
        Some(Outcome::Checking { since }) => Some(since),
        _ => None,
    };
    let is_slow = since.is_some_and(|since| checkout.now.since(since) >= SLOW);
    let is_payable = *status == Status::Pending && checkout.closed.is_none();
    let notice = retry.notice.clone().or_else(|| said(checkout, t, is_checking, is_slow));
    let form = is_payable && link.standing.takes_attempts(checkout.now);
    let query = check.map(|check| format!("?v={check}")).unwrap_or_default();
    let refresh = if is_slow { SLOW_REFRESH_S } else { REFRESH_S };
    let merchant = Some(checkout.merchant.clone()).filter(|merchant| !merchant.is_empty());
    let title = notice.as_ref().map_or(t.pay, |notice| notice.title);
    let title = merchant
        .as_ref()
        .map_or_else(|| title.to_owned(), |merchant| format!("{title} · {merchant}"));
    let until = link.standing.expires_at.filter(|_| form);
    PayPage {
        t,
        css: &PATHS.css,
        js: &PATHS.js,
        icon: &PATHS.icon,
        title,
        heading: link.description.clone(),
        merchant,
        amount: Some(written::price(link.price, language)),
        until: until.map(|at| format!("{} {} ({})", t.until, written::minute(at), t.caracas)),
        is_test: !link.livemode,
        notice,
        form: form.then(|| fields(checkout, t, language, is_checking, retry)),
        refresh: is_checking.then_some(refresh),
        events: is_checking.then(|| format!("/pay/{}/events{query}", link.id)),
        magic: (form && !link.livemode).then_some(&t.magic),
    }
}

/// Whether the page waits for something: the payer's own check, or, where none is named, any.
pub(crate) fn is_checking(checkout: &Checkout) -> bool {
    match checkout.outcome {
        _ if checkout.status != Status::Pending => false,
        Some(Outcome::Checking { .. }) => true,
        Some(_) => false,
        None => checkout.link.standing.is_checking,
    }
}

/// What the page says about the payment, if anything.
fn said(
    checkout: &Checkout,
    t: &'static Texts,
    is_checking: bool,
    is_slow: bool,
) -> Option<Notice> {
    let has_own = checkout.outcome.is_some();
    Some(match (checkout.status, checkout.closed) {
        (Status::Paid, _) => {
            let is_theirs = !has_own || checkout.outcome == Some(Outcome::Confirmed);
            let more = (!is_theirs).then(|| t.paid_by_another.to_owned());
            let link = checkout.link.redirect_url.as_ref().map(|url| back(url, t));
            Notice { more, link, ..Notice::new("good", t.paid) }
        }
        (Status::Failed, _) => {
            let detail = checkout.link.status_detail.as_ref();
            let more = detail.map(|detail| format!("{} {detail}", t.reason));
            Notice { more, ..Notice::new("bad", t.failed) }
        }
        (Status::Expired, _) => Notice::new("warn", t.expired),
        (Status::Canceled, _) => Notice::new("bad", t.canceled),
        (Status::Stopped, _) => Notice::new("warn", t.stopped),
        (Status::Pending, _) if is_checking && is_slow => Notice::new("busy", t.still_checking),
        (Status::Pending, _) if is_checking => Notice::new("busy", t.checking),
        (Status::Pending, Some(Closed::Unavailable)) => Notice::new("warn", t.unavailable),
        (Status::Pending, Some(Closed::NoRate)) => Notice::new("warn", t.no_rate),
        (Status::Pending, None) => match checkout.outcome? {
            Outcome::OtherAmount => Notice::new("bad", t.other_amount),
            Outcome::Unheard => Notice::new("warn", t.unheard),
            Outcome::Unconfirmed | Outcome::TooLate => Notice::new("warn", t.unconfirmed),
            Outcome::Checking { .. } | Outcome::Confirmed => return None,
        },
    })
}

/// The way back to the shop, which says where it leads.
fn back(url: &UrlText, t: &Texts) -> Link {
    Link {
        href: url.as_str().to_owned(),
        text: format!("{} {}", t.go_back_to, url.host()),
        is_outside: true,
    }
}

fn fields(
    checkout: &Checkout,
    t: &'static Texts,
    language: Language,
    is_folded: bool,
    retry: Retry,
) -> Form {
    let Checkout { link, payee, .. } = checkout;
    let number = payee.facts.as_ref().map(|known| &known.number);
    let bank = number.map_or_else(|| payee.bank.clone(), |at| written::bank(&payee.bank, at));
    let mut facts = vec![Fact { name: t.bank, shown: bank, copy: None }];
    if !payee.description.is_empty() && payee.description != payee.bank {
        facts.push(Fact { name: t.account, shown: payee.description.clone(), copy: None });
    }
    if let Some(known) = &payee.facts {
        let phone = known.phone.as_ref().map(|phone| (written::phone(phone), phone.national()));
        let document = known.document.as_ref();
        let document = document.map(|one| (written::document(one), one.to_string()));
        let number = (written::account(&known.number), known.number.to_string());
        for (name, fact) in
            [(t.payee_phone, phone), (t.payee_document, document), (t.number, Some(number))]
        {
            facts.extend(fact.map(|(shown, copy)| Fact { name, shown, copy: Some(copy) }));
        }
    }
    facts.push(Fact {
        name: t.amount,
        shown: written::price(link.price, language),
        copy: Some(written::plain(link.price.hundredths)),
    });
    let asked = |is_asked: bool, input: Input| {
        (is_asked || input.is_wrong).then_some(Input { is_required: is_asked, ..input })
    };
    Form {
        action: format!("/pay/{}", link.id),
        is_folded,
        has_paid: !is_folded && (retry.has_paid || checkout.outcome.is_some()),
        facts,
        seen: link.price.hundredths,
        reference: retry.reference,
        phone: asked(payee.asks_phone, retry.phone),
        document: asked(payee.asks_document, retry.document),
    }
}
