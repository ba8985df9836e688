//! The connector against a server that answers as the bank does, ugly answers included.

use bank::{Access, Credentials, Getting, Obtaining, Question, Token, Tokens};
use domain::ids::{BankId, IdentityId, OwnerId};
use domain::matching::Query;
use domain::payer::{AccountNumber, BankCode, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};
use egress::BaseUrl;
use serde_json::{Value, json};
use testkit::scripted::{Asked, Play, Scripted};
use tokio::sync::Mutex;

use super::*;
use crate::Clock;

/// A Friday, at noon in Caracas.
const NOON: Timestamp = Timestamp::from_micros(1_795_190_400_000_000);

/// A place of a token, without a store: one asks the bank while the others wait.
#[derive(Clone, Debug, Default)]
struct Place(Arc<Mutex<(i64, Option<Token>)>>);

impl Place {
    async fn get(&self, stale: Option<i64>, obtain: Obtaining) -> Result<Token, Failure> {
        let mut kept = self.0.lock().await;
        if let Some(token) = kept.1.clone().filter(|token| stale != Some(token.generation())) {
            return Ok(token);
        }
        kept.1 = None;
        let token = Token::new(obtain.await?.secret, kept.0 + 1);
        *kept = (token.generation(), Some(token.clone()));
        Ok(token)
    }
}

impl Tokens for Place {
    fn current(&self, obtain: Obtaining) -> Getting<'_> {
        Box::pin(self.get(None, obtain))
    }

    fn renew(&self, stale: &Token, obtain: Obtaining) -> Getting<'_> {
        Box::pin(self.get(Some(stale.generation()), obtain))
    }

    fn share(&self) -> Arc<dyn Tokens> {
        Arc::new(self.clone())
    }
}

fn connector(server: &Scripted) -> Bancamiga {
    let wait: Wait = Arc::new(|_| Box::pin(std::future::pending()));
    let base = BaseUrl::parse(&server.base_url()).unwrap();
    let client = BankClient::new(base, Arc::clone(&wait)).unwrap();
    let settings =
        Settings { timeout: Duration::from_secs(30), interval: Duration::from_secs(600) };
    Bancamiga::new(client, settings, Clock { now: Arc::new(|| NOON), wait })
}

/// Asks about the day alone, for a made-up account.
async fn ask(bank: &Bancamiga, tokens: &Place, query: &Query) -> Answer {
    let account = AccountNumber::parse("01720000390000000001").unwrap();
    let phone = Phone::parse("04120000001").unwrap();
    let facts = [(ACCESS_TOKEN, "made-up-access"), (REFRESH_TOKEN, "made-up-refresh")];
    let credentials: Credentials =
        facts.map(|(name, value)| (name.to_owned(), SecretText::from(value))).into_iter().collect();
    let question = Question {
        owner: OwnerId::from_bytes([1; 16]),
        bank: BankId::from_bytes([2; 16]),
        identity: IdentityId::from_bytes([3; 16]),
        access: Some(Access { account: &account, phone: Some(&phone), credentials: &credentials }),
        tokens,
        query,
        notices: &[],
        is_strangers: false,
        asked_at: NOON,
        now: NOON,
    };
    bank.ask(question).await
}

fn by_list(text: &str) -> Query {
    let paid_on = CaracasDate::parse("2026-11-20").ok();
    Query { paid_on, ..Query::new(TypedReference::parse(text).unwrap()) }
}

fn by_payer(text: &str) -> Query {
    Query {
        phone: Phone::parse("04140000002").ok(),
        bank_origin: BankCode::parse("0134").ok(),
        ..by_list(text)
    }
}

fn list(rows: &Value) -> String {
    let num = rows.as_array().map_or(0, Vec::len);
    json!({ "code": 200, "lista": rows, "mod": "find", "num": num }).to_string()
}

/// A row in the form of the bank's samples, with made-up facts.
fn row(reference: &str, amount: &Value) -> Value {
    json!({
        "ID": "00000000-0000-4000-8000-000000000001", "created_at": "2026-11-20T08:01:10-04:00",
        "update_at": "2026-11-20T08:01:10-04:00", "deleted_at": null, "Dni": "J123456784",
        "PhoneDest": "584120000001", "PhoneOrig": "584140000002", "Amount": amount,
        "BancoOrig": "0134", "NroReferenciaCorto": reference.get(6..).unwrap(),
        "NroReferencia": reference, "HoraMovimiento": "08:01:09",
        "FechaMovimiento": "2026-11-20", "Descripcion": "PAGO", "Status": "600",
        "Refpk": "202611200134584140000002912345", "Ref": 79_912_345,
    })
}

