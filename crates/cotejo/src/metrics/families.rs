//! The text of metrics that are read when they are asked for. A value that is not there has no sample, where a recorder would
//! go on showing the last one.

use std::fmt::Write;

/// Type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It only rises.
    Counter,
    /// It rises and falls.
    Gauge,
}

/// A value with its labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    labels: Vec<(&'static str, String)>,
    value: f64,
}

impl Sample {
    /// A value without labels.
    pub(crate) fn of(value: f64) -> Self {
        Self { labels: Vec::new(), value }
    }

    /// The same with one more label.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.labels.push((name, value.to_owned()));
        self
    }
}

/// Metrics by name, as Prometheus reads them.
#[derive(Debug, Default)]
pub(crate) struct Families(String);

impl Families {
    /// Adds a metric. One without samples is named all the same.
    pub(crate) fn add(
        &mut self,
        kind: Kind,
        (name, help): (&str, &str),
        samples: impl IntoIterator<Item = Sample>,
    ) {
        let word = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {word}\n"));
        for sample in samples {
            self.0.push_str(name);
            self.push_labels(&sample.labels);
            // A string takes everything.
            drop(writeln!(self.0, " {}", sample.value));
        }
        self.0.push('\n');
    }

    /// Returns the text.
    pub(crate) fn into_text(self) -> String {
        self.0
    }

    fn push_labels(&mut self, labels: &[(&'static str, String)]) {
        for (index, (name, value)) in labels.iter().enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let before = if index == 0 { '{' } else { ',' };
            self.0.push_str(&format!("{before}{name}=\"{value}\""));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_written_as_prometheus_reads_them() {
        let mut families = Families::default();
        let samples =
            [Sample::of(1_732_862_400.25), Sample::of(0.0).with("a", "\"\\\n").with("b", "c")];
        families.add(Kind::Gauge, ("one", "A thing."), samples);
        families.add(Kind::Counter, ("two_total", "Nothing."), []);
        assert_eq!(
            families.into_text(),
            "# HELP one A thing.\n# TYPE one gauge\none 1732862400.25\n\
             one{a=\"\\\"\\\\\\n\",b=\"c\"} 0\n\n\
             # HELP two_total Nothing.\n# TYPE two_total counter\n\n"
        );
    }
}
