//! The statement is kept whole: whatever a bank shows of a day that was read is seen by people, once.

mod accepted;
mod behind;
mod contested;
mod kept;
mod page;
mod read;
mod retained;
mod seen;
mod unread;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::{Oddities, SimulatedBank};
use testkit::{Owner, Principal, Response, Setup, TestApp};

use crate::bdv;

const AT_ONCE: Duration = Duration::ZERO;

/// Longer than the bank wants between two looks at a day.
const A_WHILE: Duration = Duration::from_secs(3);

/// A row without anything odd.
const PLAIN: Oddities = Oddities {
    commission: None,
    repeated: None,
    at_its_hour: None,
    unreadable: None,
    again: None,
    remark: None,
};

/// An owner with an account at a bank.
struct Shop {
    bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
}

impl Shop {
    async fn open(setup: Setup) -> Self {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        Self { bank, app, owner, account }
    }

    /// Asks for a payment by its reference and 150.75, and lets what follows come to its end.
    async fn verify(&self, reference: &str) -> Response {
        let body = json!({ "bank_reference": reference, "amount": 150.75 });
        let call = self.owner.key.verify(&self.account, body);
        let answer = self.app.clock().flow(call).await;
        self.app.settle().await;
        self.app.clock().advance(A_WHILE);
        answer
    }

    /// Reads today's statement, or that of another day, as that caller.
    async fn read(&self, caller: &Principal, body: Value) -> Response {
        let answer = caller.post(&format!("/v1/movements/{}/read", self.account), body).await;
        self.app.settle().await;
        answer
    }

    /// The references of what a caller sees of the account, each with whether it is claimed, in order.
    async fn seen(&self, caller: &Principal) -> Vec<(String, bool)> {
        let listed = caller.get(&format!("/movements/{}?limit=100", self.account)).await.ok();
        let entries = listed["movements"].as_array().unwrap();
        assert_eq!(listed["total"], entries.len());
        let entry = |entry: &Value| {
            let reference = entry["reference"].as_str().unwrap();
            let digits = reference.get(reference.len() - 8..).unwrap().to_owned();
            (digits, entry["claimed"].as_bool().unwrap())
        };
        let mut seen: Vec<_> = entries.iter().map(entry).collect();
        seen.sort();
        seen
    }

    /// The movement of that ending, as the owner sees it.
    async fn movement(&self, ending: &str) -> Value {
        let listed = self.owner.get(&format!("/movements/{}?limit=100", self.account)).await.ok();
        let mut entries = listed["movements"].as_array().unwrap().iter();
        let is_meant = |entry: &&Value| entry["reference"].as_str().unwrap().ends_with(ending);
        entries.find(is_meant).expect("a movement").clone()
    }
}

fn unclaimed(references: &[&str]) -> Vec<(String, bool)> {
    references.iter().map(|reference| ((*reference).to_owned(), false)).collect()
}
