//! `GET` and `POST /app/accounts/new`: the form is made of the facts that the bank declares.

use app::accounts::{
    Capabilities, Description, Field, LinkRequest, Linked, PushAccess, Username, platforms,
};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{LinkBankAccount, Operation};
use domain::ids::BankId;
use domain::language::Language;
use domain::payer::{Document, Phone};
use domain::profile::HolderName;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::typed::seen;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{AccountsTexts, PATH, path_of, push};
use crate::checkout::see;
use crate::dashboard::earlier::Makes;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{Fact, FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

const PATH_NEW: &str = "/app/accounts/new";

/// Prefix of the fields of facts that come in `metadata`.
const METADATA: &str = "metadata-";

const ACCOUNT: Makes = Makes {
    path: |id| path_of(BankId::from_bytes(id)),
    see: ("Ver la cuenta que se vinculó", "View the account that was linked"),
    lost: Some((
        "Esta cuenta ya se vinculó con este mismo envío, y el secreto de sus avisos se mostró esa única vez. Si no llegó a guardarlo, abra la cuenta y cámbielo.",
        "This account was already linked when this form was first sent, and its notification secret was shown only that once. If you did not save it, open the account and change it.",
    )),
};

texts! {
    LinkTexts {
        title: "Vincular una cuenta", "Link an account";
        choose: "¿En qué banco está la cuenta?", "Which bank is the account with?";
        test: "Banco de prueba: no mueve dinero y responde siempre igual.", "Test bank: it moves no money and always gives the same responses.";
        pushes: "Avisa los pagos apenas llegan.", "Notifies payments as soon as they arrive.";
        other: "Otro banco", "Another bank";
        name: "Cómo la llama usted", "Account name";
        name_hint: "Por ejemplo: Tienda del centro.", "For your own use. For example: Main street shop.";
        phone: "Teléfono de pago móvil", "Pago móvil phone";
        phone_hint: "El que recibe los pagos, como 0414-1234567. Los pagadores lo ven.", "The number that receives payments, like 0414-1234567. Payers can see it.";
        document: "Cédula o RIF del titular", "Account holder's cédula or RIF";
        document_hint: "Como J-123456789. Los pagadores lo ven.", "Like J-123456789. Payers can see it.";
        username: "Con qué la conoce el banco", "The bank's identifier for it";
        holder: "Nombre del titular", "Account holder's name";
        holder_hint: "Como lo muestra el banco. Los pagadores lo ven.", "As the bank shows it. Payers can see it.";
        link: "Probar y vincular", "Test and link";
        tried: "Antes de guardarla, Cotejo le pregunta al banco si la acepta. Puede tardar unos segundos.", "Before saving the account, Cotejo checks that the bank accepts it. This can take a few seconds.";
        back: "Volver a las cuentas", "Back to accounts";
    }
}

#[derive(Template)]
#[template(path = "dashboard/accounts/link.html")]
struct LinkPage {
    f: Frame,
    t: &'static LinkTexts,
    form: FormState,
    banks: Vec<Choice>,
    chosen: Option<Chosen>,
    once: String,
    path: &'static str,
    back: &'static str,
}

/// A bank to choose.
struct Choice {
    href: String,
    name: &'static str,
    is_test: bool,
    pushes: bool,
}

/// The bank that was chosen, and what it wants.
struct Chosen {
    provider: &'static str,
    name: &'static str,
    facts: Vec<Fact>,
    is_test: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<LinkBankAccount, _, _>(PATH_NEW, view),
        PageRoute::form::<LinkBankAccount, _, _>(PATH_NEW, link)
            .takes(&[
                "provider",
                "description",
                "username",
                "password",
                "user_bank_phone",
                "user_bank_dni",
                "holder_name",
                "metadata-*",
            ])
            .labelled(|language| {
                let t = LinkTexts::of(language);
                vec![
                    ("description", t.name),
                    (Field::Username.as_str(), t.username),
                    ("user_bank_phone", t.phone),
                    ("user_bank_dni", t.document),
                    ("holder_name", t.holder),
                ]
            }),
    ]
}

