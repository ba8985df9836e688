//! `GET /app/components`, for development: every part that pages are made of, in each of its states.
//! Programs that are released do not have it.

use std::collections::HashMap;

use app::paging::{LIMIT, PageNumber};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::Me;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::chart::{Chart, bars};
use super::choice::Choice;
use super::form::{Fact, FormState};
use super::frame::Frame;
use super::integrations::Tab;
use super::list::Pager;
use super::route::PageRoute;
use crate::page::of_template;
use crate::qr::Picture;

const PATH: &str = "/app/components";

texts! {
    ComponentsTexts {
        title: "Componentes", "Components";
        empty: "Vacío", "Empty";
        filled: "Con datos", "Filled in";
        refused: "Rechazado", "Refused";
        label: "Etiqueta", "Label";
        hint: "Lo que ayuda a llenarlo.", "Helps you fill it in.";
        problem: "debe ser otra cosa", "must be something else";
        notice: "Por qué no se hizo nada.", "Why nothing was done.";
        value: "Valor", "Value";
        long: "Una palabra muy larga: supercalifragilisticoespialidoso_0123456789_0123456789", "A very long word: supercalifragilisticexpialidocious_0123456789_0123456789";
        none: "Todavía no hay nada.", "Nothing here yet.";
        act: "Hacer", "Do";
        danger: "Terminar", "End";
        more: "Más", "More";
        newest: "Los últimos", "Newest";
        older: "Más antiguos", "Older";
    }
}

/// The fields of a form.
const FIELDS: [&str; 19] = [
    "text",
    "day",
    "number",
    "instant",
    "search",
    "select",
    "boxes",
    "radio",
    "tick",
    "secret",
    "fact",
    "secret-fact",
    "email",
    "password",
    "area",
    "money",
    "confirm",
    "code",
    "file",
];

/// A form in one of its states.
struct Shown {
    title: &'static str,
    form: FormState,
    /// The fields by what they show: each is there once in each state, and an id is there once in a page.
    names: HashMap<&'static str, String>,
    /// What a bank wants: once what may be left out, once what must be there and is secret.
    facts: [Fact; 2],
}

impl Shown {
    fn of(state: &str, title: &'static str, form: FormState, t: &ComponentsTexts) -> Self {
        let names = FIELDS.map(|field| (field, format!("{state}-{field}")));
        let fact = |field: &str, is_secret| Fact {
            name: format!("{state}-{field}"),
            label: t.label.to_owned(),
            is_secret,
            is_required: is_secret,
            max: 20,
        };
        let facts = [fact("fact", false), fact("secret-fact", true)];
        Self { title, form, names: names.into_iter().collect(), facts }
    }

    fn name(&self, field: &str) -> &str {
        self.names.get(field).map_or("", String::as_str)
    }
}

#[derive(Template)]
#[template(path = "dashboard/components_shown.html")]
struct ComponentsPage {
    f: Frame,
    t: &'static ComponentsTexts,
    tabs: Vec<Tab>,
    shown: [Shown; 3],
    options: Vec<Choice>,
    picture: Option<Picture>,
    chart: Chart,
    /// One of which all is nothing.
    no_chart: Chart,
    /// The first page of a list, one in the middle and the last one, or all that there is.
    pagers: [Pager; 4],
    /// Whether a list is at its beginning, and what leads on from there.
    olders: [(bool, Option<&'static str>); 3],
    /// How far something is.
    shares: [Option<u8>; 4],
    /// Words and classes of what can be well or not.
    kinds: [(&'static str, &'static str); 3],
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<Me, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<Me>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = ComponentsTexts::of(language);
    let option =
        |value, more: &str| Choice { more: more.to_owned(), ..Choice::new(value, t.value) };
    let page = ComponentsPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        tabs: vec![
            Tab { href: PATH, text: t.title, is_here: true },
            Tab { href: "/app", text: t.more, is_here: false },
        ],
        shown: [empty(t), filled(t), refused(t)],
        options: vec![option("one", ""), option("two", t.hint)],
        picture: Picture::of(PATH),
        chart: chart(t, &[3, 0, 14, 1_000, 250]),
        no_chart: chart(t, &[0, 0]),
        pagers: [(1, 60), (2, 60), (3, 60), (1, 3)].map(|(page, total)| {
            Pager::of(&uri, PageNumber { page, limit: LIMIT }, total, language)
        }),
        olders: [(true, Some(PATH)), (false, Some(PATH)), (false, None)],
        shares: [Some(0), Some(60), Some(100), None],
        kinds: [("good", t.filled), ("warn", t.empty), ("bad", t.refused)],
    };
    Ok(of_template(&page, StatusCode::OK))
}

fn chart(t: &ComponentsTexts, values: &[i64]) -> Chart {
    let value = |value: &i64| (t.label.to_owned(), value.to_string(), *value);
    Chart {
        title: t.value.to_owned(),
        numbers: t.more,
        when: t.label,
        what: t.value,
        is_test: false,
        bars: bars(values.iter().map(value).collect()),
    }
}

fn empty(t: &ComponentsTexts) -> Shown {
    Shown::of("empty", t.empty, FormState::default(), t)
}

fn filled(t: &ComponentsTexts) -> Shown {
    let form = FormState::with(&[
        ("filled-text", t.long),
        ("filled-day", "2026-12-31"),
        ("filled-number", "1000"),
        ("filled-instant", "2026-12-31T08:30"),
        ("filled-search", t.value),
        ("filled-select", "two"),
        ("filled-boxes", "one"),
        ("filled-radio", "two"),
        ("filled-tick", "yes"),
        ("filled-fact", t.value),
        ("filled-email", "ana@example.com"),
        ("filled-area", t.long),
        ("filled-money", "1.234,50"),
    ]);
    Shown::of("filled", t.filled, form, t)
}

fn refused(t: &ComponentsTexts) -> Shown {
    let mut shown = Shown::of("refused", t.refused, FormState::default(), t);
    for name in shown.names.values() {
        shown.form = shown.form.with_problem(name, t.problem);
    }
    shown.form.notice = Some(t.notice.to_owned());
    shown
}
