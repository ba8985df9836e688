//! A bank that is asked by a token: a connector gets it with the question, and no question logs in that need not.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bank::{
    Access, Asking, Bank, Capabilities, Checking, CredentialFact, Field, Format, IssuedToken,
    Label, Obtaining, Question, Requirement,
};
use domain::matching::{MovementKind, Rule};
use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::verification::{Answer, Failure};
use serde_json::{Value, json};
use store::tx::Tx;
use store::{Meter, bank_access, bank_tokens};

use super::world::{World, request};

const SECRET: &str = "secret";

static CAPABILITIES: Capabilities = Capabilities {
    provider: "MADE_UP",
    wire_name: "VE_BAN_MADE_UP",
    platform: "Banco imaginario",
    bank_code: Some("0199"),
    livemode: false,
    rule: Rule::Exact,
    questions: &[&[Requirement::ReferenceNumber]],
    payer_facts: &[],
    days_back: 2,
    deadline: Duration::from_secs(60),
    credentials: &[
        CredentialFact {
            name: "account",
            field: Field::Metadata("ACCOUNT_NUMBER"),
            label: Label { es: "el número de la cuenta", en: "the account's number" },
            is_secret: false,
            format: Format::AccountNumber,
            max_len: 20,
            is_required: true,
        },
        CredentialFact {
            name: SECRET,
            field: Field::Password,
            label: Label { es: "la contraseña", en: "the password" },
            is_secret: true,
            format: Format::Text,
            max_len: 12,
            is_required: true,
        },
    ],
    verifies: &MovementKind::ALL,
    has_same_bank_references: false,
};

/// The bank, on the other side of the line.
#[derive(Debug, Default)]
struct Server {
    /// The secrets of all logins.
    logins: Vec<String>,
    /// The number of the first login whose token is still good.
    good_from: usize,
    /// Whether nobody can log in.
    is_down: bool,
    questions: usize,
}

/// A connector to it, as one of a bank that gives tokens.
#[derive(Debug, Default)]
struct Connector(Arc<Mutex<Server>>);

impl Connector {
    fn login(&self, access: Access<'_>) -> Result<Obtaining, Failure> {
        let secret = access.credentials.get(SECRET).ok_or(Failure::RejectedCredentials)?;
        let (server, secret) = (Arc::clone(&self.0), secret.expose().to_owned());
        Ok(Box::pin(async move {
            let mut server = server.lock().unwrap();
            if server.is_down {
                return Err(Failure::Unavailable);
            }
            server.logins.push(secret);
            let secret = SecretText::new(format!("token {}", server.logins.len()));
            Ok(IssuedToken { secret, expires_at: None })
        }))
    }

    /// Tells whether the bank accepts that token, and counts the question.
    fn shows(&self, token: &SecretText) -> bool {
        let mut server = self.0.lock().unwrap();
        server.questions += 1;
        let number = token.expose().split_once(' ').map(|(_, number)| number.parse::<usize>());
        matches!(number, Some(Ok(number)) if number >= server.good_from)
    }

    /// A token that the bank refuses is renewed once; one that it refuses at once is no token's fault.
    async fn answer(&self, question: Question<'_>) -> Result<Answer, Failure> {
        let access = question.access.ok_or(Failure::RejectedCredentials)?;
        let token = question.tokens.current(self.login(access)?).await?;
        if !self.shows(token.secret()) {
            let token = question.tokens.renew(&token, self.login(access)?).await?;
            if !self.shows(token.secret()) {
                return Err(Failure::RejectedCredentials);
            }
        }
        Ok(Answer::Shown { sightings: Vec::new(), is_complete: true })
    }

    fn server<T>(&self, look: impl FnOnce(&mut Server) -> T) -> T {
        look(&mut self.0.lock().unwrap())
    }
}

impl Bank for Connector {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(async move { self.answer(question).await.unwrap_or_else(Answer::Failed) })
    }

    fn check_access<'a>(&'a self, access: Access<'a>, _: Timestamp) -> Checking<'a> {
        Box::pin(async move { self.login(access)?.await.map(drop) })
    }
}

