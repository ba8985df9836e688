//! The connector against a server that answers as the bank does, ugly answers included.

mod keys;
mod no_tokens;
mod reading;
mod unreadable;

use std::collections::BTreeSet;
use std::sync::Mutex;

use bank::{Access, Credentials, Question, SIGHTINGS_MAX};
use domain::ids::{BankId, IdentityId, MovementId, OwnerId};
use domain::matching::{Movement, Query, Sighting, Verdict, find};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};
use egress::BaseUrl;
use serde_json::{Value, json};
use testkit::scripted::{Asked, Play, Scripted};

use self::no_tokens::NoTokens;
use super::connector::Bdv;
use super::extract::PAGE_ROWS;
use super::*;
use crate::Clock;

/// A Friday, at noon in Caracas.
const NOON: Timestamp = Timestamp::from_micros(1_795_190_400_000_000);

/// The settings that hold unless something else is said.
fn set(environment: Environment) -> Settings {
    Settings { environment, timeout: Duration::from_secs(30), interval: Duration::from_secs(2) }
}

/// Builds an account's credentials from this key.
fn credentials(key: &str) -> Credentials {
    Credentials::from_iter([(API_KEY.to_owned(), SecretText::from(key))])
}

/// A connector to the server, at a time that stands still.
fn connector(server: &Scripted, environment: Environment) -> Bdv {
    let wait: egress::Wait = Arc::new(|_| Box::pin(std::future::pending()));
    let base = BaseUrl::parse(&server.base_url()).unwrap();
    let client = BankClient::new(base, Arc::clone(&wait)).unwrap();
    Bdv::new(client, set(environment), Clock { now: Arc::new(|| NOON), wait })
}

fn query(text: &str) -> Query {
    Query::new(TypedReference::parse(text).unwrap())
}

fn on(day: &str, query: Query) -> Query {
    Query { paid_on: CaracasDate::parse(day).ok(), ..query }
}

/// Asks at noon, for a caller who asked at that instant, about a made-up account.
async fn ask_at(bank: &Bdv, query: &Query, asked_at: Timestamp) -> Answer {
    let account = AccountNumber::parse("01020000890000000001").unwrap();
    let credentials = credentials("made-up-key");
    let question = Question {
        owner: OwnerId::from_bytes([1; 16]),
        bank: BankId::from_bytes([2; 16]),
        identity: IdentityId::from_bytes([3; 16]),
        access: Some(Access { account: &account, phone: None, credentials: &credentials }),
        tokens: &NoTokens,
        query,
        notices: &[],
        is_strangers: false,
        asked_at,
        now: NOON,
    };
    bank.ask(question).await
}

/// Asks a bank that does this with every question.
async fn answer_to(play: Play, query: &Query) -> Answer {
    let server = Scripted::start(move |_| play.clone());
    ask_at(&connector(&server, Environment::Production), query, NOON).await
}

fn page(movements: &Value) -> String {
    let total = movements.as_array().map_or(0, Vec::len);
    let data = json!({ "totalOfMovements": total, "movs": movements });
    json!({ "code": "1000", "message": "Consulta exitosa", "data": data, "status": 200 })
        .to_string()
}

/// A credit by mobile payment from another bank.
fn credit(reference: &str, amount: &str) -> Value {
    json!({
        "referencia": reference,
        "descripcion": "PAGO MOVIL",
        "fecha": "2026-11-20",
        "hora": "0930",
        "mov": "CREDITO",
        "saldo": "217.947.805,89",
        "importe": amount,
        "nroMov": "10",
        "observacion": "PAGOMOVIL OTROS BANCOS 0134 04141234567",
    })
}

fn shown(answer: &Answer) -> &[Sighting] {
    match answer {
        Answer::Shown { sightings, .. } => sightings,
        other => panic!("nothing was shown: {other:?}"),
    }
}

/// That nothing is there which may be meant.
fn nothing() -> Answer {
    Answer::Shown { sightings: Vec::new(), is_complete: true }
}

