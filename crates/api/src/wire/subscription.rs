//! A subscription.

use app::subscriptions::{Status, SubscriptionRecord};
use axum::response::Response;
use domain::ids::{BankId, LinkId, OwnerId, SubscriptionId};
use domain::links::Currency;
use domain::money::Bolivars;
use domain::refusal::{Problem, Refusal};
use domain::secret::PersonalText;
use domain::subscriptions::{Calendar, PeriodUnit, Status as Standing, UnpaidPolicy};
use domain::time::{CaracasDate, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Failure, answer};

use super::Shown;
use crate::operation::{TextKind, one_of};

/// Una suscripción: quien paga lo mismo una y otra vez, y cómo va. / A subscription: somebody who pays the same again and
/// again, and how that goes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Subscription")]
pub(crate) struct WireSubscription<'a> {
    id: Shown<SubscriptionId>,
    name: &'a str,
    description: &'a str,
    /// `active` también con un pago atrasado o en prueba; `inactive` en pausa; `completed` tras su último período. / `active`
    /// also when past due or on trial; `inactive` while paused; `completed` after its last period.
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    status: &'static str,
    /// De qué son sus períodos. / What its periods are of.
    #[schemars(extend("enum" = PeriodUnit::ALL.map(PeriodUnit::as_str)))]
    subscription_period_type: &'static str,
    /// Cuántos días, semanas, meses o años tiene un período. / How many days, weeks, months or years a period has.
    period_count: u16,
    #[schemars(extend("enum" = Currency::ALL.map(Currency::as_str)))]
    currency: &'static str,
    /// El día en que toca pagar: el del período más antiguo sin pagar, o si no, el del próximo. / The day to pay on: that of
    /// the oldest unpaid period, or else that of the next one.
    renovation_date: Option<Shown<CaracasDate>>,
    /// Si no se debe nada cuyo día haya llegado. / Whether nothing is owed whose day has come.
    renovation_is_paid: bool,
    /// Cuántos períodos se han pagado; los perdonados no cuentan. / How many periods were paid; those that were waived do not
    /// count.
    renovation_count: u32,
    /// `limited` con `cycles`; si no, `unlimited`. / `limited` with `cycles`, else `unlimited`.
    #[schemars(extend("enum" = ["unlimited", "limited"]))]
    renovation_limit_type: &'static str,
    /// Cuántos períodos se cobran; `null` hasta que se anule. / How many periods are asked for; `null` until it is canceled.
    cycles: Option<u32>,
    /// Siempre `unique`. / Always `unique`.
    client_type: &'static str,
    /// Quien paga. / Who pays.
    unique_client: UniqueClient<'a>,
    /// Siempre `unique`. / Always `unique`.
    product_type: &'static str,
    /// Lo que se paga. / What is paid for.
    unique_product: UniqueProduct<'a>,
    /// Si cada período se paga al comenzar; si no, al terminar. / Whether each period is paid when it begins; otherwise
    /// when it ends.
    pay_first: bool,
    /// El primer día de su primer período, en Caracas. / The first day of its first period, in Caracas.
    start_date: Shown<CaracasDate>,
    /// El día desde el que se cuentan sus períodos: `startDate`, o el día en que se reanudó con otro calendario. / The day
    /// that its periods are counted from: `startDate`, or the day on which it resumed with another calendar.
    calendar_start_date: Shown<CaracasDate>,
    /// El día del mes en que comienzan sus períodos; `null` en los de días y semanas. / The day of the month that its
    /// periods begin on; `null` for those of days and weeks.
    anchor_day: Option<u8>,
    /// Cuántos días antes se abre el enlace de un período. / How many days before the link of a period opens.
    lead_days: u8,
    /// Cuántos días después todavía se puede pagar. / How many days after it can still be paid.
    grace_days: u8,
    /// En qué días se recuerda el pago, contados desde su día; vacía donde no se recuerda. / On which days the payment is
    /// reminded of, counted from its day; empty where it is not.
    reminder_days: Vec<i8>,
    /// Si su cliente no quiere más recordatorios por correo. / Whether the customer wants no more reminders by mail.
    reminder_mail_stopped: bool,
    /// Qué pasa cuando vence un período: `stay` sigue, `pause` se pausa, `end` termina. / What happens when a period lapses:
    /// `stay` it goes on, `pause` it is paused, `end` it ends.
    #[schemars(extend("enum" = UnpaidPolicy::ALL.map(UnpaidPolicy::as_str)))]
    unpaid_policy: &'static str,
    /// Si sus días de prueba corren todavía. / Whether its days of trial run still.
    is_trialing: bool,
    /// Si se debe un período cuyo día pasó. / Whether a period is owed whose day has gone by.
    is_past_due: bool,
    /// Si termina con el período en curso, o con el último que se pagó por adelantado. / Whether it ends with the period that
    /// runs, or with the last one that was paid ahead.
    cancel_at_period_end: bool,
    /// El primer día que una pausa no cobra; `null` sin pausa. / The first day that a pause does not ask for; `null`
    /// without one.
    paused_from: Option<Shown<CaracasDate>>,
    /// El día en que la pausa termina por sí sola; `null` donde no termina así. / The day on which the pause ends by itself;
    /// `null` where it does not.
    resumes_on: Option<Shown<CaracasDate>>,
    /// Si ese día comienza otro calendario. / Whether another calendar begins on that day.
    resumes_with_new_calendar: bool,
    /// El enlace del período más antiguo sin pagar. / The link of the oldest unpaid period.
    payment_link_id: Option<Shown<LinkId>>,
    /// La página de ese enlace; `null` donde no se debe nada. / The page of that link; `null` where nothing is owed.
    payment_link_url: Option<&'a str>,
    /// La página de quien paga; `null` para quien no puede anular, porque con ella se puede. / The payer's page; `null` for
    /// callers who may not cancel, since anybody can who has it.
    payer_url: Option<&'a str>,
    /// Hasta cuándo abre esa página; si ya pasó, se alarga en `POST /v1/subscriptions/{subscription_id}/payer-page`. / Until
    /// when that page is open; where that has gone by, `POST /v1/subscriptions/{subscription_id}/payer-page` makes it later.
    payer_url_expires_at: Option<Shown<Timestamp>>,
    /// La cuenta a la que se paga. / The account that is paid to.
    user_bank_id: Shown<BankId>,
    /// El titular. / The owner.
    user_id: Shown<OwnerId>,
    /// Adónde se avisa del final de cada enlace; `null` donde no se avisa. / Where each link's end is told; `null`
    /// where it is not.
    webhook: Option<&'a str>,
    /// Siempre `null`: aquí no hay lista de clientes. / Always `null`: no list of customers is kept here.
    branch_client_id: Option<&'static str>,
    /// Siempre `null`: aquí no hay lista de productos. / Always `null`: no list of products is kept here.
    branch_product_id: Option<&'static str>,
    livemode: bool,
    /// Solo en las de prueba. / Only in those of test accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_clock: Option<WireTestClock>,
    #[serde(rename = "created_at")]
    created_at: Shown<Timestamp>,
    #[serde(rename = "updated_at")]
    updated_at: Shown<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionClient")]
