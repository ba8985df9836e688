//! `GET /movements/{bank_id}`

use app::paging::Paging;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ListMovements;
use domain::ids::{MovementId, PaymentId};
use domain::matching::Movement;
use domain::payer::{BankCode, Phone};
use domain::time::{CaracasDate, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{Shown, bank_id, say};

#[derive(Serialize, JsonSchema)]
struct MovementsListed<'a> {
    message: &'static str,
    /// Los movimientos de esta página, el más nuevo primero. / The movements of this page, the newest first.
    movements: Vec<WireMovement<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// Lo que mostró el banco. Lo que no dice es `null`. / What the bank has shown. What it does not tell is null.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Movement")]
struct WireMovement<'a> {
    id: Shown<MovementId>,
    /// El día del banco, en Caracas. / The bank's day, in Caracas.
    date: Shown<CaracasDate>,
    /// Hora y minuto en Caracas. / Hour and minute in Caracas.
    time: Option<String>,
    /// En bolívares. / In bolívares.
    amount: f64,
    currency: &'static str,
    reference: &'a str,
    /// El código de cuatro dígitos del banco de quien pagó. / The four-digit code of the payer's bank.
    payer_bank: Option<&'a str>,
    /// El teléfono de quien pagó, con 58 delante. / The payer's phone, with 58 before it.
    payer_phone: Option<&'a str>,
    /// La cédula o el RIF de quien pagó. / The payer's cédula or RIF.
    payer_document: Option<String>,
    /// Las palabras del banco, vacío donde no dice nada. / The bank's own words, empty where it has none.
    description: &'a str,
    /// Si ya es un pago verificado. / Whether it is a verified payment by now.
    claimed: bool,
    /// El pago que es; `null` donde nadie lo ha verificado. / The payment that it is; `null` where nobody has verified
    /// it.
    user_bank_payment_id: Option<Shown<PaymentId>>,
    /// El movimiento del que puede ser el mismo dinero: el banco mostró el pago dos veces, con otro pagador, otro día u otro
    /// banco. Ninguna verificación lo encuentra hasta que una persona lo acepte. / The movement that it may be the same
    /// money as: the bank showed the payment twice, with another payer, day or bank. No verification finds it until a
    /// person accepts it.
    contested_with: Option<Shown<MovementId>>,
    /// Si el dinero de la cuenta existe: `false` en el banco de prueba. / Whether money of the account exists: `false` at the
    /// test bank.
    livemode: bool,
}

impl<'a> WireMovement<'a> {
    fn of(movement: &'a Movement, livemode: bool) -> Self {
        let payer = &movement.payer;
        Self {
            id: Shown(movement.id),
            date: Shown(movement.paid_on),
            time: movement.paid_at.map(time),
            amount: movement.amount.to_number(),
            currency: "VEF",
            reference: movement.reference.shown(),
            payer_bank: payer.bank.as_ref().map(BankCode::as_str),
            payer_phone: payer.phone.as_ref().map(Phone::as_str),
            payer_document: payer.document.as_ref().map(ToString::to_string),
            description: movement.description.as_str(),
            claimed: movement.claimed.is_some(),
            user_bank_payment_id: movement.claimed.map(Shown),
            contested_with: movement.contested_with.map(Shown),
            livemode,
        }
    }
}

/// `HH:mm` in Caracas, whose days all have 24 hours since 2016.
fn time(at: Timestamp) -> String {
    let minutes = at.since(CaracasDate::of(at).start()).as_secs() / 60;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListMovements, _, _>(Method::GET, "/movements/{bank_id}", handle)
        .does(
            Group::Accounts,
            "Lista lo que el banco ha mostrado de una cuenta.",
            "Lists what a bank has shown of an account.",
        )
        .query::<Paging>()
        .answers::<MovementsListed<'_>>(json!({
            "message": "movimientos de la cuenta",
            "movements": [{
                "id": "mov_00000000000000000000000001",
                "date": "2026-11-20",
                "time": "08:15",
                "amount": 150.75,
                "currency": "VEF",
                "reference": "0000067890",
                "payer_bank": "0102",
                "payer_phone": "584141234567",
                "payer_document": "V12345678",
                "description": "",
                "claimed": true,
                "user_bank_payment_id": "pay_00000000000000000000000001",
                "contested_with": null,
                "livemode": true,
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListMovements>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    let paging = Paging::read(&uri)?;
    let found = app::accounts::list_movements(&state.app, &admitted.0, id, paging).await?;
    let row = |movement| WireMovement::of(movement, found.livemode);
    answer::json(&MovementsListed {
        message: say(admitted.language(), "movimientos de la cuenta", "movements of the account"),
        movements: found.page.entries.iter().map(row).collect(),
        total: found.page.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
