//! Logs: on standard error, plain for people and JSON for machines.

mod lines;

use std::io::{IsTerminal, stderr};
use std::panic;

use anyhow::Context;
use tracing::Subscriber;
use tracing_subscriber::fmt::{MakeWriter, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, registry};

use self::lines::Lines;
use crate::config::{Log, LogFormat};

/// Sends logs to standard error from here on, panics among them.
///
/// # Errors
/// Where they go somewhere already, or the machine gives no thread to write them.
pub(crate) fn start(log: &Log) -> anyhow::Result<()> {
    let plain = match log.format {
        LogFormat::Plain => true,
        LogFormat::Json => false,
        LogFormat::Auto => stderr().is_terminal(),
    };
    let out = Lines::to(stderr()).context("the thread that writes logs")?;
    let lines = if plain { for_people(out).boxed() } else { for_machines(out).boxed() };
    registry().with(lines.with_filter(log.level.clone())).try_init().context("logs")?;
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let panic_message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(place, panic_message, "a panic");
    }));
    Ok(())
}

fn for_people<S, W>(out: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + 'static,
{
    // A log that cannot be written must not end in a panic: nobody is left to learn of it.
    layer().with_writer(out).with_ansi(false).log_internal_errors(false)
}

/// One JSON object a line: the fields of the event beside its time, level and target.
fn for_machines<S, W>(out: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + 'static,
{
    let json = layer().with_writer(out).log_internal_errors(false).json();
    json.flatten_event(true).with_current_span(false).with_span_list(false)
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io;
    use std::sync::{Arc, Mutex, MutexGuard};

    use serde_json::Value;

    use super::*;

    /// Log lines that were written.
    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl<'a> MakeWriter<'a> for Page {
        type Writer = PageWriter<'a>;

        fn make_writer(&'a self) -> Self::Writer {
            PageWriter(self.0.lock().unwrap())
        }
    }

    struct PageWriter<'a>(MutexGuard<'a, Vec<u8>>);

    impl io::Write for PageWriter<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_flat_object_whatever_is_said_in_it() {
        let page = Page::default();
        let hostile = "a \"quoted\\\" line\r\n\u{1}ñ";
        let error = io::Error::other(hostile);
        tracing::subscriber::with_default(registry().with(for_machines(page.clone())), || {
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

    #[test]
    fn a_log_that_cannot_be_written_panics_nowhere() {
        /// Writer that fails like a full disk.
        struct Full;

        impl io::Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let logs = registry().with(for_machines(|| Full)).with(for_people(|| Full));
        tracing::subscriber::with_default(logs, || tracing::warn!("lost"));
    }
}
