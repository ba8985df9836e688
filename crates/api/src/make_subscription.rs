//! `POST /v1/subscription/make`

use app::subscriptions::{
    AHEAD_DAYS_MAX, CYCLES_MAX, PartyCode, PartyName, PhoneText, SubscriptionDescription,
    SubscriptionName, SubscriptionRecord, SubscriptionRequest, Wanted, WrongTerm,
};
use axum::extract::State;
use axum::response::Response;
use domain::access::MakeSubscription;
use domain::ids::BankId;
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::refusal::{Code, Problem, Refusal};
use domain::subscriptions::{
    GRACE_DAYS_MAX, InvalidReminders, LEAD_DAYS_MAX, PeriodUnit, REMINDER_DAY_MAX, REMINDERS_MAX,
    Reminders, Terms,
};
use domain::text::EmailAddress;
use domain::time::{CaracasDate, Timestamp};
use domain::url::UrlText;
use http::Method;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, Fields, IdempotencyKey, JsonBody, answer};

use crate::operation::{
    Endpoint, Group, Int, Kind, Loose, Nested, Optional, Request, Required, TextKind, TextOf,
    one_of, request,
};
use crate::wire::{
    CurrencyCode, LinkAmount, SUBSCRIPTION_CALLS, SubscriptionAnswer, UnpaidPolicyWord,
    WireSubscription, say,
};

request! {
    /// Product of a subscription.
    struct Product {
        product_name as "productName": Required<PartyName>,
        /// Lo que pide cada período. / What each period asks for.
        product_price as "productPrice": Required<LinkAmount>,
        product_code as "productCode": Optional<PartyCode>,
    }
}

request! {
    /// Person who pays.
    struct Client {
        client_name as "clientName": Required<PartyName>,
        /// Se guarda como se escribió. / Kept as it was written.
        client_phone as "clientPhone": Required<PhoneText>,
        client_code as "clientCode": Optional<PartyCode>,
        /// A dónde van los recordatorios por correo. / Where reminders by mail go.
        client_email as "clientEmail": Loose<EmailAddress>,
    }
}

request! {
    /// Request for a new subscription.
    struct NewSubscription {
        /// La cuenta a la que se paga. / The account that is to be paid to.
        user_bank_id: Required<TextOf<BankId>>,
        /// Si cada período se paga al comenzar; si no, al terminar. / Whether each period is paid when it begins; otherwise
        /// when it ends.
        pay_first: Required<bool>,
        /// Sin ella, bolívares. / Without it, bolívares.
        currency: Loose<CurrencyCode>,
        /// Su nombre; sin él, el del producto. / Its label; without one, the product's name.
        name: Optional<SubscriptionName>,
        /// Para qué es; los enlaces la dicen con su período. / What it is for; links say it with their period.
        description: Optional<SubscriptionDescription>,
        /// Dónde se avisa del final de cada enlace. / The address that is notified of each link's end.
        webhook_url: Loose<UrlText>,
        product as "uniqueProduct": Required<Nested<Product>>,
        client as "uniqueClient": Required<Nested<Client>>,
        branch_product as "branchProductId": Optional<Instead<false>>,
        branch_client as "branchClientId": Optional<Instead<true>>,
        /// Sin él, `month`. / Without it, `month`.
        period_type as "subscriptionPeriodType": Loose<UnitWord>,
        /// Cuántos de esos tiene un período; sin él, uno. / How many of them a period has; one, without it.
        period_count as "periodCount": Optional<Int<1, { PeriodUnit::Day.count_max() as i64 }>>,
        /// Cuántos períodos se cobran; sin él, hasta que se anule. / How many periods are asked for; without it, until it is
        /// canceled.
        cycles: Optional<Int<1, CYCLES_MAX>>,
        /// El día del mes en que comienzan los períodos de meses y años; el 31 es el último de los más cortos. / The day of
        /// the month that periods of months and years begin on; the 31st is the last one of shorter months.
        anchor_day as "anchorDay": Optional<Int<1, 31>>,
        /// El primer día en Caracas; sin él, hoy. / The first day in Caracas; today, without it.
        start_date as "startDate": Optional<CaracasDate>,
        /// Días de prueba antes del primer período. / Days of trial before the first period.
        trial_days as "trialDays": Optional<Int<0, AHEAD_DAYS_MAX>>,
        /// Cuántos días antes de su día se abre el enlace de un período; sin él, tres, y ninguno en períodos de días. / How
        /// many days before its day the link of a period opens; three without it, none for periods of days.
        lead_days as "leadDays": Optional<Int<0, { LEAD_DAYS_MAX as i64 }>>,
        /// Cuántos días después todavía se puede pagar; sin él, tres. / How many days after it can still be paid; three,
        /// without it.
        grace_days as "graceDays": Optional<Int<0, { GRACE_DAYS_MAX as i64 }>>,
        /// En qué días se recuerda el pago, contados desde su día: los anteriores son negativos. Sin él, -3, 0, 1, 3 y 7;
        /// una lista vacía es no recordar. / On which days the payment is reminded of, counted from its day: those before
        /// it are negative. Without it, -3, 0, 1, 3 and 7; an empty list is to remind of nothing.
        reminder_days as "reminderDays": Optional<ReminderDays>,
        /// Qué pasa cuando vence un período sin pago, si la suscripción ya comenzó: `stay` sigue (sin él), `pause` se pausa,
        /// `end` termina. / What happens when a period lapses unpaid, once the subscription has begun: `stay` it goes on
        /// (without it), `pause` it is paused, `end` it ends.
        unpaid_policy as "unpaidPolicy": Optional<UnpaidPolicyWord>,
    }
}

