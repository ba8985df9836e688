//! `POST /v1/transactionchange/userbank/{bank_id}`, `POST /v1/user-bank-accounts/{bank_id}/transaction-change`
//! and `GET /userbankpayment/{bank_id}/get-next-invoice-number`
//!
//! Paying change to a payer. The service moves no money; clients that offer change ask all the same,
//! and decide by the code of the refusal.

use domain::access::{Guarded, NextInvoiceNumber, PayOutChange, PayOutChangeOfAccount};
use domain::refusal::{Code, Refusal};
use http::Method;
use web::{Admitted, Failure};

use crate::operation::{Endpoint, Group};

pub(crate) fn endpoint() -> Endpoint {
    let path = "/v1/transactionchange/userbank/{bank_id}";
    refusing(Endpoint::tolerant::<PayOutChange, _, _>(Method::POST, path, handle::<PayOutChange>))
}

/// The same by its other path.
pub(crate) fn endpoint_of_account() -> Endpoint {
    let path = "/v1/user-bank-accounts/{bank_id}/transaction-change";
    let handle = handle::<PayOutChangeOfAccount>;
    refusing(Endpoint::tolerant::<PayOutChangeOfAccount, _, _>(Method::POST, path, handle))
}

pub(crate) fn invoice_endpoint() -> Endpoint {
    let path = "/userbankpayment/{bank_id}/get-next-invoice-number";
    refusing(Endpoint::tolerant::<NextInvoiceNumber, _, _>(
        Method::GET,
        path,
        handle::<NextInvoiceNumber>,
    ))
}

fn refusing(endpoint: Endpoint) -> Endpoint {
    endpoint
        .does(
            Group::Payments,
            "El servicio no paga vuelto: siempre responde `C2P_NOT_SUPPORTED`.",
            "The service pays out no change: it always answers `C2P_NOT_SUPPORTED`.",
        )
        .refuses(&[Code::C2pNotSupported])
}

async fn handle<O: Guarded>(_: Admitted<O>) -> Failure {
    Refusal::ChangeNotSupported.into()
}
