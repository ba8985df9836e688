//! `POST /v1/movements/{bank_id}/read`

use app::statement::{Reading, ReadingState};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ReadStatement;
use domain::refusal::Code;
use domain::time::{CaracasDate, Timestamp};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Optional, Request, request};
use crate::wire::{Shown, bank_id, say};

request! {
    struct DayToRead {
        /// El día: hoy, o uno de los 7 anteriores; hoy si no se dice. / The day: today, or one of the 7 before; today
        /// where none is said.
        day: Optional<CaracasDate>,
    }
}

#[derive(Serialize, JsonSchema)]
struct StatementReading {
    message: &'static str,
    reading: WireReading,
}

/// La lectura del estado de cuenta de un día. / The reading of a day's statement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Reading")]
struct WireReading {
    /// El día que se lee, en Caracas. / The day that is read, in Caracas.
    day: Shown<CaracasDate>,
    /// `running`, `done`, `failed` (el banco no respondió hasta el final) o `unfinished` (no todo se pudo guardar: léalo otra
    /// vez). / `running`, `done`, `failed` (the bank did not answer to the end) or `unfinished` (not all could be kept:
    /// have it read again).
    state: &'static str,
    /// Cuántos pagos de ese día se conocen hasta ahora. / How many payments of that day are known so far.
    rows: usize,
    /// Cuántas filas que pueden ser pagos no se pudieron leer. / How many rows that may be payments could not be read.
    unread: usize,
    began_at: Shown<Timestamp>,
    ended_at: Option<Shown<Timestamp>>,
}

impl WireReading {
    fn of(reading: &Reading) -> Self {
        Self {
            day: Shown(reading.day),
            state: match reading.state {
                ReadingState::Running => "running",
                ReadingState::Done => "done",
                ReadingState::Failed => "failed",
                ReadingState::Unfinished => "unfinished",
            },
            rows: reading.rows,
            unread: reading.unread,
            began_at: Shown(reading.began_at),
            ended_at: reading.ended_at.map(Shown),
        }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ReadStatement, _, _>(Method::POST, "/v1/movements/{bank_id}/read", handle)
        .does(
            Group::Accounts,
            "Lee del banco todo lo que llegó a una cuenta en un día.",
            "Reads from the bank all that came to an account on a day.",
        )
        .takes::<DayToRead>(json!({ "day": "2026-11-20" }))
        .answers::<StatementReading>(json!({
            "message": "leyendo el estado de cuenta",
            "reading": {
                "day": "2026-11-20",
                "state": "running",
                "rows": 0,
                "unread": 0,
                "began_at": "2026-11-20T14:05:00Z",
                "ended_at": null,
            },
        }))
        .refuses(&[Code::InvalidBankProvider, Code::RequestInProgress, Code::UserBankIsDisabled])
}

async fn handle(
    admitted: Admitted<ReadStatement>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    // Who does not reach the account learns nothing else about the request.
    app::accounts::check_reach(&state.app, &admitted.0, id).await?;
    let DayToRead { day } = DayToRead::read(&body)?;
    let reading = app::statement::read(&state.app, &admitted.0, id, day).await?;
    let message = match reading.state {
        ReadingState::Running => ("leyendo el estado de cuenta", "reading the statement"),
        ReadingState::Done => ("el estado de cuenta fue leído", "the statement was read"),
        ReadingState::Failed => ("no se pudo leer", "it could not be read"),
        ReadingState::Unfinished => ("no se pudo guardar todo", "not all of it could be kept"),
    };
    let message = say(admitted.language(), message.0, message.1);
    answer::json(&StatementReading { message, reading: WireReading::of(&reading) })
}
