//! The configuration as it may be shown: what holds, and from where it comes. No secret gets here.

use std::path::PathBuf;

use serde::Serialize;

use super::layers::variable;
use super::{Config, ConfigError, Source, secrets};

/// The text in place of a secret.
const MASK: &str = "********";

/// The configuration with what is to be said about it.
#[derive(Debug)]
pub(crate) struct Explained {
    /// Every key.
    pub(crate) shown: Vec<Shown>,
    /// The configuration, where it is of use.
    pub(crate) config: Result<Config, ConfigError>,
}

/// A key with its value, a secret masked.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    /// The key.
    pub(crate) key: String,
    /// Its value; `None` where it has none.
    pub(crate) value: Option<String>,
    /// True if the value is a mask.
    pub(crate) is_secret: bool,
    /// The layer that it comes from.
    pub(crate) from: &'static str,
    /// The file, or the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    #[serde(skip)]
    pub(crate) source: Source,
}

impl Shown {
    pub(super) fn new(key: &str, is_secret: bool, value: Option<&str>, source: Source) -> Self {
        let (from, place) = match &source {
            Source::Default => ("default", None),
            Source::File(file) => ("file", Some(file.display().to_string())),
            Source::Credential(file) => ("credential", Some(file.display().to_string())),
            Source::Environment => ("environment", Some(variable(key))),
            Source::SecretFile(file) => {
                let place = format!("{}={}", secrets::variable_of_file(key), file.display());
                ("secret_file", Some(place))
            }
            Source::Flag => ("flag", None),
        };
        let value = value.map(|text| if is_secret { MASK } else { text }.to_owned());
        Self { key: key.to_owned(), value, is_secret, from, place, source }
    }

    /// The file that the value stands in, where it is the configuration file.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        match &self.source {
            Source::File(file) => Some(file),
            _ => None,
        }
    }
}
