//! The rows of the table: what was measured, what it must hold, and whether it does.

use std::fmt::{Display, Formatter, Result};

/// On which side of its limit a figure has to stay.
#[derive(Clone, Copy)]
enum Side {
    AtLeast,
    AtMost,
}

/// A figure with its limit; an infinite one is none. Below *hold* is a defect; *direction* is where it should go in
/// time.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) here: f64,
    side: Side,
    hold: f64,
    direction: Option<f64>,
    unit: &'static str,
}

impl Row {
    /// A figure that must not be lower.
    pub(super) fn at_least(what: impl Into<String>, here: f64, hold: f64) -> Self {
        let what = what.into();
        Self { what, here, side: Side::AtLeast, hold, direction: None, unit: "" }
    }

    /// A figure that must not be higher.
    pub(super) fn at_most(what: impl Into<String>, here: f64, hold: f64) -> Self {
        Self { side: Side::AtMost, ..Self::at_least(what, here, hold) }
    }

    pub(super) fn direction(self, direction: f64) -> Self {
        Self { direction: Some(direction), ..self }
    }

    pub(super) fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Tells whether the limit is kept. A figure that is not a number keeps none.
    fn holds(&self) -> bool {
        match self.side {
            Side::AtLeast => self.here >= self.hold,
            Side::AtMost => self.here <= self.hold,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.holds() {
            _ if self.hold.is_infinite() => "",
            true => "holds",
            false => "**does not hold**",
        }
    }

    /// The limit as text, such as `≤ 50 MB`.
    fn limit(&self) -> String {
        let sign = match self.side {
            Side::AtLeast => "≥",
            Side::AtMost => "≤",
        };
        if self.hold.is_infinite() {
            return String::new();
        }
        format!("{sign} {}{}", self.hold, self.unit)
    }

    fn figure(&self) -> Figure {
        Figure { value: self.here, unit: self.unit }
    }
}

/// A number with as many digits as it deserves.
struct Figure {
    value: f64,
    unit: &'static str,
}

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let digits = match self.value.abs() {
            value if value < 1.0 => 3,
            value if value < 10.0 => 2,
            value if value < 100.0 => 1,
            _ => 0,
        };
        write!(f, "{:.digits$}{}", self.value, self.unit)
    }
}

/// Prints rows as Markdown, and how many do not hold.
pub(super) fn print(rows: &[Row]) {
    println!("| what | here | hold | | direction |\n| --- | --- | --- | --- | --- |");
    for row in rows {
        let direction = row.direction.map_or_else(String::new, |to| format!("{to}{}", row.unit));
        let (here, limit, verdict) = (row.figure(), row.limit(), row.verdict());
        println!("| {} | {here} | {limit} | {verdict} | {direction} |", row.what);
    }
    let broken = rows.iter().filter(|row| !row.holds()).count();
    println!("\n{broken} of {} rows do not hold.", rows.len());
}

/// Prints the rows of two programs beside each other.
pub(super) fn print_both(before: &[Row], after: &[Row]) {
    println!("| what | before | after | after ÷ before | hold | after |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (before, after) in before.iter().zip(after) {
        println!(
            "| {} | {} | {} | {:.2} | {} | {} |",
            after.what,
            before.figure(),
            after.figure(),
            after.here / before.here,
            after.limit(),
            after.verdict(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_on_its_side_of_the_limit() {
        assert!(Row::at_least("rate", 0.08, 0.08).holds());
        assert!(!Row::at_least("rate", 0.0799, 0.08).holds());
        assert!(Row::at_most("time", 5.0, 5.0).holds());
        assert!(!Row::at_most("time", 5.1, 5.0).holds());
        assert!(!Row::at_most("time", f64::NAN, 5.0).holds());
        assert!(!Row::at_least("rate", f64::NAN, 5.0).holds());
    }

    #[test]
    fn a_figure_has_three_digits_or_so() {
        let shown = |here| Row::at_most("", here, 1.0).unit(" MB").figure().to_string();
        assert_eq!(
            [0.0851, 1.234, 21.34, 1234.5].map(shown),
            ["0.085 MB", "1.23 MB", "21.3 MB", "1234 MB"]
        );
        assert_eq!(Row::at_most("", 1.0, 50.0).unit(" MB").limit(), "≤ 50 MB");
    }
}
