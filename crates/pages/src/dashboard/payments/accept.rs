//! `GET` and `POST /app/payments/movements/{movement_id}/accept`: a person says what money that nobody has used is for.

use app::Error;
use app::links::{Chosen, ForMovement, LinkRecord, for_movement};
use app::verification::accept_movement::{AcceptRequest, accept_movement};
use app::verification::{Confirmed, ReportedTo};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{AcceptLink, AcceptMovement, ListMovements, ShowLink};
use domain::ids::{LinkId, MovementId, VerificationId};
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::movement::{self, Row};
use super::movements::PATH_MOVEMENTS;
use super::{PaymentsTexts, outcome, tabs};
use crate::checkout::see;
use crate::dashboard::choice::{Choice, accounts, name_of};
use crate::dashboard::form::{FormState, once, ticked};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::links;
use crate::dashboard::links::accept::{Asks, other_than};
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;

const ROUTE: &str = "/app/payments/movements/{movement_id}/accept";

/// The value of the field `pays` for a sale that the person confirms.
const SALE: &str = "sale";

/// Its value for a sale that the next verification confirms.
const CALLER: &str = "caller";

/// The box to tick first.
const SURE: &str = "accept_sure";

texts! {
    AcceptTexts {
        title: "Aceptar como pago", "Accept as payment";
        lead: "Este dinero llegó a su cuenta y nadie lo ha usado. Acéptelo solo si sabe de quién es y qué paga.", "This money arrived in your account and nobody has used it. Accept it only if you know who sent it and what it pays for.";
        when: "Cuándo", "Date";
        description: "El banco dice", "Bank description";
        pays: "Qué paga", "Pays for";
        sale: "Una venta que usted confirma ahora", "A sale that you confirm now";
        caller: "Una venta que confirma su sistema: la próxima verificación por la API lo recibe como nuevo", "A sale that your system confirms: the next verification through the API receives it as new";
        link: "El enlace de pago", "Payment link";
        other: "Su cliente escribió otra referencia, y este es su pago de todas formas", "Your customer entered a different reference, and this is still their payment";
        rival: "De esas dos filas, una ya es un pago desde el {when}. Si es el mismo dinero, aceptarlo aquí lo cuenta dos veces.", "One of these two rows has been a payment since {when}. If it is the same money, accepting it here counts it twice.";
        other_payment: "Es otro pago: vi los dos y el dinero llegó dos veces", "This is a different payment: I checked both, and the money arrived twice";
        sure: "Sé de quién es este dinero y qué paga. Cuesta lo mismo que una verificación, no se puede deshacer, y queda registrado que lo acepté.", "I know who sent this money and what it pays for. Accepting costs the same as a verification, cannot be undone, and is recorded.";
        accept: "Aceptar como pago", "Accept as payment";
        used: "Este dinero ya se usó: es un pago desde el {when}. No entregue dos veces por el mismo pago.", "This money has already been used: it has been a payment since {when}. Do not hand anything over twice for the same payment.";
        see: "Ver el pago", "View payment";
        outgoing: "Este dinero salió de la cuenta: no es un pago que se pueda aceptar.", "This money left the account: it cannot be accepted as a payment.";
        contested: "El banco mostró dos veces este pago, con otro pagador, otro día u otro banco: puede ser el mismo dinero que otra fila. Acéptelo solo si está seguro de que son dos pagos.", "The bank showed this payment twice, with a different payer, day or bank: it may be the same money as another row. Accept it only if you are sure these are two payments.";
        test: "Es una prueba, no es dinero: acéptela solo para ver cómo funciona.", "This is a test, not money: accept it only to see how it works.";
        back: "Volver a los movimientos", "Back to movements";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/accept.html")]
struct AcceptPage {
    f: Frame,
    t: &'static AcceptTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    form: FormState,
    path: String,
    account: String,
    movement: Row,
    is_test: bool,
    /// The purposes that it may have, each with what else is said of it.
    choices: Vec<Choice>,
    /// The sentence about a movement that is a payment already, and where that is.
    used: Option<(String, String)>,
    /// The sentence about a payment that may be of the same money, and where that is.
    rival: Option<(String, String)>,
    /// The accepted payment that may be the same money.
    asks_payment: Option<String>,
    /// Says whether the payer of the link is known to have typed another reference.
    asks_other: bool,
    /// The page of the movements, if the person who looks may see them.
    back: Option<String>,
    once: String,
}

/// The purpose of the money.
enum Purpose {
    Sale(ReportedTo),
    Link(LinkId, Chosen),
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<AcceptMovement, _, _>(ROUTE, view),
        PageRoute::form::<AcceptMovement, _, _>(ROUTE, accept).takes(&[
            "pays",
            "other_payment",
            "other_receipt",
            "accept_sure",
        ]),
    ]
}

/// The page on which a movement is accepted.
pub(super) fn path_of(movement: &str) -> String {
    format!("{PATH_MOVEMENTS}/{movement}/accept")
}

async fn view(
    signed: Signed<AcceptMovement>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let form = FormState::with(&[("pays", SALE)]);
    show(&state, &signed, &uri, movement_id(&id)?, (form, Asks::default())).await
}

async fn show(
    state: &AppState,
    signed: &Signed<AcceptMovement>,
    uri: &Uri,
    id: MovementId,
    (form, asks): (FormState, Asks),
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (AcceptTexts::of(language), PaymentsTexts::of(language));
    let found = for_movement(&state.app, &signed.act, id).await?;
    let ForMovement { account, movement, payment, rival, links } = &found;
    let is_test = signed.test_mode.is_test(account.id);
    if let Some(instead) = test_mode::instead(state, signed, uri, is_test).await? {
        return Ok(instead);
    }
    let linked = accounts(&state.app, signed).await?;
    let said_of = |sentence: &str, since, verification| {
        (sentence.replace("{when}", &instant(since)), outcome::path_of(verification))
    };
    let used = payment.as_ref().map(|one| said_of(t.used, one.created_at, one.verification));
    let asks_payment = rival.as_ref().map(|one| one.id).or(asks.other_payment);
    let rival = rival.as_ref().map(|one| said_of(t.rival, one.created_at, one.verification));
    let choices = [Choice::new(SALE, t.sale), Choice::new(CALLER, t.caller)];
    let page = AcceptPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        p,
        tabs: tabs(signed, PATH_MOVEMENTS),
        form,
        path: path_of(&id.to_string()),
        account: name_of(account.id, &linked),
        movement: movement::row(movement, is_test, language),
        is_test,
        choices: choices
            .into_iter()
            .chain(links.iter().map(|link| choice(link, signed, t)))
            .collect(),
        used,
        asks_payment: asks_payment.map(|payment| payment.to_string()),
        rival,
        asks_other: asks.other_receipt,
        back: signed
            .may::<ListMovements>()
            .then(|| format!("{PATH_MOVEMENTS}?user_bank_id={}", account.id)),
        once: once(&state.app, signed.caller()),
    };
    Ok(of_template(&page, page.form.status))
}

