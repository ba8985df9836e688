//! `GET /v1/credits`

use app::credits::{Line, Part, Statement, show};
use axum::extract::State;
use axum::response::Response;
use domain::access::ShowCredits;
use domain::ids::{
    ActorId, BankId, ClientId, EmployeeId, KeyId, LinkId, OwnerId, PaymentId, SubscriptionId,
    VerificationId,
};
use domain::language::Language;
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::{CaracasMonth, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer, query};

use crate::activity::describe;
use crate::operation::{Endpoint, Group, Parameter, Query};
use crate::wire::{Shown, invalid, limit, limit_parameter, month, month_parameter, parameter, say};

#[derive(Serialize, JsonSchema)]
struct CreditsAnswer<'a> {
    message: &'static str,
    /// El saldo, en créditos. / The balance, in credits.
    balance: i64,
    /// Lo que las verificaciones abiertas reservan del saldo. / What of the balance open verifications hold.
    reserved: i64,
    /// Lo que queda por gastar. / What is left to be spent.
    available: i64,
    /// El mes de Caracas de que se trata. / The month of Caracas that it is about.
    month: Shown<CaracasMonth>,
    /// Los créditos cobrados en el mes. / Credits charged in the month.
    used: i64,
    /// Las operaciones cobradas del mes. / Charged operations of the month.
    operations: i64,
    /// A cuánto llega el mes si sigue así: el uso hasta ahora, según el tiempo transcurrido, para el mes entero. `null`
    /// en su primer día, y en cualquier mes que no sea el presente. / What the month comes to if it goes on so: the use
    /// so far, by the time that has passed, for the whole month. Null on its first day, and of any month but the
    /// present one.
    forecast: Option<i64>,
    /// Las líneas del mes, la más nueva primero. / The lines of the month, newest first.
    entries: Vec<StatementLine<'a>>,
    /// Con qué pedir líneas más viejas; `null` donde no hay. / What to ask with for older lines; null where there is
    /// none.
    next: Option<i64>,
    /// Si hay más líneas del mes que pedir. / Whether there are more lines of the month to ask for.
    has_more: bool,
}

/// Un cambio del saldo, y para qué fue. / A change of the balance, and what it was for.
#[derive(Serialize, JsonSchema)]
struct StatementLine<'a> {
    /// Su número dentro del titular. / Its number within the owner.
    line: i64,
    /// Cuándo cambió el saldo. / When the balance changed.
    date: Shown<Timestamp>,
    /// Negativo cuando se gasta. / Negative when spent.
    amount: i64,
    /// El saldo después, en créditos. / The balance after it, in credits.
    balance_after: i64,
    /// `debit`: un cobro; `refund`: su devolución; `purchase`: créditos del operador; `adjustment`: los que
    /// quitó. / `debit`: a charge; `refund`: its return; `purchase`: credits from the operator; `adjustment`: those it
    /// took away.
    #[schemars(extend("enum" = ["debit", "refund", "purchase", "adjustment"]))]
    movement_type: &'a str,
    /// De dónde vino: `verification`, `payment_link`, `subscription` (el enlace de un período) o `admin`. / Where it came
    /// from: `verification`, `payment_link`, `subscription` (the link of a period) or `admin`.
    origin: &'a str,
    /// Lo mismo para personas, con el pago y la cuenta. / The same for people, with the payment and the account.
    description: String,
    /// La verificación que se cobró; `null` donde no se cobró ninguna. / The verification that was charged; `null`
    /// where none was.
    verification_id: Option<Shown<VerificationId>>,
    /// El pago que confirmó; `null` donde no se cobró ninguno. / The payment that it confirmed; `null` where none was
    /// charged.
    user_bank_payment_id: Option<Shown<PaymentId>>,
    /// El enlace que se pagó; `null` si no fue por uno. / The link that was paid; `null` if it was not for one.
    payment_link_id: Option<Shown<LinkId>>,
    /// La suscripción de cuyo período es el enlace. / The subscription of whose period the link is.
    subscription_id: Option<Shown<SubscriptionId>>,
    /// La cuenta que recibió el pago; `null` donde no se cobró ninguno. / The account that received the payment; `null`
    /// where none was charged.
    user_bank_id: Option<Shown<BankId>>,
    /// El cliente a cuya cuota se cuenta, y su nombre. / The client whose quota it counts against, and its name.
    client_owner_id: Option<Shown<ClientId>>,
    /// El nombre de ese cliente; `null` donde no hay ninguno. / The name of that client; `null` where there is none.
    client_name: Option<&'a str>,
    /// A quién se le cobró: una llave, un empleado o una sesión del titular. `null` donde no se cobró nada. / Who was
    /// charged: a key, an employee, or a session of the owner. Null where nothing was.
    #[schemars(extend("enum" = ["key", "employee", "session", null]))]
    caller: Option<&'static str>,
    /// La llave a la que se le cobró; `null` donde no fue una llave. / The key that was charged; `null` where it was no
    /// key.
    api_key_id: Option<Shown<KeyId>>,
    /// El empleado al que se le cobró; `null` donde no fue un empleado. / The employee who was charged; `null` where it
    /// was no employee.
    employee_id: Option<Shown<EmployeeId>>,
    /// Cómo se llama la llave o el empleado. / What the key or the employee is called.
    caller_name: Option<&'a str>,
}

