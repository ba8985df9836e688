//! `GET` and `POST /app/subscriptions/new`

use app::subscriptions::SubscriptionRecord;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{MakeSubscription, Operation};
use domain::ids::SubscriptionId;
use domain::language::Language;
use domain::subscriptions::{PeriodUnit, Reminders, Terms};
use domain::time::CaracasDate;
use http::Uri;
use web::{AppState, Failure, NotTaken, Posted, Signed};

use super::request::{FIELDS, MORE, PREVIEW, read, read_terms};
use super::unpaid::{self, UnpaidTexts};
use super::{PATH, SubscriptionsTexts, path_of, reminder_day};
use crate::checkout::see;
use crate::dashboard::choice::{Choice, accounts, of_accounts};
use crate::dashboard::earlier::Makes;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::links::currencies;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::page::of_template;
use crate::written;

const PATH_NEW: &str = "/app/subscriptions/new";

/// How many due days are shown before a subscription is made.
const DUE_DAYS: usize = 6;

/// The form as it is where nobody has filled it in: each month, paid when it begins, with the usual reminders.
const USUAL: [(&str, &str); 10] = [
    ("currency", "VEF"),
    ("period_count", "1"),
    ("period_unit", "month"),
    ("pay_first", "yes"),
    ("unpaid_policy", "stay"),
    ("reminders", "-3"),
    ("reminders", "0"),
    ("reminders", "1"),
    ("reminders", "3"),
    ("reminders", "7"),
];

const SUBSCRIPTION: Makes = Makes {
    path: |id| path_of(SubscriptionId::from_bytes(id)),
    see: ("Ver la suscripción que se creó", "View the subscription that was created"),
    lost: None,
};

texts! {
    NewTexts {
        title: "Nueva suscripción", "New subscription";
        lead: "Nada se debita: cada período abre un enlace de pago, y su cliente lo paga como cualquier otro.", "Nothing is debited: each period opens a payment link, and your customer pays it like any other.";
        customer: "Cliente", "Customer";
        customer_name: "Nombre del cliente", "Customer name";
        customer_phone: "Teléfono del cliente", "Customer phone";
        customer_phone_hint: "Un móvil, como 0414-1234567, sirve para enviarle el enlace por WhatsApp.", "With a mobile number, such as 0414-1234567, you can send the link by WhatsApp.";
        customer_email: "Correo del cliente (puede quedar vacío)", "Customer email (optional)";
        customer_email_hint: "Recibe los recordatorios, y puede dejar de recibirlos.", "Reminders are sent there, and can be stopped.";
        customer_reference: "Código del cliente (puede quedar vacío)", "Customer ID in your system (optional)";
        product: "Producto", "Product";
        product_name: "Qué paga", "Product name";
        product_name_hint: "Su cliente lo lee al pagar: la mensualidad, el alquiler, el plan.", "Your customer sees this when paying: the membership, the rent or the plan.";
        amount: "Monto de cada período", "Amount per period";
        amount_hint: "Por ejemplo 1.234,50.", "For example, 1,234.50.";
        currency: "Moneda", "Currency";
        currency_hint: "En dólares o euros, su cliente paga en bolívares a la tasa del día.", "For amounts in dollars or euros, your customer pays in bolívares at the day's exchange rate.";
        account: "Cuenta que recibe", "Receiving account";
        calendar: "Calendario", "Schedule";
        period_count: "Se repite cada", "Repeats every";
        period_count_hint: "Con 1 y meses, cada mes. Con 2 y semanas, cada dos semanas.", "With 1 and months, every month. With 2 and weeks, every two weeks.";
        period_unit: "Unidad", "Unit";
        pay_first: "Cuándo se paga cada período", "When each period is paid";
        at_start: "Al comenzar", "When it begins";
        at_end: "Al terminar", "When it ends";
        reminders: "Recordatorios", "Reminders";
        reminders_hint: "A las 9 de la mañana, mientras el enlace del período se puede pagar. Van al correo del cliente, y al destino de avisos de su sistema.", "At 9 in the morning, while the period's link can be paid. They go to the customer's email, and to your system's endpoint.";
        more: "Más opciones", "More options";
        start_date: "Primer día", "First day";
        start_date_hint: "Vacío: hoy.", "Empty: today.";
        anchor_day: "Día del mes", "Day of the month";
        anchor_day_hint: "De 1 a 31, para períodos de meses o años. El 31 es el último día de los meses más cortos. Vacío: el del primer día.", "1 to 31, for periods of months or years. The 31st is the last day of shorter months. Empty: that of the first day.";
        cycles: "Cuántos períodos", "Number of periods";
        cycles_hint: "Vacío: hasta que se anule.", "Empty: until it is cancelled.";
        trial_days: "Días de prueba", "Trial days";
        trial_days_hint: "Antes del primer período, sin cobrar.", "Before the first period, free of charge.";
        lead_days: "Días de anticipación", "Days ahead";
        lead_days_hint: "Cuántos días antes de su día se abre el enlace de un período. Vacío: 3, o ninguno en períodos de días.", "How many days before its due date a period's link opens. Empty: 3, or none for periods of days.";
        grace_days: "Días de gracia", "Grace days";
        grace_days_hint: "Cuántos días después de su día se puede pagar. Vacío: 3.", "How many days after its due date a period can be paid. Empty: 3.";
        webhook: "Webhook (URL)", "Webhook URL";
        webhook_hint: "La dirección de su webhook, si tiene uno. Recibe el final de cada enlace.", "Your webhook endpoint, if you have one. It is notified of each link's end.";
        create: "Crear suscripción", "Create subscription";
        preview: "Ver fechas", "View dates";
        due_days: "Se cobrará el:", "Payments will be due on:";
        no_account: "Para cobrar hace falta una cuenta de banco vinculada y en uso.", "To create subscriptions, you need a linked and active bank account.";
        to_accounts: "Ver las cuentas", "View accounts";
    }
}

