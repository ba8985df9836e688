//! `GET` and `POST /app/profile`: what payers are told of the owner, and its colour.

use app::profile::ProfileChange;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Operation, SetProfile, ShowProfile};
use domain::brand::Colour;
use domain::payer::Phone;
use domain::profile::{PublicName, PublicProfile, SupportPhone};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::fields::FormFields;
use super::form::FormState;
use super::frame::Frame;
use super::route::PageRoute;
use crate::brand::GROUNDS;
use crate::checkout::see;
use crate::page::of_template;

const PATH: &str = "/app/profile";

texts! {
    ProfileTexts {
        title: "Lo que ven sus clientes", "What your customers see";
        lead: "Aparece en la página de pago de todos sus enlaces. Todo es público.", "It is on the payment page of all your links. All of it is public.";
        name: "Nombre del comercio", "Name of the shop";
        name_hint: "Vacío: el nombre con que se registró.", "Empty: the name that it was registered with.";
        phone: "Teléfono de ayuda", "Phone for help";
        phone_hint: "Fijo o móvil, como 02121234567.", "Fixed or mobile, such as 02121234567.";
        whatsapp: "WhatsApp", "WhatsApp";
        whatsapp_hint: "Un móvil, como 04141234567.", "A mobile, such as 04141234567.";
        email: "Correo de ayuda", "E-mail for help";
        email_hint: "Sus clientes escriben aquí si algo no sale bien.", "Your customers write to it where something goes wrong.";
        colour: "Color", "Colour";
        colour_hint: "El de sus botones y enlaces, como #0b5cad. Si no se leyera bien, se oscurece o se aclara solo lo necesario.", "That of buttons and links, such as #0b5cad. Where it could not be read well, it is made darker or lighter as much as it takes.";
        day: "De día", "By day";
        night: "De noche", "By night";
        sample: "Revisar mi pago", "Check my payment";
        looks: "Así se verá el botón", "The button will look so";
        save: "Guardar", "Save";
        saved: "Guardado.", "Saved.";
        back: "Volver a los enlaces", "Back to the links";
        read_only: "Solo el titular puede cambiarlo.", "Only the owner can change it.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/profile.html")]
struct ProfilePage {
    f: Frame,
    t: &'static ProfileTexts,
    form: FormState,
    may_set: bool,
    is_saved: bool,
    samples: Vec<Sample>,
}

/// How a button looks in the chosen colour.
struct Sample {
    text: &'static str,
    ground: String,
    strong: String,
    ink: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ShowProfile, _, _>(PATH, view),
        PageRoute::form::<SetProfile, _, _>(PATH, set),
    ]
}

async fn view(
    signed: Signed<ShowProfile>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let profile = app::profile::show(&state.app, &signed.act).await?;
    page(&state, &signed, &uri, (filled(&profile), profile.brand_colour)).await
}

/// A form with what is told now.
fn filled(profile: &PublicProfile) -> FormState {
    let PublicProfile { public_name, support_phone, whatsapp, support_email, brand_colour } =
        profile;
    let colour = brand_colour.map(|colour| colour.to_string()).unwrap_or_default();
    let phone = support_phone.as_ref().map(SupportPhone::national).unwrap_or_default();
    let whatsapp = whatsapp.as_ref().map(Phone::national).unwrap_or_default();
    FormState::with(&[
        ("public_name", public_name.as_ref().map_or("", PublicName::as_str)),
        ("support_phone", &phone),
        ("whatsapp", &whatsapp),
        ("support_email", support_email.as_ref().map_or("", EmailAddress::as_str)),
        ("brand_colour", &colour),
    ])
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (form, colour): (FormState, Option<Colour>),
) -> Result<Response, Failure> {
    let t = ProfileTexts::of(signed.language());
    let page = ProfilePage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        form,
        may_set: signed.may::<SetProfile>(),
        is_saved: web::query::find(uri, "saved").is_some(),
        samples: colour.map(|colour| samples(colour, t)).unwrap_or_default(),
    };
    Ok(of_template(&page, page.form.status))
}

fn samples(colour: Colour, t: &ProfileTexts) -> Vec<Sample> {
    let sample = |(text, ground): (&'static str, Colour)| {
        let strong = colour.readable_on(ground);
        let (ground, ink) = (ground.to_string(), strong.ink().to_string());
        Sample { text, ground, strong: strong.to_string(), ink }
    };
    [t.day, t.night].into_iter().zip(GROUNDS).map(sample).collect()
}

async fn set(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<SetProfile>,
) -> Result<Response, NotTaken> {
    let set = match read(&form) {
        Ok(change) => app::profile::set(&state.app, &signed.act, change).await,
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{PATH}?saved"))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            let colour = Colour::parse(again.value("brand_colour")).ok();
            Ok(page(&state, &signed, &uri, (again, colour)).await?)
        }
    }
}

/// All fields are on the page: what is empty goes.
fn read(form: &FormBody) -> Result<ProfileChange, Refusal> {
    let mut fields = FormFields::of(form);
    let change = ProfileChange {
        public_name: Some(fields.optional("public_name", PublicName::parse)),
        support_phone: Some(fields.optional("support_phone", SupportPhone::parse)),
        whatsapp: Some(fields.optional("whatsapp", Phone::parse)),
        support_email: Some(fields.optional("support_email", EmailAddress::parse)),
        brand_colour: Some(fields.optional("brand_colour", Colour::parse)),
    };
    fields.made(Some(change))
}