/// A service with a linked account, whose link was one login.
async fn linked() -> (World, Arc<Connector>, String) {
    let bank = Arc::new(Connector::default());
    let world = World::with_bank(Some(Arc::clone(&bank) as Arc<dyn Bank>)).await;
    let body = json!({
        "bank_provider": "VE_BAN_MADE_UP",
        "password": "first",
        "metadata": [{ "key_name": "account_number", "key_value": "01990000890000000001" }],
    });
    let linked = world.post(&world.key(), "/usersbank", &body.to_string()).await;
    assert_eq!(linked.status, 200, "{linked:?}");
    assert_eq!(bank.server(|server| server.logins.len()), 1);
    let id = linked.body["userbank"]["id"].as_str().unwrap().to_owned();
    (world, bank, id)
}

/// Asks about another payment each time.
async fn verify(world: &World, id: &str, reference: u32) -> Value {
    let body = json!({ "bank_reference": reference.to_string() }).to_string();
    let answer = world.post(&world.key(), &format!("/userbankpayment/{id}/betaserio"), &body).await;
    answer.body["error"].clone()
}

async fn change_secret(world: &World, id: &str, secret: &str) {
    let session = world.session().await;
    let (path, body) =
        (format!("/v1/usersbank/{id}/change-secret"), json!({ "secret": secret }).to_string());
    let changed = world.ask(request("PUT", &path, &[("Authorization", &session)], &body)).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

/// The generation of the token that is kept for the account.
async fn kept(world: &World, id: &str) -> Option<i64> {
    let (owner, bank) = (world.owner.owner, id.parse().unwrap());
    let look = move |tx: &mut Tx<'_>| {
        let Some(access) = bank_access::find(tx, owner, bank)? else { return Ok(None) };
        let credentials = access.sealed.as_slice();
        bank_tokens::find(tx, bank_tokens::Reached { owner, bank, credentials })
    };
    let state = world.store().look_up(&Meter::default(), look).await.unwrap();
    state.and_then(|state| state.token.map(|_| state.fence))
}

#[tokio::test]
async fn however_many_ask_the_account_is_logged_in_to_once() {
    let (world, bank, id) = linked().await;
    let (first, second, third) =
        tokio::join!(verify(&world, &id, 111_111), verify(&world, &id, 222_222), async {
            verify(&world, &id, 333_333).await;
            verify(&world, &id, 444_444).await
        });
    for error in [first, second, third] {
        assert_eq!(error, "PAYMENT_NOT_FOUND");
    }
    // One for the link, one for all questions.
    assert_eq!(bank.server(|server| (server.logins.len(), server.questions)), (2, 4));
}

#[tokio::test]
async fn a_token_that_the_bank_ends_is_renewed_once_and_no_more() {
    let (world, bank, id) = linked().await;
    verify(&world, &id, 111_111).await;
    bank.server(|server| server.good_from = 3);
    assert_eq!(verify(&world, &id, 222_222).await, "PAYMENT_NOT_FOUND");
    assert_eq!(verify(&world, &id, 333_333).await, "PAYMENT_NOT_FOUND");
    assert_eq!(bank.server(|server| server.logins.len()), 3);
    // A bank that refuses what it has just given refuses the credentials.
    bank.server(|server| server.good_from = 99);
    assert_eq!(verify(&world, &id, 444_444).await, "USER_BANCK_BAD_PASSWORD");
    assert_eq!(bank.server(|server| server.logins.len()), 4);
}

#[tokio::test]
async fn a_bank_that_gives_no_token_has_said_nothing_of_the_payment() {
    let (world, bank, id) = linked().await;
    bank.server(|server| server.is_down = true);
    assert_eq!(verify(&world, &id, 111_111).await, "BANK_NOT_AVAILABLE");
    bank.server(|server| server.is_down = false);
    assert_eq!(verify(&world, &id, 111_111).await, "PAYMENT_NOT_FOUND");
}

#[tokio::test]
async fn a_changed_secret_and_the_trash_leave_no_token() {
    let (world, bank, id) = linked().await;
    verify(&world, &id, 111_111).await;
    assert_eq!(kept(&world, &id).await, Some(1));
    change_secret(&world, &id, "second").await;
    assert_eq!(kept(&world, &id).await, None);
    verify(&world, &id, 222_222).await;
    assert_eq!(kept(&world, &id).await, Some(1));
    // The link and the change were one each.
    assert_eq!(bank.server(|server| server.logins.clone()), ["first", "first", "second", "second"]);
    let path = format!("/usersbank/{id}/to-trash");
    let key = world.key();
    let trashed = world.ask(request("DELETE", &path, &[("appKey", &key)], "")).await;
    assert_eq!(trashed.status, 200, "{trashed:?}");
    assert_eq!(kept(&world, &id).await, None);
}
