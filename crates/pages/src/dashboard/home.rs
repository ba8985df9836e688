//! `GET /app`: what there is, what arrived today, and what needs somebody.

use app::statistics::Question;
use app::verification::Whole;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{
    CreateKey, LinkBankAccount, ListBankAccounts, ListNotices, ListPayments, Me, ShowCredits,
    ShowStatistics, Verify,
};
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::money::Credits;
use domain::statistics::{GroupBy, Period, Tally, known_sum};
use domain::time::{CaracasDate, Timestamp};
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::attention::{self, Attention};
use super::chart::{Chart, bars};
use super::choice::accounts;
use super::first_payment;
use super::form::once;
use super::frame::Frame;
use super::payments::outcome;
use super::route::PageRoute;
use super::written::{ago, count, credits, instant};
use crate::page::of_template;
use crate::written::price;

/// How many days the chart has.
const CHART_DAYS: i32 = 14;

/// How many payments stand on the page.
const PAYMENTS: usize = 10;

texts! {
    HomeTexts {
        title: "Inicio", "Home";
        available: "Créditos disponibles", "Credits available";
        used: "Usados este mes", "Used this month";
        forecast: "Al cierre, si sigue así", "Projected month end";
        today: "Cobrado hoy", "Collected today";
        payment: "pago", "payment";
        payments: "pagos", "payments";
        today_test: "De prueba hoy", "Test payments today";
        no_sum: "Más de 10 billones", "More than 10 trillion";
        attention: "Necesita su atención", "Needs your attention";
        times: "veces", "times";
        calm: "Todo en orden.", "Everything is in order.";
        all_notices: "Ver todos los avisos", "View all notices";
        chart: "Pagos verificados por día, últimas dos semanas", "Payments verified per day, last two weeks";
        chart_test: "Pagos de prueba por día, últimas dos semanas", "Test payments per day, last two weeks";
        chart_numbers: "Ver los números", "View numbers";
        chart_day: "Día", "Day";
        chart_payments: "Pagos", "Payments";
        live_off: "Esta página no se actualiza sola en este momento.", "This page is not refreshing automatically right now.";
        reload: "Cargarla otra vez", "Refresh";
        latest: "Últimos pagos", "Latest payments";
        amount: "Monto", "Amount";
        reference: "Referencia", "Reference";
        verified: "Verificado", "Verified";
        paid: "Pagado", "Paid";
        none: "Todavía no hay pagos verificados.", "No verified payments yet.";
        all: "Ver todos los pagos", "View all payments";
        first_title: "Haga su primera verificación", "Run your first verification";
        first_text: "Cotejo le preguntará al banco de prueba por una referencia inventada, como lo hará con las de verdad. No mueve dinero.", "Cotejo will ask the test bank about a made-up reference, as it will do with real ones. No money moves.";
        first_do: "Verificar un pago de prueba", "Verify a test payment";
        first_done: "Listo: el banco de prueba confirmó el pago, que no es dinero, y la próxima consulta con esa referencia dirá que ya se usó.", "Done: the test bank confirmed the payment, which is not money. The next request with that reference will say that it has already been used.";
        next_title: "Lo que sigue", "Next steps";
        next_link: "Vincular su cuenta bancaria", "Link your bank account";
        next_key: "Crear una llave para su sistema", "Create an API key for your system";
        next_docs: "Leer la referencia de la API", "Read the API reference";
    }
}

#[derive(Template)]
#[template(path = "dashboard/home.html")]
struct HomePage {
    f: Frame,
    t: &'static HomeTexts,
    credits: Option<Spent>,
    today: Option<Figure>,
    /// Payments of the last days; nothing where there are none, or nobody may see them.
    chart: Option<Chart>,
    /// Nothing where the person signed in may not see what is wrong.
    attention: Option<Vec<Attention>>,
    sees_notices: bool,
    may_link: bool,
    may_issue: bool,
    /// Nothing where it sees no payments.
    payments: Option<Vec<Row>>,
    /// Where scripts learn that there is another.
    events: String,
    first: Option<First>,
    is_first_done: bool,
}

/// Credits that there are, and what this month has used.
struct Spent {
    available: String,
    used: String,
    forecast: Option<String>,
}

/// A sum of today.
struct Figure {
    name: &'static str,
    is_test: bool,
    sum: String,
    count: i64,
}

/// A payment.
struct Row {
    href: String,
    amount: String,
    reference: String,
    paid: String,
    verified: String,
    is_test: bool,
}

/// The button of the first test payment.
struct First {
    path: &'static str,
    once: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<Me, _, _>("/app", view)]
}

async fn view(
    signed: Signed<Me>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let t = HomeTexts::of(language);
    let payments = match signed.also::<ListPayments>() {
        Ok(act) => {
            let livemode = signed.test_mode.livemode();
            Some(app::payments::latest(&state.app, &act, livemode, PAYMENTS).await?)
        }
        Err(_) => None,
    };
    let latest = payments.as_ref().and_then(|seen| seen.first()).map(|seen| seen.payment.id);
    let is_empty = payments.as_ref().is_some_and(Vec::is_empty);
    let page = HomePage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        credits: spent(&state, &signed, language).await?,
        today: today(&state, &signed, t).await?,
        chart: chart(&state, &signed, t).await?,
        attention: attention::of(&state, &signed).await?,
        sees_notices: signed.may::<ListNotices>(),
        may_link: signed.may::<LinkBankAccount>(),
        may_issue: signed.may::<CreateKey>(),
        events: super::events::path_behind(latest),
        payments: payments.map(|seen| seen.iter().map(|seen| row(seen, now, language)).collect()),
        first: if is_empty { first(&state, &signed).await? } else { None },
        is_first_done: web::query::find(&uri, "first").is_some(),
    };
    Ok(of_template(&page, StatusCode::OK))
}

