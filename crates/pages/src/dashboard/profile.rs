//! `GET` and `POST /app/profile`: what payers see of the owner, its colour and its logo.

use app::profile::ProfileChange;
use app::{Error, Precondition};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListLinks, Operation, RemoveLogo, SetLogo, SetProfile, ShowProfile};
use domain::brand::Colour;
use domain::logo::{Logo, MEDIA_TYPES};
use domain::payer::{Phone, TaxNumber};
use domain::profile::{PublicName, PublicProfile, SupportPhone, SupportUrl};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, PostedFile, Signed};

use super::edits::{unless_any_overtaken, unless_overtaken};
use super::fields::FormFields;
use super::form::{FormState, ticked};
use super::frame::Frame;
use super::route::PageRoute;
use crate::brand::GROUNDS;
use crate::checkout::see;
use crate::page::{ShownLogo, of_template};

const PATH: &str = "/app/profile";
const LOGO_PATH: &str = "/app/profile/logo";
const REMOVE_PATH: &str = "/app/profile/logo/remove";

/// The ground of the payer's page where its logo stands, by day and by night.
const LOGO_GROUNDS: [&str; 2] = ["#f4f5f7", "#121417"];

texts! {
    ProfileTexts {
        title: "Lo que ven sus clientes", "What your customers see";
        lead: "Aparece en la página de pago de todos sus enlaces. Todo es público.", "Shown on the payment page of all your links. Everything here is public.";
        name: "Nombre del comercio", "Business name";
        name_hint: "Vacío: el nombre con que se registró.", "Empty: the name the business was registered with.";
        document: "RIF (aparece en los comprobantes)", "Tax ID (RIF) shown on receipts";
        document_hint: "Como J-12345678-4, o su cédula. En la página de pago no aparece.", "Such as J-12345678-4, or your cédula. Not shown on the payment page.";
        phone: "Teléfono de ayuda", "Support phone";
        phone_hint: "Fijo o móvil, como 02121234567.", "Landline or mobile, such as 02121234567.";
        whatsapp: "WhatsApp", "WhatsApp";
        whatsapp_hint: "Un móvil, como 04141234567.", "A mobile number, such as 04141234567.";
        email: "Correo de ayuda", "Support email";
        email_hint: "Sus clientes escriben aquí si algo no sale bien.", "Your customers write here if something goes wrong.";
        url: "Página de ayuda", "Support page";
        url_hint: "Una dirección que empiece con https://. Sus clientes ven a qué sitio lleva.", "An address that starts with https://. Your customers see which site it leads to.";
        colour: "Color", "Colour";
        colour_hint: "El de sus botones y enlaces, como #0b5cad. Si no se leyera bien, se oscurece o se aclara solo lo necesario.", "The colour of your buttons and links, such as #0b5cad. If it would be hard to read, it is made only as much darker or lighter as needed.";
        day: "De día", "Light mode";
        night: "De noche", "Dark mode";
        sample: "Revisar mi pago", "Check my payment";
        looks: "Así se verá el botón", "Button preview";
        logo: "Logo", "Logo";
        logo_lead: "Aparece sobre el nombre, siempre en un recuadro blanco: un logo blanco no se vería.", "Shown above the name, always on a white background: a white logo would not be visible.";
        no_logo: "Todavía no hay logo.", "No logo yet.";
        logo_looks: "Así se ve", "Logo preview";
        logo_file: "Imagen", "Image";
        logo_hint: "PNG o JPEG, de 2 MB a lo más. Se reduce a 320 por 120 píxeles y se guarda sin los demás datos del archivo, como el lugar de una foto.", "PNG or JPEG, 2 MB at most. It is resized to 320 by 120 pixels and saved without the file's other data, such as the location of a photo.";
        logo_save: "Guardar el logo", "Save logo";
        logo_remove: "Quitar el logo", "Remove logo";
        logo_sure: "Sí, quitarlo de todas las páginas de pago", "Yes, remove it from all payment pages";
        save: "Guardar", "Save";
        saved: "Guardado.", "Saved.";
        back: "Volver a los enlaces", "Back to links";
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
    sees_links: bool,
    is_saved: bool,
    samples: Vec<Sample>,
    logo: Option<LogoSample>,
    /// The name of that logo.
    shown_logo: String,
    /// What a logo may be sent as.
    kinds: String,
}

/// How the logo looks, on its white plate in the middle of a drawing.
struct LogoSample {
    src: String,
    picture: Place,
    plate: Place,
    grounds: Vec<(&'static str, &'static str)>,
}

/// Place of something in a drawing.
struct Place {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl Place {
    /// Something of that size, in the middle of a drawing of 240 by 100.
    const fn in_the_middle(width: u32, height: u32) -> Self {
        let (x, y) = (240_u32.saturating_sub(width) / 2, 100_u32.saturating_sub(height) / 2);
        Self { x, y, width, height }
    }
}

impl LogoSample {
    fn of(logo: &Logo, t: &ProfileTexts) -> Self {
        let ShownLogo { src, width, height } = ShownLogo::of(logo);
        Self {
            src,
            picture: Place::in_the_middle(width, height),
            plate: Place::in_the_middle(width + 24, height + 16),
            grounds: [t.day, t.night].into_iter().zip(LOGO_GROUNDS).collect(),
        }
    }
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
        PageRoute::form::<SetProfile, _, _>(PATH, set)
            .takes(&[
                "public_name",
                "document",
                "support_phone",
                "whatsapp",
                "support_email",
                "support_url",
                "brand_colour",
            ])
            .labelled(|language| {
                let t = ProfileTexts::of(language);
                vec![
                    ("public_name", t.name),
                    ("document", t.document),
                    ("support_phone", t.phone),
                    ("whatsapp", t.whatsapp),
                    ("support_email", t.email),
                    ("support_url", t.url),
                    ("brand_colour", t.colour),
                ]
            }),
        PageRoute::form::<SetLogo, _, _>(LOGO_PATH, set_logo).takes(&["logo"]),
        PageRoute::form::<RemoveLogo, _, _>(REMOVE_PATH, remove_logo).takes(&["logo", "logo_sure"]),
    ]
}

async fn view(
    signed: Signed<ShowProfile>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let profile = app::profile::show(&state.app, &signed.act).await?;
    page(&state, &signed, &uri, (filled(&profile), profile.brand_colour, profile.logo)).await
}

/// A form with what payers see now.
fn filled(profile: &PublicProfile) -> FormState {
    let PublicProfile {
        public_name,
        document,
        support_phone,
        whatsapp,
        support_email,
        support_url,
        brand_colour,
        logo: _,
    } = profile;
    let colour = brand_colour.map(|colour| colour.to_string()).unwrap_or_default();
    let document = document.as_ref().map(TaxNumber::hyphenated).unwrap_or_default();
    let phone = support_phone.as_ref().map(SupportPhone::national).unwrap_or_default();
    let whatsapp = whatsapp.as_ref().map(Phone::national).unwrap_or_default();
    FormState::changing(&[
        ("public_name", public_name.as_ref().map_or("", PublicName::as_str)),
        ("document", &document),
        ("support_phone", &phone),
        ("whatsapp", &whatsapp),
        ("support_email", support_email.as_ref().map_or("", EmailAddress::as_str)),
        ("support_url", support_url.as_ref().map_or("", SupportUrl::as_str)),
        ("brand_colour", &colour),
    ])
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (form, colour, logo): (FormState, Option<Colour>, Option<Logo>),
) -> Result<Response, Failure> {
    let t = ProfileTexts::of(signed.language());
    let page = ProfilePage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        form,
        may_set: signed.may::<SetProfile>(),
        sees_links: signed.may::<ListLinks>(),
        is_saved: web::query::find(uri, "saved").is_some(),
        samples: colour.map(|colour| samples(colour, t)).unwrap_or_default(),
        shown_logo: logo_name(logo.as_ref()),
        logo: logo.map(|logo| LogoSample::of(&logo, t)),
        kinds: MEDIA_TYPES.join(","),
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
        Ok(change) => {
            let precondition = unless_overtaken(&form, filled);
            app::profile::set(&state.app, &signed.act, change, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{PATH}?saved"))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            let profile = shown(&state, &signed).await?;
            let again = again.or(filled(&profile));
            let colour = Colour::parse(again.value("brand_colour")).ok();
            Ok(page(&state, &signed, &uri, (again, colour, profile.logo)).await?)
        }
    }
}

/// Reads what payers see now.
async fn shown<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
) -> Result<PublicProfile, Failure> {
    Ok(app::profile::show(&state.app, &signed.also::<ShowProfile>()?).await?)
}

