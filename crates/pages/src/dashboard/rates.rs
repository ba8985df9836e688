//! `GET` and `POST /app/rates`: what other currencies cost for the owner's links, and what the owner says they cost.

mod rule;

use app::Precondition;
use app::own_rates::NewOwnRate;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListOwnRates, Operation, SetOwnRate, SetRateRule, ShowExchangeRate};
use domain::ids::RateId;
use domain::language::Language;
use domain::links::Currency;
use domain::rates::{ExchangeRate, OwnRate, Rate, RateOrigin, RateRule, RateSource};
use domain::refusal::{Problem, Refusal};
use domain::time::{CaracasDate, Timestamp};
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::choice::Choice;
use super::fields::FormFields;
use super::form::FormState;
use super::frame::Frame;
use super::list::{Pager, page_of};
use super::route::PageRoute;
use super::written::instant;
use crate::checkout::see;
use crate::page::of_template;
use crate::written;

pub(super) const PATH: &str = "/app/rates";

/// The field that carries the newest rate that the page showed.
const NEWEST: &str = "newest";

/// After how many days a rate is called old: a Friday's serves a Monday, and a Tuesday behind a holiday.
const OLD_AFTER: u32 = 4;

texts! {
    RatesTexts {
        title: "Tasas de cambio", "Exchange rates";
        lead: "Con qué tasa se cobran sus enlaces en otras monedas.", "The exchange rates used to charge your links in other currencies.";
        serving: "La que rige ahora", "Current exchange rate";
        none: "Sin tasa", "No rate";
        none_text: "Un enlace en esa moneda no se puede pagar mientras no haya tasa. Una propia sin último día deja de valer a los siete días: diga la de hoy.", "A link in this currency cannot be paid while there is no exchange rate. A custom rate without an end date stops applying after seven days: set today's rate.";
        old: "Es vieja", "Outdated";
        value_date: "Fecha valor", "Value date";
        until: "Hasta", "Until";
        source: "Fuente", "Source";
        own_origin: "La dijo usted", "Custom rate";
        by_value_date: "Rige la tasa de la última fecha valor.", "The rate with the latest value date applies.";
        by_publication: "Rige la tasa de la última fecha valor publicada, hasta siete días por venir.", "The rate with the latest published value date applies, up to seven days ahead.";
        rule_title: "Qué tasa rige", "Which exchange rate applies";
        rule: "Regla", "Rule";
        rule_hint: "Vale desde el próximo cobro. Las tasas ya fijadas a un cliente no cambian.", "Applies from the next charge. Rates already held for a customer do not change.";
        choose_value_date: "La de la última fecha valor que llegó", "The rate with the latest value date reached";
        choose_publication: "La última publicada, aunque su fecha valor esté por venir", "The latest published rate, even if its value date is still to come";
        keep_rule: "Guardar la regla", "Save rule";
        set_title: "Decir su propia tasa", "Set a custom rate";
        set_lead: "Vale para sus enlaces, desde ese día. Las tasas ya fijadas a un cliente no cambian.", "Applies to your links from that date. Rates already held for a customer do not change.";
        currency: "Moneda", "Currency";
        whose: "Cuál", "Rate to use";
        mine: "Mi tasa", "My custom rate";
        everybodys: "La de todos, desde ese día", "The standard rate, from that date";
        rate: "Bolívares por unidad", "Bolívares per unit";
        rate_hint: "Por ejemplo 872,3927. Vacío si elige la de todos.", "For example, 872.3927. Leave empty if you choose the standard rate.";
        from: "Desde el día", "From date";
        to: "Hasta el día", "To date";
        to_hint: "Vacío: hasta la siguiente, siete días a lo sumo.", "Empty: until the next rate, for seven days at most.";
        source_hint: "Se le dice a quien paga: su nombre o de dónde la toma.", "Shown to payers: your name, or where you get the rate.";
        jump: "Dista más de un décimo de la anterior. Si es así, marque la casilla.", "This rate differs by more than 10% from the previous one. If it is correct, tick the box.";
        jump_sure: "Sí, la tasa es esa", "Yes, this rate is correct";
        save: "Guardar la tasa", "Save rate";
        saved: "Guardada.", "Saved.";
        own: "Lo que usted ha dicho", "Custom rate history";
        own_none: "Todavía no ha dicho ninguna tasa: rige la de todos.", "You have not set a custom rate: the standard rate applies.";
        said: "Dicha", "Set on";
    }
}

