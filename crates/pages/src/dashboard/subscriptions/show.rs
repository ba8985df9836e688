//! `GET /app/subscriptions/{subscription_id}`

use app::subscriptions::{Collected, CycleRecord, Subscription, SubscriptionRecord};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    CancelSubscription, ListCycles, Operation, PauseSubscription, ResumeSubscription,
    SetSubscriptionPrice, SetUnpaidPolicy, ShowSubscription, UndoCancellation,
};
use domain::ids::SubscriptionId;
use domain::language::Language;
use domain::links::Status as LinkStatus;
use domain::subscriptions::{Calendar, Resumption, Status};
use http::Uri;
use web::{AppState, Failure, Signed};

use super::clock::{self, ClockCard};
use super::collected;
use super::cycles::{CycleRow, CyclesTexts, WaiveForm, period, rows};
use super::payer_page::{PayerPageTexts, PayerShare};
use super::unpaid::{self, UnpaidTexts};
use super::{SubscriptionsTexts, paid, path_of, reminder_day, standing, subscription_id};
use crate::dashboard::choice::{Choice, accounts, name_of};
use crate::dashboard::company::known_as;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::links::share::{self, Share};
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::money::in_field;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;
use crate::written;

texts! {
    ShowTexts {
        made: "La suscripción está lista. Envíe el enlace a su cliente.", "The subscription is ready. Send the link to your customer.";
        made_later: "La suscripción está lista. Su primer enlace se abre cuando toque pagar.", "The subscription is ready. Its first link opens when it is time to pay.";
        paused_now: "Pausada desde su próximo período.", "Paused from the next period on.";
        resumed_now: "Reanudada: el próximo período se pide.", "Resumed. The next period is owed.";
        canceled_now: "Suscripción anulada.", "Subscription cancelled.";
        ending_now: "Se anula al final del período. Puede deshacerlo hasta entonces.", "It will be cancelled at the end of the period. You can undo this until then.";
        kept_now: "La suscripción sigue.", "The subscription continues.";
        priced_now: "Precio guardado: vale para los períodos que se abran desde ahora.", "Price saved. It applies to the periods that open from now on.";
        page_renewed: "La página de su cliente abre 30 días desde hoy, o más.", "Your customer's page opens for at least 30 days from today.";
        page_replaced: "Dirección reemplazada: la anterior ya no abre. Envíe la nueva a su cliente.", "Address replaced. The former one no longer opens. Send the new one to your customer.";
        waived_now: "Período perdonado: ya no se debe.", "Period waived. It is no longer owed.";
        renewed_now: "El período tiene otro enlace. Envíelo a su cliente.", "The period has another link. Send it to your customer.";
        is_pending: "Falta el primer pago. Los demás períodos se abren cuando su cliente lo pague.", "Awaiting the first payment. The other periods open once your customer has paid it.";
        is_trialing: "Está en prueba. El primer período empieza el", "In trial. The first period begins on";
        is_active: "Su cliente está al día.", "Your customer is up to date.";
        is_past_due: "Su cliente debe un período atrasado. Envíele el enlace.", "Your customer owes a period that is past due. Send the link.";
        is_paused: "Está en pausa: lo que empiece mientras tanto no se pide.", "Paused: periods that begin in the meantime are not owed.";
        is_completed: "Terminó: se cumplieron todos sus períodos, y no se debe nada.", "Completed: all its periods have passed, and nothing is owed.";
        is_canceled: "Está anulada: ya no se debe nada.", "Cancelled: nothing more is owed.";
        is_unpaid: "Terminó, porque nadie pagó un período a tiempo. Ya no se debe nada.", "It has ended, since a period was not paid in time. Nothing more is owed.";
        is_expired: "Nadie pagó el primer período a tiempo, así que no llegó a comenzar.", "Nobody paid the first period in time, so the subscription never began.";
        ends_on: "Se anula el", "It is cancelled on";
        ends_unpaid_on: "Un período no se pagó a tiempo: termina con lo que ya se pagó, el", "A period was not paid in time: it ends with what is already paid, on";
        pauses_on: "Se pausa el", "It is paused on";
        resumes_then: "Se reanuda el", "It resumes on";
        resumes_anew_then: "Se reanuda con otro calendario el", "It resumes with another schedule on";
        test: "Esta suscripción es de prueba: nadie paga con ella, y lo que diga haber cobrado no es dinero.", "This is a test subscription: nobody pays with it, and any amount it shows as collected is not money.";
        share: "Enviar a su cliente", "Send to your customer";
        address: "Dirección", "Link URL";
        whatsapp: "Enviar por WhatsApp", "Send by WhatsApp";
        open: "Ver la página de pago", "View payment page";
        message: "Texto para enviar", "Message";
        customer: "Cliente", "Customer";
        phone: "Teléfono", "Phone";
        email: "Correo del cliente", "Customer email";
        no_mail: "no quiere más recordatorios por correo", "wants no more reminders by email";
        reminders: "Recordatorios", "Reminders";
        no_reminders: "Ninguno", "None";
        reference: "Código del cliente", "Customer ID in your system";
        product: "Producto", "Product";
        amount: "Monto", "Amount";
        due: "Se paga", "Payment";
        at_start: "al comenzar cada período", "when each period begins";
        at_end: "al terminar cada período", "when each period ends";
        next: "Próximo pago", "Next payment";
        nothing_next: "Ninguno", "None";
        paid: "Períodos pagados", "Periods paid";
        first_day: "Primer día", "First day";
        lead: "Días de anticipación", "Days ahead";
        grace: "Días de gracia", "Grace days";
        account: "Cuenta", "Account";
        webhook: "Webhook (URL)", "Webhook URL";
        created: "Creada", "Created";
        acts: "Con esta suscripción", "Actions";
        price: "Cambiar el precio", "Change price";
        price_amount: "Monto de los próximos períodos", "Amount of the next periods";
        price_hint: "Los enlaces que ya se abrieron siguen con el suyo.", "Links that are already open keep their amount.";
        save: "Guardar", "Save";
        pause: "Pausar", "Pause";
        pause_text: "Los períodos que todavía no tienen enlace no se piden, hasta que la reanude. El período en curso se debe igual.", "Periods that have no link yet are not asked for until you resume it. The current period is owed all the same.";
        resumes_on: "Reanudar por sí sola el día (puede quedar vacío)", "Resume by itself on (optional)";
        resumes_on_hint: "Vacío: hasta que usted la reanude.", "Empty: until you resume it.";
        resume: "Reanudar", "Resume";
        resume_text: "Sigue en su mismo calendario: se pide el próximo período que empiece.", "It continues on its schedule: the next period that begins is owed.";
        resume_anew: "Reanudar con un período desde hoy", "Resume with a period from today";
        resume_anew_text: "Comienza otro calendario: un período empieza hoy, y los siguientes se cuentan desde hoy.", "Another schedule begins: a period starts today, and later ones are counted from today.";
        end: "Anular al final del período", "Cancel at the end of the period";
        end_text: "El período en curso se debe, y el siguiente ya no. Puede deshacerlo hasta entonces.", "The current period is owed, and the next one is not. You can undo this until then.";
        keep: "No anular", "Do not cancel";
        keep_text: "La suscripción sigue como estaba.", "The subscription continues as before.";
        cancel: "Anular ahora", "Cancel now";
        cancel_text: "Ya no se pide nada, y los enlaces abiertos de sus períodos se anulan. No se puede deshacer.", "Nothing more is owed, and the open links of its periods are cancelled. This cannot be undone.";
        cancel_sure: "Sí, anular esta suscripción", "Yes, cancel this subscription";
    }
}

