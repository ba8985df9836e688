//! `GET /app/links/{payment_link_id}`

use app::links::{LinkAttempts, LinkCheck, LinkRecord};
use app::verification::refused::Refused;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    AcceptLink, CancelLink, ChangeLink, ListDeliveries, ListOwnRates, ListPayments, Operation,
    RejectLink, ResumeLink, ShowLink, ShowVerification, StopLink,
};
use domain::language::Language;
use domain::links::{Currency, Decision, LinkAct, Status};
use domain::matching::SameBank;
use domain::money::Bolivars;
use domain::time::Timestamp;
use domain::verification::{Failed, State as Reached};
use http::Uri;
use web::{AppState, Failure, Signed};

use super::share::{self, Share};
use super::{LinksTexts, link_id, path_of, price, standing};
use crate::dashboard::choice::{account_name, accounts};
use crate::dashboard::company::known_as;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::money::bolivars;
use crate::dashboard::payments::outcome::{self, Word};
use crate::dashboard::payments::refused;
use crate::dashboard::rates;
use crate::dashboard::reader::{Reader, Takes};
use crate::dashboard::receipts;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;
use crate::written;

texts! {
    ShowTexts {
        made_now: "El enlace está listo. Envíelo a su cliente.", "The link is ready. Send it to your customer.";
        is_pending: "Espera el pago. Su cliente paga, escribe la referencia en la página y el banco lo confirma.", "Awaiting payment. Your customer pays and enters the reference on the page, and the bank confirms it.";
        is_checking: "Un cliente escribió su referencia y el banco está revisando. Vuelva a cargar la página en un momento.", "A customer entered a reference and the bank is checking it. Refresh the page in a moment.";
        is_paid: "Está pagado: el banco mostró el dinero en su cuenta.", "Paid: the bank showed the money in your account.";
        is_failed: "Está rechazado para siempre. Si hace falta cobrar, haga otro enlace.", "This link was rejected permanently. To collect the payment, create another link.";
        is_failed_ask: "Está rechazado para siempre. Si hace falta cobrar, pida {who} otro enlace.", "This link was rejected permanently. To collect the payment, ask {who} for another link.";
        is_failed_cycle: "No se pagó a tiempo, o terminó sin pago. Si el período todavía se debe, cree otro enlace en la página de su suscripción.", "It was not paid in time, or ended without a payment. If the period is still owed, create another link on the subscription's page.";
        is_expired: "Venció sin pago. Si el dinero llegó tarde, puede aceptarlo hasta un día después.", "This link expired without a payment. If the money arrived late, you can accept it for up to one day after expiry.";
        is_expired_ask: "Venció sin pago. Si el dinero llegó tarde, pida {who} que lo acepte: se puede hasta un día después.", "This link expired without a payment. If the money arrived late, ask {who} to accept it: this is possible for up to one day after expiry.";
        is_canceled_ask: "Está anulado. Si el dinero llegó de todas formas, pida {who} que lo acepte: se puede hasta un día después.", "This link was cancelled. If the money arrived anyway, ask {who} to accept it: this is possible for up to one day afterwards.";
        is_canceled: "Está anulado. Si el dinero llegó de todas formas, puede aceptarlo hasta un día después.", "This link was cancelled. If the money arrived anyway, you can accept it for up to one day afterwards.";
        is_stopped: "Está detenido: nadie puede empezar a pagar. Su tiempo sigue corriendo.", "This link is paused: nobody can start to pay. Its time until expiry keeps running.";
        reason: "Motivo", "Reason";
        amount: "Monto", "Amount";
        rate: "Tasa", "Exchange rate";
        in_bolivars: "En bolívares", "In bolívares";
        no_rate: "Es la que rige ahora; no hay una fijada. Se fija cuando su cliente abre la página y la pide.", "The current exchange rate applies; none is held. It is held when your customer opens the page and requests it.";
        missing_rate: "No hay tasa que rija: su cliente no puede pagar hasta que la haya.", "No exchange rate applies: your customer cannot pay until there is one.";
        never_held: "No se fijó una tasa para este enlace.", "No exchange rate was held for this link.";
        value_date: "Fecha valor", "Value date";
        source: "Fuente", "Source";
        held: "Fijada para su cliente", "Held for your customer";
        held_until: "hasta", "until";
        old: "Es vieja", "Outdated";
        see_rates: "Tasas de cambio", "Exchange rates";
        description: "Para qué es", "Description";
        account: "Cuenta", "Account";
        made: "Hecho", "Created";
        ends: "Vence", "Expires";
        never: "No vence", "Never expires";
        webhook: "Avisa a", "Webhook URL";
        deliveries: "Ver sus entregas", "View deliveries";
        redirect: "Después sigue a", "Redirect URL";
        code: "Código", "ID";
        test: "Este enlace es de prueba: nadie paga con él, y lo que diga haber cobrado no es dinero.", "This is a test link: nobody pays with it, and any amount it shows as collected is not money.";
        share: "Enviar a su cliente", "Send to your customer";
        address: "Dirección", "Link URL";
        open: "Ver la página de pago", "View payment page";
        whatsapp: "Enviar por WhatsApp", "Send by WhatsApp";
        mail: "Enviar por correo", "Send by email";
        message: "Texto para enviar", "Message";
        qr: "Código QR de la dirección del enlace", "QR code of the link";
        qr_text: "Su cliente lo lee con la cámara. Lleva a la dirección de arriba.", "Your customer scans it with the camera. It opens the address above.";
        attempts: "Intentos de pago", "Payment attempts";
        attempts_none: "Nadie ha escrito una referencia todavía.", "Nobody has entered a reference yet.";
        when: "Cuándo", "Date";
        typed: "Referencia escrita", "Reference entered";
        result: "Resultado", "Result";
        why: "Ver por qué", "View reason";
        waits: "Espera que usted lo acepte", "Waiting for you to accept it";
        waits_for_others: "Espera que lo acepten", "Waiting to be accepted";
        accept_this: "Ver y aceptar", "Review and accept";
        payment: "Ver el pago", "View payment";
        receipt: "Ver el comprobante", "View receipt";
        accept: "Aceptar un pago recibido", "Accept a received payment";
        change: "Cambiar monto o descripción", "Edit amount or description";
        acts: "Con este enlace", "Actions";
        stop: "Detener", "Pause";
        stop_text: "Nadie podrá empezar a pagar hasta que lo reanude.", "Nobody can start to pay until you resume it.";
        resume: "Reanudar", "Resume";
        resume_text: "Se podrá pagar otra vez.", "The link can be paid again.";
        cancel: "Anular", "Cancel link";
        cancel_text: "Deja de poder pagarse. No se puede deshacer.", "The link can no longer be paid. This cannot be undone.";
        cancel_sure: "Sí, anular este enlace", "Yes, cancel this link";
        reject: "Rechazar", "Reject";
        reject_text: "Termina como fallido y se avisa a su sistema. No podrá pagarse nunca, ni con dinero que llegue tarde.", "The link ends as failed and your system is notified. It can never be paid, not even with money that arrives late.";
        reject_why: "Motivo para su cliente (puede quedar vacío)", "Reason shown to your customer (optional)";
        reject_sure: "Sí, rechazar para siempre", "Yes, reject permanently";
    }
}

