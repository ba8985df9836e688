//! `GET` and `POST /app/links/settings`

use app::links::LinkSettingsChange;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Operation, SetLinkSettings, ShowLinkSettings};
use domain::links::{ATTEMPTS_ALLOWED_MAX, LinkSettings};
use domain::refusal::{Problem, Refusal};
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::LinksTexts;
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

const PATH_SETTINGS: &str = "/app/links/settings";

texts! {
    SettingsTexts {
        title: "Ajustes de los enlaces", "Link settings";
        lead: "Valen para todos sus enlaces, también los que ya están hechos.", "These settings apply to all your links, including existing ones.";
        attempts: "Intentos antes de darlo por fallido", "Attempts before the link fails";
        attempts_hint: "De 1 a 20. Cuentan las referencias que existen y no son este pago. Vacío: ninguno lo hace fallar.", "1 to 20. Only references that exist but are not this payment count. Empty: no limit.";
        announce: "Avisar a su sistema de enlaces que terminan sin pago", "Notify your system when a link ends without a payment";
        announce_hint: "Vencidos y anulados, por el webhook del enlace.", "Applies to expired and cancelled links, through the link's webhook.";
        attempts_none: "Ninguno lo hace fallar", "No limit";
        yes: "Sí", "Yes";
        no: "No", "No";
        read_only: "Puede verlos, pero no cambiarlos.", "You can view these settings but not change them.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/links/settings.html")]
struct SettingsPage {
    f: Frame,
    t: &'static SettingsTexts,
    k: &'static LinksTexts,
    form: FormState,
    announce: Vec<Choice>,
    may_set: bool,
    is_saved: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ShowLinkSettings, _, _>(PATH_SETTINGS, view),
        PageRoute::form::<SetLinkSettings, _, _>(PATH_SETTINGS, set)
            .takes(&["max_attempts", "announce_expiry"])
            .labelled(|language| {
                let t = SettingsTexts::of(language);
                vec![("max_attempts", t.attempts)]
            }),
    ]
}

async fn view(
    signed: Signed<ShowLinkSettings>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, FormState::default()).await
}

/// The form with what is kept.
fn kept(settings: &LinkSettings) -> FormState {
    let attempts = settings.max_attempts.map(|attempts| attempts.to_string()).unwrap_or_default();
    let announce = if settings.announce_expiry { "yes" } else { "no" };
    FormState::changing(&[("max_attempts", &attempts), ("announce_expiry", announce)])
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (SettingsTexts::of(language), LinksTexts::of(language));
    let act = signed.also::<ShowLinkSettings>()?;
    let form = form.or(kept(&app::links::show_settings(&state.app, &act).await?));
    let page = SettingsPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        k,
        form,
        announce: vec![Choice::new("no", t.no), Choice::new("yes", t.yes)],
        may_set: signed.may::<SetLinkSettings>(),
        is_saved: web::query::find(uri, "saved").is_some(),
    };
    Ok(of_template(&page, page.form.status))
}

async fn set(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<SetLinkSettings>,
) -> Result<Response, NotTaken> {
    let set = match read(&form) {
        Ok(change) => {
            let precondition = unless_overtaken(&form, kept);
            app::links::set_settings(&state.app, &signed.act, change, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{PATH_SETTINGS}?saved"))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(page(&state, &signed, &uri, again).await?)
        }
    }
}

fn read(form: &FormBody) -> Result<LinkSettingsChange, Refusal> {
    let mut fields = FormFields::of(form);
    let problem = || Problem::whole_number(1, i64::from(ATTEMPTS_ALLOWED_MAX));
    let attempts = |text: &str| {
        let number = text.parse().ok().filter(|number| (1..=ATTEMPTS_ALLOWED_MAX).contains(number));
        number.ok_or_else(problem)
    };
    let max_attempts =
        fields.edited("max_attempts", |fields, name| fields.optional(name, attempts));
    let announce_expiry = fields.edited("announce_expiry", FormFields::yes_or_no).flatten();
    fields.made(Some(LinkSettingsChange { max_attempts, announce_expiry }))
}
