//! `GET` and `POST /app/notices/settings`

use app::notice_settings::{self, Choice as Chosen, RuleChange};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListNotices, Operation, SetNoticeSettings, ShowNoticeSettings};
use domain::language::Language;
use domain::money::Credits;
use domain::notices::{EVERY_MAX, EVERY_MIN, Kind, Rule, Settings};
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, SHOWN, Signed};

use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

pub(super) const PATH: &str = "/app/notices/settings";

/// How many minutes lie between two mails of a kind, as they are offered.
const OFFERED: [u32; 6] = [15, 60, 360, 720, 1_440, EVERY_MAX];

texts! {
    SettingsTexts {
        title: "Avisos por correo", "Email notices";
        lead: "Qué le escribimos cuando algo sale mal, y cada cuánto a lo más.", "What we email you about when something goes wrong, and how often at most.";
        no_mail: "Esta instalación no envía correo: los avisos se ven solo aquí, en la lista.", "This installation does not send email: notices are only shown in the list.";
        language: "Idioma de los correos", "Email language";
        below: "Avisar cuando queden menos créditos que", "Notify when credits fall below";
        below_hint: "Vacío: no se avisa.", "Empty: no notice.";
        by_mail: "Por correo", "By email";
        every: "A lo más cada", "At most every";
        save: "Guardar", "Save";
        saved: "Guardado.", "Saved.";
        of_owner: "Solo el titular los cambia.", "Only the owner can change them.";
        back: "Volver a los avisos", "Back to notices";
        no: "No", "No";
    }
}

#[derive(Template)]
#[template(path = "dashboard/notices/settings.html")]
struct SettingsPage {
    f: Frame,
    t: &'static SettingsTexts,
    tabs: Vec<Tab>,
    form: FormState,
    languages: Vec<Choice>,
    kinds: Vec<KindField>,
    path: &'static str,
    /// The list; nothing where the person who looks may not see it.
    back: Option<&'static str>,
    has_mail: bool,
    may_set: bool,
    is_saved: bool,
}

/// The fields of a kind.
struct KindField {
    kind: &'static str,
    title: &'static str,
    every: String,
    times: Vec<Choice>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ShowNoticeSettings, _, _>(PATH, view),
        PageRoute::form::<SetNoticeSettings, _, _>(PATH, set)
            .takes(&["language", "low_balance_below", "mail", "every_*"])
            .labelled(|language| {
                let t = SettingsTexts::of(language);
                vec![("low_balance_below", t.below)]
            }),
    ]
}

async fn view(
    signed: Signed<ShowNoticeSettings>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, None).await
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    typed: Option<FormState>,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = SettingsTexts::of(language);
    let act = signed.also::<ShowNoticeSettings>()?;
    let settings = notice_settings::show(&state.app, &act).await?;
    let form = typed.unwrap_or_default().or(kept(&settings));
    let page = SettingsPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        tabs: tabs(signed, super::PATH),
        form,
        languages: vec![Choice::new("es", "Español"), Choice::new("en", "English")],
        kinds: settings.rules().iter().map(|rule| fields_of(*rule, language)).collect(),
        path: PATH,
        back: signed.may::<ListNotices>().then_some(super::PATH),
        has_mail: state.app.mail.is_some(),
        may_set: signed.may::<SetNoticeSettings>(),
        is_saved: web::query::find(uri, "saved").is_some(),
    };
    Ok(of_template(&page, page.form.status))
}

fn fields_of(rule: Rule, language: Language) -> KindField {
    let mut offered = OFFERED.to_vec();
    if !offered.contains(&rule.every) {
        offered.push(rule.every);
        offered.sort_unstable();
    }
    let choice = |minutes: u32| Choice::new(minutes.to_string(), time(minutes, language));
    KindField {
        kind: rule.kind.as_str(),
        title: rule.kind.title(language),
        every: every_field(rule.kind),
        times: offered.into_iter().map(choice).collect(),
    }
}

/// A time in the largest unit that it is a number of.
fn time(minutes: u32, language: Language) -> String {
    let (number, one, many) = match minutes {
        _ if minutes.is_multiple_of(10_080) => {
            (minutes / 10_080, ("semana", "week"), ("semanas", "weeks"))
        }
        _ if minutes.is_multiple_of(1_440) => (minutes / 1_440, ("día", "day"), ("días", "days")),
        _ if minutes.is_multiple_of(60) => (minutes / 60, ("hora", "hour"), ("horas", "hours")),
        _ => (minutes, ("minuto", "minute"), ("minutos", "minutes")),
    };
    let (es, en) = if number == 1 { one } else { many };
    format!("{number} {}", language.pick(es, en))
}

fn every_field(kind: Kind) -> String {
    format!("every_{}", kind.as_str())
}

/// The form with what is kept.
fn kept(settings: &Settings) -> FormState {
    let below = settings.low_balance_below.map(|below| below.get().to_string());
    let mut fields = vec![
        ("language".to_owned(), settings.language.as_str().to_owned()),
        ("low_balance_below".to_owned(), below.unwrap_or_default()),
        ("mail".to_owned(), String::new()),
    ];
    for rule in settings.rules() {
        fields.push((every_field(rule.kind), rule.every.to_string()));
        if rule.mail {
            fields.push(("mail".to_owned(), rule.kind.as_str().to_owned()));
        }
    }
    let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
    FormState::changing(&fields)
}

async fn set(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<SetNoticeSettings>,
) -> Result<Response, NotTaken> {
    let set = match read(&form) {
        Ok(chosen) => {
            let precondition = unless_overtaken(&form, kept);
            notice_settings::set(&state.app, &signed.act, chosen, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{PATH}?saved"))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(page(&state, &signed, &uri, Some(again)).await?)
        }
    }
}

/// Reads what the form changes: what it does not show stays.
fn read(form: &FormBody) -> Result<Chosen, Refusal> {
    let mut fields = FormFields::of(form);
    let known = |text: &str| Language::parse(text).ok_or(("elija uno", "choose one"));
    let language = fields.edited("language", |fields, name| fields.required(name, known));
    let below = fields.edited("low_balance_below", FormFields::credits);
    if below.flatten() == Some(Credits::ZERO) {
        fields.problem::<()>("low_balance_below", ("debe ser 1 o más", "must be 1 or more"));
    }
    let mailed = fields.edited("mail", |_, name| form.fields(name));
    let shown = form.fields(&format!("{SHOWN}mail"));
    let minutes = |text: &str| {
        let minutes = text.parse().ok().filter(|minutes| (EVERY_MIN..=EVERY_MAX).contains(minutes));
        minutes.ok_or(("elija un tiempo", "choose a time"))
    };
    let mut rules = Vec::new();
    for kind in Kind::ALL {
        let is_in = |words: &[String]| words.iter().any(|word| word == kind.as_str());
        let mail = mailed.as_ref().map(|mailed| is_in(mailed));
        let mail = mail.filter(|mail| *mail != is_in(&shown));
        let every = fields
            .edited(&every_field(kind), |fields, name| fields.required(name, minutes))
            .flatten();
        if mail.is_some() || every.is_some() {
            rules.push(RuleChange { kind, mail, every });
        }
    }
    let language = language.flatten();
    fields.made(Some(Chosen { language, low_balance_below: below, rules }))
}
