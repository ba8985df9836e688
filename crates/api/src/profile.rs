//! `GET` and `PUT /v1/profile`

use app::Precondition;
use app::profile::{self, ProfileChange};
use axum::extract::State;
use axum::response::Response;
use domain::access::{SetProfile, ShowProfile};
use domain::brand::Colour;
use domain::payer::{Phone, TaxNumber};
use domain::profile::{PublicName, PublicProfile, SupportPhone, SupportUrl};
use domain::refusal::{Problem, Refusal};
use domain::text::EmailAddress;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Change, Endpoint, Group, Request, beside, request, shown};
use crate::wire::{Shown, say};

const PATH: &str = "/v1/profile";

request! {
    /// Request that changes the profile. An absent field stays, and `null` clears it. At least one must be present.
    struct ProfileChanges {
        public_name: Change<PublicName>,
        /// El RIF del comercio, o la cédula de su dueño, como `J-12345678-4`: aparece en los comprobantes. / The tax
        /// number (RIF) of the shop, or its owner's cédula, such as `J-12345678-4`: it stands on receipts.
        document: Change<TaxNumber>,
        support_phone: Change<SupportPhone>,
        whatsapp: Change<Phone>,
        support_email: Change<EmailAddress>,
        /// La página de ayuda del comercio: una dirección `https://`. El pagador ve su servidor antes de ir. / The page
        /// on which the shop helps: an address of `https://`. Payers see its host before they go there.
        support_url: Change<SupportUrl>,
        /// El color de los botones y enlaces de la página del pagador; donde no se podría leer, se oscurece o se
        /// aclara. / The colour of buttons and links on the payer's page; where it could not be read, it is made darker
        /// or lighter.
        brand_colour: Change<Colour>,
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProfileAnswer<'a> {
    message: &'static str,
    /// El nombre que ven los pagadores; `null` donde no se dijo ninguno. / The name that payers see; `null` where none
    /// was said.
    public_name: Option<&'a str>,
    /// El RIF o la cédula: aparece en los comprobantes, no en la página de pago. / The RIF or cédula: it stands on
    /// receipts, not on the payment page.
    document: Option<String>,
    /// El teléfono donde el comercio ayuda a sus clientes. / The phone at which the shop helps its customers.
    support_phone: Option<&'a str>,
    /// El móvil donde ayuda por WhatsApp. / The mobile number at which it helps by WhatsApp.
    whatsapp: Option<&'a str>,
    /// El correo donde ayuda. / The e-mail address at which it helps.
    support_email: Option<&'a str>,
    /// La página donde ayuda. / The page on which it helps.
    support_url: Option<&'a str>,
    /// El color de los botones y enlaces de la página del pagador. / The colour of buttons and links on the payer's
    /// page.
    brand_colour: Option<Shown<Colour>>,
    /// Dónde está el logo. Otro logo tiene otra dirección. / Where the logo is. Another logo has another address.
    logo_url: Option<String>,
}

pub(crate) fn show_endpoint() -> Endpoint {
    Endpoint::strict::<ShowProfile, _, _>(Method::GET, PATH, show)
        .does(
            Group::Owner,
            "Muestra lo que los pagadores saben del titular.",
            "Shows what payers are told of the owner.",
        )
        .answers::<ProfileAnswer<'_>>(example("perfil público"))
}

async fn show(
    admitted: Admitted<ShowProfile>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let found = profile::show(&state.app, &admitted.0).await?;
    answer_of(&state, say(admitted.language(), "perfil público", "public profile"), &found)
}

pub(crate) fn set_endpoint() -> Endpoint {
    Endpoint::strict::<SetProfile, _, _>(Method::PUT, PATH, set)
        .does(
            Group::Owner,
            "Cambia lo que los pagadores saben del titular; lo que no se nombra queda.",
            "Sets what payers are told of the owner; what is not named stays.",
        )
        .set_elsewhere(&[("logo_url", &["PUT /v1/profile/logo"])])
        .takes::<ProfileChanges>(json!({ "public_name": "Tienda Ejemplo", "whatsapp": null }))
        .answers::<ProfileAnswer<'_>>(example("perfil guardado"))
}

async fn set(
    admitted: Admitted<SetProfile>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let shows = async { shown(show(Admitted(admitted.also()?), State(state.clone())), "").await };
    let body = beside::<ProfileChanges>(body, shows).await?;
    let kept = profile::set(&state.app, &admitted.0, parse(&body)?, Precondition::none()).await?;
    answer_of(&state, say(admitted.language(), "perfil guardado", "profile kept"), &kept)
}

pub(crate) fn answer_of(
    state: &AppState,
    message: &'static str,
    profile: &PublicProfile,
) -> Result<Response, Failure> {
    answer::json(&ProfileAnswer {
        message,
        public_name: profile.public_name.as_ref().map(PublicName::as_str),
        document: profile.document.as_ref().map(ToString::to_string),
        support_phone: profile.support_phone.as_ref().map(SupportPhone::as_str),
        whatsapp: profile.whatsapp.as_ref().map(Phone::as_str),
        support_email: profile.support_email.as_ref().map(EmailAddress::as_str),
        support_url: profile.support_url.as_ref().map(SupportUrl::as_str),
        brand_colour: profile.brand_colour.map(Shown),
        logo_url: profile.logo.map(|logo| state.app.logo_url(&logo)),
    })
}

fn parse(body: &JsonBody) -> Result<ProfileChange, Refusal> {
    let ProfileChanges {
        public_name,
        document,
        support_phone,
        whatsapp,
        support_email,
        support_url,
        brand_colour,
    } = ProfileChanges::read(body)?;
    let change = ProfileChange {
        public_name,
        document,
        support_phone,
        whatsapp,
        support_email,
        support_url,
        brand_colour,
    };
    if change == ProfileChange::default() {
        return Err(Refusal::invalid("body", Problem::nothing_named(ProfileChanges::NAMES)));
    }
    Ok(change)
}

pub(crate) fn example(message: &str) -> Value {
    json!({
        "message": message,
        "public_name": "Tienda Ejemplo",
        "document": "J123456784",
        "support_phone": "582121234567",
        "whatsapp": null,
        "support_email": "ayuda@tienda.example",
        "support_url": "https://tienda.example/ayuda",
        "brand_colour": "#0b5cad",
        "logo_url":
            "https://pagos.example/pay/logo/\
             3f1a0c5b9d7e2468ace013579bdf02468ace13579bdf0246f1e2d3c4b5a69788.png",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_stays_and_null_clears() {
        let change = parse(&JsonBody::from(
            r#"{"public_name": " Tienda Ejemplo ", "document": "j-12345678-4", "support_phone": null,
                "whatsapp": "0414-1234567"}"#,
        ))
        .unwrap();
        assert_eq!(change.public_name.unwrap().unwrap().as_str(), "Tienda Ejemplo");
        assert_eq!(change.document.unwrap().unwrap().to_string(), "J123456784");
        assert_eq!(change.support_phone, Some(None));
        assert_eq!(change.whatsapp.unwrap().unwrap().as_str(), "584141234567");
        assert_eq!(change.support_email, None);
    }

    #[test]
    fn every_problem_is_reported_by_its_field() {
        for (json, fields) in [
            ("{}", &["body"][..]),
            // A slip in a name.
            (r#"{"name": "Tienda"}"#, &["body"]),
            (r#"{"public_name": ""}"#, &["public_name"]),
            ("{\"public_name\": \"Tienda \u{7f}X\"}", &["public_name"]),
            (
                r#"{"support_phone": 2121234567, "whatsapp": "02121234567"}"#,
                &["support_phone", "whatsapp"],
            ),
            (r#"{"document": "X123"}"#, &["document"]),
            (r#"{"support_email": "javascript:alert(1)"}"#, &["support_email"]),
            (r#"{"support_url": "javascript:alert(1)"}"#, &["support_url"]),
            (r#"{"support_url": "http://tienda.example"}"#, &["support_url"]),
        ] {
            let refused = parse(&JsonBody::from(json));
            let Err(Refusal::Validation(details)) = refused else { panic!("{json}") };
            let named: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
            assert_eq!(named, fields, "{json}");
        }
    }
}
