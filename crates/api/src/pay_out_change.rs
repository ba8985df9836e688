//! `POST /v1/transactionchange/userbank/{bank_id}`, `POST /v1/user-bank-accounts/{bank_id}/transaction-change`
//! and `GET /userbankpayment/{bank_id}/get-next-invoice-number`
//!
//! Paying change to a payer. The service moves no money; clients that offer change ask all the same,
//! and decide by the code of the refusal.

use domain::access::Guarded;
use domain::refusal::Refusal;
use web::{Admitted, Failure};

pub(crate) async fn handle<O: Guarded>(_: Admitted<O>) -> Failure {
    Refusal::ChangeNotSupported.into()
}