#[derive(Template)]
#[template(path = "dashboard/links/show.html")]
struct ShowPage {
    f: Frame,
    t: &'static ShowTexts,
    k: &'static LinksTexts,
    path: String,
    name: String,
    state: (&'static str, &'static str),
    meaning: String,
    detail: Option<String>,
    amount: String,
    rate: Option<RateShown>,
    may_rates: bool,
    description: String,
    account: String,
    made: String,
    ends: String,
    webhook: Option<String>,
    /// Whether the person who looks sees how its webhook went.
    sees_deliveries: bool,
    redirect: Option<String>,
    id: String,
    is_test: bool,
    share: Option<Share>,
    /// Nothing where the person who looks may not see payments.
    attempts: Option<Vec<AttemptRow>>,
    /// The verification that paid it, and the receipt of the payment, where the person who looks sees them.
    payment: Option<String>,
    receipt: Option<String>,
    may: May,
    form: FormState,
    is_saved: bool,
    is_made: bool,
}

/// By which rate a link in another currency is paid.
#[derive(Default)]
struct RateShown {
    /// Empty where there is none.
    rate: String,
    value_date: String,
    source: String,
    /// From when and until when it is held for the payer.
    held: Option<(String, String)>,
    owed: Option<String>,
    is_old: bool,
    /// What is to be said of one that is not held.
    why: &'static str,
}

