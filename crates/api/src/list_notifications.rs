//! `GET /v1/bank-pay-notifications`

use app::paging::Paging;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListNotifications;
use domain::ids::{BankId, NotificationId};
use domain::money::Bolivars;
use domain::refusal::{Code, Refusal};
use domain::secret::PersonalText;
use domain::time::Timestamp;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm};
use crate::wire::{Shown, bank_id, parameter, say};

#[derive(Serialize, JsonSchema)]
struct NotificationsListed<'a> {
    message: &'static str,
    /// Los avisos de esta página, el más nuevo primero. / The notices of this page, the newest first.
    notifications: Vec<WireNotification<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// Un aviso. El monto es texto: quien llama lo compara como tal. / A notice. The amount is text: callers compare it as
/// such.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankNotification")]
struct WireNotification<'a> {
    id: Shown<NotificationId>,
    /// La cuenta que recibió el pago. / The account that received the payment.
    user_bank_id: Shown<BankId>,
    /// `CONFIRMED`: el banco dice que el dinero está. / `CONFIRMED`: the bank says that the money is there.
    status: &'a str,
    reference: &'a str,
    /// En bolívares, como texto con dos decimales. / In bolívares, as text with two decimals.
    amount: Shown<Bolivars>,
    /// El teléfono de quien pagó; vacío donde el banco no lo dice. / The payer's phone; empty where the bank does not
    /// tell it.
    from: &'a str,
    /// Lo que dijo el banco, para personas. / What the bank said, for people.
    message: &'a str,
    /// Cuándo llegó. / When it came.
    created_at: Shown<Timestamp>,
}

/// Which notices are wanted.
struct Asked {
    bank: Option<BankId>,
    paging: Paging,
}

impl Query for Asked {
    fn parameters() -> Vec<Parameter> {
        let bank = parameter(
            "user_bank_id",
            "Solo los de esta cuenta.",
            "Only those of this account.",
            BankId::schema(),
        );
        [vec![bank], Paging::parameters()].concat()
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let bank = web::query::find(uri, "user_bank_id").map(|text| bank_id(&text));
        Ok(Self { bank: bank.transpose()?, paging: Paging::read(uri)? })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListNotifications, _, _>(Method::GET, "/v1/bank-pay-notifications", handle)
        .does(
            Group::Accounts,
            "Lista lo que los bancos avisaron de pagos por sí mismos.",
            "Lists what banks have told of payments by themselves.",
        )
        .query::<Asked>()
        .answers::<NotificationsListed<'_>>(json!({
            "message": "avisos de los bancos",
            "notifications": [{
                "id": "ntf_00000000000000000000000001",
                "user_bank_id": "bank_00000000000000000000000001",
                "status": "received",
                "reference": "0000067890",
                "amount": "150.75",
                "from": "",
                "message": "",
                "created_at": "2026-11-20T12:00:00.000Z",
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<ListNotifications>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let Asked { bank, paging } = Asked::read(&uri)?;
    let found = app::notifications::list(&state.app, &admitted.0, bank, paging).await?;
    let notifications = found.entries.iter().map(|notice| WireNotification {
        id: Shown(notice.id),
        user_bank_id: Shown(notice.bank),
        status: &notice.status,
        reference: &notice.reference,
        amount: Shown(notice.amount),
        from: notice.from.as_ref().map_or("", PersonalText::as_str),
        message: notice.message.as_str(),
        created_at: Shown(notice.created_at),
    });
    answer::json(&NotificationsListed {
        message: say(admitted.language(), "avisos de los bancos", "notices of the banks"),
        notifications: notifications.collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