impl<'a> StatementLine<'a> {
    fn of(line: &'a Line, owner: OwnerId, language: Language) -> Self {
        let charged = line.charged.as_ref();
        let key = line.actor.and_then(|actor| actor.key(owner));
        let employee = line.actor.and_then(ActorId::employee);
        let caller = match (line.actor, key, employee) {
            (None, ..) => None,
            (_, Some(_), _) => Some("key"),
            (_, _, Some(_)) => Some("employee"),
            (Some(_), None, None) => Some("session"),
        };
        Self {
            line: line.line,
            date: Shown(line.created_at),
            amount: line.amount,
            balance_after: line.balance_after,
            movement_type: &line.movement_type,
            origin: &line.origin,
            description: describe(charged, language),
            verification_id: line.verification.map(Shown),
            user_bank_payment_id: charged.map(|charged| Shown(charged.payment)),
            payment_link_id: charged.and_then(|charged| charged.link).map(Shown),
            subscription_id: charged.and_then(|charged| charged.subscription).map(Shown),
            user_bank_id: charged.map(|charged| Shown(charged.bank)),
            client_owner_id: line.client.as_ref().map(|(id, _)| Shown(*id)),
            client_name: line.client.as_ref().map(|(_, name)| name.as_str()),
            caller,
            api_key_id: key.map(Shown),
            employee_id: employee.map(Shown),
            caller_name: line.actor_name.as_deref(),
        }
    }
}

impl Query for Part {
    fn parameters() -> Vec<Parameter> {
        let after = parameter(
            "after",
            "El `next` de una respuesta anterior: las líneas más viejas.",
            "The `next` of an earlier answer: the lines that are older.",
            json!({ "type": "integer", "minimum": 1 }),
        )
        .or_empty();
        vec![month_parameter(), after, limit_parameter()]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let said = query::find(uri, "after").filter(|text| !text.is_empty());
        let before = said.map(|text| {
            let problem = (
                "debe ser el `next` de una respuesta anterior",
                "must be the `next` of an earlier answer",
            );
            let line = text.parse().ok().filter(|line| *line >= 1);
            line.ok_or_else(|| invalid("after", problem))
        });
        Ok(Self { month: month(uri)?, before: before.transpose()?, limit: limit(uri)? })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowCredits, _, _>(Method::GET, "/v1/credits", handle)
        .does(
            Group::Limits,
            "Muestra los créditos del titular, lo que gastó en un mes y para qué fue cada línea.",
            "Shows the owner's credits, what it used in a month and what each line was for.",
        )
        .query::<Part>()
        .answers::<CreditsAnswer<'_>>(json!({
            "message": "créditos",
            "balance": 99,
            "reserved": 0,
            "available": 99,
            "month": "2026-11",
            "used": 1,
            "operations": 1,
            "forecast": 2,
            "entries": [{
                "line": 2,
                "date": "2026-11-20T12:00:01.000Z",
                "amount": -1,
                "balance_after": 99,
                "movement_type": "debit",
                "origin": "verification",
                "description": "Pago pay_00000000000000000000000001 verificado en la cuenta bank_00000000000000000000000001",
                "verification_id": "ver_00000000000000000000000001",
                "user_bank_payment_id": "pay_00000000000000000000000001",
                "payment_link_id": null,
                "subscription_id": null,
                "user_bank_id": "bank_00000000000000000000000001",
                "client_owner_id": null,
                "client_name": null,
                "caller": "key",
                "api_key_id": "key_00000000000000000000000001",
                "employee_id": null,
                "caller_name": "caja 3",
            }],
            "next": 2,
            "has_more": true,
        }))
}

async fn handle(
    admitted: Admitted<ShowCredits>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let part = Part::read(&uri)?;
    let found = show(&state.app, &admitted.0, part).await?;
    let message = say(admitted.language(), "créditos", "credits");
    answer::json(&wire(&found, message, admitted.language()))
}

fn wire<'a>(found: &'a Statement, message: &'static str, language: Language) -> CreditsAnswer<'a> {
    let entries = found.lines.iter();
    CreditsAnswer {
        message,
        balance: found.balance.get(),
        reserved: found.reserved.get(),
        available: found.available().get(),
        month: Shown(found.month),
        used: found.used.get(),
        operations: found.operations,
        forecast: found.forecast.map(Credits::get),
        entries: entries.map(|line| StatementLine::of(line, found.owner, language)).collect(),
        next: found.lines.last().map(|line| line.line).filter(|_| found.has_more),
        has_more: found.has_more,
    }
}
