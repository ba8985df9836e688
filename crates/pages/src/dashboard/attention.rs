//! What needs somebody, on the first page.

use app::notices::SeenNotice;
use app::verification::unresponsive_banks::Unresponsive;
use domain::access::{ListLinks, ListMyKeys, ListNotices, ListOwnRates, ListVerifications, Me};
use domain::ids::BankId;
use domain::links::Currency;
use domain::time::CaracasDate;
use web::{AppState, Failure, Signed};

use super::choice::{accounts, name_of};
use super::list::{LATEST, of_days};
use super::notices::{href, named};
use super::payments::PATH_VERIFICATIONS;
use super::rates;
use super::written::{ago, instant};

/// How many days a notice stands on the page.
const NOTICE_DAYS: i32 = 7;

/// How many open notices are looked at, and how many lines stand on the page, of which each may be several.
const NOTICES: usize = 50;
const SHOWN: usize = 5;

/// How many days before its end a key is listed here.
const KEY_DAYS: i32 = 14;

texts! {
    AttentionTexts {
        key_ends: "vence el", "expires on";
        silent: "el banco no responde", "the bank is not responding";
        no_rate: "no hay tasa, y hay enlaces que la esperan", "there is no exchange rate, and links are waiting for one";
        old_rate: "la tasa es vieja, del", "the exchange rate is outdated, from";
    }
}

/// Something that somebody should look at.
pub(crate) struct Attention {
    pub(crate) text: String,
    pub(crate) when: String,
    /// Whether it is about test money.
    pub(crate) is_test: bool,
    pub(crate) times: i64,
    pub(crate) href: Option<String>,
}

/// Lists what went wrong lately, banks that do not answer now, rates that are missing or old, and keys that are about
/// to end. Nothing where the person signed in may not see all that may be wrong, and sees nothing that is.
pub(super) async fn of(
    state: &AppState,
    signed: &Signed<Me>,
) -> Result<Option<Vec<Attention>>, Failure> {
    let t = AttentionTexts::of(signed.language());
    let parts = [
        unresponsive_banks(state, signed, t).await?,
        rates_of_links(state, signed, t).await?,
        notices(state, signed).await?,
        ending_keys(state, signed, t).await?,
    ];
    let parts: Vec<Attention> = parts.into_iter().flatten().collect();
    Ok((signed.may::<ListNotices>() || !parts.is_empty()).then_some(parts))
}

/// Accounts about which the last answer was none.
async fn unresponsive_banks(
    state: &AppState,
    signed: &Signed<Me>,
    t: &AttentionTexts,
) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListVerifications>() else { return Ok(Vec::new()) };
    let mut found = app::verification::unresponsive_banks::list(&state.app, &act).await?;
    found.retain(|(bank, _)| signed.test_mode.shows(signed.test_mode.is_test(*bank)));
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let linked = accounts(&state.app, signed).await?;
    let attention = |(bank, one): (BankId, Unresponsive)| Attention {
        text: format!("{}: {}", name_of(bank, &linked), t.silent),
        when: ago(one.last, signed.act.now, signed.language()),
        is_test: signed.test_mode.is_test(bank),
        times: i64::try_from(one.times).unwrap_or(i64::MAX),
        href: Some(format!("{PATH_VERIFICATIONS}?user_bank_id={bank}")),
    };
    Ok(found.into_iter().map(attention).collect())
}

/// Rates that serve no more, or are of a day long gone, of the currencies that links wait to be paid in.
async fn rates_of_links(
    state: &AppState,
    signed: &Signed<Me>,
    t: &AttentionTexts,
) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListLinks>() else { return Ok(Vec::new()) };
    let wanted = app::links::currencies(&state.app, &act, signed.test_mode.livemode()).await?;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let serving = rates::serving(state, signed).await?;
    // Only the owner says a rate of its own.
    let href = signed.may::<ListOwnRates>().then(|| rates::PATH.to_owned());
    let attention = |currency: Currency| {
        let rate = serving.iter().find(|rate| rate.currency == currency);
        let text = match rate {
            None => format!("{}: {}", currency.as_str(), t.no_rate),
            Some(rate) if rates::is_old(rate, signed.act.now) => {
                format!("{}: {} {}", currency.as_str(), t.old_rate, rate.value_date)
            }
            Some(_) => return None,
        };
        let when = String::new();
        let is_test = signed.test_mode.is_all_test();
        Some(Attention { text, when, is_test, times: 1, href: href.clone() })
    };
    Ok(wanted.into_iter().filter_map(attention).collect())
}

async fn notices(state: &AppState, signed: &Signed<Me>) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListNotices>() else { return Ok(Vec::new()) };
    let (language, now) = (signed.language(), signed.act.now);
    let today = CaracasDate::of(now);
    let span = of_days(today.plus_days(-NOTICE_DAYS), today, LATEST);
    let livemode = signed.test_mode.livemode();
    let found = app::notices::open(&state.app, &act, livemode, span, NOTICES).await?;
    let mut shown: Vec<Attention> = Vec::new();
    for SeenNotice { notice, about, .. } in &found {
        let text = notice.kind.text(&notice.subject, notice.trouble, language);
        let text = match named(about, language) {
            Some(named) => format!("{named}: {text}"),
            None => text,
        };
        // Where nothing can be done about it, this very page would be no help.
        let href = href(notice.kind, notice.link, &notice.subject);
        let href = Some(href).filter(|href| href != "/app");
        match shown.iter_mut().find(|one| one.text == text && one.href == href) {
            Some(same) => same.times += notice.times,
            None => {
                let when = ago(notice.updated_at, now, language);
                let (is_test, times) = (!notice.livemode, notice.times);
                shown.push(Attention { text, when, is_test, times, href });
            }
        }
    }
    shown.truncate(SHOWN);
    Ok(shown)
}

async fn ending_keys(
    state: &AppState,
    signed: &Signed<Me>,
    t: &AttentionTexts,
) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListMyKeys>() else { return Ok(Vec::new()) };
    let now = signed.act.now;
    let last = now.max(CaracasDate::of(now).plus_days(KEY_DAYS).start());
    let keys = app::keys::list(&state.app, &act).await?;
    let ending = keys.iter().filter_map(|record| {
        let end = record.key.expires_at.filter(|end| now < *end && *end < last)?;
        let text = format!("{} {} {}", record.key.name, t.key_ends, instant(end));
        let href = Some(format!("/app/keys/{}", record.key.id));
        Some(Attention { text, when: String::new(), is_test: false, times: 1, href })
    });
    Ok(ending.collect())
}