async fn set_logo(
    State(state): State<AppState>,
    uri: Uri,
    PostedFile { signed, form, file }: PostedFile<SetLogo>,
) -> Result<Response, NotTaken> {
    let act = &signed.act;
    let set = match file {
        Ok(file) => app::logos::set(&state.app, act, file, unless_another_logo(&form)).await,
        Err(unfit) => Err(Refusal::invalid("logo", unfit).into()),
    };
    after_logo(&state, &signed, &uri, &form, set).await
}

async fn remove_logo(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<RemoveLogo>,
) -> Result<Response, NotTaken> {
    let removed = match ticked(&form, "logo_sure") {
        Ok(()) => app::logos::remove(&state.app, &signed.act, unless_another_logo(&form)).await,
        Err(refusal) => Err(refusal.into()),
    };
    after_logo(&state, &signed, &uri, &form, removed).await
}

/// The condition that the logo is the one that the person saw beside the form.
fn unless_another_logo(form: &FormBody) -> Precondition<PublicProfile> {
    unless_any_overtaken(form, |profile: &PublicProfile| {
        FormState::changing(&[("logo", &logo_name(profile.logo.as_ref()))])
    })
}

/// The name by which forms say which logo was shown.
fn logo_name(logo: Option<&Logo>) -> String {
    logo.map(|logo| logo.hash.to_string()).unwrap_or_default()
}