struct UniqueClient<'a> {
    /// Su nombre. / The name.
    client_name: &'a str,
    /// Su teléfono, como se escribió. / The phone, as it was written.
    client_phone: &'a str,
    /// El código que le da quien cobra; `null` donde no le da ninguno. / The code that the merchant gives; `null` where
    /// it gives none.
    client_code: Option<&'a str>,
    /// A dónde van los recordatorios por correo. / Where reminders by mail go.
    client_email: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionProduct")]
struct UniqueProduct<'a> {
    /// Su nombre. / Its name.
    product_name: &'a str,
    /// De los períodos que se abran desde ahora. / Of the periods that open from now on.
    product_price: f64,
    /// El código que le da quien cobra; `null` donde no le da ninguno. / The code that the merchant gives it; `null`
    /// where it gives none.
    product_code: Option<&'a str>,
}

/// El reloj de una suscripción de prueba: todo lo que dice de sí misma es según él. / The clock of a test subscription: all
/// that it says of itself is by this clock.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestClock")]
pub(crate) struct WireTestClock {
    /// Lo que marca. / What it shows.
    now: Shown<Timestamp>,
    /// Cuánto va delante del real, en segundos. / How far it is ahead of the real one, in seconds.
    ahead_seconds: u64,
}

impl WireTestClock {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({ "now": "2026-12-01T12:00:00.000Z", "aheadSeconds": 2_592_000 })
    }

    fn of(record: &SubscriptionRecord) -> Self {
        let ahead_seconds = record.subscription.clock.ahead().as_secs();
        Self { now: Shown(record.now), ahead_seconds }
    }
}

