//! What is counted, and how it is shown to Prometheus. What happens often is counted as it happens; everything else is read
//! when it is asked for: see `server::scrape`.

mod families;
mod process;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Duration;

use anyhow::Context;
use domain::time::Timestamp;
use metrics::{
    Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use web::{AccessLine, Observer};

pub(crate) use self::families::{Families, Kind, Sample};
pub(crate) use self::process::{Process, files_max};

/// The bounds of the buckets of durations, in seconds: from a look-up to a slow bank.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 12.0];

/// The same for banks, which take longer.
const BANK_SECONDS: [f64; 9] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0];

const REQUESTS: &str = "cotejo_http_requests_total";
const REQUEST_DURATION: &str = "cotejo_http_request_duration_seconds";
const VERIFICATIONS: &str = "cotejo_verifications_total";
const SHORT_OF_PLACES: &str = "cotejo_http_connections_short_total";
const GAVE_WAY: &str = "cotejo_http_connections_gave_way_total";
const BANK_ANSWERS: &str = "cotejo_bank_answers_total";
const BANK_DURATION: &str = "cotejo_bank_answer_duration_seconds";
const JANITOR_PASSED: &str = "cotejo_janitor_last_pass_timestamp_seconds";
const JANITOR_FAILURES: &str = "cotejo_janitor_failures_total";

/// The words that answers of banks are counted by.
pub(crate) const BANK_OUTCOMES: [&str; 12] = [
    "shown",
    "not_found",
    "reconciled",
    "ambiguous",
    "unavailable",
    "maintenance",
    "timed_out",
    "rejected_credentials",
    "rate_limited",
    "invalid_input",
    "bad_response",
    GIVEN_UP,
];

/// The word for a question whose caller waited no longer.
pub(crate) const GIVEN_UP: &str = "given_up";

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
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(REQUEST_DURATION.to_owned()), &SECONDS)
        .context("metrics")?
        .set_buckets_for_metric(Matcher::Full(BANK_DURATION.to_owned()), &BANK_SECONDS)
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
    describe_histogram!(
        REQUEST_DURATION,
        "Time from a request's head to its answer's, by method and route."
    );
    describe_counter!(VERIFICATIONS, "Verifications asked for, by what was answered.");
    describe_counter!(
        SHORT_OF_PLACES,
        "Connections without a general place, by why and what they got."
    );
    describe_counter!(
        GAVE_WAY,
        "Connections closed while they waited, for another to have the place."
    );
    describe_counter!(BANK_ANSWERS, "Questions to banks, by provider and outcome.");
    describe_histogram!(BANK_DURATION, "Time that a bank took for a question, by provider.");
    describe_gauge!(JANITOR_PASSED, "When the janitor last looked without a failure.");
    describe_counter!(JANITOR_FAILURES, "Work of the janitor that failed.");
    // What rises from nothing is not seen to rise.
    counter!(VERIFICATIONS, "end" => "confirmed").increment(0);
    counter!(VERIFICATIONS, "end" => "NOT_ENOUGH_CREDITS").increment(0);
    counter!(JANITOR_FAILURES).increment(0);
}

/// Notes that the janitor has looked, and all went well.
pub(crate) fn note_janitor_pass(at: Timestamp) {
    gauge!(JANITOR_PASSED).set(seconds(at));
}

/// Counts a piece of the janitor's work that failed.
pub(crate) fn note_janitor_failure() {
    counter!(JANITOR_FAILURES).increment(1);
}

/// Counters of the answers of one bank.
pub(crate) struct BankAnswers {
    outcomes: Vec<(&'static str, Counter)>,
    duration: Histogram,
}

impl BankAnswers {
    /// Makes the counters of the bank of this provider. All begin at zero.
    pub(crate) fn of(provider: &'static str) -> Self {
        let counted = |outcome: &'static str| {
            (outcome, counter!(BANK_ANSWERS, "provider" => provider, "outcome" => outcome))
        };
        let duration = histogram!(BANK_DURATION, "provider" => provider);
        Self { outcomes: BANK_OUTCOMES.into_iter().map(counted).collect(), duration }
    }

    /// Counts an answer.
    pub(crate) fn note(&self, outcome: &str, took: Duration) {
        if let Some((_, counter)) = self.outcomes.iter().find(|(word, _)| *word == outcome) {
            counter.increment(1);
        }
        self.duration.record(took);
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
pub(crate) struct Requests {
    routes: RwLock<HashMap<String, Route>>,
    statements: AtomicU64,
    store_micros: AtomicU64,
}

/// Metrics of the answers of one route.
#[derive(Default)]
struct Route {
    durations: Vec<(&'static str, Histogram)>,
    answers: Vec<(&'static str, u16, Counter)>,
}

impl Requests {
    /// How many statements requests sent to the store.
    pub(crate) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// How long they waited for it, all together.
    pub(crate) fn in_store(&self) -> Duration {
        Duration::from_micros(self.store_micros.load(Ordering::Relaxed))
    }

    /// Counts an answer; answers whether its kind was known.
    fn count(&self, line: &AccessLine<'_>) -> bool {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        let Some(route) = routes.get(line.route) else { return false };
        let method = method_label(line.method);
        let mut answers = route.answers.iter();
        let answers = answers.find(|(m, s, _)| (*m, *s) == (method, line.status));
        let duration = route.durations.iter().find(|(m, _)| *m == method);
        let (Some((_, _, answers)), Some((_, duration))) = (answers, duration) else {
            return false;
        };
        answers.increment(1);
        duration.record(line.total);
        true
    }

    /// Finds what counts answers of this kind.
    fn learn(&self, line: &AccessLine<'_>) {
        let (method, name) = (method_label(line.method), line.route);
        let status = line.status.to_string();
        let answers =
            counter!(REQUESTS, "method" => method, "route" => name.to_owned(), "status" => status);
        let duration = histogram!(REQUEST_DURATION, "method" => method, "route" => name.to_owned());
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        let route = routes.entry(name.to_owned()).or_default();
        // Two that learn at once find the same counter, and the first entry counts.
        route.durations.push((method, duration));
        route.answers.push((method, line.status, answers));
    }
}

impl Observer for Requests {
    fn answered(&self, line: &AccessLine<'_>) {
        self.statements.fetch_add(line.statements, Ordering::Relaxed);
        self.store_micros.fetch_add(line.store_us, Ordering::Relaxed);
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

/// Returns an instant in seconds since 1970, as Prometheus has it.
#[expect(clippy::cast_precision_loss, reason = "a double holds microseconds of this century")]
pub(crate) fn seconds(at: Timestamp) -> f64 {
    at.as_micros() as f64 / 1_000_000.0
}

/// Returns a number as Prometheus has it.
#[expect(clippy::cast_precision_loss, reason = "what is beyond 2^53 is counted in vain")]
pub(crate) fn number(number: u64) -> f64 {
    number as f64
}