/// The page again, with the result of a form about the logo. The other forms stay as they are.
async fn after_logo<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: &FormBody,
    done: Result<PublicProfile, Error>,
) -> Result<Response, NotTaken> {
    let error = match done {
        Ok(_) => return Ok(see(&format!("{PATH}?saved"))),
        Err(error) => error,
    };
    let again = FormState::again(form, error, signed.language())?;
    let profile = shown(state, signed).await?;
    let (colour, logo) = (profile.brand_colour, profile.logo);
    Ok(page(state, signed, uri, (again.or(filled(&profile)), colour, logo)).await?)
}

/// Reads what the form changes: a field that was made empty goes.
fn read(form: &FormBody) -> Result<ProfileChange, Refusal> {
    let mut fields = FormFields::of(form);
    let change = ProfileChange {
        public_name: fields
            .edited("public_name", |fields, name| fields.optional(name, PublicName::parse)),
        document: fields.edited("document", |fields, name| fields.optional(name, TaxNumber::parse)),
        support_phone: fields
            .edited("support_phone", |fields, name| fields.optional(name, SupportPhone::parse)),
        whatsapp: fields.edited("whatsapp", |fields, name| fields.optional(name, Phone::parse)),
        support_email: fields
            .edited("support_email", |fields, name| fields.optional(name, EmailAddress::parse)),
        support_url: fields
            .edited("support_url", |fields, name| fields.optional(name, SupportUrl::parse)),
        brand_colour: fields
            .edited("brand_colour", |fields, name| fields.optional(name, Colour::parse)),
    };
    fields.made(Some(change))
}
