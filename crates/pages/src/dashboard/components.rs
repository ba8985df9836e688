//! `GET /app/components`, for development: every part that pages are made of, once empty, once filled in and once refused.
//! Programs that are released do not have it.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::Me;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::chart::{Chart, bars};
use super::choice::Choice;
use super::form::FormState;
use super::frame::Frame;
use super::integrations::Tab;
use super::list::{Pager, page_of};
use super::qr::Picture;
use super::route::PageRoute;
use crate::page::of_template;

const PATH: &str = "/app/components";

texts! {
    ComponentsTexts {
        title: "Componentes", "Components";
        empty: "Vacío", "Empty";
        filled: "Con datos", "Filled in";
        refused: "Rechazado", "Refused";
        label: "Etiqueta", "Label";
        hint: "Lo que ayuda a llenarlo.", "What helps to fill it in.";
        problem: "debe ser otra cosa", "must be something else";
        notice: "Por qué no se hizo nada.", "Why nothing was done.";
        value: "Valor", "Value";
        long: "Una palabra muy larga: supercalifragilisticoespialidoso_0123456789_0123456789", "A very long word: supercalifragilisticexpialidocious_0123456789_0123456789";
        none: "Todavía no hay nada.", "There is nothing yet.";
        act: "Hacer", "Do";
        danger: "Terminar", "End";
        more: "Más", "More";
    }
}

/// The fields of a form.
const FIELDS: [&str; 14] = [
    "text", "day", "number", "instant", "search", "select", "boxes", "secret", "password", "area",
    "money", "confirm", "code", "file",
];

/// A form in one of its states.
struct Shown {
    title: &'static str,
    form: FormState,
    /// The fields by what they show: each is there once in each state, and an id is there once in a page.
    names: HashMap<&'static str, String>,
}

impl Shown {
    fn of(state: &str, title: &'static str, form: FormState) -> Self {
        let names = FIELDS.map(|field| (field, format!("{state}-{field}")));
        Self { title, form, names: names.into_iter().collect() }
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
    pager: Pager,
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
        pager: Pager::of(&uri, page_of(&uri), 60, language),
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
        bars: bars(values.iter().map(value).collect()),
    }
}

fn empty(t: &ComponentsTexts) -> Shown {
    Shown::of("empty", t.empty, FormState::default())
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
        ("filled-area", t.long),
        ("filled-money", "1.234,50"),
    ]);
    Shown::of("filled", t.filled, form)
}

fn refused(t: &ComponentsTexts) -> Shown {
    let mut shown = Shown::of("refused", t.refused, FormState::default());
    for name in shown.names.values() {
        shown.form = shown.form.with_problem(name, t.problem);
    }
    shown.form.notice = Some(t.notice.to_owned());
    shown
}
