//! The few numbers that describe a series of measurements.

/// The value in the middle; of two in the middle, the larger. Zero where there are none.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    percentile(values, 0.5)
}

/// The value that a share of `rank` lies below. Zero where there are none.
pub(crate) fn percentile(mut values: Vec<f64>, rank: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = (values.len() as f64 * rank) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_end_of_a_series() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(percentile((0..100).map(f64::from).collect(), 0.99), 99.0);
        assert_eq!(median(Vec::new()), 0.0);
    }
}