/// Applies the matching rules to the movements shown.
fn verdict(answer: &Answer, query: &Query) -> Verdict {
    let movements: Vec<Movement> = (0..)
        .zip(shown(answer))
        .map(|(number, seen)| seen.clone().into_movement(MovementId::from_bytes([number; 16])))
        .collect();
    let window = query.window(CaracasDate::of(NOON), 2);
    find(query, Rule::Suffix { min_digits: 6 }, &movements, &window)
}

const FIRST: Verdict = Verdict::One(MovementId::from_bytes([0; 16]));

#[tokio::test]
async fn a_question_is_one_day_in_the_banks_form() {
    let server = Scripted::start(|_| Play::ok(page(&json!([]))));
    let bank = connector(&server, Environment::Production);
    let query = on("2026-11-01", query("912345"));
    assert_eq!(ask_at(&bank, &query, NOON).await, nothing());
    let asked = server.asked();
    let days: BTreeSet<String> = asked.iter().map(|one| one.body.clone()).collect();
    let day = |date: &str| {
        json!({
            "cuenta": "01020000890000000001",
            "fechaIni": date,
            "fechaFin": date,
            "tipoMoneda": "VES",
            "nroMovimiento": "",
        })
    };
    let bodies: Vec<Value> = days.iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    assert_eq!(bodies, [day("01/11/2026"), day("31/10/2026")], "the day and the one before");
    for one in &asked {
        assert_eq!(one.line, "POST /apis/bdv/consulta/movimientos");
        assert_eq!(one.header("x-api-key"), Some("made-up-key"));
        assert_eq!(one.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn the_banks_other_system_has_other_paths() {
    let server = Scripted::start(|_| Play::ok(page(&json!([]))));
    let bank = connector(&server, Environment::Quality);
    ask_at(&bank, &query("912345"), NOON).await;
    assert!(server.asked().iter().all(|one| one.line == "POST /apis/bdv/consulta/movimientos/v2"));
}

/// The days that a server was asked about, the latest last.
fn days_asked(asked: &[Asked]) -> BTreeSet<String> {
    let day = |asked: &Asked| {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(body["fechaIni"], body["fechaFin"], "a range of several days");
        body["fechaIni"].as_str().unwrap().to_owned()
    };
    asked.iter().map(day).collect()
}

#[tokio::test]
async fn without_a_day_the_last_three_of_caracas_are_searched() {
    // Four in the morning of the first of March in UTC is midnight in Caracas.
    let midnight = CaracasDate::parse("2026-03-01").unwrap().start();
    for (now, days) in [
        (midnight, ["01/03/2026", "27/02/2026", "28/02/2026"]),
        (midnight.minus(Duration::from_micros(1)), ["26/02/2026", "27/02/2026", "28/02/2026"]),
    ] {
        let server = Scripted::start(|_| Play::ok(page(&json!([]))));
        let bank = connector(&server, Environment::Production);
        ask_at(&bank, &query("912345"), now).await;
        assert_eq!(days_asked(&server.asked()), days.map(ToOwned::to_owned).into());
    }
}

#[tokio::test]
async fn the_first_day_of_the_calendar_has_none_before_it() {
    let server = Scripted::start(|_| Play::ok(page(&json!([]))));
    let bank = connector(&server, Environment::Production);
    ask_at(&bank, &on("2000-01-01", query("912345")), NOON).await;
    assert_eq!(days_asked(&server.asked()), ["01/01/2000".to_owned()].into());
}

/// A server that does this with a question about the one day; the others are empty.
fn on_the_day(play: Play) -> Scripted {
    Scripted::start(move |asked| {
        let is_the_day = asked.body.contains("\"20/11/2026\"");
        if is_the_day { play.clone() } else { Play::ok(page(&json!([]))) }
    })
}

async fn find_among(movements: Value, query: &Query) -> Answer {
    find_in(Play::ok(page(&movements)), query).await
}

async fn find_in(play: Play, query: &Query) -> Answer {
    ask_at(&connector(&on_the_day(play), Environment::Production), query, NOON).await
}

#[tokio::test]
async fn a_payment_is_found_by_its_last_digits_or_more_than_the_bank_shows() {
    let movements = json!([credit("0000012912345", "36.960,41"), credit("0000055555555", "1.0")]);
    for typed in ["912345", "12912345", "0012912345", "77712912345"] {
        let query = query(typed);
        let answer = find_among(movements.clone(), &query).await;
        let [seen] = shown(&answer) else { panic!("{typed}: {answer:?}") };
        assert_eq!(seen.reference.digits(), "12912345");
        assert_eq!(seen.amount, Bolivars::from_hundredths(3_696_041));
        assert_eq!(seen.paid_on.to_string(), "2026-11-20");
        assert_eq!(seen.paid_at.unwrap().to_string(), "2026-11-20T13:30:00.000Z");
        assert_eq!(seen.payer.bank.as_ref().unwrap().as_str(), "0134");
        assert_eq!(seen.payer.phone, Phone::parse("04141234567").ok());
        assert_eq!((&seen.payer.document, &seen.bank_key), (&None, &None));
        assert_eq!(verdict(&answer, &query), FIRST);
    }
}

#[tokio::test]
async fn what_went_out_is_never_shown() {
    let mut commission = credit("0099912912345", "-0.13");
    commission["mov"] = json!("DEBITO");
    let mut unsigned = credit("0088812912345", "0.13");
    unsigned["mov"] = json!("Débito");
    let (negative, nothing) = (credit("0077712912345", "-5.00"), credit("0066612912345", "0"));
    let movements =
        json!([credit("0000012912345", "42.50"), commission, unsigned, negative, nothing]);
    let answer = find_among(movements, &query("12912345")).await;
    assert_eq!(shown(&answer).len(), 1, "{answer:?}");
}

#[tokio::test]
async fn a_row_that_is_repeated_is_one_payment() {
    let mut again = credit("0000012912345", "42.50");
    again["nroMov"] = json!(11);
    again["importe"] = json!(42.5);
    again["hora"] = json!("0931");
    let mut other = credit("0000012912345", "42.50");
    other["observacion"] = json!("PAGOMOVIL OTROS BANCOS 0134 04167654321");
    let movements = json!([credit("0000012912345", "42.50"), again, other]);
    let answer = find_among(movements, &query("12912345")).await;
    assert_eq!(shown(&answer).len(), 2, "the third is another payer's: {answer:?}");
}

#[tokio::test]
async fn the_code_may_be_text_or_a_number() {
    let text = page(&json!([credit("0000012912345", "42.50")]));
    for body in [text.clone(), text.replace("\"1000\"", "1000"), format!("\u{feff}{text}")] {
        let query = query("912345");
        assert_eq!(verdict(&find_in(Play::ok(body), &query).await, &query), FIRST);
    }
}

#[tokio::test]
async fn the_body_counts_before_the_status() {
    let page = page(&json!([credit("0000012912345", "42.50")])).into_bytes();
    let query = query("912345");
    assert_eq!(verdict(&find_in(Play::Answer(500, page), &query).await, &query), FIRST);
}

#[tokio::test]
async fn whatever_goes_wrong_is_a_failure_of_its_kind_and_never_not_found() {
    let answer = |code: &str, message: &str| {
        Play::ok(json!({ "code": code, "message": message, "data": null }).to_string())
    };
    let status = |status: u16| Play::Answer(status, b"<html>Error</html>".to_vec());
    for (play, failure) in [
        (answer("1010", "Cliente no afiliado al producto"), Failure::RejectedCredentials),
        (answer("1001", "Llave"), Failure::RejectedCredentials),
        (answer("1010", "El campo cuenta es obligatorio"), Failure::InvalidInput),
        (answer("1010", "La cuenta no existe"), Failure::BadResponse),
        (answer("1010", ""), Failure::BadResponse),
        (answer("9999", "Sistema en mantenimiento"), Failure::Maintenance),
        (answer("1010", "En mantenimiento, no hay datos disponibles"), Failure::Maintenance),
        (answer("1010", "No afiliado: no hay datos"), Failure::RejectedCredentials),
        (answer("1000", "sin datos"), Failure::BadResponse),
        (answer("7", "?"), Failure::BadResponse),
        (
            Play::ok(page(&json!(null)).replace("Movements\":0", "Movements\":1")),
            Failure::BadResponse,
        ),
        (Play::ok(page(&json!(["row"]))), Failure::BadResponse),
        (
            Play::ok(page(&json!([])).replace("Movements\":0", "Movements\":250")),
            Failure::BadResponse,
        ),
        (Play::ok("<html>Estamos en mantenimiento</html>"), Failure::Maintenance),
        (Play::ok("<html>Bienvenido</html>"), Failure::BadResponse),
        (Play::ok(""), Failure::BadResponse),
        (Play::ok("{\"code\":\"1000\",\"data\":{\"movs\":[{\"refer"), Failure::BadResponse),
        (Play::ok(" ".repeat(egress::BODY_MAX + 1)), Failure::BadResponse),
        (status(400), Failure::InvalidInput),
        (status(401), Failure::RejectedCredentials),
        (status(403), Failure::Unavailable),
        (status(404), Failure::BadResponse),
        (status(429), Failure::RateLimited),
        (status(500), Failure::Unavailable),
        (status(503), Failure::Unavailable),
        (status(302), Failure::BadResponse),
        (Play::Bytes(Vec::new()), Failure::Unavailable),
        (
            Play::Bytes(b"HTTP/1.1 200 -\r\ncontent-length: 9\r\n\r\n{".to_vec()),
            Failure::Unavailable,
        ),
        (Play::Bytes(b"220 mail\r\n\r\n".to_vec()), Failure::BadResponse),
    ] {
        let shown = format!("{play:?}");
        let answer = answer_to(play, &query("912345")).await;
        let shown = shown.get(..80).unwrap_or(&shown);
        assert_eq!(answer, Answer::Failed(failure), "{shown}");
    }
}

#[tokio::test]
async fn a_bank_that_says_nothing_is_waited_for_and_then_timed_out() {
    let server = Scripted::start(|_| Play::Silence);
    // The wait for a page is over at once; all others never are.
    let wait: egress::Wait = Arc::new(|duration| {
        if duration == Duration::from_secs(30) {
            Box::pin(std::future::ready(()))
        } else {
            Box::pin(std::future::pending())
        }
    });
    let base = BaseUrl::parse(&server.base_url()).unwrap();
    let client = BankClient::new(base, Arc::clone(&wait)).unwrap();
    let bank =
        Bdv::new(client, set(Environment::Production), Clock { now: Arc::new(|| NOON), wait });
    let answer = ask_at(&bank, &query("912345"), NOON).await;
    assert_eq!(answer, Answer::Failed(Failure::TimedOut));
}

#[tokio::test]
async fn a_day_that_the_bank_says_is_empty_is_empty() {
    let none = page(&json!(null));
    assert_eq!(answer_to(Play::ok(none), &query("912345")).await, nothing());
    for message in ["No hay datos disponibles", "No hay movimientos"] {
        let body = json!({ "code": "1010", "message": message, "data": null }).to_string();
        assert_eq!(answer_to(Play::ok(body), &query("912345")).await, nothing());
    }
}

/// Between two customers of the bank the reference of the extract is not that of the receipt.
#[tokio::test]
async fn what_only_amount_and_document_speak_for_is_shown_and_not_confirmed() {
    let mut own = credit("0677200000111", "42.50");
    own["observacion"] = json!("PAGOMOVIL BDV V012345678 PRUEBA FICTICIA");
    let asked = |amount, document: &str| Query {
        amount: Some(Bolivars::from_hundredths(amount)),
        document: Document::parse(document).ok(),
        ..query("98765432")
    };
    let likely = asked(4_250, "V12345678");
    let answer = find_among(json!([own.clone()]), &likely).await;
    assert_eq!(shown(&answer).len(), 1);
    assert_eq!(verdict(&answer, &likely), Verdict::NotFound, "no rule takes it for the one meant");
    for unlikely in [asked(4_251, "V12345678"), asked(4_250, "V12345679"), query("98765432")] {
        let answer = find_among(json!([own.clone()]), &unlikely).await;
        assert_eq!(answer, nothing(), "{unlikely:?}");
    }
}

/// A bank of so many credits in a day, in pages.
fn paged(count: usize) -> Scripted {
    Scripted::start(move |asked| {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        if body["fechaIni"] != "20/11/2026" {
            return Play::ok(page(&json!([])));
        }
        let after = body["nroMovimiento"].as_str().unwrap();
        let begin = if after.is_empty() { 0 } else { after.parse::<usize>().unwrap() + 1 };
        let rows = (begin..count.min(begin + PAGE_ROWS)).map(|number| {
            let mut row = credit(&format!("1{number:012}"), "42.50");
            row["nroMov"] = json!(number);
            row["hora"] = json!(format!("{:02}{:02}", number / 60 % 24, number % 60));
            row
        });
        Play::ok(page(&rows.collect()))
    })
}

#[tokio::test]
async fn pages_are_followed_while_they_are_full() {
    for (count, pages) in [(0, 1), (99, 1), (100, 2), (101, 2), (250, 3)] {
        let server = paged(count);
        let bank = connector(&server, Environment::Production);
        let query = on("2026-11-20", query(&format!("1{:012}", count.saturating_sub(1))));
        let answer = ask_at(&bank, &query, NOON).await;
        assert_eq!(shown(&answer).len(), count.min(1), "{count}");
        // The day before is one page more.
        assert_eq!(server.asked().len(), pages + 1, "{count}");
    }
}

#[tokio::test]
async fn an_answer_has_no_more_than_the_port_takes() {
    let server = paged(1_000);
    let bank = connector(&server, Environment::Production);
    // Every hundredth row ends so; with an amount and a phone two digits may be asked for.
    let query = Query { paid_on: Some(CaracasDate::of(NOON)), ..query("7") };
    let answer = ask_at(&bank, &query, NOON).await;
    assert_eq!(shown(&answer).len(), SIGHTINGS_MAX);
}

#[tokio::test]
async fn many_who_ask_at_once_cost_one_look_at_each_day() {
    let server = on_the_day(Play::ok(page(&json!([credit("0000012912345", "42.50")]))));
    let bank = connector(&server, Environment::Production);
    let query = query("912345");
    let answers = futures_util::future::join_all((0..40).map(|_| ask_at(&bank, &query, NOON)));
    for answer in answers.await {
        assert_eq!(verdict(&answer, &query), FIRST);
    }
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn the_capabilities_are_those_of_the_manual() {
    let server = Scripted::start(|_| Play::Silence);
    let bank = connector(&server, Environment::Production);
    let capabilities = bank.capabilities();
    assert_eq!((capabilities.provider, capabilities.bank_code), ("BDV", Some("0102")));
    assert!(capabilities.livemode && bank.push().is_some());
    let alone: &[Requirement] = &[Requirement::ReferenceNumber];
    assert!(capabilities.questions.contains(&alone));
}

#[tokio::test]
async fn the_days_are_asked_about_side_by_side() {
    let (sender, requests) = std::sync::mpsc::channel();
    let sender = Mutex::new(sender);
    let gate = Arc::new(std::sync::Barrier::new(3));
    let server = Scripted::start(move |_| {
        sender.lock().unwrap().send(()).unwrap();
        // Nobody is answered before all three have asked.
        gate.wait();
        Play::ok(page(&json!([])))
    });
    let bank = connector(&server, Environment::Production);
    assert_eq!(ask_at(&bank, &query("912345"), NOON).await, nothing());
    assert_eq!(requests.try_iter().count(), 3);
}