async fn spent(
    state: &AppState,
    signed: &Signed<Me>,
    language: Language,
) -> Result<Option<Spent>, Failure> {
    let Ok(act) = signed.also::<ShowCredits>() else { return Ok(None) };
    let part = app::credits::Part { month: None, before: None, limit: 1 };
    let statement = app::credits::show(&state.app, &act, part).await?;
    let available = Credits::new(statement.balance.get() - statement.reserved.get());
    Ok(Some(Spent {
        available: credits(available, language),
        used: credits(statement.used, language),
        forecast: statement.forecast.map(|forecast| credits(forecast, language)),
    }))
}

/// The sum that the bank credited for what was verified today, whatever currency it was priced in; test payments only where
/// there is nothing else.
async fn today(
    state: &AppState,
    signed: &Signed<Me>,
    t: &HomeTexts,
) -> Result<Option<Figure>, Failure> {
    let Ok(act) = signed.also::<ShowStatistics>() else { return Ok(None) };
    let day = CaracasDate::of(signed.act.now);
    let period = Period { from: day, to: day };
    for livemode in kinds(signed) {
        let question = Question { period, group_by: GroupBy::Day, livemode };
        let found = app::statistics::show(&state.app, &act, question).await?;
        let each = found.currencies.iter().map(|of| of.tallies.now);
        let Tally { count, received, .. } = each.fold(Tally::default(), Tally::plus);
        if count > 0 {
            return Ok(Some(figure(livemode, (received, count), signed, t)));
        }
    }
    Ok(Some(figure(!signed.test_mode.is_on(), (0, 0), signed, t)))
}

/// Writes what was collected of one kind of money: what the bank credited, in hundredths, and for how many payments.
fn figure(
    livemode: bool,
    (received, count): (i64, i64),
    signed: &Signed<Me>,
    t: &HomeTexts,
) -> Figure {
    let bolivars = |hundredths| Price { currency: Currency::Vef, hundredths };
    let sum = known_sum(received).map(|sum| price(bolivars(sum), signed.language()));
    let sum = sum.unwrap_or_else(|| t.no_sum.to_owned());
    let name = if livemode { t.today } else { t.today_test };
    Figure { name, is_test: !livemode, sum, count }
}

/// The kinds of money that the page is about: real money and, where nothing keeps them apart, test payments if there
/// is nothing else.
fn kinds(signed: &Signed<Me>) -> impl Iterator<Item = bool> {
    let livemode = signed.test_mode.livemode();
    [true, false].into_iter().filter(move |kind| livemode.is_none_or(|only| only == *kind))
}

/// How many payments each of the last days had, whatever their currency; test payments only where there is nothing
/// else.
async fn chart(
    state: &AppState,
    signed: &Signed<Me>,
    t: &HomeTexts,
) -> Result<Option<Chart>, Failure> {
    let Ok(act) = signed.also::<ShowStatistics>() else { return Ok(None) };
    let (language, today) = (signed.language(), CaracasDate::of(signed.act.now));
    let period = Period { from: today.plus_days(1 - CHART_DAYS), to: today };
    for livemode in kinds(signed) {
        let question = Question { period, group_by: GroupBy::Day, livemode };
        let found = app::statistics::show(&state.app, &act, question).await?;
        let count_of = |day: &str| -> i64 {
            let parts = found.currencies.iter().flat_map(|of| &of.groups);
            parts
                .filter(|part| part.id.as_deref() == Some(day))
                .map(|part| part.tallies.now.count)
                .sum()
        };
        let day = |back: i32| {
            let day = today.plus_days(back + 1 - CHART_DAYS).to_string();
            let payments = count_of(&day);
            (day, count(payments, language), payments)
        };
        let days: Vec<_> = (0..CHART_DAYS).map(day).collect();
        if days.iter().any(|(.., payments)| *payments > 0) {
            return Ok(Some(Chart {
                title: if livemode { t.chart } else { t.chart_test }.to_owned(),
                numbers: t.chart_numbers,
                when: t.chart_day,
                what: t.chart_payments,
                is_test: !livemode,
                bars: bars(days),
            }));
        }
    }
    Ok(None)
}

/// The button of the first test payment, where there is a test account to ask about.
async fn first(state: &AppState, signed: &Signed<Me>) -> Result<Option<First>, Failure> {
    if signed.also::<Verify>().is_err() || !signed.may::<ListBankAccounts>() {
        return Ok(None);
    }
    let is_offered = accounts(&state.app, signed).await?.iter().any(first_payment::is_open);
    Ok(is_offered
        .then(|| First { path: first_payment::PATH, once: once(&state.app, signed.caller()) }))
}

fn row(seen: &Whole, now: Timestamp, language: Language) -> Row {
    let payment = &seen.payment;
    let paid = Price { currency: Currency::Vef, hundredths: payment.amount.hundredths() };
    Row {
        href: outcome::path_of(payment.verification),
        amount: price(paid, language),
        reference: payment.reference.clone(),
        paid: instant(payment.paid_at),
        verified: ago(payment.created_at, now, language),
        is_test: !seen.livemode,
    }
}
