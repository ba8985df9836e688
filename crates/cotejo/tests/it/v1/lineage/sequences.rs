//! Lineage after any sequence of issuing, inviting, rotating and ending, against a model.

use std::collections::BTreeSet;
use std::mem::replace;

use serde_json::{Value, json};
use testkit::{Employee, Owner, Principal, TestApp, both_engines};

use super::INVITES;

/// How many acts a sequence has.
const STEPS: usize = 40;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A key that issues keys.
    Issuer,
    Key,
    ClientKey,
    Employee,
    Person,
}

/// A key or a person as the model knows it.
struct Thing {
    kind: Kind,
    id: String,
    path: String,
    caller: Principal,
    /// Nobody where it was the owner.
    issuer: Option<usize>,
    lives: bool,
}

struct Model {
    owner: Owner,
    client: String,
    things: Vec<Thing>,
    state: u64,
}

impl Model {
    /// A number below `count`, the same in every run.
    fn below(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.state >> 33).unwrap() % count
    }

    /// One that lives of these kinds; sometimes none, though there is one.
    fn some(&mut self, kinds: &[Kind]) -> Option<usize> {
        let is_one = |thing: &Thing| thing.lives && kinds.contains(&thing.kind);
        let all: Vec<usize> =
            (0..self.things.len()).filter(|number| is_one(&self.things[*number])).collect();
        let chosen = self.below(all.len() + 1);
        all.get(chosen).copied()
    }

    fn caller(&self, number: Option<usize>) -> Principal {
        number.map_or_else(|| Principal::clone(&self.owner), |it| self.things[it].caller.clone())
    }

    /// All that lives of what that one has issued, also by way of those that are no more.
    fn issued(&self, of: usize) -> BTreeSet<String> {
        let comes_of = |mut number: usize| loop {
            match self.things[number].issuer {
                None => break false,
                Some(issuer) if issuer == of => break true,
                Some(issuer) => number = issuer,
            }
        };
        let lives = |number: &usize| self.things[*number].lives && comes_of(*number);
        (0..self.things.len()).filter(lives).map(|number| self.things[number].id.clone()).collect()
    }

    async fn step(&mut self) {
        let issuing = json!({ "name": "sistema", "permissions": ["api_keys", "payment_links"] });
        match self.below(9) {
            0 => self.issue(None, Kind::Issuer, issuing).await,
            1 | 2 => {
                if let Some(issuer) = self.some(&[Kind::Issuer]) {
                    let body = json!({ "name": "caja", "permissions": ["payment_links"] });
                    self.issue(Some(issuer), Kind::Key, body).await;
                }
            }
            3 => {
                if let Some(person) = self.some(&[Kind::Person]) {
                    self.issue(Some(person), Kind::ClientKey, json!({ "name": "sucursal" })).await;
                }
            }
            4 => self.invite(Kind::Employee).await,
            5 => self.invite(Kind::Person).await,
            6 => self.rotate().await,
            _ => self.end().await,
        }
    }

    async fn issue(&mut self, issuer: Option<usize>, kind: Kind, body: Value) {
        let answer = self.caller(issuer).post("/auth/api-key", body).await.ok();
        let key = self.owner.issued(&answer["api_key"]);
        let (id, path) = (key.id.clone(), format!("/v1/api-keys/{}", key.id));
        let caller = Principal::clone(&key);
        self.things.push(Thing { kind, id, path, caller, issuer, lives: true });
    }

    async fn invite(&mut self, kind: Kind) {
        let inviter = self.some(&[Kind::Employee]);
        let (caller, number) = (self.caller(inviter), self.things.len());
        let email = format!("{number}.{}", self.owner.email);
        let invited = match kind {
            Kind::Person => Employee::of_client(&caller, &self.client, &email).await,
            _ => Employee::of(&caller, &email, &INVITES).await,
        };
        let (id, path) = (invited.id.clone(), invited.path());
        let caller = Principal::clone(&invited);
        self.things.push(Thing { kind, id, path, caller, issuer: inviter, lives: true });
    }

    /// Gives a key another text. Whoever gets that is its issuer.
    async fn rotate(&mut self) {
        let Some(number) = self.some(&[Kind::Issuer, Kind::ClientKey]) else { return };
        let by = match self.things[number].kind {
            Kind::ClientKey => self.some(&[Kind::Person]),
            _ => None,
        };
        let path = format!("{}/rotate", self.things[number].path);
        let answer = self.caller(by).post(&path, json!({})).await.ok();
        assert_eq!(ids(&answer["issued"]), self.issued(number));
        let caller = Principal::clone(&self.owner.issued(&answer["api_key"]));
        let former = replace(&mut self.things[number].caller, caller);
        former.get("/me").await.refused(401, "UNAUTHORIZED");
        self.things[number].issuer = by;
    }

    async fn end(&mut self) {
        let Some(last) = self.things.len().checked_sub(1) else { return };
        let (number, choice) = (self.below(last + 1), self.below(3));
        let issued = self.issued(number);
        let query = ["", "?with_issued=true", "?with_issued=false"][choice];
        let answer = self.owner.delete(&format!("{}{query}", self.things[number].path)).await;
        if choice == 0 && !issued.is_empty() {
            let facts = answer.refused(409, "CONFLICT")["facts"].clone();
            assert_eq!(
                (ids(&facts["issued"]), &facts["total"]),
                (issued.clone(), &json!(issued.len()))
            );
            return;
        }
        answer.ok();
        self.things[number].lives = false;
        for thing in self.things.iter_mut().filter(|it| choice == 1 && issued.contains(&it.id)) {
            thing.lives = false;
        }
    }

    /// Holds that what lives is let in, and nothing else.
    async fn hold(&self, after: usize) {
        for thing in &self.things {
            let status = if thing.lives { 200 } else { 401 };
            assert_eq!(thing.caller.get("/me").await.status, status, "{} after {after}", thing.id);
        }
        let listed = self.owner.get("/me/api-keys").await.ok();
        for key in listed["api_keys"].as_array().unwrap() {
            let Some(thing) = self.things.iter().find(|thing| key["id"] == *thing.id) else {
                continue;
            };
            let issuer = thing.issuer.map(|number| self.things[number].id.clone());
            assert_eq!(key["issued_by"]["id"], json!(issuer), "{key}");
        }
    }
}

fn ids(issued: &Value) -> BTreeSet<String> {
    let all = issued.as_array().unwrap().iter();
    all.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

both_engines! {
    async fn after_any_sequence_what_lives_is_what_the_model_says(mut app: TestApp) {
        for seed in 1..=3 {
            let owner = app.owner().await;
            let client = owner.client(true).await;
            let mut model = Model { owner, client, things: Vec::new(), state: seed };
            for step in 1..=STEPS {
                model.step().await;
                model.hold(step).await;
                if step == STEPS / 2 {
                    // Another process knows the same.
                    app.restart().await;
                    model.hold(step).await;
                }
            }
        }
    }
}
