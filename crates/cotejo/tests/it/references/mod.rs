//! References as payers type them, at a bank that shows them in its own way.

mod contradictions;
mod payers;
mod short;
mod zeros;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::principal::verify_path;
use testkit::{Owner, Principal, Response, Setup, TestApp};

use crate::bdv::{link, start};

/// Past the bank's interval between two looks at a day.
const A_WHILE: Duration = Duration::from_secs(3);

/// An owner whose account is at the simulated bank.
struct Shop {
    bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
}

impl Shop {
    async fn open(setup: Setup) -> Self {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        Self { bank, app, owner, account }
    }

    /// A pago móvil of Bs 150.75 from another bank.
    fn pay(&self, receipt: &str) {
        self.bank.pay(receipt, 15_075, Duration::ZERO);
    }

    async fn verify(&self, body: Value) -> Response {
        self.verify_by(&self.owner.key, body).await
    }

    async fn verify_by(&self, caller: &Principal, body: Value) -> Response {
        self.app.clock().advance(A_WHILE);
        caller.post(&verify_path(&self.account), body).await
    }
}

/// The reference, with the right amount.
fn paid(reference: &str) -> Value {
    json!({ "bank_reference": reference, "amount": 150.75 })
}

/// The same, with the payer's phone.
fn paid_by(reference: &str, phone: &str) -> Value {
    json!({ "bank_reference": reference, "amount": 150.75, "phone_pagador": phone })
}
