//! What a bank declares: what it can do, what the operator can set of it, and how it is connected.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use bank::{Bank, Capabilities};
use egress::{BaseUrl, TlsError};

use crate::clock::Clock;

/// A bank that there is a connector for.
pub struct Definition {
    /// Its name in the configuration: the section `[banks.NAME]`, if it has settings.
    pub name: &'static str,
    /// What it can do and wants.
    pub capabilities: &'static Capabilities,
    /// What the operator can set of it.
    pub settings: &'static [Setting],
    /// Reads what the operator has set; `None` where the bank is closed.
    pub open: fn(&Settings<'_>) -> Result<Option<Connect>, SettingError>,
}

/// Makes the connector.
pub type Connect = Arc<dyn Fn(&Clock) -> Result<Arc<dyn Bank>, TlsError> + Send + Sync>;

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definition").field(&self.name).finish()
    }
}

/// A key in a bank's section of the configuration.
#[derive(Debug)]
pub struct Setting {
    /// Its name in the section.
    pub name: &'static str,
    /// Its value as TOML: what holds unless something else is said, or an example.
    pub value: SettingValue,
    /// What it is for.
    pub doc: &'static str,
}

/// Value of a setting that the operator has not set.
#[derive(Clone, Copy, Debug)]
pub enum SettingValue {
    /// This.
    Default(&'static str),
    /// Nothing; the text is an example.
    Absent(&'static str),
}

/// Error in a setting, without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The setting's name in the bank's section.
    pub name: &'static str,
    /// What is wrong.
    pub problem: String,
}

/// Settings of one bank, with defaults for those that the operator has not set.
pub struct Settings<'a> {
    value: &'a dyn Fn(&str) -> Option<&'a str>,
}

impl fmt::Debug for Settings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Settings")
    }
}

impl<'a> Settings<'a> {
    /// The settings whose values that function returns.
    #[must_use]
    pub fn new(value: &'a dyn Fn(&str) -> Option<&'a str>) -> Self {
        Self { value }
    }

    /// A setting that may be absent.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingError> {
        let value = (self.value)(name).map(|text| parse(text.trim()));
        value.transpose().map_err(|problem| SettingError { name, problem })
    }

    /// A setting that always has a value.
    pub(crate) fn read_with<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, SettingError> {
        let missing = || SettingError { name, problem: "must have a value".to_owned() };
        self.read(name, parse)?.ok_or_else(missing)
    }

    /// Reads the bank's address.
    pub(crate) fn url(&self) -> Result<Option<BaseUrl>, SettingError> {
        self.read("url", |text| BaseUrl::parse(text).map_err(|error| error.to_string()))
    }

    /// A number of seconds within bounds.
    pub(crate) fn seconds(
        &self,
        name: &'static str,
        bounds: RangeInclusive<u64>,
    ) -> Result<Duration, SettingError> {
        self.read_with(name, |text| whole_number(text, &bounds)).map(Duration::from_secs)
    }
}

fn whole_number(text: &str, bounds: &RangeInclusive<u64>) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| bounds.contains(number));
    let (min, max) = (bounds.start(), bounds.end());
    number.ok_or_else(|| format!("must be a whole number of seconds from {min} to {max}"))
}