impl<'a> WireSubscription<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "sub_00000000000000000000000001",
            "name": "Mensualidad del gimnasio",
            "description": "Mensualidad del gimnasio",
            "status": "active",
            "subscriptionPeriodType": "month",
            "periodCount": 1,
            "currency": "USD",
            "renovationDate": "2026-12-01",
            "renovationIsPaid": true,
            "renovationCount": 1,
            "renovationLimitType": "unlimited",
            "cycles": null,
            "clientType": "unique",
            "uniqueClient": {
                "clientName": "Cliente de ejemplo",
                "clientPhone": "0412-0000000",
                "clientCode": "C-7",
                "clientEmail": null,
            },
            "productType": "unique",
            "uniqueProduct": {
                "productName": "Mensualidad del gimnasio",
                "productPrice": 20.0,
                "productCode": null,
            },
            "payFirst": true,
            "startDate": "2026-11-01",
            "calendarStartDate": "2026-11-01",
            "anchorDay": 1,
            "leadDays": 3,
            "graceDays": 3,
            "reminderDays": [-3, 0, 1, 3, 7],
            "reminderMailStopped": false,
            "unpaidPolicy": "stay",
            "isTrialing": false,
            "isPastDue": false,
            "cancelAtPeriodEnd": false,
            "pausedFrom": null,
            "resumesOn": null,
            "resumesWithNewCalendar": false,
            "paymentLinkId": null,
            "paymentLinkUrl": null,
            "payerUrl": "https://cotejo.example/suscripcion/0000000000000000000000000100000000000000000000000000",
            "payerUrlExpiresAt": "2027-01-04T04:00:00.000Z",
            "userBankId": "bank_00000000000000000000000001",
            "userId": "own_00000000000000000000000001",
            "webhook": "https://tienda.example/webhooks",
            "branchClientId": null,
            "branchProductId": null,
            "livemode": true,
            "created_at": "2026-11-01T12:00:00.000Z",
            "updated_at": "2026-11-01T12:00:00.000Z",
        })
    }

    pub(crate) fn of(record: &'a SubscriptionRecord) -> Self {
        let of = &record.subscription;
        let terms = of.terms;
        let length = terms.schedule.length();
        let has_anchor = matches!(length.unit(), PeriodUnit::Month | PeriodUnit::Year);
        let (calendar_start, anchor) = terms.schedule.counted_from();
        let resumes = of.standing.resumes;
        Self {
            id: Shown(of.id),
            name: of.label(),
            description: of.description.as_deref().unwrap_or(&of.product.name),
            status: record.status().as_str(),
            subscription_period_type: length.unit().as_str(),
            period_count: length.count(),
            currency: of.price.currency.as_str(),
            renovation_date: record.next_due.map(Shown),
            renovation_is_paid: record.is_settled,
            renovation_count: of.paid,
            renovation_limit_type: if terms.cycles.is_some() { "limited" } else { "unlimited" },
            cycles: terms.cycles,
            client_type: "unique",
            unique_client: UniqueClient {
                client_name: of.customer.name.as_str(),
                client_phone: of.customer.phone.as_str(),
                client_code: of.customer.code.as_deref(),
                client_email: of.customer.email.as_ref().map(PersonalText::as_str),
            },
            product_type: "unique",
            unique_product: UniqueProduct {
                product_name: &of.product.name,
                product_price: Bolivars::from_hundredths(of.price.hundredths).to_number(),
                product_code: of.product.code.as_deref(),
            },
            pay_first: terms.pay_first,
            start_date: Shown(terms.schedule.begins()),
            calendar_start_date: Shown(calendar_start),
            anchor_day: has_anchor.then(|| anchor.get()),
            lead_days: terms.lead_days,
            grace_days: terms.grace_days,
            reminder_days: of.terms.reminders.as_slice().to_vec(),
            reminder_mail_stopped: of.customer.is_mail_off,
            unpaid_policy: terms.unpaid.as_str(),
            is_trialing: record.standing == Standing::Trialing,
            is_past_due: record.standing == Standing::PastDue,
            cancel_at_period_end: of.standing.end.is_none() && of.standing.canceled_from.is_some(),
            paused_from: of.standing.paused_from.map(|from| Shown(terms.schedule.boundary(from))),
            resumes_on: resumes.map(|resumes| Shown(resumes.on)),
            resumes_with_new_calendar: resumes
                .is_some_and(|resumes| resumes.calendar == Calendar::New),
            payment_link_id: record.owed.map(|(_, link)| Shown(link)),
            payment_link_url: record.url.as_deref(),
            payer_url: record.payer_url.as_deref(),
            payer_url_expires_at: record.payer_url.as_ref().map(|_| Shown(of.page_until)),
            user_bank_id: Shown(of.bank),
            user_id: Shown(record.owner),
            webhook: of.webhook_url.as_ref().map(domain::url::UrlText::as_str),
            branch_client_id: None,
            branch_product_id: None,
            livemode: of.livemode,
            test_clock: (!of.livemode).then(|| WireTestClock::of(record)),
            created_at: Shown(of.created_at),
            updated_at: Shown(of.updated_at),
        }
    }
}

