//! From where the values come: defaults, then the file, then the environment, then flags. Each is
//! kept as text until it is read as what it must be, so that a mistake is reported with its place.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::keys::{BANKS_SECTION, Key, Value, keys};
use super::{ConfigError, banks};

/// Prefix of the names of variables.
pub(super) const PREFIX: &str = "COTEJO_";

/// The variable that names the configuration file; no key of its own.
pub(super) const CONFIG_VARIABLE: &str = "COTEJO_CONFIG";

/// How different a misspelt name may be for the right one to be guessed.
const GUESS_DISTANCE_MAX: usize = 3;

/// From where a value comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// The configuration file.
    File(PathBuf),
    /// A variable of the environment.
    Environment,
    /// The command line.
    Flag,
}

/// A value before it is read as what it must be. Not shown: it may be a secret.
struct Given {
    text: String,
    source: Source,
}

/// The values of all keys that have one.
pub(super) struct Layers {
    keys: Vec<Key>,
    given: BTreeMap<String, Given>,
}

impl Layers {
    /// The defaults.
    pub(super) fn new() -> Result<Self, ConfigError> {
        let keys = keys();
        let mut layers = Self { keys: keys.clone(), given: BTreeMap::new() };
        for key in keys {
            if let Value::Default(value) = key.value {
                layers.add_text(&format!("{} = {value}", key.path), &Source::Default)?;
            }
        }
        Ok(layers)
    }

    /// Lays the values of a file over the others.
    pub(super) fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let file = path.to_owned();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::Unreadable { file: file.clone(), error })?;
        self.add_text(&text, &Source::File(file))
    }

    fn add_text(&mut self, text: &str, source: &Source) -> Result<(), ConfigError> {
        let table = text.parse().map_err(|error| not_toml(text, source, &error))?;
        self.add_table("", table, source)
    }

    fn add_table(
        &mut self,
        section: &str,
        table: toml::Table,
        source: &Source,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            let path = if section.is_empty() { name } else { format!("{section}.{name}") };
            if let Some(bank) = banks::unknown(&path, BANKS_SECTION, '.') {
                return Err(unknown_bank(bank, source.clone()));
            }
            if let toml::Value::Table(table) = value {
                self.add_table(&path, table, source)?;
                continue;
            }
            let known = self.known(|key| key == path).ok_or_else(|| ConfigError::UnknownKey {
                given: path.clone(),
                right: nearest(&path, self.keys.iter().map(|key| key.path.to_string())),
            })?;
            self.set(known, to_text(&value), source.clone());
        }
        Ok(())
    }

    /// Lays the variables whose names begin with the prefix over the others.
    pub(super) fn add_environment(
        &mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        for (name, value) in variables {
            if !name.starts_with(PREFIX) || name == CONFIG_VARIABLE {
                continue;
            }
            if let Some(bank) = banks::unknown(&name, &variable(BANKS_SECTION), '_') {
                return Err(unknown_bank(bank, Source::Environment));
            }
            let known = self.known(|key| variable(key) == name).ok_or_else(|| {
                ConfigError::UnknownVariable {
                    given: name.clone(),
                    right: nearest(&name, self.keys.iter().map(|key| variable(&key.path))),
                }
            })?;
            self.set(known, value, Source::Environment);
        }
        Ok(())
    }

    /// Lays the value of a flag over the others.
    pub(super) fn set_flag(&mut self, path: &'static str, value: String) {
        self.set(path.to_owned(), value, Source::Flag);
    }

    fn set(&mut self, path: String, text: String, source: Source) {
        self.given.insert(path, Given { text, source });
    }

    fn known(&self, is: impl Fn(&str) -> bool) -> Option<String> {
        self.keys.iter().map(|key| &key.path).find(|path| is(path)).map(ToString::to_string)
    }

    /// The text of a key, if it has one.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.given.get(path).map(|given| given.text.trim())
    }

    /// That a key's value is not what it must be, by the name under which it was given.
    pub(super) fn wrong(&self, path: &str, problem: String) -> ConfigError {
        let name = match self.given.get(path).map(|given| &given.source) {
            Some(Source::Environment) => variable(path),
            Some(Source::Flag) => format!("--{}", path.replace('_', "-")),
            Some(Source::Default | Source::File(_)) | None => path.to_owned(),
        };
        ConfigError::Value { name, problem }
    }

    /// The value of a key as what it must be, if it has one.
    pub(super) fn read<T>(
        &self,
        path: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let value = self.text(path).map(parse);
        value.transpose().map_err(|problem| self.wrong(path, problem))
    }

    /// The value of a key that always has one.
    pub(super) fn parse<T: FromStr<Err: Display>>(
        &self,
        path: &'static str,
    ) -> Result<T, ConfigError> {
        self.read_with(path, |text| text.parse().map_err(|error: T::Err| error.to_string()))
    }

    /// The value of a key that always has one, read in a way of its own.
    pub(super) fn read_with<T>(
        &self,
        path: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        self.read(path, parse)?.ok_or_else(|| self.wrong(path, "must have a value".to_owned()))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the defaults"),
            Self::File(path) => path.display().fmt(f),
            Self::Environment => f.write_str("the environment"),
            Self::Flag => f.write_str("the command line"),
        }
    }
}

/// Describes the error in a text and its place, without a word of the text itself: the line may hold a password.
fn not_toml(text: &str, source: &Source, error: &toml::de::Error) -> ConfigError {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let before = &text.as_bytes()[..at];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    ConfigError::Toml {
        place: source.clone(),
        line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
        column: 1 + String::from_utf8_lossy(&before[line_start..]).chars().count(),
        // Of the parser's own words alone; it may add what it expected in a line of its own.
        problem: error.message().replace('\n', ", "),
    }
}

fn unknown_bank(given: String, place: Source) -> ConfigError {
    ConfigError::UnknownBank { given, place, known: banks::names() }
}

/// The variable of a key: `COTEJO_LOG_LEVEL` for `log.level`.
pub(super) fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "_").to_uppercase())
}

/// A scalar as its text, a list as its items between commas.
fn to_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(to_text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Guesses the name that was meant, as the end of a sentence; empty if none is near.
fn nearest(given: &str, names: impl Iterator<Item = String>) -> String {
    let ranked = names.map(|name| (distance(given, &name), name));
    match ranked.min() {
        Some((distance, name)) if distance <= GUESS_DISTANCE_MAX => {
            format!("; did you mean {name}?")
        }
        _ => String::new(),
    }
}

/// How many characters must be added, dropped or replaced to make one of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