#[derive(Template)]
#[template(path = "dashboard/subscriptions/show.html")]
struct ShowPage {
    f: Frame,
    t: &'static ShowTexts,
    ct: &'static CyclesTexts,
    path: String,
    name: String,
    state: (&'static str, &'static str),
    is_test: bool,
    done: Option<&'static str>,
    meaning: String,
    /// The link of the first period that is owed, while it can be paid, and that period.
    share: Option<(Share, String)>,
    pt: &'static PayerPageTexts,
    /// The page of its payer, where the person who looks may give its address out.
    payer: Option<PayerShare>,
    facts: Vec<(&'static str, String)>,
    id: String,
    cycles: Vec<CycleRow>,
    pager: Pager,
    waive: Option<WaiveForm>,
    clock: Option<ClockCard>,
    ut: &'static UnpaidTexts,
    policies: Vec<Choice>,
    may: May,
    form: FormState,
}

/// Acts that the person who looks may do with the subscription, as it is now.
struct May {
    price: bool,
    pause: bool,
    unpaid: bool,
    resume: bool,
    /// Whether the pause has skipped a period, so that another calendar may begin.
    resume_anew: bool,
    end: bool,
    keep: bool,
    cancel: bool,
}

impl May {
    const fn act(&self) -> bool {
        self.price
            || self.unpaid
            || self.pause
            || self.resume
            || self.end
            || self.keep
            || self.cancel
    }
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowSubscription, _, _>("/app/subscriptions/{subscription_id}", view)]
}

async fn view(
    signed: Signed<ShowSubscription>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, subscription_id(&id)?, FormState::default()).await
}