/// Lo que responden las operaciones que cambian una suscripción. / What operations that change a subscription answer.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SubscriptionAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) subscription: WireSubscription<'a>,
}

impl SubscriptionAnswer<'_> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({ "message": message, "subscription": WireSubscription::example() })
    }
}

/// The subscription as it is now.
pub(crate) fn said_of_subscription(
    message: &'static str,
    record: &SubscriptionRecord,
) -> Result<Response, Failure> {
    answer::json(&SubscriptionAnswer { message, subscription: WireSubscription::of(record) })
}

/// Consequence of a period that nobody pays in time.
pub(crate) struct UnpaidPolicyWord;

impl TextKind for UnpaidPolicyWord {
    type Value = UnpaidPolicy;

    fn parse(word: &str) -> Result<UnpaidPolicy, Problem> {
        let words = UnpaidPolicy::ALL.map(UnpaidPolicy::as_str);
        UnpaidPolicy::parse(word.trim()).ok_or_else(|| Problem::one_of(&words))
    }

    fn schema() -> Value {
        one_of(&UnpaidPolicy::ALL.map(UnpaidPolicy::as_str))
    }
}

/// The calls that change what a subscription is.
pub(crate) const SUBSCRIPTION_CALLS: &[&str] = &[
    "POST /v1/subscriptions/{subscription_id}/cancelbyowner",
    "POST /v1/subscriptions/{subscription_id}/pause",
    "POST /v1/subscriptions/{subscription_id}/resume",
];

/// The id of a subscription in a path. One of another form is an id of nothing.
pub(crate) fn subscription_id(text: &str) -> Result<SubscriptionId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("subscription"))
}
