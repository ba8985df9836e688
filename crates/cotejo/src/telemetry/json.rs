//! Lines for machines: one JSON object each, with the fields of the event beside its time, its
//! level and its target.
//!
//! Every request makes such a line, so it goes straight into the line's buffer.

use std::cell::RefCell;
use std::error::Error;
use std::fmt::{self, Debug, Write as _};
use std::io::Write as _;

use app::Clock;
use domain::time::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::Context;

use crate::system::SystemClock;

thread_local! {
    /// Where a thread makes its lines, so that none of them has to ask for room.
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Writes events as JSON objects to where `M` says.
pub(super) struct Json<M>(pub(super) M);

impl<S: Subscriber, M: for<'a> MakeWriter<'a> + 'static> Layer<S> for Json<M> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        LINE.with(|line| match line.try_borrow_mut() {
            Ok(mut line) => self.log(event, &mut line),
            // A value that is being written logs something itself.
            Err(_) => self.log(event, &mut String::new()),
        });
    }
}

impl<M: for<'a> MakeWriter<'a>> Json<M> {
    fn log(&self, event: &Event<'_>, line: &mut String) {
        line.clear();
        write_event(line, event, SystemClock.now());
        // Nobody is left to be told that the log cannot be written.
        drop(self.0.make_writer_for(event.metadata()).write_all(line.as_bytes()));
    }
}

/// Writes an event that happens at that instant.
fn write_event(line: &mut String, event: &Event<'_>, at: Timestamp) {
    let about = event.metadata();
    line.push_str("{\"timestamp\":\"");
    at.push_to(line);
    line.push_str("\",\"level\":\"");
    line.push_str(about.level().as_str());
    line.push('"');
    event.record(&mut Fields(line));
    line.push_str(",\"target\":\"");
    push_escaped(line, about.target());
    line.push_str("\"}\n");
}

/// The fields of an event on their way into its line.
struct Fields<'l>(&'l mut String);

impl Fields<'_> {
    /// Writes the name of a field, and answers where its value is to be written.
    fn name(&mut self, field: &Field) -> &mut String {
        // Names are words of the program's own.
        self.0.push_str(",\"");
        self.0.push_str(field.name());
        self.0.push_str("\":");
        self.0
    }

    /// Writes as it is what shows itself as JSON.
    fn plain(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let line = self.name(field);
        // Text takes whatever comes, and only a value that cannot be shown fails.
        let _ = line.write_fmt(value);
    }

    /// Writes as a string what has to be made first.
    fn quoted(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let line = self.name(field);
        line.push('"');
        let _ = Escaped(line).write_fmt(value);
        line.push('"');
    }
}

impl Visit for Fields<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, format_args!("{value}"));
        } else {
            self.plain(field, format_args!("null"));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let line = self.name(field);
        line.push('"');
        push_escaped(line, value);
        line.push('"');
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.quoted(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.quoted(field, format_args!("{value:?}"));
    }
}

/// The inside of a string.
struct Escaped<'l>(&'l mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        push_escaped(self.0, text);
        Ok(())
    }
}

/// Writes text as it stands in a string of JSON.
fn push_escaped(line: &mut String, text: &str) {
    if !text.bytes().any(|byte| is_special(char::from(byte))) {
        line.push_str(text);
        return;
    }
    for symbol in text.chars() {
        match symbol {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            symbol if is_special(symbol) => {
                let _ = write!(line, "\\u{:04x}", u32::from(symbol));
            }
            symbol => line.push(symbol),
        }
    }
}

/// Whether it cannot stand in a string as it is.
const fn is_special(symbol: char) -> bool {
    matches!(symbol, '\0'..'\u{20}' | '"' | '\\')
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::Value;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// What was written.
    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Page {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn a_line_is_one_object_whatever_is_said_in_it() {
        let page = Page::default();
        let layer = Json(page.clone());
        let hostile = "a \"quoted\\\" line\r\n\u{1}ñ";
        let error = std::io::Error::other(hostile);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::warn!(
                target: "place",
                text = hostile,
                shown = %hostile,
                debugged = ?hostile,
                error = &error as &(dyn Error + 'static),
                count = 7_u64,
                below = -7,
                half = 0.5,
                yes = true,
                missing = None::<&str>,
                "said {hostile}",
            );
        });
        let text = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "{text}");
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["target"], "place");
        assert_eq!(line["message"], format!("said {hostile}"));
        for field in ["text", "shown", "error"] {
            assert_eq!(line[field], hostile, "{field}");
        }
        assert_eq!(line["debugged"], format!("{hostile:?}"));
        assert_eq!((line["count"].as_u64(), line["below"].as_i64()), (Some(7), Some(-7)));
        assert_eq!((line["half"].as_f64(), line["yes"].as_bool()), (Some(0.5), Some(true)));
        assert!(line.get("missing").is_none());
        let time = line["timestamp"].as_str().unwrap();
        assert!(time.len() == 27 && time.ends_with('Z'), "{time}");
    }
}