/// The page of a subscription; with a form on it, perhaps, that was refused.
pub(super) async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: SubscriptionId,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let act = signed.also::<ShowSubscription>()?;
    let record = app::subscriptions::show(&state.app, &act, id).await?;
    let of = &record.subscription;
    let is_test = !of.livemode;
    if let Some(instead) = test_mode::instead(state, signed, uri, is_test).await? {
        return Ok(instead);
    }
    let path = path_of(id);
    // A form has an address of its own, which shows no page.
    let here: Uri = if signed.is_form { path.parse().unwrap_or_default() } else { uri.clone() };
    let number = page_of(&here);
    let act = signed.also::<ListCycles>()?;
    let found = app::subscriptions::cycles(&state.app, &act, id, number).await?;
    let owed = app::subscriptions::owed_cycle(&state.app, &act, id).await?;
    let collected = app::subscriptions::collected(&state.app, &act, id).await?;
    let linked = accounts(&state.app, signed).await?;
    let (t, k) = (ShowTexts::of(language), SubscriptionsTexts::of(language));
    let name = format!("{} · {}", of.customer.name.as_str(), of.product.name);
    let f = Frame::of(&state.app, signed, uri, name.clone()).await?;
    let company = known_as(state, signed, &f.company).await?;
    let share = owed.as_ref().and_then(|cycle| shared(cycle, of, &company, language));
    let page = ShowPage {
        f,
        t,
        ct: CyclesTexts::of(language),
        name,
        state: standing(&record, k),
        is_test,
        done: done(uri, share.is_some(), t, language),
        meaning: meaning(&record, t, signed),
        share,
        pt: PayerPageTexts::of(language),
        payer: PayerShare::of(signed, &record, &company),
        facts: facts((&record, &collected), name_of(of.bank, &linked), t, language),
        id: id.to_string(),
        cycles: rows(signed, &record, &found.entries),
        pager: Pager::of(&here, number, found.total, language),
        waive: WaiveForm::of(signed, &record, owed.as_ref()),
        clock: ClockCard::of(signed, &record),
        ut: UnpaidTexts::of(language),
        policies: unpaid::choices(language),
        may: may(signed, &record),
        form: form.or(kept(of, language)),
        path,
    };
    Ok(of_template(&page, page.form.status))
}

/// The forms with the price and the policy that are in force.
pub(super) fn kept(of: &Subscription, language: Language) -> FormState {
    let amount = in_field(of.price.hundredths, language);
    FormState::changing(&[("amount", &amount), ("unpaid_policy", of.terms.unpaid.as_str())])
}

/// The link of a cycle as it is sent to the customer, and the cycle's period. Nothing where it cannot be paid now.
fn shared(
    cycle: &CycleRecord,
    of: &Subscription,
    company: &str,
    language: Language,
) -> Option<(Share, String)> {
    let is_open = matches!(cycle.link.status, LinkStatus::Pending);
    let share = || share::of(&cycle.link, company, language).with_phone(of.customer.phone.as_str());
    is_open.then(|| (share(), period(cycle.period, language)))
}

/// Says what a form has done that leads here.
fn done(uri: &Uri, has_link: bool, t: &ShowTexts, language: Language) -> Option<&'static str> {
    if web::query::find(uri, "made").is_some() {
        return Some(if has_link { t.made } else { t.made_later });
    }
    match web::query::find(uri, "done")?.as_str() {
        "pause" => Some(t.paused_now),
        "resume" => Some(t.resumed_now),
        "cancel" => Some(t.canceled_now),
        "end" => Some(t.ending_now),
        "undo-cancel" => Some(t.kept_now),
        "payer-page" => Some(t.page_renewed),
        "payer-page-replace" => Some(t.page_replaced),
        "price" => Some(t.priced_now),
        "unpaid-policy" => Some(UnpaidTexts::of(language).saved),
        "link" => Some(t.renewed_now),
        "waive" => Some(t.waived_now),
        act => clock::done(act, language),
    }
}

