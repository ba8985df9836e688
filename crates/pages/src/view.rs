//! From what is known of a link to what its page shows.

use std::time::Duration;

use app::links::checkout::{Checkout, Closed, Facts, Payee};
use app::verification::link_check::CheckOutcome;
use domain::ids::VerificationId;
use domain::language::Language;
use domain::links::{Currency, Status};
use domain::profile::{HolderName, PublicProfile};
use domain::url::UrlText;

use crate::assets::ASSETS;
use crate::brand;
use crate::page::{
    Fact, Form, Input, Link, Notice, Offer, PayPage, Payer, Preview, Seen, ShownLogo, Way,
};
use crate::rate;
use crate::receipt;
use crate::texts::Texts;
use crate::written;

/// After how long the page admits that the bank is slow.
pub(crate) const SLOW: Duration = Duration::from_secs(12);

/// After how many seconds a page without a script looks again.
const REFRESH_S: u32 = 4;
const SLOW_REFRESH_S: u32 = 8;

/// Input that did not do, as it was typed, and what is said about it.
#[derive(Clone, Default)]
pub(crate) struct Retry {
    pub(crate) reference: Input,
    pub(crate) phone: Input,
    pub(crate) document: Input,
    pub(crate) is_payer_missing: bool,
    /// The amount that was paid, in hundredths.
    pub(crate) seen: Option<i64>,
    pub(crate) notice: Option<Notice>,
    /// Whether what was typed did, so that the payer has paid already.
    pub(crate) has_paid: bool,
}

impl Retry {
    /// Marks what is asked of the payer and was left empty, along with whatever else is wrong.
    pub(crate) fn mark_missing(&mut self, payee: &Payee) {
        let Payee { asks_phone, asks_document, .. } = *payee;
        let is_empty = self.phone.value.is_empty() && self.document.value.is_empty();
        if !is_empty || !(asks_phone || asks_document) {
            return;
        }
        self.is_payer_missing = asks_phone && asks_document;
        self.phone.is_wrong = !self.is_payer_missing && asks_phone;
        self.document.is_wrong = !self.is_payer_missing && asks_document;
    }
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
        Some(CheckOutcome::Checking { since }) => Some(since),
        _ => None,
    };
    let is_slow = since.is_some_and(|since| checkout.now.since(since) >= SLOW);
    let is_closed = matches!(checkout.closed, Some(Closed::Unavailable | Closed::InReview));
    let is_in_review = checkout.outcome == Some(CheckOutcome::InReview);
    let is_payable = *status == Status::Pending && !is_closed && !is_in_review;
    let notice = retry.notice.clone().or_else(|| said(checkout, t, is_checking, is_slow));
    let is_open = is_payable && link.standing.takes_attempts(checkout.now);
    let seen = rate::seen(checkout, language, retry.seen);
    let form = is_open && !seen.is_empty();
    let query = check.map(|check| format!("?v={check}")).unwrap_or_default();
    let refresh = if is_slow { SLOW_REFRESH_S } else { REFRESH_S };
    let merchant = Some(checkout.merchant.clone()).filter(|merchant| !merchant.is_empty());
    let title = notice.as_ref().map_or(t.pay, |notice| notice.title);
    let title = merchant.as_ref().map_or_else(
        || title.to_owned(),
        |merchant| format!("{title} · {}", written::isolated(merchant)),
    );
    let until = link.standing.expires_at.filter(|_| is_open);
    PayPage {
        t,
        css: &ASSETS.css,
        js: &ASSETS.js,
        icon: &ASSETS.icon,
        brand: checkout.profile.brand_colour.map(brand::path),
        title,
        preview: None,
        heading: link.description.clone(),
        merchant,
        logo: checkout.profile.logo.as_ref().map(ShownLogo::of),
        amount: Some(written::price(rate::price(checkout), language)),
        rate: rate::lines(checkout, t, language),
        offer: rate::offer(checkout, t)
            .filter(|_| is_open && !is_checking)
            .or_else(|| renewal(checkout, t)),
        until: until.map(|at| format!("{} {} ({})", t.until, written::minute(at), t.caracas)),
        is_test: !link.livemode,
        notice,
        paid: checkout.receipt.as_ref().map(|receipt| receipt::paid(receipt, language)),
        form: form.then(|| fields(checkout, t, language, (is_checking, seen), retry)),
        refresh: is_checking.then_some(refresh),
        events: is_checking.then(|| format!("/pay/{}/events{query}", link.id)),
        magic: (form && !link.livemode).then_some(&t.magic),
        contacts: contacts(&checkout.profile, t),
        steps: Vec::new(),
        footer: if form { t.footer } else { t.safety },
        here: None,
        is_failure: false,
    }
}

