//! Metrics that are read when somebody asks for them: a request of somebody else pays nothing for these.

use std::fs::read_to_string;

use app::mail_counts;
use app::rate_address::{Standing, standing};
use domain::links::Currency;
use domain::time::Timestamp;
use store::due::Kind as Work;
use store::waiting_work::{self, WaitingWork};
use store::{Meter, free_space};

use super::operations::{Operations, why_not};
use crate::data_folder::DataFolder;
use crate::metrics::{Families, Kind, Process, Sample, number, seconds};
use crate::version::COMMIT;

/// Reads them all. What cannot be read is left out.
pub(super) async fn read(operations: &Operations) -> String {
    let mut families = Families::default();
    add_build(&mut families, operations);
    add_health(&mut families, operations).await;
    add_counts(&mut families, operations);
    add_outside(&mut families, operations);
    add_store(&mut families, operations);
    add_work(&mut families, operations).await;
    add_rates(&mut families, operations).await;
    add_machine(&mut families, &operations.data).await;
    families.into_text()
}

fn add_build(families: &mut Families, operations: &Operations) {
    let engine = if operations.app.store.is_served() { "postgresql" } else { "sqlite" };
    let build = Sample::of(1.0)
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("commit", COMMIT)
        .with("engine", engine);
    families.add(Kind::Gauge, ("cotejo_build_info", "The program that runs; always 1."), [build]);
}

async fn add_health(families: &mut Families, operations: &Operations) {
    let app = &operations.app;
    let ready = if why_not(operations).await.is_none() { 1.0 } else { 0.0 };
    families.add(
        Kind::Gauge,
        ("cotejo_ready", "1 where work should be sent here, as /health/ready says."),
        [Sample::of(ready)],
    );
    let now = app.clock.now();
    families.add(
        Kind::Gauge,
        ("cotejo_clock_timestamp_seconds", "This machine's clock."),
        [Sample::of(seconds(now))],
    );
    let skew = app.store.clock_skew(now).await.ok();
    families.add(
        Kind::Gauge,
        (
            "cotejo_store_clock_skew_seconds",
            "How far the database's clock is ahead of this machine's.",
        ),
        skew.map(|micros| Sample::of(seconds(Timestamp::from_micros(micros)))),
    );
}

/// Adds what this process has counted of mail, webhooks, sign-ins and credits.
fn add_counts(families: &mut Families, operations: &Operations) {
    let by_outcome = |counts: &[(&str, u64)]| -> Vec<Sample> {
        counts
            .iter()
            .map(|(word, count)| Sample::of(number(*count)).with("outcome", word))
            .collect()
    };
    let mail = mail_counts::so_far();
    families.add(
        Kind::Counter,
        ("cotejo_mail_attempts_total", "Tries to send a mail, by outcome."),
        by_outcome(&[("sent", mail.sent), ("failed", mail.failed), ("given_up", mail.given_up)]),
    );
    let webhooks = delivery::counts();
    families.add(
        Kind::Counter,
        ("cotejo_webhook_attempts_total", "Attempts to deliver a webhook, by outcome."),
        by_outcome(&[
            ("delivered", webhooks.delivered),
            ("failed", webhooks.failed),
            ("exhausted", webhooks.exhausted),
        ]),
    );
    let refused = operations.app.sign_in_failures.refused();
    let refused = [("wrong_password", refused.wrong), ("held_back", refused.held_back)];
    families.add(
        Kind::Counter,
        ("cotejo_sign_ins_refused_total", "Sign-ins refused, by reason."),
        refused.map(|(reason, count)| Sample::of(number(count)).with("reason", reason)),
    );
    families.add(
        Kind::Counter,
        (
            "cotejo_balances_exhausted_total",
            "How often an owner's balance fell below what its next charge costs.",
        ),
        [Sample::of(number(operations.out_of_credits.so_far()))],
    );
}

/// Adds what comes from outside: connections, and what banks show.
fn add_outside(families: &mut Families, operations: &Operations) {
    let taken = operations.places.taken();
    let taken = [("general", taken.general as u64), ("reserved", taken.reserve as u64)];
    families.add(
        Kind::Gauge,
        ("cotejo_http_connections", "Open connections, by the places that they have."),
        taken.map(|(places, open)| Sample::of(number(open)).with("places", places)),
    );
    families.add(
        Kind::Counter,
        (
            "cotejo_bank_rows_of_unknown_form_total",
            "Credits read in a bank's statement whose text says who paid in no known form.",
        ),
        [Sample::of(number(banks::unknown_forms()))],
    );
    let unread = operations.app.statements.unread_rows();
    families.add(
        Kind::Counter,
        (
            "cotejo_bank_rows_unread_total",
            "Rows of banks' statements that may be payments and could not be read, by provider.",
        ),
        unread
            .into_iter()
            .map(|(provider, rows)| Sample::of(number(rows)).with("provider", provider)),
    );
    families.add(
        Kind::Counter,
        (
            "cotejo_bank_breakers_opened_total",
            "How often an account was left alone for a while, since its bank could not be reached.",
        ),
        [Sample::of(number(banks::breakers_opened()))],
    );
}

