//! `GET` and `POST /app/links/{payment_link_id}/accept`: a person says which money paid a link.

use app::Error;
use app::links::{Acceptable, Chosen, LinkRecord};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{AcceptLink, ChangeLink, CreateLink, ShowLink};
use domain::ids::{MovementId, PaymentId};
use domain::links::{Currency, Decision, LinkAct};
use domain::matching::Movement;
use domain::refusal::{LinkRefusal, MovementRefusal, Refusal};
use domain::time::Timestamp;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{LinksTexts, link_id, path_of, price};
use crate::checkout::see;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::money::bolivars;
use crate::dashboard::payments::movement::{Row, row};
use crate::dashboard::payments::reading::{self, ReadingPart};
use crate::dashboard::reader::Reader;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::page::of_template;

const ROUTE: &str = "/app/links/{payment_link_id}/accept";

texts! {
    AcceptTexts {
        title: "Aceptar un pago recibido", "Accept a received payment";
        lead: "Elija el dinero que pagó este enlace. Se muestran los movimientos de los últimos ocho días que nadie ha usado y son exactamente del monto.", "Choose the movement that paid this link. The list shows unused movements from the last eight days for exactly this amount.";
        asked: "El enlace pide", "Link amount";
        choose: "Movimientos", "Movements";
        other_payment: "Es otro pago que el ya aceptado: el dinero llegó dos veces", "This is a different payment from the one already accepted: the money arrived twice";
        other: "Su cliente escribió otra referencia, y este es su pago de todas formas", "Your customer entered a different reference, and this is still their payment";
        accept: "Aceptar este pago", "Accept this payment";
        none: "No hay un movimiento sin usar de ese monto. Lea del banco el día en que pagó; si aún no lo muestra, vuelva en unos minutos, o pida a su cliente que escriba la referencia en la página del enlace. No lo verifique a mano: quedaría usado y no podría pagar este enlace.", "No unused movement has that amount. Read the day of the payment from the bank. If the bank does not show it yet, come back in a few minutes, or ask your customer to enter the reference on the link's page. Do not verify it manually: it would be marked as used and could not pay this link.";
        no_rate: "Este enlace no tiene una tasa fijada de estos días, así que no se sabe cuántos bolívares se deben. Cambie el monto a bolívares para aceptar un pago.", "This link has no exchange rate held in recent days, so the amount owed in bolívares is not known. To accept a payment, change the amount to bolívares.";
        no_rate_ended: "Este enlace terminó sin una tasa fijada de estos días, así que no se sabe cuántos bolívares se debían. Haga otro enlace, en bolívares y por ese monto, y acepte allí el pago.", "This link ended with no exchange rate held in recent days, so the amount owed in bolívares is not known. Create another link in bolívares for that amount, and accept the payment there.";
        no_rate_ask: "Este enlace no tiene una tasa fijada de estos días, así que no se sabe cuántos bolívares se deben. Para aceptar un pago, pida {who} que cambie el monto a bolívares.", "This link has no exchange rate held in recent days, so the amount owed in bolívares is not known. To accept a payment, ask {who} to change the amount to bolívares.";
        no_rate_ended_ask: "Este enlace terminó sin una tasa fijada de estos días, así que no se sabe cuántos bolívares se debían. Pida {who} otro enlace, en bolívares y por ese monto, y acepte allí el pago.", "This link ended with no exchange rate held in recent days, so the amount owed in bolívares is not known. Ask {who} for another link in bolívares for that amount, and accept the payment there.";
        new: "Nuevo enlace", "New link";
        change: "Cambiar el monto", "Change amount";
        accepted: "Pagado: el dinero que eligió quedó con este enlace.", "Paid. The money you chose now belongs to this link.";
        closed: "A este enlace ya no se le puede aceptar un pago.", "This link can no longer accept a payment.";
        once_only: "Queda pagado para siempre, y queda registrado que usted lo aceptó.", "The link stays paid permanently, and your acceptance is recorded.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/links/accept.html")]
struct AcceptPage {
    f: Frame,
    t: &'static AcceptTexts,
    k: &'static LinksTexts,
    form: FormState,
    path: String,
    /// Whether the person who looks sees the link itself.
    may_go_back: bool,
    /// Whether it was accepted just now.
    is_accepted: bool,
    is_test: bool,
    name: String,
    asked: String,
    /// In bolívares.
    amounts: Vec<String>,
    /// Whether it asks for them in another currency.
    is_converted: bool,
    is_open: bool,
    /// Whether what it asks for can still be changed, and whether the person who looks may do that, or make another.
    is_changeable: bool,
    may_change: bool,
    may_make: bool,
    /// What is to be done where it is not known how much is owed.
    no_rate: String,
    /// Whether the payer is known to have typed another reference.
    asks_other: bool,
    /// The accepted payment that may be the same money as the chosen movement.
    asks_payment: Option<String>,
    movements: Vec<Row>,
    once: String,
    reading: Option<ReadingPart>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<AcceptLink, _, _>(ROUTE, view),
        PageRoute::form::<AcceptLink, _, _>(ROUTE, accept).takes(&[
            "movement_id",
            "other_payment",
            "other_receipt",
        ]),
    ]
}

