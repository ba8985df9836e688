//! What the configuration says of the address that returns exchange rates, in the section `[rates]`.

use std::ops::RangeInclusive;
use std::time::Duration;

use egress::RatesUrl;

use super::ConfigError;
use super::layers::Layers;

/// The address that returns rates, and how it is asked.
#[derive(Clone, Debug)]
pub struct Rates {
    /// The address.
    pub url: RatesUrl,
    /// How long after a good answer it is asked again.
    pub every: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// By how many hundredths of the former a rate may be apart from it to be taken.
    pub jump_percent: u32,
}

/// The address, if there is one.
pub(super) fn read(layers: &Layers) -> Result<Option<Rates>, ConfigError> {
    let seconds = |path, range: RangeInclusive<u32>| {
        let read = layers.read_with(path, |text| within(text, &range));
        read.map(|seconds| Duration::from_secs(seconds.into()))
    };
    let every = seconds("rates.interval_seconds", 60..=86_400)?;
    let timeout = seconds("rates.timeout_seconds", 1..=60)?;
    let jump_percent = layers.read_with("rates.jump_percent", |text| within(text, &(1..=99)))?;
    let url = layers.read("rates.url", |text| RatesUrl::parse(text).map_err(|e| e.to_string()))?;
    Ok(url.map(|url| Rates { url, every, timeout, jump_percent }))
}

fn within(text: &str, range: &RangeInclusive<u32>) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = (range.start(), range.end());
    number.ok_or_else(|| format!("must be a whole number from {least} to {most}"))
}