struct AttemptRow {
    href: String,
    when: String,
    typed: String,
    result: Word,
    /// Whether a payment waits for being accepted.
    waits: bool,
}

/// Acts that the person who looks may do with the link, as it is now.
struct May {
    accept: bool,
    change: bool,
    stop: bool,
    resume: bool,
    cancel: bool,
    reject: bool,
}

impl May {
    const fn act(&self) -> bool {
        self.stop || self.resume || self.cancel || self.reject
    }
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowLink, _, _>("/app/links/{payment_link_id}", view)]
}

async fn view(
    signed: Signed<ShowLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, &id, FormState::default()).await
}

/// The page of a link; with a form on it, perhaps, that was refused.
pub(super) async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: &str,
    form: FormState,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let id = link_id(id)?;
    let record = app::links::show(&state.app, &signed.also::<ShowLink>()?, id).await?;
    let is_test = !record.link.livemode;
    if let Some(instead) = test_mode::instead(state, signed, uri, is_test).await? {
        return Ok(instead);
    }
    let checks = match signed.also::<ShowVerification>() {
        Ok(act) => Some(app::links::attempts(&state.app, &act, id).await?),
        Err(_) => None,
    };
    let account = accounts(&state.app, signed).await?;
    let account = account.iter().find(|one| one.account.id == record.link.bank);
    let (t, k) = (ShowTexts::of(language), LinksTexts::of(language));
    let f = Frame::of(&state.app, signed, uri, record.link.name.clone()).await?;
    let name = known_as(state, signed, &f.company).await?;
    let reader = Reader::of(signed);
    let link = &record.link;
    let has = |name| web::query::find(uri, name).is_some();
    let is_open = matches!(record.status, Status::Pending | Status::Stopped);
    let page = ShowPage {
        share: is_open.then(|| share::of(&record, &name, language)),
        f,
        t,
        k,
        path: path_of(link.id),
        name: link.name.clone(),
        state: standing(&record, k),
        meaning: meaning(&record, t, (&reader, language)),
        detail: link.status_detail.clone(),
        amount: price(link.price, language),
        rate: rate(state, signed, &record, t).await?,
        may_rates: signed.may::<ListOwnRates>(),
        description: link.description.clone(),
        account: account.map_or_else(String::new, account_name),
        made: instant(link.created_at),
        ends: link.standing.expires_at.map_or_else(|| t.never.to_owned(), instant),
        webhook: link.webhook_url.as_ref().map(|url| url.as_str().to_owned()),
        sees_deliveries: signed.may::<ListDeliveries>(),
        redirect: link.redirect_url.as_ref().map(|url| url.as_str().to_owned()),
        id: link.id.to_string(),
        is_test,
        payment: checks.as_ref().and_then(confirmed).map(outcome::path_of),
        receipt: receipt(state, signed, &record).await?,
        attempts: checks.map(|checks| rows(&checks, &record, (&reader, t, language), now)),
        may: may(signed, &record, now),
        form,
        is_saved: has("saved"),
        is_made: has("made"),
    };
    Ok(of_template(&page, page.form.status))
}

/// Says what the link's state means to the reader: what the reader may do about it, or whom to ask.
fn meaning(record: &LinkRecord, t: &ShowTexts, (reader, language): (&Reader, Language)) -> String {
    let accepts = reader.may(Takes::AcceptingPayments);
    let text = match record.status {
        Status::Pending if record.link.standing.is_checking => t.is_checking,
        Status::Pending => t.is_pending,
        Status::Paid => t.is_paid,
        Status::Failed if record.link.cycle.is_some() => t.is_failed_cycle,
        Status::Failed if reader.may(Takes::MakingLinks) => t.is_failed,
        Status::Failed => t.is_failed_ask,
        Status::Expired if accepts => t.is_expired,
        Status::Expired => t.is_expired_ask,
        Status::Canceled if accepts => t.is_canceled,
        Status::Canceled => t.is_canceled_ask,
        Status::Stopped => t.is_stopped,
    };
    reader.asking(text, language)
}

