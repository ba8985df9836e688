//! Lines for machines: one JSON object each, with the fields of the event beside its time, its
//! level and its target.
//!
//! Every request makes such a line, so it goes straight into the line's buffer.

use std::error::Error;
use std::fmt::{self, Debug, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes an event as a JSON object.
pub(super) struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        line.write_str("{\"timestamp\":\"")?;
        SystemTime.format_time(&mut line)?;
        line.write_str("\",\"level\":\"")?;
        line.write_str(about.level().as_str())?;
        line.write_char('"')?;
        let mut fields = Fields { line: &mut line, written: Ok(()) };
        event.record(&mut fields);
        fields.written?;
        line.write_str(",\"target\":\"")?;
        escape(&mut line, about.target())?;
        line.write_str("\"}\n")
    }
}

/// The fields of an event on their way into its line.
struct Fields<'l, 'w> {
    line: &'l mut Writer<'w>,
    written: fmt::Result,
}

impl Fields<'_, '_> {
    /// Writes one field, whose value is written by `value`.
    fn write(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.written.is_err() {
            return;
        }
        // Names are words of the program's own.
        let name = self.line.write_str(",\"").and_then(|()| self.line.write_str(field.name()));
        let name = name.and_then(|()| self.line.write_str("\":"));
        self.written = name.and_then(|()| value(self.line));
    }
}

impl Visit for Fields<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.write(field, |line| write!(line, "{value}"));
        } else {
            self.write(field, |line| line.write_str("null"));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, |line| write!(line, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, |line| write!(line, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, |line| write!(line, "{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, |line| {
            line.write_char('"')?;
            escape(line, value)?;
            line.write_char('"')
        });
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.write(field, |line| quote(line, format_args!("{value}")));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, |line| quote(line, format_args!("{value:?}")));
    }
}

/// Writes as a string what has to be made first.
fn quote(line: &mut Writer<'_>, text: fmt::Arguments<'_>) -> fmt::Result {
    line.write_char('"')?;
    Escaped(line).write_fmt(text)?;
    line.write_char('"')
}

/// The inside of a string.
struct Escaped<'l, 'w>(&'l mut Writer<'w>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(self.0, text)
    }
}

/// Writes text as it stands in a string of JSON.
fn escape(out: &mut impl Write, text: &str) -> fmt::Result {
    if !text.bytes().any(|byte| is_special(char::from(byte))) {
        return out.write_str(text);
    }
    for symbol in text.chars() {
        match symbol {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            symbol if is_special(symbol) => write!(out, "\\u{:04x}", u32::from(symbol))?,
            symbol => out.write_char(symbol)?,
        }
    }
    Ok(())
}

/// Whether it cannot stand in a string as it is.
const fn is_special(symbol: char) -> bool {
    matches!(symbol, '\0'..'\u{20}' | '"' | '\\')
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::Value;
    use tracing_subscriber::fmt::MakeWriter;
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
        let layer = tracing_subscriber::fmt::layer().event_format(Json).with_writer(page.clone());
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
        assert!(time.len() > 20 && time.ends_with('Z'), "{time}");
    }
}
