//! The lines that the service writes about requests, kept so that tests can look at what a request
//! cost and when it was over.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use tokio::sync::watch;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, dynamic_filter_fn};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt as printed};

/// Target that the service gives these lines.
const TARGET: &str = "access";

/// True while every line is kept, of whatever level, target and library.
static KEEPS_ALL: AtomicBool = AtomicBool::new(false);

static LINES: LazyLock<Lines> = LazyLock::new(Lines::default);

#[derive(Default)]
struct Lines {
    by_request: Mutex<HashMap<String, AccessLine>>,
    warnings: Mutex<Vec<String>>,
    all: Mutex<Vec<String>>,
    added: watch::Sender<()>,
}

/// Log line about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessLine {
    /// The method.
    pub method: String,
    /// The path's template.
    pub route: String,
    /// The status; 499 where the caller was gone.
    pub status: u64,
    /// The code of its refusal.
    pub code: Option<String>,
    /// The id of the key or session that called.
    pub caller: Option<String>,
    /// Statements sent to the store.
    pub statements: u64,
    /// How often it waited for the store.
    pub waits: u64,
    request_id: String,
}

/// The line about the request of that id, once it is written.
pub async fn access_line(request_id: &str) -> AccessLine {
    let mut added = LINES.added.subscribe();
    loop {
        if let Some(line) = lines().get(request_id) {
            return line.clone();
        }
        added.changed().await.expect("the sender is never dropped");
    }
}

/// The messages of all warnings so far that contain this text.
#[must_use]
pub fn warnings_of(text: &str) -> Vec<String> {
    let warnings = LINES.warnings.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.iter().filter(|message| message.contains(text)).cloned().collect()
}

/// Keeps every line from here on with all that it says, of whatever level and library.
pub fn keep_all() {
    KEEPS_ALL.store(true, Ordering::Relaxed);
    start();
}

/// The lines that were kept since [`keep_all`].
#[must_use]
pub fn all() -> Vec<String> {
    LINES.all.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Forgets every line that was kept, and keeps no longer all.
pub(crate) fn forget() {
    KEEPS_ALL.store(false, Ordering::Relaxed);
    lines().clear();
    LINES.warnings.lock().unwrap_or_else(PoisonError::into_inner).clear();
    LINES.all.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Keeps access lines and warnings from here on, and prints warnings for a person who reads why a test failed.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let warnings = printed::layer().with_writer(std::io::stderr).with_filter(LevelFilter::WARN);
        let lines = Keep.with_filter(LevelFilter::INFO);
        // A test that has a subscriber of its own has no lines.
        let all = KeepAll.with_filter(dynamic_filter_fn(|_, _| KEEPS_ALL.load(Ordering::Relaxed)));
        drop(tracing_subscriber::registry().with(warnings).with(lines).with(all).try_init());
    });
}

fn lines() -> MutexGuard<'static, HashMap<String, AccessLine>> {
    LINES.by_request.lock().unwrap_or_else(PoisonError::into_inner)
}

struct KeepAll;

impl<S: Subscriber> Layer<S> for KeepAll {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Whole(event.metadata().target().to_owned());
        event.record(&mut line);
        LINES.all.lock().unwrap_or_else(PoisonError::into_inner).push(line.0);
    }
}

/// All that a line says.
struct Whole(String);

impl Visit for Whole {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("text has room");
    }
}

struct Keep;

impl<S: Subscriber> Layer<S> for Keep {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN {
            let mut message = Message::default();
            event.record(&mut message);
            LINES.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(message.0);
        }
        if event.metadata().target() != TARGET {
            return;
        }
        let mut line = AccessLine::default();
        event.record(&mut line);
        lines().insert(line.request_id.clone(), line);
        LINES.added.send_replace(());
    }
}

/// Message of a log line, without its fields.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Visit for AccessLine {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "status" => self.status = value,
            "statements" => self.statements = value,
            "waits" => self.waits = value,
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "method" => self.method = value.to_owned(),
            "route" => self.route = value.to_owned(),
            "code" => self.code = Some(value.to_owned()),
            "caller" => self.caller = Some(value.to_owned()),
            "request_id" => self.request_id = value.to_owned(),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}
