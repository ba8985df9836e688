//! The address that publishes exchange rates: asked by one node at a time, and believed as far as it goes.

use std::time::Duration;

use app::admin::{NewRate, Operator, Recorded, Recording, record_rates};
use app::rate_address::{POLL_INTERVAL, RateAddress, pass, standing};
use domain::links::Currency;
use domain::rates::{Rate, RateDays, RateSource};
use domain::time::{CaracasDate, Timestamp};
use egress::{RatesClient, RatesUrl};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use store::Meter;
use testkit::bank::{FaultKind, SimulatedBank};
use testkit::database::Database;
use testkit::{Engine, Owner, Setup, TestApp, both_engines};

const PATH: &str = "/exchange/rate";

/// How often the address is asked, and again after a failure; how long its answer may take.
const ASK_INTERVAL: Duration = Duration::from_secs(600);
const ADDRESS_RETRY_DELAY: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(10);

/// The dollar of that day, published at five in the afternoon of the day before.
fn dollar(rate: &str, published: &str, value_date: &str) -> Value {
    json!({
        "currency": "USD",
        "rate": rate,
        "value_date": value_date,
        "published_at": format!("{published}T17:00:00-04:00"),
        "source": "BCV",
    })
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// That of Friday, 20 November 2026, on which the clock stands at eight in the morning.
fn friday() -> Value {
    dollar("870.1", "2026-11-19", "2026-11-20")
}

async fn start(setup: Setup, rates: Vec<Value>) -> (SimulatedBank, TestApp, Owner) {
    let bank = SimulatedBank::open().await;
    bank.set_rates(rates);
    let app = setup.with_rates_of(&bank).start().await;
    looked(&app).await;
    let owner = app.owner().await;
    // The first rate of all is taken when it is reported again.
    owner.key.get(PATH).await.refused(409, "RATE_NOT_AVAILABLE");
    after(&app, ASK_INTERVAL).await;
    (bank, app, owner)
}

/// Returns once the service has looked, and waits to look again.
async fn looked(app: &TestApp) {
    app.clock().is_awaited(app.now().plus(POLL_INTERVAL)).await;
}

/// Lets a time pass, and the service look.
async fn after(app: &TestApp, time: Duration) {
    app.clock().advance(time);
    looked(app).await;
}

async fn price(owner: &Owner) -> Value {
    owner.key.get(PATH).await.ok()["price"].clone()
}

fn rows(app: &TestApp) -> i64 {
    app.database().number("select count(*) from exchange_rates")
}

/// Lists the doubtful rates, and the problem of the address.
async fn trouble(app: &TestApp) -> (Vec<String>, Option<String>) {
    let now = app.now();
    let look = move |tx: &mut store::tx::Tx<'_>| standing(tx, now);
    let standing = app.app().store.look_up(&Meter::default(), look).await.unwrap();
    let doubtful = standing.doubtful.iter().map(|rate| rate.rate.to_string()).collect();
    (doubtful, standing.address.unwrap().problem.map(|(problem, _)| problem))
}

/// Records the operator's rate of the dollar for a day.
async fn record(app: &TestApp, rate: &str, day: &str) -> Recorded {
    let rate = NewRate {
        currency: Currency::Usd,
        rate: Rate::parse(rate).unwrap(),
        days: RateDays { first: CaracasDate::parse(day).unwrap(), last: None },
        published_at: None,
        source: RateSource::parse("BCV").unwrap(),
    };
    let recording = Recording { accepts_jumps: true, is_import: false };
    record_rates(&Operator::of(app.app()), vec![rate], recording).await.unwrap()
}

both_engines! {
    async fn what_the_address_answers_is_recorded_as_it_was_published(setup: Setup) {
        let mut euro = dollar("977,21940000", "2026-11-19", "2026-11-20");
        euro["currency"] = json!("EUR");
        euro["until"] = json!("2026-11-22");
        let (bank, app, owner) = start(setup, vec![friday(), euro]).await;
        let body = owner.key.get(PATH).await.ok();
        assert_eq!(body["rates"], json!({ "USD": 870.1, "EUR": 977.2194 }), "{body}");
        let known = (&body["value_date"], &body["source"], &body["age_seconds"]);
        assert_eq!(known, (&json!("2026-11-20"), &json!("BCV"), &json!(15 * 3_600 + 600)));
        // It is not asked at every look, and what is published again is no new row.
        after(&app, ASK_INTERVAL - POLL_INTERVAL).await;
        assert_eq!(bank.rates_asked(), 2);
        after(&app, POLL_INTERVAL).await;
        assert_eq!((bank.rates_asked(), rows(&app)), (3, 2));
        // A correction is a row of its own.
        bank.set_rates(vec![dollar("870.2", "2026-11-19", "2026-11-20")]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!((price(&owner).await, rows(&app)), (json!(870.2), 3));
        let text = String::from_utf8(app.nobody().get("/metrics").await.body.to_vec()).unwrap();
        let line = "cotejo_rate_published_timestamp_seconds{currency=\"USD\"} ";
        assert!(text.contains(line), "{text}");
    }

    async fn the_form_that_the_guide_shows_is_understood(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        for page in ["operar.md", "operate.md"] {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/");
            let guide = std::fs::read_to_string(format!("{root}{page}")).unwrap();
            let block = guide.split("```json rates\n").nth(1).unwrap().split("```").next().unwrap();
            let block: Value = serde_json::from_str(block).unwrap();
            bank.set_rates(block["rates"].as_array().unwrap().clone());
            after(&app, Duration::from_hours(72)).await;
            assert_eq!(price(&owner).await, json!(872.3927), "{page}");
            assert_eq!(trouble(&app).await, (vec![], None), "{page}");
        }
    }

    async fn a_late_address_leaves_the_last_rate_for_a_week_and_then_none(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        // Monday has a rate of its own, which is not published; then a week is over.
        for day in 0..6 {
            after(&app, Duration::from_hours(24)).await;
            assert_eq!(price(&owner).await, json!(870.1), "{day}");
        }
        after(&app, Duration::from_hours(24)).await;
        owner.key.get(PATH).await.refused(409, "RATE_NOT_AVAILABLE");
        assert_eq!(trouble(&app).await, (vec![], None), "it answers, and tells what is old");
        bank.set_rates(vec![friday(), dollar("889", "2026-11-26", "2026-11-27")]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(price(&owner).await, json!(889.0));
    }

    async fn while_the_address_is_down_or_wrong_nothing_changes_and_it_is_said(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        for (kind, problem) in [
            (FaultKind::Http500, "it answered with status 500"),
            (FaultKind::Maintenance, "it answered with status 503"),
            (FaultKind::Html, "its answer is not as documented"),
            (FaultKind::TruncatedJson, "its answer is not as documented"),
            (FaultKind::UnknownCode, "its answer is not as documented"),
            (FaultKind::Reset, "the connection ended"),
        ] {
            bank.fail_rates(Some(kind));
            let asked = bank.rates_asked();
            after(&app, if kind == FaultKind::Http500 { ASK_INTERVAL } else { ADDRESS_RETRY_DELAY }).await;
            let (_, found) = trouble(&app).await;
            assert!(found.as_deref().unwrap().starts_with(problem), "{kind:?}: {found:?}");
            assert_eq!((bank.rates_asked(), price(&owner).await), (asked + 1, json!(870.1)));
        }
        // One that never answers is not waited for longer than it may take.
        bank.fail_rates(Some(FaultKind::Timeout));
        app.clock().advance(ADDRESS_RETRY_DELAY);
        app.clock().is_awaited(app.now().plus(TIMEOUT)).await;
        after(&app, TIMEOUT).await;
        assert_eq!(trouble(&app).await.1.as_deref(), Some("no answer in time"));
        // A rate that is none, beside one that is right: neither is taken.
        bank.fail_rates(None);
        bank.set_rates(vec![dollar("871", "2026-11-19", "2026-11-20"), dollar("1.872,39", "2026-11-20", "2026-11-23")]);
        after(&app, ADDRESS_RETRY_DELAY).await;
        let found = trouble(&app).await.1.unwrap();
        assert!(found.starts_with("rates[1].rate: "), "{found}");
        assert_eq!((price(&owner).await, rows(&app)), (json!(870.1), 1));
        bank.set_rates(vec![dollar("871", "2026-11-19", "2026-11-20")]);
        after(&app, ADDRESS_RETRY_DELAY).await;
        assert_eq!((price(&owner).await, trouble(&app).await), (json!(871.0), (vec![], None)));
    }

    async fn a_jump_is_not_taken_until_the_operator_records_it(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        let (next, then) = (dollar("8723.9", "2026-11-20", "2026-11-21"), dollar("875", "2026-11-21", "2026-11-22"));
        bank.set_rates(vec![friday(), next.clone()]);
        after(&app, Duration::from_hours(24)).await;
        assert_eq!((price(&owner).await, rows(&app)), (json!(870.1), 1));
        assert_eq!(trouble(&app).await, (vec!["8723.90".to_owned()], None));
        // The service says so as often as it is asked, and a start changes nothing.
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["8723.90"]);
        // It was right: the money was changed. From then on rates are compared with that.
        record(&app, "8723.9", "2026-11-21").await;
        assert_eq!((price(&owner).await, trouble(&app).await.0.len()), (json!(8723.9), 0));
        bank.set_rates(vec![next, dollar("8750", "2026-11-21", "2026-11-22")]);
        after(&app, Duration::from_hours(24)).await;
        assert_eq!((price(&owner).await, trouble(&app).await.0.len()), (json!(8750.0), 0));
        // It was wrong: what the operator says of a day holds, whatever is published of it.
        bank.set_rates(vec![then]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!((price(&owner).await, trouble(&app).await.0), (json!(8750.0), vec!["875.00".to_owned()]));
        record(&app, "8760", "2026-11-22").await;
        after(&app, ASK_INTERVAL).await;
        assert_eq!((price(&owner).await, trouble(&app).await.0.len()), (json!(8760.0), 0));
    }

    async fn each_day_that_is_doubtful_waits_by_itself(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        let day = |rate, day: u32| dollar(rate, "2026-11-19", &format!("2026-11-{day}"));
        bank.set_rates(vec![day("8701", 20), day("8723.9", 21), day("875", 22)]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["8701.00", "8723.90"]);
        assert_eq!((price(&owner).await, rows(&app)), (json!(870.1), 2));
        // What is published again is as it was, and another rate of the day takes the place of the former.
        bank.set_rates(vec![day("8701", 20), day("8724", 21), day("875", 22)]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["8701.00", "8724.00"]);
        // An answer that says nothing of a day leaves its doubt, until the rate of a later day serves.
        bank.set_rates(vec![day("875", 22)]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["8701.00", "8724.00"]);
        app.clock().advance_to(at("2026-11-22T00:00:00-04:00"));
        looked(&app).await;
        assert_eq!((price(&owner).await, trouble(&app).await.0.len()), (json!(875.0), 0));
    }

    async fn small_steps_lead_no_further_than_one_great_one(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        // Corrections of one day are compared with what was said of it first.
        for (published, serves, doubts) in [("930", 930.0, vec![]), ("990", 930.0, vec!["990.00".to_owned()]), ("900", 900.0, vec![])] {
            bank.set_rates(vec![dollar(published, "2026-11-19", "2026-11-20")]);
            after(&app, ASK_INTERVAL).await;
            assert_eq!((price(&owner).await, trouble(&app).await.0), (json!(serves), doubts), "{published}");
        }
        // And with the day before: 1070 is near the 980 that it corrects, and far from 900.
        for (published, doubts) in [("980", 0), ("1070", 1), ("980", 0)] {
            bank.set_rates(vec![dollar(published, "2026-11-19", "2026-11-21")]);
            after(&app, ASK_INTERVAL).await;
            assert_eq!(trouble(&app).await.0.len(), doubts, "{published}");
        }
        // The days of one answer are compared with what was known before it, however often they are published.
        let days = vec![
            dollar("985", "2026-11-19", "2026-11-22"),
            dollar("1080", "2026-11-19", "2026-11-23"),
        ];
        bank.set_rates(days);
        for _ in 0..3 {
            after(&app, ASK_INTERVAL).await;
            assert_eq!(trouble(&app).await.0, ["1080.00"]);
        }
        // Nor do answers lead further, one after another: days to come are compared with today's.
        bank.set_rates(vec![dollar("1070", "2026-11-19", "2026-11-24")]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["1080.00", "1070.00"]);
        bank.set_rates(vec![dollar("1170", "2026-11-19", "2026-11-23")]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["1170.00", "1070.00"]);
        // Somebody has looked at the day before.
        record(&app, "1070", "2026-11-22").await;
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["1070.00"]);
        app.clock().advance_to(at("2026-11-23T00:00:00-04:00"));
        assert_eq!(price(&owner).await, json!(1170.0));
    }

    async fn the_first_rate_waits_for_a_second_answer_or_for_the_operator(setup: Setup) {
        let bank = SimulatedBank::open().await;
        // A slip of the first day: a point in the wrong place.
        bank.set_rates(vec![dollar("8.7239", "2026-11-19", "2026-11-20")]);
        let app = setup.with_rates_of(&bank).start().await;
        looked(&app).await;
        let owner = app.owner().await;
        let none = async || owner.key.get(PATH).await.refused(409, "RATE_NOT_AVAILABLE");
        none().await;
        assert_eq!((rows(&app), trouble(&app).await), (0, (vec!["8.7239".to_owned()], None)));
        // The next answer disagrees, so that another has to agree with it.
        let right = vec![dollar("872.39", "2026-11-19", "2026-11-20"), dollar("880", "2026-11-19", "2026-11-21")];
        bank.set_rates(right);
        after(&app, ASK_INTERVAL).await;
        none().await;
        assert_eq!(trouble(&app).await.0, ["872.39", "880.00"]);
        // It need not be to the last digit.
        bank.set_rates(vec![dollar("872.41", "2026-11-19", "2026-11-20"), dollar("880", "2026-11-19", "2026-11-21")]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!((price(&owner).await, trouble(&app).await), (json!(872.41), (vec![], None)));
        // Another currency has a first rate of its own, which the operator may know.
        let mut euro = dollar("9.77", "2026-11-19", "2026-11-20");
        euro["currency"] = json!("EUR");
        bank.set_rates(vec![euro]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["9.77"]);
        let known = NewRate {
            currency: Currency::Eur,
            rate: Rate::parse("977.2").unwrap(),
            days: RateDays { first: CaracasDate::parse("2026-11-20").unwrap(), last: None },
            published_at: None,
            source: RateSource::parse("BCV").unwrap(),
        };
        let recording = Recording { accepts_jumps: false, is_import: false };
        record_rates(&Operator::of(app.app()), vec![known], recording).await.unwrap();
        after(&app, ASK_INTERVAL).await;
        let body = owner.key.get(PATH).await.ok();
        assert_eq!((&body["rates"]["EUR"], trouble(&app).await.0.len()), (&json!(977.2), 0));
    }

    async fn days_that_nobody_recorded_lead_no_further_than_one_step_a_day(setup: Setup) {
        let first = dollar("200", "2026-11-13", "2026-11-14");
        let (bank, app, owner) = start(setup, vec![first]).await;
        assert_eq!(price(&owner).await, json!(200.0));
        let steps = ["219", "240", "263", "289", "317", "348"];
        for (step, day) in steps.into_iter().zip(15..) {
            bank.set_rates(vec![dollar(step, "2026-11-14", &format!("2026-11-{day}"))]);
            after(&app, ASK_INTERVAL).await;
        }
        assert_eq!((price(&owner).await, trouble(&app).await.0.len()), (json!(219.0), 5));
        // The next day begins with what served then.
        app.clock().advance_to(at("2026-11-21T00:10:00-04:00"));
        bank.set_rates(vec![dollar("240", "2026-11-20", "2026-11-21")]);
        looked(&app).await;
        assert_eq!(price(&owner).await, json!(240.0));
    }

    async fn the_third_correction_of_a_day_is_taken_and_named_to_the_operator(setup: Setup) {
        let (bank, app, owner) = start(setup, vec![friday()]).await;
        let corrections = async || {
            let now = app.now();
            let look = move |tx: &mut store::tx::Tx<'_>| standing(tx, now);
            app.app().store.look_up(&Meter::default(), look).await.unwrap().corrections
        };
        assert_eq!(corrections().await, [(Currency::Usd, 0)]);
        for (rate, times) in [("871", 1), ("872", 2), ("873", 3)] {
            bank.set_rates(vec![dollar(rate, "2026-11-19", "2026-11-20")]);
            after(&app, ASK_INTERVAL).await;
            assert_eq!(corrections().await, [(Currency::Usd, times)]);
        }
        assert_eq!((price(&owner).await, rows(&app)), (json!(873.0), 4));
        let text = app.nobody().get("/metrics").await.text();
        assert!(text.contains("cotejo_rate_corrections{currency=\"USD\"} 3"), "{text}");
    }

    async fn an_owner_whose_links_are_paid_by_a_rate_in_doubt_is_notified(setup: Setup) {
        let bank = SimulatedBank::open().await;
        bank.set_rates(vec![friday()]);
        let app = setup.with_bank(&bank).with_rates_of(&bank).start().await;
        looked(&app).await;
        after(&app, ASK_INTERVAL).await;
        let mut owner = app.owner().await;
        let account = crate::bdv::link(&owner).await;
        let ten = json!({ "amount": 10, "currency": "USD" });
        let hold = async |owner: &Owner| {
            let link = crate::pay::make(&owner.key, &account, ten.clone()).await;
            assert_eq!(crate::pay::rates::hold(&app.nobody(), &link).await.status, 303);
            let notices = owner.get("/v1/notices").await.ok()["notices"].clone();
            let kinds = notices.as_array().unwrap().iter();
            kinds.filter(|one| one["kind"] == "rate_in_doubt").map(|one| one["times"].as_i64().unwrap()).sum::<i64>()
        };
        bank.set_rates(vec![dollar("8723.9", "2026-11-19", "2026-11-21")]);
        after(&app, ASK_INTERVAL).await;
        assert_eq!(trouble(&app).await.0, ["8723.90"]);
        assert_eq!(hold(&owner).await, 0, "the day is yet to come");
        app.clock().advance_to(at("2026-11-21T00:00:00-04:00"));
        looked(&app).await;
        owner.sign_in_again().await;
        assert_eq!((hold(&owner).await, hold(&owner).await), (1, 2));
        record(&app, "871", "2026-11-21").await;
        assert_eq!(hold(&owner).await, 2);
    }

    async fn of_nodes_that_look_at_once_one_asks(setup: Setup) {
        let (bank, app, _owner) = start(setup, vec![friday()]).await;
        let url = RatesUrl::parse(&format!("http://{}/rates", bank.address())).unwrap();
        let wait = std::sync::Arc::new(|_| -> egress::WaitFuture { Box::pin(std::future::pending()) });
        let node = |_| RateAddress {
            client: RatesClient::new(url.clone(), wait.clone()).unwrap(),
            every: ASK_INTERVAL,
            timeout: TIMEOUT,
            jump_percent: 10,
        };
        let nodes: Vec<_> = (0..8).map(node).collect();
        // The service itself looks later.
        app.clock().set_to(app.now().plus(ASK_INTERVAL));
        bank.set_rates(vec![dollar("871", "2026-11-19", "2026-11-20")]);
        let passes = join_all(nodes.iter().map(|node| pass(app.app(), node))).await;
        assert!(passes.iter().all(Result::is_ok));
        assert_eq!((bank.rates_asked(), rows(&app)), (3, 2));
        // What a clock that was a year ahead has put off is not waited for.
        let right = app.now();
        app.clock().set_to(right.plus(Duration::from_hours(24 * 365)));
        pass(app.app(), &nodes[0]).await.unwrap();
        app.clock().set_to(right);
        pass(app.app(), &nodes[0]).await.unwrap();
        assert_eq!(bank.rates_asked(), 5);
    }

    async fn a_node_that_dies_while_it_asks_leaves_the_turn_to_the_next(setup: Setup) {
        let (bank, mut app, owner) = start(setup, vec![friday()]).await;
        bank.fail_rates(Some(FaultKind::Timeout));
        bank.set_rates(vec![dollar("871", "2026-11-19", "2026-11-20")]);
        app.clock().advance(ASK_INTERVAL);
        app.clock().is_awaited(app.now().plus(TIMEOUT)).await;
        app.crash();
        bank.fail_rates(None);
        app.start_again().await;
        looked(&app).await;
        assert_eq!(rows(&app), 1, "somebody else may be asking still");
        after(&app, TIMEOUT + Duration::from_secs(30)).await;
        assert_eq!((price(&owner).await, rows(&app)), (json!(871.0), 2));
    }
}

/// The row of the address is what both lock first: the second sees all that the first has recorded.
#[test]
fn what_the_operator_records_holds_beside_an_answer_of_the_same_moment() {
    testkit::run(Engine::Postgres, async |setup: Setup| {
        let (_bank, app, owner) = start(setup, vec![friday()]).await;
        let Database::Postgres(database) = app.database() else { unreachable!() };
        let held = database.hold("select 1 from rate_address for update");
        let answered = async move {
            const WAITING: &str = "select count(*) from pg_stat_activity where datname = current_database() \
                and wait_event_type = 'Lock' and query like '%rate_address%'";
            for look in 0.. {
                assert!(look < 4_000, "the operator does not wait for the address");
                if database.number(WAITING) == 1 {
                    break;
                }
                tokio::task::yield_now().await;
            }
            // What the address said of the day, by a clock that is ahead.
            database.execute(
                "insert into exchange_rates (currency, value_date, id, rate, published_at, source, origin) \
                 select currency, value_date, '\\x7fffffffffffffffffffffffffffffff', rate + 1, published_at, source, \
                 origin from exchange_rates",
            );
            drop(held);
        };
        let (recorded, ()) = join(record(&app, "872", "2026-11-20"), answered).await;
        assert_eq!(recorded, Recorded { corrected: 1, ..Recorded::default() });
        assert_eq!((price(&owner).await, rows(&app)), (json!(872.0), 3));
    });
}