request! {
    /// The account alone, whatever else is wrong.
    struct AccountOfSubscription {
        user_bank_id: Optional<TextOf<BankId>>,
    }
}

/// Field of something that this service keeps no list of: what to send instead.
struct Instead<const IS_CLIENT: bool>;

impl<const IS_CLIENT: bool> Kind for Instead<IS_CLIENT> {
    type Value = ();

    fn read(fields: &mut Fields, name: &str, _: &RawValue) -> Option<()> {
        let problem = if IS_CLIENT {
            ("envíe uniqueClient", "send uniqueClient")
        } else {
            ("envíe uniqueProduct", "send uniqueProduct")
        };
        fields.problem(name, problem)
    }

    fn schema() -> Value {
        json!({ "not": {} })
    }
}

/// Days of reminders, as a list of whole numbers.
struct ReminderDays;

impl Kind for ReminderDays {
    type Value = Reminders;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Reminders> {
        let Ok(numbers) = serde_json::from_str::<Vec<f64>>(raw.get()) else {
            let problem = ("debe ser una lista de números", "must be a list of numbers");
            return fields.problem(name, problem);
        };
        let furthest = i32::from(REMINDER_DAY_MAX);
        let whole = |number: &f64| {
            // Zero has two signs.
            let is_it = |day: &i32| f64::from(*day).total_cmp(&(number + 0.0)).is_eq();
            (-furthest..=furthest).find(is_it).map(i64::from)
        };
        let days: Option<Vec<i64>> = numbers.iter().map(whole).collect();
        let days = days.ok_or(InvalidReminders::OutOfRange);
        let reminders = days.and_then(|days| Reminders::new(&days));
        reminders.map_or_else(|error| fields.problem(name, error), Some)
    }

    fn schema() -> Value {
        let furthest = REMINDER_DAY_MAX;
        json!({
            "type": "array",
            "items": { "type": "integer", "minimum": -furthest, "maximum": furthest },
            "maxItems": REMINDERS_MAX,
            "uniqueItems": true,
        })
    }
}

/// Unit of periods.
struct UnitWord;

impl TextKind for UnitWord {
    type Value = PeriodUnit;

    fn parse(word: &str) -> Result<PeriodUnit, Problem> {
        let words = PeriodUnit::ALL.map(PeriodUnit::as_str);
        PeriodUnit::parse(word.trim()).ok_or_else(|| Problem::one_of(&words))
    }

    fn schema() -> Value {
        one_of(&PeriodUnit::ALL.map(PeriodUnit::as_str))
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<MakeSubscription, _, _>(Method::POST, "/v1/subscription/make", handle)
        .does(
            Group::Subscriptions,
            "Crea una suscripción: cada período pide su pago con un enlace.",
            "Makes a subscription: each period asks for its payment by a link.",
        )
        .takes::<NewSubscription>(json!({
            "user_bank_id": "bank_00000000000000000000000001",
            "pay_first": true,
            "currency": "USD",
            "uniqueProduct": { "productName": "Mensualidad del gimnasio", "productPrice": 20 },
            "uniqueClient": {
                "clientName": "Cliente de ejemplo",
                "clientPhone": "0412-0000000",
                "clientEmail": "cliente@correo.example",
            },
            "subscriptionPeriodType": "month",
            "anchorDay": 1,
            "reminderDays": [-3, 0, 3],
            "webhook_url": "https://tienda.example/webhooks",
        }))
        .set_elsewhere(&[("status", SUBSCRIPTION_CALLS)])
        .idempotent()
        .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("suscripción creada"))
        .refuses(&[
            Code::NotFound,
            Code::IsNotPositiveAmount,
            Code::InvalidBankProvider,
            Code::UserBankIsDisabled,
            Code::WebhookUrlNotAllowed,
        ])
}

