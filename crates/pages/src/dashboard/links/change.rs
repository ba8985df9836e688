//! `GET` and `POST /app/links/{payment_link_id}/change`

use app::Error;
use app::links::{Change, Link, LinkDescription};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ChangeLink, ShowLink};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::url::UrlText;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{LinksTexts, currencies, currency, link_id, path_of};
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::unless_overtaken_with_pair;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::money::{amount, in_field};
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::page::of_template;

const ROUTE: &str = "/app/links/{payment_link_id}/change";

texts! {
    ChangeTexts {
        title: "Cambiar el enlace", "Edit link";
        lead: "Quien tenga la página abierta tendrá que confirmar el monto nuevo antes de pagar.", "Anyone with the page open must confirm the new amount before paying.";
        amount: "Monto", "Amount";
        currency: "Moneda", "Currency";
        currency_hint: "Al cambiar monto o moneda se fija otra vez la tasa, a la que rija ahora.", "Changing the amount or currency holds the exchange rate anew, at the one that applies now.";
        description: "Para qué es", "Description";
        redirect: "Adónde sigue su cliente al terminar", "Redirect URL";
        redirect_hint: "Una dirección web. Vacío: queda como está.", "A web address where your customer goes after paying. Empty: unchanged.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/links/change.html")]
struct ChangePage {
    f: Frame,
    t: &'static ChangeTexts,
    k: &'static LinksTexts,
    is_test: bool,
    form: FormState,
    currencies: Vec<Choice>,
    path: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ChangeLink, _, _>(ROUTE, view),
        PageRoute::form::<ChangeLink, _, _>(ROUTE, change)
            .takes(&["amount", "currency", "description", "redirect_url"])
            .labelled(|language| {
                let t = ChangeTexts::of(language);
                vec![
                    ("amount", t.amount),
                    ("description", t.description),
                    ("redirect_url", t.redirect),
                ]
            }),
    ]
}

async fn view(
    signed: Signed<ChangeLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, &id, None).await
}

async fn show(
    state: &AppState,
    signed: &Signed<ChangeLink>,
    uri: &Uri,
    id: &str,
    form: Option<FormState>,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (ChangeTexts::of(language), LinksTexts::of(language));
    // A person who may change links sees them: a right to write holds the one to read.
    let act = signed.also::<ShowLink>()?;
    let link = app::links::show(&state.app, &act, link_id(id)?).await?.link;
    if let Some(instead) = test_mode::instead(state, signed, uri, !link.livemode).await? {
        return Ok(instead);
    }
    let f = Frame::of(&state.app, signed, uri, t.title).await?;
    let form = form.unwrap_or_default().or(kept(&link, language));
    let page = ChangePage {
        f,
        t,
        k,
        is_test: !link.livemode,
        form,
        currencies: currencies(language),
        path: path_of(link.id),
    };
    Ok(of_template(&page, page.form.status))
}

/// The form with what the link is.
fn kept(link: &Link, language: Language) -> FormState {
    FormState::changing(&[
        ("amount", &in_field(link.price.hundredths, language)),
        ("currency", link.price.currency.as_str()),
        ("description", &link.description),
        ("redirect_url", link.redirect_url.as_ref().map_or("", UrlText::as_str)),
    ])
}

async fn change(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<ChangeLink>,
) -> Result<Response, NotTaken> {
    let link = link_id(&id)?;
    let changed = match read(&form) {
        Ok(change) => {
            let language = signed.language();
            // A number means nothing without its currency.
            let pair = ["amount", "currency"];
            let precondition =
                unless_overtaken_with_pair(&form, pair, move |link| kept(link, language));
            app::links::change(&state.app, &signed.act, link, change, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match changed {
        Ok(_) => Ok(see(&format!("{}?saved", path_of(link)))),
        Err(Error::Refused(refusal @ Refusal::NotFound(_))) => Err(refusal.into()),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show(&state, &signed, &uri, &id, Some(again)).await?)
        }
    }
}

fn read(form: &FormBody) -> Result<Change, Refusal> {
    let mut fields = FormFields::of(form);
    let hundredths = fields.edited("amount", |fields, name| fields.required(name, amount));
    let currency = fields.edited("currency", |fields, name| fields.required(name, currency));
    let description =
        fields.edited("description", |fields, name| fields.required(name, LinkDescription::parse));
    let redirect_url =
        fields.edited("redirect_url", |fields, name| fields.optional(name, UrlText::parse));
    fields.made(Some(Change {
        hundredths: hundredths.flatten(),
        currency: currency.flatten(),
        description: description.flatten(),
        redirect_url: redirect_url.flatten(),
        ..Change::default()
    }))
}