/// Says what the state of a subscription means, and what it will be.
fn meaning<O: Operation>(record: &SubscriptionRecord, t: &ShowTexts, signed: &Signed<O>) -> String {
    let of = &record.subscription;
    let begins_on = |cycle| written::day(of.terms.schedule.boundary(cycle));
    let text = match record.standing {
        Status::Pending => t.is_pending.to_owned(),
        Status::Trialing => format!("{} {}.", t.is_trialing, begins_on(0)),
        Status::Active => t.is_active.to_owned(),
        Status::PastDue => t.is_past_due.to_owned(),
        Status::Paused => t.is_paused.to_owned(),
        Status::Completed => t.is_completed.to_owned(),
        Status::Canceled => t.is_canceled.to_owned(),
        Status::Expired if of.standing.ends_unpaid => t.is_unpaid.to_owned(),
        Status::Expired => t.is_expired.to_owned(),
    };
    let text = match of.canceled_by_payer {
        true => format!("{text} {}", PayerPageTexts::of(signed.language()).canceled),
        false => text,
    };
    if of.standing.end.is_some() {
        return text;
    }
    let pauses = of.standing.paused_from.filter(|from| of.terms.begins_at(*from) > record.now);
    let ends_on = if of.standing.ends_unpaid { t.ends_unpaid_on } else { t.ends_on };
    let ahead = [(t.pauses_on, pauses), (ends_on, of.standing.canceled_from)];
    let ahead = ahead.into_iter().filter_map(|(text, from)| Some((text, from?)));
    let text = ahead.fold(text, |all, (text, from)| format!("{all} {text} {}.", begins_on(from)));
    match of.standing.resumes {
        Some(Resumption { on, calendar }) => {
            let is_new = calendar == Calendar::New;
            let then = if is_new { t.resumes_anew_then } else { t.resumes_then };
            format!("{text} {then} {}.", written::day(on))
        }
        None => text,
    }
}

fn facts(
    (record, collected): (&SubscriptionRecord, &Collected),
    account: String,
    t: &ShowTexts,
    language: Language,
) -> Vec<(&'static str, String)> {
    let of = &record.subscription;
    let terms = of.terms;
    let each = written::every(terms.schedule.length(), language);
    let due = if terms.pay_first { t.at_start } else { t.at_end };
    let lead = terms.pay_first.then(|| terms.lead_days.to_string());
    let (brought, sums) = collected::fact(collected, language);
    let facts = [
        (t.customer, Some(of.customer.name.as_str().to_owned())),
        (t.phone, Some(of.customer.phone.as_str().to_owned())),
        (t.email, email(of, t)),
        (t.reference, of.customer.code.clone()),
        (t.product, Some(of.product.name.clone())),
        (t.amount, Some(format!("{} {each}", written::price(of.price, language)))),
        (t.due, Some(due.to_owned())),
        (t.next, Some(record.next_due.map_or_else(|| t.nothing_next.to_owned(), written::day))),
        (t.paid, Some(paid(record, language))),
        (brought, Some(sums)),
        (t.first_day, Some(written::day(terms.schedule.begins()))),
        (t.lead, lead),
        (t.grace, Some(terms.grace_days.to_string())),
        (t.reminders, Some(reminders(of, t, language))),
        (UnpaidTexts::of(language).title, Some(unpaid::word(terms.unpaid, language).to_owned())),
        (t.account, Some(account).filter(|account| !account.is_empty())),
        (t.webhook, of.webhook_url.as_ref().map(|url| url.as_str().to_owned())),
        (t.created, Some(instant(of.created_at))),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}

/// Writes where the customer is reminded by mail, and whether that was stopped.
fn email(of: &Subscription, t: &ShowTexts) -> Option<String> {
    let email = of.customer.email.as_ref()?.as_str();
    Some(match of.customer.is_mail_off {
        true => format!("{email} ({})", t.no_mail),
        false => email.to_owned(),
    })
}

/// Writes on which days the customer is reminded.
fn reminders(of: &Subscription, t: &ShowTexts, language: Language) -> String {
    let days = of.terms.reminders.as_slice().iter().map(|day| reminder_day(*day, language));
    let days: Vec<String> = days.collect();
    if days.is_empty() { t.no_reminders.to_owned() } else { days.join(", ") }
}

fn may<O: Operation>(signed: &Signed<O>, record: &SubscriptionRecord) -> May {
    let of = &record.subscription;
    let standing = &of.standing;
    let lives = standing.end.is_none();
    let (is_paused, is_ending) = (standing.paused_from.is_some(), standing.canceled_from.is_some());
    let has_skipped = standing.paused_from.is_some_and(|from| from < standing.begun);
    // One that has not begun would be canceled at once.
    let has_begun = standing.is_active && of.terms.begins_at(0) <= record.now;
    let may_pause = standing.is_active && !is_paused && !is_ending;
    let may_keep = is_ending && !standing.ends_unpaid && !of.canceled_by_payer;
    May {
        price: lives && signed.may::<SetSubscriptionPrice>(),
        unpaid: lives && signed.may::<SetUnpaidPolicy>(),
        pause: lives && may_pause && signed.may::<PauseSubscription>(),
        resume: lives && is_paused && signed.may::<ResumeSubscription>(),
        resume_anew: has_skipped && !is_ending,
        end: lives && has_begun && !is_ending && signed.may::<CancelSubscription>(),
        keep: lives && may_keep && signed.may::<UndoCancellation>(),
        cancel: lives && signed.may::<CancelSubscription>(),
    }
}
