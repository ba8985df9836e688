//! A chart of bars, drawn on the server.

/// A chart: what it shows, and its bars from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// What leads to the numbers.
    pub(crate) numbers: &'static str,
    /// What is called what the bars stand for, and what they measure.
    pub(crate) when: &'static str,
    pub(crate) what: &'static str,
    /// Whether they measure test money.
    pub(crate) is_test: bool,
    pub(crate) bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) text: String,
    /// Where it begins: ten from one to the next.
    pub(crate) x: usize,
    /// Of a hundred.
    pub(crate) height: i64,
}

impl Chart {
    /// How wide it is: two between bars.
    pub(crate) fn width(&self) -> usize {
        (self.bars.len() * 10).max(10)
    }
}

/// Bars of these values, each with its label and how it is written. The greatest is as high as there is room; what is not
/// nothing can be seen.
pub(super) fn bars(values: Vec<(String, String, i64)>) -> Vec<Bar> {
    let most = values.iter().map(|(.., value)| *value).max().unwrap_or(0).max(1);
    let height = |value: i64| match value {
        ..=0 => 0,
        value => {
            let height = i128::from(value) * 100 / i128::from(most);
            i64::try_from(height).unwrap_or(100).max(2)
        }
    };
    let bar = |(place, (label, text, value)): (usize, (String, String, i64))| Bar {
        label,
        text,
        x: place * 10 + 1,
        height: height(value),
    };
    values.into_iter().enumerate().map(bar).collect()
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
}
