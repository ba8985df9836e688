//! `GET /app/sales`: what was collected, as `GET /v1/statistics` adds it up. Every figure is of that reading and leads to
//! the payments that it counts.

mod asked;
mod figures;
mod ranked;
mod texts;
mod times;

use app::statistics::{OfCurrency, Question, Statistics};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListBankAccounts, ListPayments, ShowStatistics, Verify};
use domain::links::Currency;
use domain::statistics::{COUNTED_DAYS_MAX, GroupBy};
use domain::time::CaracasDate;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use self::asked::{Asked, RANKED, Span, address, finenesses};
use self::figures::{Figures, money};
use self::ranked::{Ranked, Reader};
use self::texts::SalesTexts;
use super::chart::{Chart, Week};
use super::choice::{Choice, accounts};
use super::form::FormState;
use super::frame::Frame;
use super::links::name_of_currency;
use super::payments::narrowed::Rows;
use super::route::PageRoute;
use crate::page::of_template;
use crate::written::day;

const PATH: &str = "/app/sales";

#[derive(Template)]
#[template(path = "dashboard/sales/show.html")]
struct SalesPage {
    f: Frame,
    t: &'static SalesTexts,
    /// The periods of one press; `value` is where they lead.
    periods: Vec<Choice>,
    form: FormState,
    is_typed: bool,
    /// The days that are shown.
    days: Option<String>,
    /// Nothing where the days are wrong, or have no payment.
    shown: Option<Shown>,
    is_wrong: bool,
    has_test_payments: bool,
    may_verify: bool,
}

/// Sales of a currency.
struct Shown {
    is_test: bool,
    currencies: Vec<Choice>,
    figures: Figures,
    chart: Chart,
    finenesses: Vec<Choice>,
    /// Nothing where the period is too long for hours.
    week: Option<Week>,
    groups: Vec<Choice>,
    /// Nothing where the period is too long for such groups.
    ranked: Option<Ranked>,
}

/// Sums that were read of one kind of money.
struct Readings {
    is_test: bool,
    times: Statistics,
    fine: Statistics,
    ranked: Option<Statistics>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowStatistics, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ShowStatistics>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = SalesTexts::of(language);
    let asked = Asked::of(&uri, CaracasDate::of(signed.act.now), language);
    let found = match asked.is_wrong {
        true => None,
        false => Some(read(&state, &signed, &asked).await?),
    };
    let has_test_payments = found.as_ref().is_some_and(|found| found.times.has_test_payments);
    let of = found.as_ref().and_then(|found| currency_of(&found.times, asked.currency));
    let shown = match (found.as_ref(), of) {
        (Some(found), Some(of)) => Some(shown(&state, &signed, (&uri, &asked), (found, of)).await?),
        _ => None,
    };
    let days = format!("{} {} {} {}", t.of, day(asked.period.from), t.until, day(asked.period.to));
    let page = SalesPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        periods: periods(&uri, &asked, t),
        is_typed: asked.span == Span::Typed,
        days: (!asked.is_wrong).then_some(days),
        shown,
        is_wrong: asked.is_wrong,
        has_test_payments,
        may_verify: signed.may::<Verify>(),
        form: asked.form,
    };
    Ok(of_template(&page, StatusCode::OK))
}

/// Reads the sums of real money and, where nothing keeps them apart and there is nothing else, of the test bank's.
async fn read(
    state: &AppState,
    signed: &Signed<ShowStatistics>,
    asked: &Asked,
) -> Result<Readings, Failure> {
    let only = signed.test_mode.livemode();
    let mut livemode = only.unwrap_or(true);
    let mut times = ask(state, signed, asked, (asked.each, livemode)).await?;
    if only.is_none() && times.currencies.is_empty() {
        let tests = ask(state, signed, asked, (asked.each, false)).await?;
        if !tests.currencies.is_empty() {
            (livemode, times) = (false, tests);
        }
    }
    let finest = asked.finest();
    let fine = match finest == asked.each {
        true => times.clone(),
        false => ask(state, signed, asked, (finest, livemode)).await?,
    };
    let ranked = match asked.is_ranked() {
        true => Some(ask(state, signed, asked, (asked.by, livemode)).await?),
        false => None,
    };
    Ok(Readings { is_test: !livemode, times, fine, ranked })
}

async fn ask(
    state: &AppState,
    signed: &Signed<ShowStatistics>,
    asked: &Asked,
    (group_by, livemode): (GroupBy, bool),
) -> Result<Statistics, Failure> {
    let question = Question { period: asked.period, group_by, livemode };
    Ok(app::statistics::show(&state.app, &signed.act, question).await?)
}