async fn handle(
    admitted: Admitted<MakeSubscription>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let act = &admitted.0;
    let request = match parse(&body, act.now) {
        Ok(request) => request,
        Err((refusal, bank)) => {
            // The account comes first: a caller who does not reach it learns nothing else.
            if let Some(bank) = bank {
                app::accounts::check_reach(&state.app, act, bank).await?;
            }
            return Err(refusal.into());
        }
    };
    let slot = idempotency_key.slot(act, body.bytes());
    let body = app::subscriptions::make(&state.app, act, request, slot, render).await?;
    Ok(answer::bytes(body))
}

fn render(record: &SubscriptionRecord, language: Language) -> Vec<u8> {
    let message = say(language, "suscripción creada", "subscription created");
    let answer = SubscriptionAnswer { message, subscription: WireSubscription::of(record) };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// Reads the request, or says what is wrong and about which account it was.
fn parse(
    body: &JsonBody,
    now: Timestamp,
) -> Result<SubscriptionRequest, (Refusal, Option<BankId>)> {
    // An id of another form is an id of nothing: answered as one that is unknown.
    let account = |id: &str| id.trim().parse::<BankId>().map_err(|_| Refusal::UserBankNotFound);
    let new = NewSubscription::read(body).map_err(|refusal| {
        let named = AccountOfSubscription::read(&body.tolerant()).ok();
        match named.and_then(|named| named.user_bank_id).map(|id| account(&id)).transpose() {
            Ok(bank) => (refusal, bank),
            Err(unknown) => (unknown, None),
        }
    })?;
    debug_assert!(new.branch_product.is_none() && new.branch_client.is_none(), "refused when read");
    let bank = account(&new.user_bank_id).map_err(|unknown| (unknown, None))?;
    let of_account = |refusal| (refusal, Some(bank));
    let terms = terms(&new, CaracasDate::of(now)).map_err(of_account)?;
    let hundredths = new.product.product_price.map_err(of_account)?;
    let currency: Currency = new.currency.unwrap_or_default();
    Ok(SubscriptionRequest {
        bank,
        name: new.name,
        description: new.description,
        product: (new.product.product_name, new.product.product_code),
        price: Price { hundredths, currency },
        customer: (new.client.client_name, new.client.client_phone, new.client.client_code),
        email: new.client.client_email,
        webhook_url: new.webhook_url,
        terms,
    })
}

fn terms(new: &NewSubscription, today: CaracasDate) -> Result<Terms, Refusal> {
    let wanted = Wanted {
        unit: new.period_type.unwrap_or(PeriodUnit::Month),
        count: new.period_count.unwrap_or(1),
        anchor: new.anchor_day,
        start: new.start_date,
        trial_days: new.trial_days,
        lead_days: new.lead_days,
        grace_days: new.grace_days,
        cycles: new.cycles,
        pay_first: new.pay_first,
        reminders: new.reminder_days,
        unpaid: new.unpaid_policy,
    };
    wanted.terms(today).map_err(|(wrong, problem)| {
        let field = match wrong {
            WrongTerm::Count => "periodCount",
            WrongTerm::Anchor => "anchorDay",
            WrongTerm::Start => "startDate",
        };
        Refusal::invalid(field, problem)
    })
}

#[cfg(test)]
mod tests {
    use domain::subscriptions::UnpaidPolicy;

    use super::*;

    const BANK: BankId = BankId::from_bytes([1; 16]);

    /// Reads a request with these fields instead of the usual ones, or beside them.
    fn parsed(more: &str) -> Result<SubscriptionRequest, Refusal> {
        let mut body = json!({
            "user_bank_id": BANK.to_string(),
            "pay_first": true,
            "uniqueProduct": { "productName": "Gimnasio", "productPrice": 20 },
            "uniqueClient": { "clientName": "Cliente", "clientPhone": "0412" },
        });
        let more: Value = serde_json::from_str(&format!("{{{more}}}")).unwrap();
        for (field, value) in more.as_object().unwrap() {
            body[field] = value.clone();
        }
        let now = CaracasDate::parse("2026-11-20").unwrap().start();
        parse(&JsonBody::from(body.to_string()), now).map_err(|(refusal, _)| refusal)
    }

    #[test]
    fn little_is_enough_and_the_rest_has_its_defaults() {
        let request = parsed("").unwrap();
        let Terms { schedule, pay_first, cycles, lead_days, grace_days, .. } = request.terms;
        let Terms { has_trial, reminders, unpaid, .. } = request.terms;
        assert_eq!(unpaid, UnpaidPolicy::Stay);
        assert_eq!((reminders, request.email), (Reminders::default(), None));
        assert_eq!(schedule.begins().to_string(), "2026-11-20");
        assert_eq!((schedule.length().unit(), schedule.length().count()), (PeriodUnit::Month, 1));
        assert_eq!(
            (pay_first, cycles, lead_days, grace_days, has_trial),
            (true, None, 3, 3, false)
        );
        assert_eq!((request.price.hundredths, request.price.currency), (2_000, Currency::Vef));
    }

    #[test]
    fn a_trial_comes_before_the_first_period() {
        let request = parsed(r#""trialDays": 10, "anchorDay": 5, "cycles": 12"#).unwrap();
        assert_eq!(request.terms.schedule.begins().to_string(), "2026-12-05");
        assert!(request.terms.has_trial && request.terms.cycles == Some(12));
        let daily = parsed(r#""subscriptionPeriodType": "day""#).unwrap();
        assert_eq!(daily.terms.lead_days, 0);
    }

    #[test]
    fn reminders_are_on_the_days_that_are_named_and_on_none_where_none_is() {
        let days = |days: &str| {
            let request = parsed(&format!(r#""reminderDays": {days}"#)).unwrap();
            request.terms.reminders.as_slice().to_vec()
        };
        assert_eq!(days("[7, -3, 0.0]"), [-3, 0, 7]);
        assert_eq!(days("[-0.0]"), [0]);
        assert_eq!(days("[]"), [] as [i8; 0]);
        assert_eq!(days("null"), [-3, 0, 1, 3, 7]);
        let client = r#""clientName": "Cliente", "clientPhone": "0412""#;
        for (email, read) in [(" Ana@Correo.example ", Some("ana@correo.example")), (" ", None)] {
            let more = format!(r#""uniqueClient": {{{client}, "clientEmail": "{email}"}}"#);
            let found = parsed(&more).unwrap().email;
            assert_eq!(found.as_ref().map(EmailAddress::as_str), read);
        }
    }

    #[test]
    fn what_is_wrong_is_reported_by_its_path() {
        for (more, field) in [
            (r#""uniqueProduct": {"productName": "Gimnasio"}"#, "uniqueProduct.productPrice"),
            (r#""uniqueProduct": 7"#, "uniqueProduct"),
            (
                r#""uniqueClient": {"clientName": "", "clientPhone": "1"}"#,
                "uniqueClient.clientName",
            ),
            (r#""branchProductId": "7""#, "branchProductId"),
            (r#""branchClientId": 7"#, "branchClientId"),
            (r#""subscriptionPeriodType": "fortnight""#, "subscriptionPeriodType"),
            (r#""reminderDays": [2.5e-42]"#, "reminderDays"),
            (r#""reminderDays": [1.5]"#, "reminderDays"),
            (r#""periodCount": 61"#, "periodCount"),
            (r#""periodCount": 0"#, "periodCount"),
            (r#""subscriptionPeriodType": "week", "anchorDay": 1"#, "anchorDay"),
            (r#""anchorDay": 32"#, "anchorDay"),
            (r#""startDate": "2026-11-19""#, "startDate"),
            (r#""startDate": "2028-11-21""#, "startDate"),
            (r#""cycles": 0"#, "cycles"),
            (r#""leadDays": 61"#, "leadDays"),
            (r#""graceDays": -1"#, "graceDays"),
            (r#""reminderDays": 3"#, "reminderDays"),
            (r#""unpaidPolicy": "forgive""#, "unpaidPolicy"),
            (r#""reminderDays": "3""#, "reminderDays"),
            (r#""reminderDays": ["3"]"#, "reminderDays"),
            (r#""reminderDays": [1.5]"#, "reminderDays"),
            (r#""reminderDays": [31]"#, "reminderDays"),
            (r#""reminderDays": [1, 1]"#, "reminderDays"),
            (r#""reminderDays": [0, 1, 2, 3, 4, 5, 6, 7, 8]"#, "reminderDays"),
            (
                r#""uniqueClient": {"clientName": "a", "clientPhone": "1", "clientEmail": "nadie"}"#,
                "uniqueClient.clientEmail",
            ),
            (r#""pay_first": "yes""#, "pay_first"),
        ] {
            let Err(Refusal::Validation(details)) = parsed(more) else { panic!("{more}") };
            assert_eq!((details.len(), details[0].field.as_str()), (1, field), "{more}");
        }
        let free = r#""uniqueProduct": {"productName": "Gimnasio", "productPrice": 0}"#;
        assert_eq!(parsed(free).unwrap_err(), Refusal::NotPositiveAmount);
        for nothing in [r#""branchProductId": null"#, r#""branchClientId": null"#] {
            assert!(parsed(nothing).is_ok());
        }
    }
}