async fn view(
    signed: Signed<LinkBankAccount>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, FormState::default()).await
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = LinkTexts::of(language);
    let offered = platforms(&state.app);
    let asked = web::query::find(uri, "bank").unwrap_or_else(|| form.value("provider").to_owned());
    let found = offered.iter().find(|platform| platform.bank.wire_name == asked);
    let choice = |platform: &app::accounts::Platform| Choice {
        href: format!("{PATH_NEW}?bank={}", platform.bank.wire_name),
        name: platform.bank.platform,
        is_test: !platform.bank.livemode,
        pushes: platform.pushes,
    };
    let page = LinkPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        form,
        banks: offered.iter().map(choice).collect(),
        chosen: found.map(|platform| chosen(platform.bank, language)),
        once: once(&state.app, signed.caller()),
        path: PATH_NEW,
        back: PATH,
    };
    Ok(of_template(&page, page.form.status))
}

fn chosen(bank: &'static Capabilities, language: Language) -> Chosen {
    // The phone has a place of its own in the form, whether the bank wants it or payers do.
    let asked = bank.credentials.iter().filter(|fact| fact.field != Field::Phone);
    let facts = asked.map(|fact| Fact {
        name: field_name(fact.field),
        label: capitalised(language.pick(fact.label.es, fact.label.en)),
        is_secret: fact.is_secret,
        is_required: fact.is_required,
        max: fact.max_len,
    });
    Chosen {
        provider: bank.wire_name,
        name: bank.platform,
        facts: facts.collect(),
        is_test: bank.credentials.is_empty(),
    }
}

/// The field of the form that a fact comes in: the wire's, and for an entry of `metadata` one of its own.
fn field_name(field: Field) -> String {
    match field {
        Field::Metadata(name) => format!("{METADATA}{name}"),
        other => other.as_str().to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

async fn link(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<LinkBankAccount>,
) -> Result<Response, NotTaken> {
    let act = &signed.act;
    let linked = match read(&form) {
        Ok(request) => {
            if app::accounts::wants_credentials(&state.app, &request.provider) {
                state.try_bank(act.owner(), act.now)?;
            }
            let slot = form.slot(act);
            app::accounts::link(&state.app, act, request, slot, render).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match linked {
        Ok(posted) => Ok(done(&state, &signed, &uri, &posted).await?),
        Err(error) => {
            let again = ACCOUNT.again((&state, &signed), &form, error).await?;
            Ok(show(&state, &signed, &uri, again).await?)
        }
    }
}

/// Writes what is kept of the answer, for the same form sent twice: a line for the account, and those of its bank's
/// notices.
fn render(linked: &Linked, access: Option<&PushAccess>) -> Vec<u8> {
    let mut lines = vec![linked.account.id.to_string()];
    lines.extend(access.into_iter().flat_map(push::lines));
    lines.join("\n").into_bytes()
}

async fn done(
    state: &AppState,
    signed: &Signed<LinkBankAccount>,
    uri: &Uri,
    posted: &[u8],
) -> Result<Response, Failure> {
    let posted = String::from_utf8_lossy(posted);
    let mut lines = posted.lines();
    let path = format!("{PATH}/{}", lines.next().unwrap_or_default());
    let access: Vec<&str> = lines.collect();
    if access.is_empty() {
        return Ok(see(&path));
    }
    let title = AccountsTexts::of(signed.language()).push_title;
    let f = Frame::of(&state.app, signed, uri, title).await?;
    Ok(push::section(f, &access, path, (&state.app.settings.base_url, signed.language())))
}

fn read(form: &FormBody) -> Result<LinkRequest, Refusal> {
    let mut fields = FormFields::of(form);
    let description = fields.optional("description", Description::parse);
    let username = fields.optional("username", Username::parse);
    let phone = fields.optional("user_bank_phone", Phone::parse);
    let document = fields.optional("user_bank_dni", Document::parse);
    let holder = fields.optional("holder_name", HolderName::parse);
    let metadata = form.pairs().into_iter().filter_map(|(name, value)| {
        Some((name.strip_prefix(METADATA)?.to_owned(), SecretText::new(value)))
    });
    let secret = form.secret("password");
    let secret = SecretText::from(&*seen(secret.expose()));
    let request = LinkRequest {
        user_id: None,
        provider: form.field("provider"),
        description,
        number: None,
        username: username.map(|name| SecretText::from(name.as_str())),
        phone,
        document,
        holder,
        secret: Some(secret).filter(|secret| !secret.expose().is_empty()),
        metadata: metadata.collect(),
    };
    fields.made(Some(request))
}
