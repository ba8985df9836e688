//! `GET` and `POST /app/links/new`

use app::links::{LinkDescription, LinkName, LinkRequest, Origin};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{CreateLink, Operation};
use domain::ids::{BankId, LinkId};
use domain::language::Language;
use domain::links::Price;
use domain::refusal::Refusal;
use domain::url::UrlText;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{LinksTexts, PATH, currencies, currency, path_of};
use crate::checkout::see;
use crate::dashboard::choice::{Choice, accounts, of_accounts};
use crate::dashboard::earlier::Makes;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::money::amount;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::page::of_template;

const PATH_NEW: &str = "/app/links/new";

/// How long a rate holds for a payer, in minutes.
const RATE_MINUTES: i64 = 60;

/// How long links are good, in minutes; `None` is for ever.
const LASTS: [(&str, Option<i64>, (&str, &str)); 6] = [
    ("60", Some(60), ("1 hora", "1 hour")),
    ("1440", Some(1_440), ("1 día", "1 day")),
    ("4320", Some(4_320), ("3 días", "3 days")),
    ("10080", Some(10_080), ("1 semana", "1 week")),
    ("43200", Some(43_200), ("30 días", "30 days")),
    ("-1", None, ("No vence", "Never expires")),
];

/// A day, which does for most.
const LASTS_USUALLY: &str = "1440";

const LINK: Makes = Makes {
    path: |id| path_of(LinkId::from_bytes(id)),
    see: ("Ver el enlace que se creó", "View the link that was created"),
    lost: None,
};

texts! {
    NewTexts {
        title: "Nuevo enlace de pago", "New payment link";
        amount: "Monto", "Amount";
        amount_hint: "Por ejemplo 1.234,50.", "For example, 1,234.50.";
        currency: "Moneda", "Currency";
        currency_hint: "En dólares o euros, su cliente paga en bolívares a la tasa del día, que se le guarda una hora desde que usted crea el enlace; después puede pedir la de ese momento.", "For links in dollars or euros, your customer pays in bolívares at the day's exchange rate, which is held for one hour from when you create the link; after that, they can request the current one.";
        description: "Para qué es", "Description";
        description_hint: "Su cliente lo lee al pagar: el pedido, la factura, el mes.", "Your customer sees this when paying: the order, the invoice or the month.";
        account: "Cuenta que recibe", "Receiving account";
        lasts: "Se puede pagar durante", "Can be paid for";
        more: "Más opciones", "More options";
        name: "Nombre para usted", "Internal name";
        name_hint: "Para encontrarlo en la lista. Vacío: el comienzo de la descripción.", "Helps you find the link in the list. Empty: the start of the description.";
        redirect: "Adónde sigue su cliente al terminar", "Redirect URL";
        redirect_hint: "Una dirección web, como https://mitienda.example/gracias. No prueba el pago.", "Where your customer goes after paying, such as https://myshop.example/thanks. A redirect does not prove the payment.";
        webhook: "Adónde se avisa a su sistema", "Webhook URL";
        webhook_hint: "La dirección de su webhook, si tiene uno.", "Your webhook endpoint, if you have one.";
        create: "Crear enlace", "Create link";
        no_account: "Para cobrar hace falta una cuenta de banco vinculada y en uso.", "To create links, you need a linked and active bank account.";
        to_accounts: "Ver las cuentas", "View accounts";
    }
}

#[derive(Template)]
#[template(path = "dashboard/links/new.html")]
struct NewPage {
    f: Frame,
    t: &'static NewTexts,
    k: &'static LinksTexts,
    form: FormState,
    /// None where money can come to none.
    accounts: Vec<Choice>,
    currencies: Vec<Choice>,
    lasts: Vec<Choice>,
    is_more_open: bool,
    once: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<CreateLink, _, _>(PATH_NEW, view),
        PageRoute::form::<CreateLink, _, _>(PATH_NEW, create)
            .takes(&[
                "amount",
                "currency",
                "description",
                "user_bank_id",
                "expiration_time",
                "name",
                "redirect_url",
                "webhook_url",
            ])
            .labelled(|language| {
                let t = NewTexts::of(language);
                vec![
                    ("amount", t.amount),
                    ("description", t.description),
                    ("name", t.name),
                    ("redirect_url", t.redirect),
                    ("webhook_url", t.webhook),
                ]
            }),
    ]
}

async fn view(
    signed: Signed<CreateLink>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let form = FormState::with(&[("expiration_time", LASTS_USUALLY), ("currency", "VEF")]);
    show(&state, &signed, &uri, form).await
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (NewTexts::of(language), LinksTexts::of(language));
    let linked = accounts(&state.app, signed).await?;
    let more = ["name", "redirect_url", "webhook_url"];
    let page = NewPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        k,
        accounts: of_accounts(linked.iter().filter(|one| one.takes_links())),
        currencies: currencies(language),
        lasts: lasts(language),
        is_more_open: more.iter().any(|name| !form.value(name).is_empty()),
        form,
        once: once(&state.app, signed.caller()),
    };
    Ok(of_template(&page, page.form.status))
}

fn lasts(language: Language) -> Vec<Choice> {
    let choice = |(value, _, (es, en)): &(&str, Option<i64>, (&'static str, &'static str))| {
        Choice::new(*value, language.pick(es, en))
    };
    LASTS.iter().map(choice).collect()
}

async fn create(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<CreateLink>,
) -> Result<Response, NotTaken> {
    let request = read(&form).and_then(|request| {
        test_mode::check_account(&signed.test_mode, request.bank)?;
        Ok(request)
    });
    let made = match request {
        Ok(request) => {
            let slot = form.slot(&signed.act);
            // What is kept for a form that is sent twice is where it leads.
            let id = |record: &app::links::LinkRecord, _| record.link.id.to_string().into_bytes();
            app::links::create(&state.app, &signed.act, request, slot, id).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match made {
        Ok(id) => Ok(see(&format!("{PATH}/{}?made", String::from_utf8_lossy(&id)))),
        Err(error) => {
            let again = LINK.again((&state, &signed), &form, error).await?;
            Ok(show(&state, &signed, &uri, again).await?)
        }
    }
}

fn read(form: &FormBody) -> Result<LinkRequest, Refusal> {
    let mut fields = FormFields::of(form);
    let hundredths = fields.required("amount", amount);
    let currency = fields.required("currency", currency);
    let description = fields.required("description", LinkDescription::parse);
    let bank = fields.required("user_bank_id", str::parse::<BankId>);
    let unknown = ("elija cuánto dura", "choose how long it lasts");
    let lasts = fields.required("expiration_time", |text| {
        LASTS.iter().find(|(value, ..)| *value == text).map(|(_, lasts, _)| *lasts).ok_or(unknown)
    });
    let name = fields.optional("name", LinkName::parse);
    let redirect_url = fields.optional("redirect_url", UrlText::parse);
    let webhook_url = fields.optional("webhook_url", UrlText::parse);
    let all = || {
        Some(LinkRequest {
            bank: bank?,
            price: Price { hundredths: hundredths?, currency: currency? },
            origin: Origin::Dashboard,
            name,
            description: description?,
            webhook_url,
            redirect_url,
            expiration_minutes: lasts?,
            rate_minutes: RATE_MINUTES,
            metadata: "{}".to_owned(),
        })
    };
    let request = all();
    fields.made(request)
}