#[derive(Template)]
#[template(path = "dashboard/rates.html")]
struct RatesPage {
    f: Frame,
    t: &'static RatesTexts,
    path: &'static str,
    rule_path: &'static str,
    rule: &'static str,
    newest: String,
    rules: Vec<Choice>,
    serving: Vec<(&'static str, Option<Serving>)>,
    /// Whether a currency has none.
    lacks_one: bool,
    form: FormState,
    currencies: Vec<Choice>,
    whose: Vec<Choice>,
    asks_jump: bool,
    is_saved: bool,
    own: Vec<OwnRow>,
    pager: Pager,
}

/// A rate that serves.
pub(super) struct Serving {
    pub(super) rate: String,
    pub(super) value_date: String,
    pub(super) until: Option<String>,
    pub(super) source: String,
    pub(super) is_own: bool,
    pub(super) is_old: bool,
}

struct OwnRow {
    currency: &'static str,
    rate: Option<String>,
    from: String,
    until: String,
    source: String,
    said: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ListOwnRates, _, _>(PATH, view),
        PageRoute::form::<SetOwnRate, _, _>(PATH, set)
            .takes(&[
                "newest",
                "currency",
                "whose",
                "rate",
                "value_date",
                "until",
                "source",
                "accept_jump",
            ])
            .labelled(|language| {
                let t = RatesTexts::of(language);
                vec![
                    ("rate", t.rate),
                    ("value_date", t.from),
                    ("until", t.to),
                    ("source", t.source),
                ]
            }),
        PageRoute::form::<SetRateRule, _, _>(rule::PATH, rule::set).takes(&["rate_rule"]),
    ]
}

/// The rates that serve now for the person signed in.
pub(super) async fn serving<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
) -> Result<Vec<ExchangeRate>, Failure> {
    Ok(app::rates::serving_now(&state.app, &signed.also::<ShowExchangeRate>()?).await?)
}

/// Tells whether the rate that serves is that of a day long gone, without its source having said until when it serves.
pub(super) fn is_old(rate: &ExchangeRate, now: Timestamp) -> bool {
    let today = CaracasDate::of(now);
    let is_past = rate.value_date < today && rate.value_date.days_apart(today) > OLD_AFTER;
    rate.until.is_none() && is_past
}

/// A rate as pages show it.
pub(super) fn shown(rate: &ExchangeRate, now: Timestamp, language: Language) -> Serving {
    Serving {
        rate: written::rate(rate.rate, language),
        value_date: rate.value_date.to_string(),
        until: rate.until.map(|day| day.to_string()),
        source: rate.source.as_str().to_owned(),
        is_own: rate.origin == RateOrigin::Owner,
        is_old: is_old(rate, now),
    }
}

/// The currencies that have rates.
fn foreign() -> impl Iterator<Item = Currency> {
    Currency::ALL.into_iter().filter(|currency| *currency != Currency::Vef)
}

async fn view(
    signed: Signed<ListOwnRates>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, (nothing_said(signed.act.now), false)).await
}