/// The rate that was held for a link in another currency, or else the one that its payer would get now.
async fn rate<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    record: &LinkRecord,
    t: &ShowTexts,
) -> Result<Option<RateShown>, Failure> {
    let (link, language, now) = (&record.link, signed.language(), signed.act.now);
    if link.price.currency == Currency::Vef {
        return Ok(None);
    }
    let is_open = matches!(record.status, Status::Pending | Status::Stopped);
    // One that is over is nobody's while the link is open: its payer gets the one of now.
    if let Some(held) = link.held_rate.as_ref().filter(|held| !is_open || now < held.ends_at) {
        let owed: Option<Bolivars> = held.rate.owed(link.price.hundredths);
        return Ok(Some(RateShown {
            rate: written::rate(held.rate, language),
            value_date: held.value_date.to_string(),
            source: held.source.as_str().to_owned(),
            held: Some((instant(held.locked_at), instant(held.ends_at))),
            owed: owed.map(|owed| bolivars(owed, language)),
            is_old: false,
            why: "",
        }));
    }
    // Nobody asks for a rate of a link that has ended.
    let serving = if is_open { rates::serving(state, signed).await? } else { Vec::new() };
    let serving = serving.into_iter().find(|rate| rate.currency == link.price.currency);
    let shown = serving.as_ref().map(|rate| rates::shown(rate, now, language));
    let why = match (is_open, &shown) {
        (false, _) => t.never_held,
        (true, None) => t.missing_rate,
        (true, Some(_)) => t.no_rate,
    };
    let shown = shown.map(|rate| RateShown {
        rate: rate.rate,
        value_date: rate.value_date,
        source: rate.source,
        held: None,
        owed: None,
        is_old: rate.is_old,
        why,
    });
    Ok(Some(shown.unwrap_or(RateShown { why, ..RateShown::default() })))
}

/// The page of the receipt of the payment that paid the link.
async fn receipt<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    record: &LinkRecord,
) -> Result<Option<String>, Failure> {
    let (Some(payment), Ok(act)) = (record.link.payment, signed.also::<ListPayments>()) else {
        return Ok(None);
    };
    let found = app::payments::some(&state.app, &act, vec![payment]).await?;
    Ok(found.first().and_then(|seen| receipts::path_for(signed, seen.payment.receipt)))
}

fn confirmed(attempts: &LinkAttempts) -> Option<domain::ids::VerificationId> {
    attempts.checks.iter().find(|check| check.state == Reached::Confirmed).map(|check| check.id)
}

/// Lists what was tried, the latest first, whether or not the bank was asked.
fn rows(
    attempts: &LinkAttempts,
    record: &LinkRecord,
    (reader, t, language): (&Reader, &ShowTexts, Language),
    now: Timestamp,
) -> Vec<AttemptRow> {
    let takes_accepted = record.link.standing.takes_accepted(record.link.updated_at, now);
    let check = |check: &LinkCheck| {
        let is_waiting =
            check.failed == Some(Failed::NotFound { same_bank: Some(SameBank::Unclaimed) });
        let waits = takes_accepted && is_waiting;
        let result = match waits {
            true if reader.may(Takes::AcceptingPayments) => Word { text: t.waits, class: "warn" },
            true => Word { text: t.waits_for_others, class: "warn" },
            false => outcome::word(check.state, check.failed.as_ref(), language)
                .of(!record.link.livemode),
        };
        let (href, typed) = (outcome::path_of(check.id), check.asked.reference.clone());
        (check.asked_at, AttemptRow { href, when: instant(check.asked_at), typed, result, waits })
    };
    let refused = |one: &Refused| {
        let (href, typed) = (refused::path_of(one.id), one.asked.reference.clone());
        let result = refused::word(one.code, language);
        let when = instant(one.refused_at);
        (one.refused_at, AttemptRow { href, when, typed, result, waits: false })
    };
    let mut rows: Vec<_> = attempts.checks.iter().map(check).collect();
    rows.extend(attempts.refused.iter().map(refused));
    rows.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn may<O: Operation>(signed: &Signed<O>, record: &LinkRecord, now: Timestamp) -> May {
    let standing = &record.link.standing;
    let fits = |act| !matches!(standing.decide(act, now), Decision::Closed | Decision::Done);
    May {
        accept: standing.takes_accepted(record.link.updated_at, now) && signed.may::<AcceptLink>(),
        change: fits(LinkAct::Change) && signed.may::<ChangeLink>(),
        stop: fits(LinkAct::Stop) && signed.may::<StopLink>(),
        resume: fits(LinkAct::Resume) && signed.may::<ResumeLink>(),
        cancel: fits(LinkAct::Cancel) && signed.may::<CancelLink>(),
        reject: fits(LinkAct::Reject) && signed.may::<RejectLink>(),
    }
}