/// Words that messengers show of a link: who asks for how much. What it is for may be about a person, and is left out.
pub(crate) fn preview(checkout: &Checkout, base_url: &str, language: Language) -> Preview {
    let t = Texts::of(language);
    let Checkout { link, status, merchant, .. } = checkout;
    let price = written::price(link.price, language);
    let title = match merchant.as_str() {
        "" => t.preview.unnamed.replace("{price}", &price),
        merchant => {
            let title = t.preview.title.replace("{price}", &price);
            title.replace("{merchant}", &written::isolated(merchant))
        }
    };
    let description = if *status == Status::Pending { t.preview.open } else { t.preview.over };
    Preview {
        title: format!("{}{title}", written::test_mark(link.livemode, language)),
        description: description.to_owned(),
        url: format!("{base_url}/pay/{}", link.id),
        image: None,
    }
}

/// The button by which a payer who comes late gets another link of the same period.
fn renewal(checkout: &Checkout, t: &'static Texts) -> Option<Offer> {
    let is_possible = checkout.is_renewable && checkout.closed != Some(Closed::Unavailable);
    is_possible.then(|| Offer {
        said: Some((t.renewable.title, t.renewable.text.to_owned())),
        button: t.renew,
        action: format!("/pay/{}/renew", checkout.link.id),
    })
}

/// Tells whether the page waits for something: the payer's own check, or, where none is named, any.
pub(crate) fn is_checking(checkout: &Checkout) -> bool {
    waits(checkout.status, checkout.outcome, checkout.link.standing.is_checking)
}

fn waits(status: Status, outcome: Option<CheckOutcome>, is_any_open: bool) -> bool {
    match outcome {
        _ if status != Status::Pending => false,
        Some(CheckOutcome::Checking { .. }) => true,
        // The link was read first and ended in between: a payer who has paid must not see a form.
        // The next look shows the end.
        Some(CheckOutcome::Confirmed | CheckOutcome::TooLate) => true,
        Some(
            CheckOutcome::Unconfirmed
            | CheckOutcome::OtherAmount
            | CheckOutcome::OutsideRate
            | CheckOutcome::InReview
            | CheckOutcome::Unheard,
        ) => false,
        None => is_any_open,
    }
}

/// Returns what the page says about the payment, if anything.
fn said(
    checkout: &Checkout,
    t: &'static Texts,
    is_checking: bool,
    is_slow: bool,
) -> Option<Notice> {
    let has_own = checkout.outcome.is_some();
    Some(match (checkout.status, checkout.closed) {
        (Status::Paid, _) => {
            let is_theirs = !has_own || checkout.outcome == Some(CheckOutcome::Confirmed);
            let more = (!is_theirs).then(|| t.paid_by_another.to_owned());
            let link = checkout.link.redirect_url.as_ref().map(|url| back(url, t));
            match checkout.link.livemode {
                true => Notice { more, link, ..Notice::new("good", t.paid) },
                // Never in the green of money.
                false => Notice { more, link, ..Notice::new("warn", t.paid_test) },
            }
        }
        (Status::Failed, _) => {
            let detail = checkout.link.status_detail.clone();
            let more = detail.is_some().then(|| t.reason.to_owned());
            Notice { more, detail, ..Notice::new("bad", t.failed) }
        }
        (Status::Expired, _) => Notice::new("warn", t.expired),
        (Status::Canceled, _) => Notice::new("bad", t.canceled),
        (Status::Stopped, _) => Notice::new("warn", t.stopped),
        (Status::Pending, _) if is_checking && is_slow => Notice::new("busy", t.still_checking),
        (Status::Pending, _) if is_checking => Notice::new("busy", t.checking),
        (Status::Pending, Some(Closed::Unavailable)) => Notice::new("warn", t.unavailable),
        (Status::Pending, Some(Closed::InReview)) => Notice::new("warn", t.in_review),
        (Status::Pending, Some(Closed::NoRate)) if checkout.outcome.is_none() => {
            Notice::new("warn", t.rate.none)
        }
        (Status::Pending, _) => match checkout.outcome? {
            CheckOutcome::OtherAmount if !checkout.locks.is_empty() => {
                Notice::new("bad", t.rate.other_amount)
            }
            CheckOutcome::OtherAmount => Notice::new("bad", t.other_amount),
            CheckOutcome::OutsideRate => Notice::new("bad", t.rate.outside),
            CheckOutcome::Unheard => Notice::new("warn", t.unheard),
            CheckOutcome::InReview => Notice::new("warn", t.in_review),
            CheckOutcome::Unconfirmed => {
                let payee = &checkout.payee;
                let asks_payer = payee.asks_phone || payee.asks_document;
                let more =
                    [(asks_payer, t.check_payer), (payee.has_same_bank_references, t.same_bank)];
                let more = more.into_iter().filter(|(is_said, _)| *is_said).map(|(_, text)| text);
                let more = Some(more.collect::<Vec<_>>().join(" ")).filter(|more| !more.is_empty());
                Notice { more, ..Notice::new("warn", t.unconfirmed) }
            }
            CheckOutcome::Checking { .. } | CheckOutcome::Confirmed | CheckOutcome::TooLate => {
                return None;
            }
        },
    })
}