/// A server that does this with a question about the one day; the others are empty.
fn on_the_day(play: Play) -> Scripted {
    Scripted::start(move |asked| {
        let is_the_day = asked.body.contains("\"2026-11-20\"");
        if is_the_day { play.clone() } else { Play::ok(list(&json!(null))) }
    })
}

async fn answer_to(play: Play, query: &Query) -> Answer {
    ask(&connector(&on_the_day(play)), &Place::default(), query).await
}

fn references(answer: &Answer) -> Vec<String> {
    let Answer::Shown { sightings, .. } = answer else { panic!("nothing was shown: {answer:?}") };
    sightings.iter().map(|seen| seen.reference.shown().to_owned()).collect()
}

#[tokio::test]
async fn a_payer_is_asked_about_by_phone_bank_and_day() {
    let server = on_the_day(Play::ok(list(&json!([row("000079912345", &json!(5.64))]))));
    let bank = connector(&server);
    for typed in ["912345", "79912345", "000079912345"] {
        let answer = ask(&bank, &Place::default(), &by_payer(typed)).await;
        assert_eq!(references(&answer), ["000079912345"], "{typed}");
    }
    assert!(references(&ask(&bank, &Place::default(), &by_payer("812345")).await).is_empty());
    let asked = server.asked();
    assert!(asked.iter().all(|one| one.line == "POST /public/protected/pm/find"));
    let bearer = Some("Bearer made-up-access");
    assert!(asked.iter().all(|one| one.header("authorization") == bearer));
    let expected = json!({ "Phone": "584140000002", "Bank": "0134", "Date": "2026-11-20" });
    let body = |one: &Asked| serde_json::from_str::<Value>(&one.body).unwrap();
    assert!(asked.iter().any(|one| body(one) == expected));
}

#[tokio::test]
async fn a_row_is_read_as_the_bank_writes_it() {
    let play = Play::ok(list(&json!([row("000079912345", &json!("5.64"))])));
    let Answer::Shown { sightings, .. } = answer_to(play, &by_payer("912345")).await else {
        panic!("nothing was shown")
    };
    let seen = &sightings[0];
    assert_eq!(seen.amount.hundredths(), 564);
    assert_eq!(seen.paid_at.unwrap().to_string(), "2026-11-20T12:01:09.000Z");
    assert_eq!(seen.payer.bank.as_ref().unwrap().as_str(), "0134");
    assert_eq!(seen.payer.phone, Phone::parse("04140000002").ok());
    assert_eq!((&seen.payer.document, &seen.bank_key), (&None, &None), "Dni is the receiver's");
}

#[tokio::test]
async fn what_was_taken_back_or_went_to_another_phone_is_not_there() {
    for (field, value) in
        [("deleted_at", json!("2026-11-20T09:00:00-04:00")), ("PhoneDest", json!("584120000009"))]
    {
        let mut row = row("000079912345", &json!(5.64));
        row[field] = value;
        let answer = answer_to(Play::ok(list(&json!([row]))), &by_payer("912345")).await;
        assert!(references(&answer).is_empty(), "{field}");
    }
}

