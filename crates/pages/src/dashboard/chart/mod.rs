//! Charts, drawn on the server: bars, with what was before as a line, and the hours of a week as a strip. Each has its
//! numbers in a table.

mod week;

pub(crate) use self::week::{Slot, Week};

/// A chart: what it shows, and its bars from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// Text that leads to the numbers.
    pub(crate) numbers: &'static str,
    /// Names of what the bars stand for, and of what they measure.
    pub(crate) when: &'static str,
    pub(crate) what: &'static str,
    /// True if they measure test money.
    pub(crate) is_test: bool,
    pub(crate) bars: Vec<Bar>,
    /// The line of what was before; nothing where nothing is compared.
    pub(crate) before: Option<Before>,
}

/// A line over the bars: what it is called, and its points.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    pub(crate) name: &'static str,
    pub(crate) points: String,
}

/// A bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) text: String,
    /// Value of before, as it is written.
    pub(crate) before: String,
    /// Address of its rows.
    pub(crate) href: Option<String>,
    /// Its beginning: ten from one to the next.
    pub(crate) x: usize,
    /// Part of a hundred.
    pub(crate) height: i64,
}

/// Value of a bar, and of the point of the line over it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measure {
    pub(crate) label: String,
    pub(crate) text: String,
    pub(crate) value: i64,
    pub(crate) before_text: String,
    pub(crate) before: i64,
    pub(crate) href: Option<String>,
}

impl Chart {
    /// How wide it is: two between bars.
    pub(crate) fn width(&self) -> usize {
        (self.bars.len() * 10).max(10)
    }

    /// The labels at both ends, where there are two.
    pub(crate) fn ends(&self) -> Option<(&str, &str)> {
        let (first, last) = (self.bars.first()?, self.bars.last()?);
        (self.bars.len() > 1).then_some((&*first.label, &*last.label))
    }
}

/// Bars of these values, each with its label and how it is written. The greatest is as high as there is room; what is not
/// nothing can be seen.
pub(super) fn bars(values: Vec<(String, String, i64)>) -> Vec<Bar> {
    let measure = |(label, text, value)| Measure { label, text, value, ..Measure::default() };
    compared(values.into_iter().map(measure).collect()).0
}

/// The same, and the points of the line of what was before, by the same measure.
pub(super) fn compared(values: Vec<Measure>) -> (Vec<Bar>, String) {
    let each = values.iter().flat_map(|of| [of.value, of.before]);
    let most = each.max().unwrap_or(0).max(1);
    let points: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(place, of)| format!("{},{}", place * 10 + 5, 100 - height(of.before, most)))
        .collect();
    let bar = |(place, of): (usize, Measure)| Bar {
        label: of.label,
        text: of.text,
        before: of.before_text,
        href: of.href,
        x: place * 10 + 1,
        height: height(of.value, most),
    };
    (values.into_iter().enumerate().map(bar).collect(), points.join(" "))
}

/// Height of a value where the greatest is a hundred.
fn height(value: i64, most: i64) -> i64 {
    match value {
        ..=0 => 0,
        value => {
            let height = i128::from(value) * 100 / i128::from(most);
            i64::try_from(height).unwrap_or(100).max(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_of_the_greatest_and_nothing_is_nothing() {
        let of = |values: &[i64]| {
            let values = values.iter().map(|value| (String::new(), String::new(), *value));
            bars(values.collect()).iter().map(|bar| (bar.x, bar.height)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0, 50, 200]), [(1, 0), (11, 25), (21, 100)]);
        assert_eq!(of(&[i64::MAX, 1]), [(1, 100), (11, 2)]);
        assert_eq!(of(&[0]), [(1, 0)]);
        assert_eq!(of(&[]), []);
    }

    #[test]
    fn a_line_has_the_measure_of_the_bars() {
        let of = |value, before| Measure { value, before, ..Measure::default() };
        let (bars, points) = compared(vec![of(50, 200), of(100, 0)]);
        assert_eq!(bars.iter().map(|bar| bar.height).collect::<Vec<_>>(), [25, 50]);
        assert_eq!(points, "5,0 15,100");
    }
}