fn add_store(families: &mut Families, operations: &Operations) {
    let requests = &operations.requests;
    families.add(
        Kind::Counter,
        ("cotejo_store_statements_total", "Statements that requests sent to the store."),
        [Sample::of(number(requests.statements()))],
    );
    families.add(
        Kind::Counter,
        ("cotejo_store_seconds_total", "Time that requests spent in the store."),
        [Sample::of(requests.in_store().as_secs_f64())],
    );
    let store = &operations.app.store;
    let busy = store.metrics();
    let lengths = [
        ("admission", busy.admission),
        ("completion", busy.completion),
        ("maintenance", busy.maintenance),
        ("reads", busy.reads),
    ];
    families.add(
        Kind::Gauge,
        ("cotejo_store_queue_length", "Jobs that wait for a connection to the store, by lane."),
        lengths.map(|(lane, length)| Sample::of(number(length)).with("lane", lane)),
    );
    let wal = (!store.is_served()).then(|| Sample::of(number(busy.wal_bytes)));
    families.add(
        Kind::Gauge,
        ("cotejo_store_wal_bytes", "The size of SQLite's write-ahead log."),
        wal,
    );
}

async fn add_work(families: &mut Families, operations: &Operations) {
    let counted = operations.app.store.read(&Meter::default(), waiting_work::count).await;
    let counted = counted.unwrap_or_else(|error| {
        tracing::debug!(?error, "what waits could not be counted");
        Vec::new()
    });
    let count = |work: &WaitingWork| Sample::of(number(work.count)).with("work", word(work.kind));
    families.add(
        Kind::Gauge,
        (
            "cotejo_work_waiting",
            "Work that waits or is under way, by kind; 1000 stands for more, too.",
        ),
        counted.iter().map(count),
    );
    let first_due = |work: &WaitingWork| {
        work.first_due_at.map(|at| Sample::of(seconds(at)).with("work", word(work.kind)))
    };
    families.add(
        Kind::Gauge,
        ("cotejo_work_due_timestamp_seconds", "When the first of it is due, or was, by kind."),
        counted.iter().filter_map(first_due),
    );
}

fn word(work: Work) -> &'static str {
    match work {
        Work::Delivery => "delivery",
        Work::LinkExpiry => "link_expiry",
        Work::MonthTurn => "month_turn",
        Work::DeliveryDay => "delivery_day",
        Work::Redelivery => "redelivery",
        Work::Mail => "mail",
        Work::NoticeMail => "notice_mail",
        Work::Subscription => "subscription",
    }
}

async fn add_rates(families: &mut Families, operations: &Operations) {
    let (app, now) = (&operations.app, operations.app.clock.now());
    let standing = app.store.look_up(&Meter::default(), move |tx| standing(tx, now)).await;
    // The others show what is wrong with the store.
    let standing = standing.unwrap_or_else(|error| {
        tracing::debug!(?error, "how rates stand could not be read");
        Standing {
            serving: Vec::new(),
            corrections: Vec::new(),
            doubtful: Vec::new(),
            address: None,
        }
    });
    let of = |value: f64, currency: Currency| Sample::of(value).with("currency", currency.as_str());
    families.add(
        Kind::Gauge,
        ("cotejo_rate_published_timestamp_seconds", "When the rate that serves was published."),
        standing.serving.iter().map(|rate| of(seconds(rate.published_at), rate.currency)),
    );
    let foreign = Currency::ALL.into_iter().filter(|currency| *currency != Currency::Vef);
    let doubtful = foreign.map(|currency| {
        let is_doubtful = standing.doubtful.iter().any(|rate| rate.currency == currency);
        of(if is_doubtful { 1.0 } else { 0.0 }, currency)
    });
    families.add(
        Kind::Gauge,
        (
            "cotejo_rate_doubtful",
            "1 where a rate waits for the operator, since it is a jump or the first.",
        ),
        doubtful,
    );
    families.add(
        Kind::Gauge,
        ("cotejo_rate_corrections", "How often the rate that serves was corrected for its day."),
        standing.corrections.iter().map(|(currency, times)| of(number(*times), *currency)),
    );
    let answered_at = standing.address.as_ref().and_then(|address| address.answered_at);
    families.add(
        Kind::Gauge,
        (
            "cotejo_rates_address_answered_timestamp_seconds",
            "When rates.url last gave a good answer.",
        ),
        answered_at.map(|at| Sample::of(seconds(at))),
    );
}

/// Facts of the machine: files, which are read on a thread that may wait.
#[derive(Clone, Copy, Debug, Default)]
struct Machine {
    process: Process,
    free_bytes: Option<u64>,
    database_bytes: Option<u64>,
    copied_at: Option<Timestamp>,
}

impl Machine {
    fn look(data: &DataFolder) -> Self {
        let copied_at = read_to_string(data.last_copy()).ok();
        Self {
            process: Process::look(),
            free_bytes: free_space(data.path()),
            database_bytes: data.database().metadata().ok().map(|file| file.len()),
            copied_at: copied_at.and_then(|text| Timestamp::parse(text.trim()).ok()),
        }
    }
}

async fn add_machine(families: &mut Families, data: &DataFolder) {
    let data = data.clone();
    let machine = tokio::task::spawn_blocking(move || Machine::look(&data)).await;
    let machine = machine.unwrap_or_default();
    machine.process.add_to(families);
    let bytes = |value: Option<u64>| value.map(number).map(Sample::of);
    families.add(
        Kind::Gauge,
        ("cotejo_data_free_bytes", "Room that is left on the disk of the data folder."),
        bytes(machine.free_bytes),
    );
    families.add(
        Kind::Gauge,
        ("cotejo_store_file_bytes", "The size of SQLite's file."),
        bytes(machine.database_bytes),
    );
    families.add(
        Kind::Gauge,
        (
            "cotejo_last_copy_timestamp_seconds",
            "When cotejo backup last made a copy with this data folder.",
        ),
        machine.copied_at.map(|at| Sample::of(seconds(at))),
    );
}