/// The currency that is asked for where something was paid in it, or else bolívares or the first that there is.
fn currency_of(of: &Statistics, asked: Option<Currency>) -> Option<&OfCurrency> {
    let find = |currency| of.currencies.iter().find(|of| of.currency == currency);
    asked.and_then(find).or_else(|| find(Currency::Vef)).or_else(|| of.currencies.first())
}

async fn shown(
    state: &AppState,
    signed: &Signed<ShowStatistics>,
    (uri, asked): (&Uri, &Asked),
    (found, of): (&Readings, &OfCurrency),
) -> Result<Shown, Failure> {
    let (language, is_test) = (signed.language(), found.is_test);
    let t = SalesTexts::of(language);
    let sees_payments = signed.may::<ListPayments>();
    let rows = sees_payments.then(|| Rows::of(asked.period, of.currency));
    let same = |readings: &Statistics| -> Option<OfCurrency> {
        readings.currencies.iter().find(|one| one.currency == of.currency).cloned()
    };
    let fine = same(&found.fine);
    let all = rows.as_ref().map(Rows::all);
    let is_client = signed.caller().client().is_some();
    let accounts = match is_client {
        true => Some(reached(state, signed).await?),
        false => None,
    };
    let reader = Reader { rows: rows.as_ref(), accounts, is_client, language };
    let is_short = asked.period.days() <= COUNTED_DAYS_MAX;
    let week = fine.as_ref().filter(|_| is_short);
    let ranked = found.ranked.as_ref().and_then(same);
    Ok(Shown {
        is_test,
        currencies: currencies(uri, &found.times, of, signed),
        figures: Figures::of(of, fine.as_ref(), (asked, signed.act.now, all), language),
        chart: Chart { is_test, ..times::chart(of, asked, sees_payments, language) },
        finenesses: choices(uri, ("each", asked.each), &finenesses(asked.period), |each| {
            times::name_of(each, t)
        }),
        week: week.map(|fine| Week { is_test, ..times::week(fine, rows.as_ref(), language) }),
        groups: choices(uri, ("by", asked.by), &RANKED, |by| ranked::name_of(by, t)),
        ranked: ranked.map(|of| Ranked::of(&of, asked.by, uri, &reader)),
    })
}

/// The accounts that the person reaches.
async fn reached(
    state: &AppState,
    signed: &Signed<ShowStatistics>,
) -> Result<Vec<String>, Failure> {
    if signed.also::<ListBankAccounts>().is_err() {
        return Ok(Vec::new());
    }
    let linked = accounts(&state.app, signed).await?;
    Ok(linked.iter().map(|one| one.account.id.to_string()).collect())
}

/// A choice of one press: where it leads is its value, and it is the one that is shown where `more` says so.
fn chosen(href: String, text: &str, is_here: bool) -> Choice {
    let more = if is_here { "here" } else { "" };
    Choice { more: more.to_owned(), ..Choice::new(href, text) }
}

fn periods(uri: &Uri, asked: &Asked, t: &SalesTexts) -> Vec<Choice> {
    let text = |span| match span {
        Span::Today => t.today,
        Span::Yesterday => t.yesterday,
        Span::Week => t.week,
        Span::LastMonth => t.last_month,
        Span::Month | Span::Typed => t.month,
    };
    let choice = |(span, word): (Span, &'static str)| {
        let href = address(uri, &["from", "to", "each"], ("period", word));
        chosen(href, text(span), span == asked.span)
    };
    Span::CHOICES.into_iter().map(choice).collect()
}

fn choices(
    uri: &Uri,
    (name, here): (&str, GroupBy),
    all: &[GroupBy],
    text: impl Fn(GroupBy) -> &'static str,
) -> Vec<Choice> {
    let choice =
        |of: &GroupBy| chosen(address(uri, &[], (name, of.as_str())), text(*of), *of == here);
    all.iter().map(choice).collect()
}

/// Each currency with its sum.
fn currencies(
    uri: &Uri,
    all: &Statistics,
    here: &OfCurrency,
    signed: &Signed<ShowStatistics>,
) -> Vec<Choice> {
    let language = signed.language();
    let t = SalesTexts::of(language);
    let choice = |of: &OfCurrency| {
        let name = name_of_currency(of.currency, language);
        // An amount is not cut in two where the line ends.
        let sum = money(of.tallies.now.sum, of.currency, t, language).replace(' ', "\u{a0}");
        let href = address(uri, &[], ("currency", of.currency.as_str()));
        chosen(href, &format!("{name}: {sum}"), of.currency == here.currency)
    };
    all.currencies.iter().map(choice).collect()
}
