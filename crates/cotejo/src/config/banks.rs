//! What the configuration says of banks, in the sections `[banks.NAME]`: where they are, and how they are asked. A
//! request never does.

use std::fmt;

use banks::{BANKS, Connect, Definition, Settings};

use super::ConfigError;
use super::keys::BANKS_SECTION;
use super::layers::Layers;

/// A bank that is open here.
#[derive(Clone)]
pub struct OpenBank {
    /// As the registry lists it.
    pub bank: &'static Definition,
    /// Makes its connector, as the operator has set it.
    pub connect: Connect,
}

impl fmt::Debug for OpenBank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenBank").field(&self.bank.name).finish()
    }
}

/// The banks that the configuration opens.
pub(super) fn read(layers: &Layers) -> Result<Vec<OpenBank>, ConfigError> {
    let opened = BANKS.iter().map(|bank| {
        let path = |name: &str| format!("{BANKS_SECTION}{}.{name}", bank.name);
        let value = |name: &str| layers.text(&path(name));
        let opened = (bank.open)(&Settings::new(&value));
        let opened = opened.map_err(|error| layers.wrong(&path(error.name), error.problem))?;
        Ok(opened.map(|connect| OpenBank { bank, connect }))
    });
    opened.filter_map(Result::transpose).collect()
}

/// The names that a section of a bank may have, as the end of a sentence.
pub(super) fn names() -> String {
    with_settings().collect::<Vec<_>>().join(", ")
}

/// The bank that a key or a variable names, where there is none of that name. Keys have `.` between their parts,
/// variables `_`.
pub(super) fn unknown(given: &str, section: &str, separator: char) -> Option<String> {
    let rest = given.strip_prefix(section)?.to_ascii_lowercase();
    let is_known = with_settings().any(|name| {
        let after = rest.strip_prefix(name);
        after.is_some_and(|after| after.is_empty() || after.starts_with(separator))
    });
    (!is_known).then(|| rest.split(separator).next().unwrap_or_default().to_owned())
}

fn with_settings() -> impl Iterator<Item = &'static str> {
    BANKS.iter().filter(|bank| !bank.settings.is_empty()).map(|bank| bank.name)
}
