//! What is counted, and how it is shown to Prometheus.

use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use anyhow::Context;
use app::rate_address::Standing;
use app::statement::Statements;
use domain::links::Currency;
use domain::time::Timestamp;
use metrics::{
    Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use store::Metrics;
use web::{AccessLine, Observer};

/// The bounds of the buckets of durations, in seconds: from a look-up to a slow bank.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 12.0];

const REQUESTS: &str = "cotejo_http_requests_total";
const REQUEST_SECONDS: &str = "cotejo_http_request_seconds";
const VERIFICATIONS: &str = "cotejo_verifications_total";
const STATEMENTS: &str = "cotejo_store_statements_total";
const STORE_MICROS: &str = "cotejo_store_microseconds_total";
const QUEUE: &str = "cotejo_store_queue_length";
const WAL: &str = "cotejo_store_wal_bytes";
const CONNECTIONS: &str = "cotejo_http_connections";
const RATE_AGE: &str = "cotejo_rate_age_seconds";
const RATE_DOUBTFUL: &str = "cotejo_rate_doubtful";
const RATE_CORRECTIONS: &str = "cotejo_rate_corrections";
const RATES_ANSWERED: &str = "cotejo_rates_address_answered_seconds";
const SHORT_OF_PLACES: &str = "cotejo_http_connections_short_total";
const UNREAD_ROWS: &str = "cotejo_bank_rows_unread_total";
const GAVE_WAY: &str = "cotejo_http_connections_gave_way_total";
const UNKNOWN_FORMS: &str = "cotejo_bank_rows_of_unknown_form_total";

/// The operation whose ends are counted apart.
const VERIFY_ROUTE: &str = "/userbankpayment/{bank_id}/betaserio";

/// The status of a verification that confirmed a payment.
const CONFIRMED: u16 = 200;

/// One recorder serves the process, however many servers a test starts in it.
static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Begins to count, and answers what shows the counts.
///
/// # Errors
/// Where another recorder is in place.
pub(crate) fn recorder() -> anyhow::Result<PrometheusHandle> {
    if let Some(handle) = RECORDER.get() {
        return Ok(handle.clone());
    }
    let durations = Matcher::Full(REQUEST_SECONDS.to_owned());
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(durations, &SECONDS)
        .context("metrics")?
        .build_recorder();
    let handle = RECORDER.get_or_init(|| recorder.handle()).clone();
    // Of two servers that start at once, the second finds the first one's recorder in place.
    if metrics::set_global_recorder(recorder).is_ok() {
        describe();
    }
    Ok(handle)
}

fn describe() {
    describe_counter!(REQUESTS, "Requests answered, by method, route and status.");
    describe_histogram!(REQUEST_SECONDS, "Seconds from a request's head to its answer's.");
    describe_counter!(VERIFICATIONS, "Verifications asked for, by what was answered.");
    describe_counter!(STATEMENTS, "Statements that requests sent to the store.");
    describe_counter!(STORE_MICROS, "Microseconds that requests spent in the store.");
    describe_gauge!(QUEUE, "Jobs that wait for the store, by lane.");
    describe_gauge!(WAL, "The size of SQLite's write-ahead log.");
    describe_gauge!(CONNECTIONS, "Open connections, by the places that they have.");
    describe_gauge!(RATE_AGE, "For how long the rate that serves is published; -1: none serves.");
    describe_gauge!(
        RATE_DOUBTFUL,
        "1 where a rate waits for the operator, since it is a jump or the first."
    );
    describe_gauge!(RATE_CORRECTIONS, "How often the rate that serves was corrected for its day.");
    describe_gauge!(RATES_ANSWERED, "How long ago rates.url gave its latest good answer.");
    describe_counter!(
        UNKNOWN_FORMS,
        "Credits read in a bank's statement whose text says who paid in no known form."
    );
    describe_counter!(
        UNREAD_ROWS,
        "Rows of banks' statements that may be payments and could not be read, by provider."
    );
    describe_counter!(
        SHORT_OF_PLACES,
        "Connections without a general place, by why and what they got."
    );
    describe_counter!(
        GAVE_WAY,
        "Connections closed while they waited, for another to have the place."
    );
}

/// Notes what the store is busy with.
pub(crate) fn note_store(store: &Metrics) {
    for (lane, length) in [
        ("admission", store.admission),
        ("completion", store.completion),
        ("maintenance", store.maintenance),
        ("reads", store.reads),
    ] {
        gauge!(QUEUE, "lane" => lane).set(to_float(length));
    }
    gauge!(WAL).set(to_float(store.wal_bytes));
}

/// Notes how many credits were read in texts of no known form.
pub(crate) fn note_banks() {
    counter!(UNKNOWN_FORMS).absolute(banks::unknown_forms());
}

/// Notes how many connections are open.
pub(crate) fn note_connections(general: usize, reserve: usize) {
    for (places, open) in [("general", general), ("reserved", reserve)] {
        gauge!(CONNECTIONS, "places" => places).set(to_float(open as u64));
    }
}

/// Notes how exchange rates stand.
pub(crate) fn note_rates(standing: &Standing, now: Timestamp) {
    for currency in Currency::ALL.into_iter().filter(|currency| *currency != Currency::Vef) {
        let serving = standing.serving.iter().find(|rate| rate.currency == currency);
        let age = serving.map_or(-1.0, |rate| now.since(rate.published_at).as_secs_f64());
        gauge!(RATE_AGE, "currency" => currency.as_str()).set(age);
        let is_doubtful = standing.doubtful.iter().any(|rate| rate.currency == currency);
        let doubtful = if is_doubtful { 1.0 } else { 0.0 };
        gauge!(RATE_DOUBTFUL, "currency" => currency.as_str()).set(doubtful);
    }
    for (currency, corrections) in &standing.corrections {
        gauge!(RATE_CORRECTIONS, "currency" => currency.as_str()).set(to_float(*corrections));
    }
    if let Some(at) = standing.address.as_ref().and_then(|address| address.answered_at) {
        gauge!(RATES_ANSWERED).set(now.since(at).as_secs_f64());
    }
}

/// Notes how many rows of statements could not be read.
pub(crate) fn note_unread_rows(statements: &Statements) {
    for (provider, rows) in statements.unread_rows() {
        counter!(UNREAD_ROWS, "provider" => provider).absolute(rows);
    }
}

/// Counts a connection that found no general place, and whether it got a reserved one.
pub(crate) fn note_short_of_places(why: &'static str, is_reserved: bool) {
    let got = if is_reserved { "reserved" } else { "closed" };
    counter!(SHORT_OF_PLACES, "why" => why, "got" => got).increment(1);
}

/// Counts a connection that gave its place to another.
pub(crate) fn note_gave_way() {
    counter!(GAVE_WAY).increment(1);
}

/// Counts the requests that were answered. To find what counts an answer takes longer than to count
/// it, so what was found is kept. Routes are templates, so that there are few.
#[derive(Default)]
pub(crate) struct Requests(RwLock<HashMap<String, Route>>);

/// Metrics of the answers of one route.
struct Route {
    seconds: Histogram,
    statements: Counter,
    store_micros: Counter,
    answers: Vec<(&'static str, u16, Counter)>,
}

impl Requests {
    /// Counts an answer; answers whether its kind was known.
    fn count(&self, line: &AccessLine<'_>) -> bool {
        let routes = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(route) = routes.get(line.route) else { return false };
        let method = method_label(line.method);
        let mut answers = route.answers.iter();
        let Some((_, _, answers)) = answers.find(|(m, s, _)| (*m, *s) == (method, line.status))
        else {
            return false;
        };
        answers.increment(1);
        route.seconds.record(line.total);
        route.statements.increment(line.statements);
        route.store_micros.increment(line.store_us);
        true
    }

    /// Finds what counts answers of this kind.
    fn learn(&self, line: &AccessLine<'_>) {
        let (method, name) = (method_label(line.method), line.route);
        let status = line.status.to_string();
        let answers =
            counter!(REQUESTS, "method" => method, "route" => name.to_owned(), "status" => status);
        let mut routes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let route = routes.entry(name.to_owned()).or_insert_with(|| Route {
            seconds: histogram!(REQUEST_SECONDS, "route" => name.to_owned()),
            statements: counter!(STATEMENTS),
            store_micros: counter!(STORE_MICROS),
            answers: Vec::new(),
        });
        // Two that learn at once find the same counter, and the first entry counts.
        route.answers.push((method, line.status, answers));
    }
}

impl Observer for Requests {
    fn answered(&self, line: &AccessLine<'_>) {
        if !self.count(line) {
            self.learn(line);
            self.count(line);
        }
        if line.route == VERIFY_ROUTE {
            let end = match line.code {
                Some(code) => code.as_str(),
                None if line.status == CONFIRMED => "confirmed",
                None => "none",
            };
            counter!(VERIFICATIONS, "end" => end).increment(1);
        }
    }
}

/// A method by its name; those that nobody should use by one name for all.
fn method_label(method: &str) -> &'static str {
    match method {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        "HEAD" => "HEAD",
        _ => "other",
    }
}

#[expect(clippy::cast_precision_loss, reason = "gauges are floating point, and lengths small")]
fn to_float(number: u64) -> f64 {
    number as f64
}