/// The form in which nothing is said yet.
fn nothing_said(now: Timestamp) -> FormState {
    let today = CaracasDate::of(now).to_string();
    FormState::with(&[("currency", "USD"), ("whose", "mine"), ("value_date", &today)])
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (form, asks_jump): (FormState, bool),
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let t = RatesTexts::of(language);
    let number = page_of(uri);
    let act = signed.also::<ListOwnRates>()?;
    let (rule, own) = app::own_rates::list(&state.app, &act, number).await?;
    let form = form.or(rule::kept(rule));
    let form = match form.is_overtaken() {
        true => in_force(form, &own.entries, language),
        false => form,
    };
    // A rate that the first page did not show was not seen by a form that was wrong.
    let newest = match form.all(NEWEST) {
        Some(seen) if !form.is_overtaken() => seen.concat(),
        _ => own.entries.first().map(|rate| rate.id.to_string()).unwrap_or_default(),
    };
    let serving = serving(state, signed).await?;
    let of = |currency: Currency| {
        let rate = serving.iter().find(|rate| rate.currency == currency);
        (currency.as_str(), rate.map(|rate| shown(rate, now, language)))
    };
    let serving: Vec<_> = foreign().map(of).collect();
    let page = RatesPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        path: PATH,
        rule_path: rule::PATH,
        newest,
        rules: rule::choices(t),
        rule: match rule {
            RateRule::ByValueDate => t.by_value_date,
            RateRule::ByPublication => t.by_publication,
        },
        lacks_one: serving.iter().any(|(_, rate)| rate.is_none()),
        serving,
        form,
        currencies: foreign().map(|one| Choice::new(one.as_str(), one.as_str())).collect(),
        whose: vec![Choice::new("mine", t.mine), Choice::new("all", t.everybodys)],
        asks_jump,
        is_saved: web::query::find(uri, "saved").is_some(),
        own: own.entries.iter().map(|rate| own_row(rate, language)).collect(),
        pager: Pager::of(uri, number, own.total, language),
    };
    Ok(of_template(&page, page.form.status))
}

/// The form with the rate that somebody else has said of its day meanwhile.
fn in_force(form: FormState, own: &[OwnRate], language: Language) -> FormState {
    let is_meant = |rate: &&OwnRate| {
        rate.currency.as_str() == form.value("currency")
            && rate.value_date.to_string() == form.value("value_date")
    };
    let rate = own.iter().find(is_meant).and_then(|own| own.rate);
    let rate = rate.map(|rate| written::rate(rate, language)).unwrap_or_default();
    form.or(FormState::with(&[("rate", &rate)]))
}

fn own_row(rate: &OwnRate, language: Language) -> OwnRow {
    OwnRow {
        currency: rate.currency.as_str(),
        rate: rate.rate.map(|rate| written::rate(rate, language)),
        from: rate.value_date.to_string(),
        until: rate.until.map(|day| day.to_string()).unwrap_or_default(),
        source: rate.source.as_str().to_owned(),
        said: instant(rate.published_at),
    }
}

async fn set(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<SetOwnRate>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    let refused = match read(&form) {
        Err(refusal) => (FormState::refused(&form, &refusal, language), false),
        Ok(new) => match app::own_rates::set(&state.app, &signed.act, new, unseen(&form)).await {
            Ok(_) => return Ok(see(&format!("{PATH}?saved"))),
            Err(error) => {
                let again = FormState::again(&form, error, language)?;
                // What was read is refused for one reason: that it may be a slip.
                let is_jump = again.problem("rate").is_some() && !again.is_overtaken();
                let jump = RatesTexts::of(language).jump;
                (if is_jump { again.with_problem("rate", jump) } else { again }, is_jump)
            }
        },
    };
    Ok(page(&state, &signed, &uri, refused).await?)
}

/// The condition that nobody has said another rate of that day since the page was loaded, which carries the newest that it
/// showed.
fn unseen(form: &FormBody) -> Precondition<Option<OwnRate>> {
    let newest: Option<RateId> = form.field(NEWEST).parse().ok();
    Precondition::new(move |former: &Option<OwnRate>| {
        let unseen = former.as_ref().filter(|rate| newest.is_none_or(|seen| rate.id > seen));
        unseen.map(|_| "rate".to_owned()).into_iter().collect()
    })
}