/// How the payer can reach the merchant.
pub(crate) fn contacts(profile: &PublicProfile, t: &Texts) -> Vec<Link> {
    let link = |href, text| Link { href, text, is_outside: true };
    let PublicProfile { support_phone, whatsapp, support_email, support_url, .. } = profile;
    let call = support_phone.as_ref().map(|phone| {
        link(format!("tel:+{phone}"), format!("{} {}", t.call, written::support_phone(phone)))
    });
    let whatsapp = whatsapp.as_ref().map(|phone| {
        link(format!("https://wa.me/{phone}"), format!("WhatsApp {}", written::phone(phone)))
    });
    let mail = support_email
        .as_ref()
        .map(|email| link(written::mailto(email.as_str()), format!("{} {email}", t.write_to)));
    let page = support_url
        .as_ref()
        .map(|url| link(url.as_str().to_owned(), format!("{} {}", t.help_at, url.host())));
    [whatsapp, call, mail, page].into_iter().flatten().collect()
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
    (is_folded, seen): (bool, Vec<Seen>),
    retry: Retry,
) -> Form {
    let Checkout { link, payee, .. } = checkout;
    let is_either = payee.asks_phone && payee.asks_document;
    let asked = |is_asked: bool, input: Input| {
        let is_required = is_asked && !is_either;
        (is_asked || input.is_wrong).then_some(Input { is_required, ..input })
    };
    Form {
        action: format!("/pay/{}", link.id),
        is_folded,
        has_paid: retry.has_paid || checkout.outcome.is_some(),
        ways: ways(checkout, t, language),
        seen,
        reference: retry.reference,
        phone: asked(payee.asks_phone, retry.phone),
        document: asked(payee.asks_document, retry.document),
        payer: Payer { is_either, is_missing: retry.is_payer_missing },
    }
}

/// The ways to pay, the usual one first: each with all that the payer's bank asks for.
fn ways(checkout: &Checkout, t: &'static Texts, language: Language) -> Vec<Way> {
    let Checkout { payee, .. } = checkout;
    let price = rate::price(checkout);
    if price.currency != Currency::Vef {
        return Vec::new();
    }
    let hundredths = price.hundredths;
    let shown = |name, shown| Fact { name, shown, copy: None };
    let copied = |name, shown, copy| Fact { name, shown, copy: Some(copy) };
    let amount = || copied(t.amount, written::price(price, language), written::plain(hundredths));
    let Some(known) = &payee.facts else {
        let facts = vec![shown(t.bank, payee.bank.clone()), amount()];
        return vec![Way { title: None, is_folded: false, facts, all: None }];
    };
    let Facts { number, phone, document, holder, .. } = known;
    let bank = || shown(t.bank, written::bank(&payee.bank, number));
    let document = document.as_ref();
    let holder = holder.as_ref().map(HolderName::as_str);
    // Only what its owner said of the account is shown as the holder's name.
    let name = match (holder, checkout.merchant.as_str()) {
        (Some(holder), _) => Some((t.holder, holder)),
        (None, "") => None,
        (None, merchant) => Some((t.merchant, merchant)),
    };
    let whose = || {
        let document =
            document.map(|one| copied(t.payee_document, written::document(one), one.to_string()));
        let name = name.map(|(label, name)| shown(label, name.to_owned()));
        document.into_iter().chain(name)
    };
    let by_phone = phone.as_ref().map(|phone| {
        let mut facts =
            vec![bank(), copied(t.payee_phone, written::phone(phone), phone.national())];
        facts.extend(whose());
        facts.push(amount());
        let all = Some(written::pago_movil(number, phone, document, hundredths));
        Way { title: Some(t.by_phone), is_folded: false, facts, all }
    });
    let mut facts = vec![bank(), copied(t.number, written::account(number), number.to_string())];
    facts.extend(whose());
    facts.push(amount());
    let all = Some(written::transfer(number, document, holder, hundredths));
    let transfer = Way { title: Some(t.by_transfer), is_folded: by_phone.is_some(), facts, all };
    by_phone.into_iter().chain([transfer]).collect()
}

#[cfg(test)]
mod tests {
    use domain::time::Timestamp;

    use super::*;

    #[test]
    fn a_check_with_a_good_end_never_leads_back_to_the_form() {
        // The link is read before the check, and the check may end in between.
        let since = Timestamp::from_micros(1);
        for outcome in
            [CheckOutcome::Checking { since }, CheckOutcome::Confirmed, CheckOutcome::TooLate]
        {
            assert!(waits(Status::Pending, Some(outcome), false), "{outcome:?}");
            assert!(!waits(Status::Paid, Some(outcome), true), "{outcome:?}");
        }
        // Another payer's check does not keep this one from trying again.
        for outcome in [CheckOutcome::Unconfirmed, CheckOutcome::OtherAmount, CheckOutcome::Unheard]
        {
            assert!(!waits(Status::Pending, Some(outcome), true), "{outcome:?}");
        }
        assert!(waits(Status::Pending, None, true) && !waits(Status::Pending, None, false));
    }
}