/// A link that it may pay.
fn choice(record: &LinkRecord, signed: &Signed<AcceptMovement>, t: &AcceptTexts) -> Choice {
    let language = signed.language();
    let name = match record.link.name.trim() {
        "" => &*record.link.description,
        name => name,
    };
    Choice {
        more: links::summary(record, language),
        ..Choice::new(record.link.id.to_string(), format!("{} {name}", t.link))
    }
}

async fn accept(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<AcceptMovement>,
) -> Result<Response, NotTaken> {
    let movement = movement_id(&id)?;
    let done = match read(&form, movement) {
        Ok(Purpose::Link(link, chosen)) => pay(&state, &signed, &form, (link, chosen)).await,
        Ok(Purpose::Sale(reported_to)) => {
            let request = AcceptRequest { movement, reported_to, other_than: other_than(&form) };
            make_payment(&state, &signed, &form, request).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match done {
        Ok(path) => Ok(see(&path)),
        Err(Error::Refused(refusal @ Refusal::NotFound("movement"))) => Err(refusal.into()),
        Err(Error::Refused(refusal)) => {
            let again = FormState::refused(&form, &refusal, signed.language());
            let asks = Asks::of(&form, &refusal);
            Ok(show(&state, &signed, &uri, movement, (again, asks)).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes a payment of it; answers where that is shown. One that somebody else used first leads to what is said of that.
async fn make_payment(
    state: &AppState,
    signed: &Signed<AcceptMovement>,
    form: &FormBody,
    request: AcceptRequest,
) -> Result<String, Error> {
    let slot = form.slot(&signed.act);
    let answered = accept_movement(&state.app, &signed.act, request, slot, kept).await?;
    Ok(match made(&answered.body) {
        Some(verification) => outcome::path_of(verification),
        None => path_of(&request.movement.to_string()),
    })
}

/// The answer that is kept for a form that is sent twice: the verification that made the payment, whose page reports it as
/// new; nothing where another had made it before.
fn kept(confirmed: &Confirmed) -> Vec<u8> {
    let made = confirmed.is_made.then_some(confirmed.verification);
    made.map(|verification| verification.to_string()).unwrap_or_default().into_bytes()
}

/// The verification that made the payment, unless another did before.
fn made(kept: &[u8]) -> Option<VerificationId> {
    std::str::from_utf8(kept).ok()?.parse().ok()
}

/// Pays the link; answers where that is shown.
async fn pay(
    state: &AppState,
    signed: &Signed<AcceptMovement>,
    form: &FormBody,
    (link, chosen): (LinkId, Chosen),
) -> Result<String, Error> {
    let act = signed.also::<AcceptLink>()?;
    let slot = form.slot(&act);
    app::links::accept(&state.app, &act, link, chosen, slot, |_, _| Vec::new()).await?;
    // Who accepts need not see links.
    Ok(match signed.may::<ShowLink>() {
        true => format!("{}?saved", links::path_of(link)),
        false => path_of(&chosen.movement.to_string()),
    })
}

fn read(form: &FormBody, movement: MovementId) -> Result<Purpose, Refusal> {
    let problem = ("elija qué paga", "choose what it pays for");
    let purpose = match form.fields("pays").first().map_or("", String::as_str) {
        SALE => Purpose::Sale(ReportedTo::Page),
        CALLER => Purpose::Sale(ReportedTo::NextCaller),
        link => {
            let link = link.parse().map_err(|_| Refusal::invalid("pays", problem))?;
            let has_other_receipt = form.field("other_receipt") == "yes";
            Purpose::Link(
                link,
                Chosen { movement, has_other_receipt, other_than: other_than(form) },
            )
        }
    };
    ticked(form, SURE)?;
    Ok(purpose)
}

fn movement_id(id: &str) -> Result<MovementId, Refusal> {
    // An id of another form is an id of nothing.
    id.parse().map_err(|_| Refusal::NotFound("movement"))
}