fn read(form: &FormBody) -> Result<NewOwnRate, Refusal> {
    let mut fields = FormFields::of(form);
    let currency = fields.required("currency", |code| {
        let currency = Currency::parse(code).filter(|currency| *currency != Currency::Vef);
        currency.ok_or(("no es una de las monedas", "is not one of the currencies"))
    });
    let rate = match form.field("whose").as_str() {
        "all" if form.field("rate").is_empty() => Some(None),
        "all" => fields.problem("rate", ("debe quedar vacía", "must be empty")),
        _ => fields.required("rate", rate).map(Some),
    };
    let value_date = fields.day("value_date");
    if value_date.is_none() && form.field("value_date").is_empty() {
        fields.problem::<()>("value_date", ("falta", "is missing"));
    }
    let until = fields.day("until");
    if until.zip(value_date).is_some_and(|(until, from)| until < from) {
        fields.problem::<()>("until", ("es antes del primer día", "is before the first date"));
    }
    let source = fields.required("source", |text| {
        let problem = ("debe tener de 1 a 60 caracteres", "must have 1 to 60 characters");
        RateSource::parse(text).map_err(|_| problem)
    });
    let accepts_jump = form.field("accept_jump") == "yes";
    let new = match (currency, rate, value_date, source) {
        (Some(currency), Some(rate), Some(value_date), Some(source)) => {
            Some(NewOwnRate { currency, rate, value_date, until, source, accepts_jump })
        }
        _ => None,
    };
    fields.made(new)
}

const NO_RATE: Problem =
    Problem::of("no se entiende; escríbala como 872,3927", "is not valid; enter it like 872.3927");

/// Reads a rate by either habit: `1.872,3927`, `1,872.3927`, `872,3927`, `872.3927`. One mark with three digits
/// behind it may be either, and is none.
fn rate(text: &str) -> Result<Rate, Problem> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (whole, decimals) = match text.rsplit_once([',', '.']) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (text.as_str(), None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let groups: Vec<&str> = whole.split([',', '.']).collect();
    let is_number = groups.iter().all(|group| is_digits(group)) && decimals.is_none_or(is_digits);
    let is_grouped = groups.len() > 1;
    let has_wrong_group = match groups.split_first() {
        Some((first, others)) if is_grouped => {
            first.len() > 3 || others.iter().any(|group| group.len() != 3)
        }
        _ => false,
    };
    // Between thousands stands another mark than before the decimals.
    let mark = text.as_bytes().get(whole.len());
    let is_unclear = match is_grouped {
        true => whole.bytes().any(|byte| Some(&byte) == mark),
        false => decimals.is_some_and(|decimals| decimals.len() == 3),
    };
    if !is_number || has_wrong_group || is_unclear {
        return Err(NO_RATE);
    }
    let whole = groups.concat();
    let plain = match decimals {
        Some(decimals) => format!("{whole}.{decimals}"),
        None => whole,
    };
    Rate::parse(&plain).map_err(|_| NO_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_by_either_habit_and_never_by_chance() {
        for (text, read) in [
            ("872,3927", "872.3927"),
            ("872.3927", "872.3927"),
            ("1.872,3927", "1872.3927"),
            ("1,872.3927", "1872.3927"),
            (" 880 ", "880.00"),
            ("36,5", "36.50"),
            ("1.872,392", "1872.392"),
        ] {
            assert_eq!(rate(text).map(|rate| rate.to_string()).as_deref(), Ok(read), "{text}");
        }
        for text in [
            "",
            "x",
            "1.872",
            "1,872",
            "1.87,2.3",
            "12.34,5",
            ",5",
            "5,",
            "-1",
            "0",
            "1e3",
            "1.872.392",
            "1234.567,8",
        ] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}