async fn view(
    signed: Signed<AcceptLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, &id, (FormState::default(), Asks::default())).await
}

async fn show(
    state: &AppState,
    signed: &Signed<AcceptLink>,
    uri: &Uri,
    id: &str,
    (form, Asks { other_receipt: asks_other, other_payment: asks_payment }): (FormState, Asks),
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (AcceptTexts::of(language), LinksTexts::of(language));
    let found = app::links::acceptable(&state.app, &signed.act, link_id(id)?).await?;
    let Acceptable { record, provider, is_open, amounts, movements } = found;
    let is_test = !record.link.livemode;
    if let Some(instead) = test_mode::instead(state, signed, uri, is_test).await? {
        return Ok(instead);
    }
    let of = (record.link.bank, &*provider);
    let reading = reading::part(state, signed, uri, of, Some(record.link.id)).await?;
    let page = AcceptPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        k,
        form,
        path: path_of(record.link.id),
        may_go_back: signed.may::<ShowLink>(),
        is_accepted: !is_open && web::query::find(uri, "saved").is_some(),
        asked: price(record.link.price, language),
        is_converted: record.link.price.currency != Currency::Vef,
        name: record.link.name.clone(),
        amounts: amounts.into_iter().map(|amount| bolivars(amount, language)).collect(),
        is_open,
        is_changeable: is_changeable(&record, signed.act.now),
        may_change: signed.may::<ChangeLink>(),
        may_make: signed.may::<CreateLink>(),
        no_rate: Reader::of(signed).asking(no_rate(&record, signed, t), language),
        asks_other,
        asks_payment: asks_payment.map(|payment| payment.to_string()),
        movements: movements.iter().map(|one: &Movement| row(one, is_test, language)).collect(),
        is_test,
        once: once(&state.app, signed.caller()),
        reading: reading.filter(|_| is_open),
    };
    Ok(of_template(&page, page.form.status))
}

/// Says what is to be done where it is not known how much is owed, by the person who looks or by somebody else.
fn no_rate(record: &LinkRecord, signed: &Signed<AcceptLink>, t: &AcceptTexts) -> &'static str {
    match is_changeable(record, signed.act.now) {
        true if signed.may::<ChangeLink>() => t.no_rate,
        true => t.no_rate_ask,
        false if signed.may::<CreateLink>() => t.no_rate_ended,
        false => t.no_rate_ended_ask,
    }
}

/// Tells whether what the link asks for can be changed: one that has ended stays as it is.
fn is_changeable(record: &LinkRecord, now: Timestamp) -> bool {
    let decision = record.link.standing.decide(LinkAct::Change, now);
    !matches!(decision, Decision::Closed | Decision::Done)
}

async fn accept(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<AcceptLink>,
) -> Result<Response, NotTaken> {
    let link = link_id(&id)?;
    let accepted = match read(&form) {
        Ok(chosen) => {
            let slot = form.slot(&signed.act);
            app::links::accept(&state.app, &signed.act, link, chosen, slot, |_, _| Vec::new()).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match accepted {
        // Who accepts need not see links.
        Ok(_) if signed.may::<ShowLink>() => Ok(see(&format!("{}?saved", path_of(link)))),
        Ok(_) => Ok(see(&format!("{}/accept?saved", path_of(link)))),
        Err(Error::Refused(refusal @ Refusal::NotFound("payment_link"))) => Err(refusal.into()),
        Err(Error::Refused(refusal)) => {
            let again = FormState::refused(&form, &refusal, signed.language());
            let asks = Asks::of(&form, &refusal);
            Ok(show(&state, &signed, &uri, &id, (again, asks)).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Boxes that a person is asked to tick besides: for what was refused just now, and what was ticked before.
#[derive(Default)]
pub(in crate::dashboard) struct Asks {
    pub(in crate::dashboard) other_receipt: bool,
    /// The payment that may be the same money.
    pub(in crate::dashboard) other_payment: Option<PaymentId>,
}

impl Asks {
    pub(in crate::dashboard) fn of(form: &FormBody, refusal: &Refusal) -> Self {
        Self {
            other_receipt: *refusal == Refusal::Link(LinkRefusal::OtherReceipt)
                || form.field("other_receipt") == "yes",
            other_payment: match refusal {
                Refusal::Movement(MovementRefusal::RivalAccepted(payment)) => Some(*payment),
                _ => other_than(form),
            },
        }
    }
}

/// The payment that the person has looked at and says to be another one.
pub(in crate::dashboard) fn other_than(form: &FormBody) -> Option<PaymentId> {
    form.field("other_payment").parse().ok()
}

fn read(form: &FormBody) -> Result<Chosen, Refusal> {
    let typed = form.fields("movement_id");
    let movement: Option<MovementId> = typed.first().and_then(|id| id.parse().ok());
    let problem = ("elija un movimiento", "choose a movement");
    let movement = movement.ok_or_else(|| Refusal::invalid("movement_id", problem))?;
    let has_other_receipt = form.field("other_receipt") == "yes";
    Ok(Chosen { movement, has_other_receipt, other_than: other_than(form) })
}