#[tokio::test]
async fn whatever_goes_wrong_is_a_failure_of_its_kind_and_never_not_found() {
    let code = |code: u16, text: &str| {
        Play::ok(json!({ "code": code, "mensaje": text, "mod": "find" }).to_string())
    };
    let status = |status: u16| Play::Answer(status, b"<html>Error</html>".to_vec());
    let with = |field: &str, value: Value| {
        let mut row = row("000079912345", &json!(5.64));
        row[field] = value;
        Play::ok(list(&json!([row])))
    };
    for (play, failure) in [
        (code(511, "Formato"), Failure::InvalidInput),
        (code(551, "Bank"), Failure::InvalidInput),
        (code(552, "Phone"), Failure::InvalidInput),
        (code(553, "Date"), Failure::InvalidInput),
        (code(201, "Clave vencida"), Failure::RejectedCredentials),
        (code(429, "Espere"), Failure::RateLimited),
        (code(500, "En mantenimiento"), Failure::Maintenance),
        (code(7_777, ""), Failure::BadResponse),
        (
            Play::Answer(503, br#"{"code":503,"message":"Service Unavailable"}"#.to_vec()),
            Failure::Unavailable,
        ),
        (Play::ok(r#"{"code":200,"lista":null,"num":3}"#), Failure::BadResponse),
        (Play::ok(r#"{"code":200,"lista":{},"num":0}"#), Failure::BadResponse),
        (Play::ok("{\"code\":200,\"lista\":[{\"ID"), Failure::BadResponse),
        (Play::ok("<html>Estamos en mantenimiento</html>"), Failure::Maintenance),
        (Play::ok("<html>Bienvenido</html>"), Failure::BadResponse),
        (status(403), Failure::Unavailable),
        (status(429), Failure::RateLimited),
        (status(500), Failure::Unavailable),
        // Another question's answer, and rows that may be the one that is meant.
        (with("FechaMovimiento", json!("2026-11-18")), Failure::BadResponse),
        (with("PhoneOrig", json!("584140000009")), Failure::BadResponse),
        (with("BancoOrig", json!("0102")), Failure::BadResponse),
        (with("Amount", json!("***")), Failure::BadResponse),
        (with("NroReferencia", json!("?")), Failure::BadResponse),
        (with("NroReferenciaCorto", json!("999999")), Failure::BadResponse),
        (Play::Bytes(Vec::new()), Failure::Unavailable),
    ] {
        let shown = format!("{play:?}");
        let answer = answer_to(play, &by_payer("912345")).await;
        assert_eq!(answer, Answer::Failed(failure), "{shown}");
    }
}

/// A bank that takes the second access token alone.
fn renewing() -> Scripted {
    Scripted::start(|asked| match asked.header("authorization") {
        Some("Bearer made-up-access") if asked.line.ends_with("/re/refresh") => Play::ok(
            json!({
                "code": 200, "mod": "users", "mensaje": "", "expireDate": 1_826_726_400,
                "token": "made-up-second", "refresToken": "made-up-refresh-2",
            })
            .to_string(),
        ),
        Some("Bearer made-up-second") if asked.body.contains("2026-11-20") => {
            Play::ok(list(&json!([row("000079912345", &json!(5.64))])))
        }
        Some("Bearer made-up-second") => Play::ok(list(&json!(null))),
        _ => Play::ok(json!({ "code": 512, "mensaje": "Token", "mod": "find" }).to_string()),
    })
}

#[tokio::test]
async fn a_token_that_is_over_is_renewed_once_and_the_next_one_is_kept() {
    let (server, tokens) = (renewing(), Place::default());
    let bank = connector(&server);
    for _ in 0..2 {
        let answer = ask(&bank, &tokens, &by_payer("912345")).await;
        assert_eq!(references(&answer), ["000079912345"]);
    }
    let asked = server.asked();
    let renewals = asked.iter().filter(|one| one.line.ends_with("/re/refresh"));
    let renewals: Vec<&Asked> = renewals.collect();
    assert_eq!(renewals.len(), 1);
    assert_eq!(renewals[0].body, r#"{"refresh_token":"made-up-refresh"}"#);
}

#[tokio::test]
async fn a_token_that_cannot_be_renewed_is_refused_and_never_not_found() {
    let refused = || json!({ "code": 512, "mensaje": "Token", "mod": "find" }).to_string();
    let server = Scripted::start(move |_| Play::ok(refused()));
    let answer = ask(&connector(&server), &Place::default(), &by_payer("912345")).await;
    assert_eq!(answer, Answer::Failed(Failure::RejectedCredentials));
    // Where the bank does not say, the pair is kept for the next question.
    let server = Scripted::start(move |asked| {
        let is_renewal = asked.line.ends_with("/re/refresh");
        if is_renewal { Play::Answer(500, Vec::new()) } else { Play::ok(refused()) }
    });
    let tokens = Place::default();
    let answer = ask(&connector(&server), &tokens, &by_payer("912345")).await;
    assert_eq!(answer, Answer::Failed(Failure::Unavailable));
    assert!(tokens.0.lock().await.1.is_some());
}

#[tokio::test]
async fn without_a_payer_the_list_of_the_day_is_asked_for_once_and_says_only_what_is_there() {
    let server = on_the_day(Play::ok(list(&json!([row("000079912345", &json!(5.64))]))));
    let (bank, tokens) = (connector(&server), Place::default());
    for _ in 0..3 {
        let answer = ask(&bank, &tokens, &by_list("79912345")).await;
        assert_eq!(references(&answer), ["000079912345"]);
        let missing = ask(&bank, &tokens, &by_list("88800001")).await;
        assert_eq!(missing, Answer::Failed(Failure::Unavailable), "the day before was not read");
    }
    let lines: Vec<String> = server.asked().into_iter().map(|one| one.line).collect();
    assert_eq!(lines, ["POST /public/protected/pm/history/find"]);
}
