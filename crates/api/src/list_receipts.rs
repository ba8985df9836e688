//! `GET /v1/receipts`

use app::receipts::{Question, list};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListReceipts;
use domain::refusal::{Problem, Refusal};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query};
use crate::wire::{WireReceipt, invalid, limit, limit_parameter, non_empty, parameter, say};

#[derive(Serialize, JsonSchema)]
struct ReceiptsListed<'a> {
    message: &'static str,
    /// Los comprobantes, el más nuevo primero. / The receipts, the newest first.
    receipts: Vec<WireReceipt<'a>>,
    /// Con qué `before` pedir los anteriores. / The `before` to ask for those of earlier with.
    next: Option<i64>,
    /// Si hay más que pedir. Una página puede ser corta o vacía aunque lo haya. / Whether there is more to ask for. A page
    /// may be short or empty though there is.
    has_more: bool,
}

impl Query for Question {
    fn parameters() -> Vec<Parameter> {
        vec![
            parameter(
                "before",
                "Los de número menor que este.",
                "Those with a number below this one.",
                json!({ "type": "integer", "minimum": 1 }),
            )
            .or_empty(),
            parameter(
                "livemode",
                "`false` para los del banco de prueba, que no son dinero.",
                "`false` for those of the test bank, which are no money.",
                json!({ "type": "boolean", "default": true }),
            )
            .or_empty(),
            limit_parameter(),
        ]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let before = non_empty(uri, "before").map(|text| {
            let number = text.parse().ok().filter(|number: &i64| *number >= 1);
            number.ok_or_else(|| {
                invalid("before", ("debe ser un número desde 1", "must be a number from 1 on"))
            })
        });
        let livemode = match non_empty(uri, "livemode").as_deref() {
            None | Some("true") => true,
            Some("false") => false,
            Some(_) => return Err(invalid("livemode", Problem::one_of(&["true", "false"]))),
        };
        let limit = usize::try_from(limit(uri)?).unwrap_or(usize::MAX);
        Ok(Self { before: before.transpose()?, livemode, limit })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListReceipts, _, _>(Method::GET, "/v1/receipts", handle)
        .does(
            Group::Payments,
            "Lista los comprobantes de pago, primero el último.",
            "Lists the receipts of payments, the latest first.",
        )
        .query::<Question>()
        .answers::<ReceiptsListed<'_>>(json!({
            "message": "comprobantes",
            "receipts": [WireReceipt::example()],
            "next": 123,
            "has_more": false,
        }))
}

async fn handle(
    admitted: Admitted<ListReceipts>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let found = list(&state.app, &admitted.0, Question::read(&uri)?).await?;
    answer::json(&ReceiptsListed {
        message: say(admitted.language(), "comprobantes", "receipts"),
        receipts: found.receipts.iter().map(|one| WireReceipt::of(&state.app, one)).collect(),
        next: found.next,
        has_more: found.has_more,
    })
}