#[derive(Template)]
#[template(path = "dashboard/subscriptions/new.html")]
struct NewPage {
    f: Frame,
    t: &'static NewTexts,
    k: &'static SubscriptionsTexts,
    form: FormState,
    /// A sentence with the first due days; nothing where the calendar was not read.
    due_days: Option<String>,
    /// None where money can come to none.
    accounts: Vec<Choice>,
    currencies: Vec<Choice>,
    units: Vec<Choice>,
    ways: Vec<Choice>,
    reminders: Vec<Choice>,
    ut: &'static UnpaidTexts,
    policies: Vec<Choice>,
    is_more_open: bool,
    once: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<MakeSubscription, _, _>(PATH_NEW, view),
        PageRoute::form::<MakeSubscription, _, _>(PATH_NEW, make).takes(FIELDS).labelled(
            |language| {
                let t = NewTexts::of(language);
                vec![
                    ("customer_name", t.customer_name),
                    ("customer_phone", t.customer_phone),
                    ("customer_email", t.customer_email),
                    ("customer_reference", t.customer_reference),
                    ("product_name", t.product_name),
                    ("amount", t.amount),
                    ("period_count", t.period_count),
                    ("start_date", t.start_date),
                    ("anchor_day", t.anchor_day),
                    ("cycles", t.cycles),
                    ("trial_days", t.trial_days),
                    ("lead_days", t.lead_days),
                    ("grace_days", t.grace_days),
                    ("webhook_url", t.webhook),
                ]
            },
        ),
    ]
}

async fn view(
    signed: Signed<MakeSubscription>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, FormState::with(&USUAL), None).await
}

/// The page with the form, and with the due days of its calendar where that was read.
async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
    terms: Option<Terms>,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (NewTexts::of(language), SubscriptionsTexts::of(language));
    let linked = accounts(&state.app, signed).await?;
    let page = NewPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        k,
        due_days: terms.map(|terms| due_days(&terms, t)),
        accounts: of_accounts(linked.iter().filter(|one| one.takes_links())),
        currencies: currencies(language),
        units: units(language),
        ways: vec![Choice::new("yes", t.at_start), Choice::new("no", t.at_end)],
        reminders: reminders(language),
        ut: UnpaidTexts::of(language),
        policies: unpaid::choices(language),
        is_more_open: MORE.iter().any(|name| !form.value(name).is_empty()),
        form,
        once: once(&state.app, signed.caller()),
    };
    Ok(of_template(&page, page.form.status))
}

/// Writes the first due days: `Se cobrará el: 31/12/2026, 31/01/2027 …`, without the dots where there are no others.
fn due_days(terms: &Terms, t: &NewTexts) -> String {
    let mut days: Vec<String> = terms.due_days().take(DUE_DAYS + 1).map(written::day).collect();
    let more = if days.len() > DUE_DAYS { " …" } else { "" };
    days.truncate(DUE_DAYS);
    format!("{} {}{more}", t.due_days, days.join(", "))
}

fn units(language: Language) -> Vec<Choice> {
    let name = |unit| match unit {
        PeriodUnit::Day => language.pick("Días", "Days"),
        PeriodUnit::Week => language.pick("Semanas", "Weeks"),
        PeriodUnit::Month => language.pick("Meses", "Months"),
        PeriodUnit::Year => language.pick("Años", "Years"),
    };
    let choice = |unit: PeriodUnit| Choice::new(unit.as_str(), name(unit));
    PeriodUnit::ALL.into_iter().map(choice).collect()
}

/// The days on which payers are reminded where nothing else is said: a program may name others.
fn reminders(language: Language) -> Vec<Choice> {
    let choice = |day: &i8| Choice::new(day.to_string(), reminder_day(*day, language));
    Reminders::default().as_slice().iter().map(choice).collect()
}

async fn make(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<MakeSubscription>,
) -> Result<Response, NotTaken> {
    let today = CaracasDate::of(signed.act.now);
    let terms = read_terms(&form, today);
    if form.has(PREVIEW) {
        let typed = match &terms {
            Ok(_) => FormState::typed(&form),
            Err(refusal) => FormState::refused(&form, refusal, signed.language()),
        };
        return Ok(show(&state, &signed, &uri, typed, terms.ok()).await?);
    }
    let request = read(&form, today).and_then(|request| {
        test_mode::check_account(&signed.test_mode, request.bank)?;
        Ok(request)
    });
    let made = match request {
        Ok(request) => {
            let slot = form.slot(&signed.act);
            // What is kept for a form that is sent twice is where it leads.
            let id =
                |record: &SubscriptionRecord, _| record.subscription.id.to_string().into_bytes();
            app::subscriptions::make(&state.app, &signed.act, request, slot, id).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match made {
        Ok(id) => Ok(see(&format!("{PATH}/{}?made", String::from_utf8_lossy(&id)))),
        Err(error) => {
            let again = SUBSCRIPTION.again((&state, &signed), &form, error).await?;
            Ok(show(&state, &signed, &uri, again, terms.ok()).await?)
        }
    }
}
