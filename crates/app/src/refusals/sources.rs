//! From where the refusals that one entry counts came.

use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::audit;

/// How many places an entry names. The last of them is the latest: a flood from ever new addresses hides neither
/// where it began nor where it is now.
const SOURCES_MAX: usize = 5;

/// One place: an address, and who called from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The address.
    pub address: Option<String>,
    /// A session, or nobody.
    pub actor: String,
    /// How many came from there.
    pub times: i64,
    first_at: i64,
    last_at: i64,
}

impl Source {
    /// When the first came.
    #[must_use]
    pub const fn first_at(&self) -> Timestamp {
        Timestamp::from_micros(self.first_at)
    }

    /// When the latest came.
    #[must_use]
    pub const fn last_at(&self) -> Timestamp {
        Timestamp::from_micros(self.last_at)
    }
}

/// The first places and the latest one. What came from others between them is in the entry's count alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// The place that one refusal came from.
    pub(crate) fn of(entry: &audit::Entry, at: Timestamp) -> Self {
        let (address, actor, at) = (entry.address.clone(), entry.actor.clone(), at.as_micros());
        Self(vec![Source { address, actor, times: 1, first_at: at, last_at: at }])
    }

    /// Reads what the store keeps.
    pub(crate) fn read(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Returns the text that the store keeps.
    pub(crate) fn text(&self) -> String {
        // Texts and numbers: writing them as JSON cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds the sources of other refusals. These came later or, where they could not be written at first, earlier.
    pub(crate) fn join(&mut self, other: Self) {
        let begins = |it: &Self| it.0.iter().map(|source| source.first_at).min();
        if begins(&other) < begins(self) {
            let later = std::mem::replace(self, other);
            self.add(&later);
        } else {
            self.add(&other);
        }
    }

    /// Adds the sources of refusals that came later.
    pub(crate) fn add(&mut self, later: &Self) {
        for new in &later.0 {
            let is_same = |it: &&mut Source| (&it.address, &it.actor) == (&new.address, &new.actor);
            if let Some(known) = self.0.iter_mut().find(is_same) {
                known.times = known.times.saturating_add(new.times);
                known.last_at = known.last_at.max(new.last_at);
                continue;
            }
            self.0.truncate(SOURCES_MAX - 1);
            self.0.push(new.clone());
        }
    }

    /// The places, the first one first.
    #[must_use]
    pub fn as_slice(&self) -> &[Source] {
        &self.0
    }

    /// How many came from them.
    #[must_use]
    pub fn times(&self) -> i64 {
        self.0.iter().fold(0, |sum, source| sum.saturating_add(source.times))
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::AuditId;

    use super::*;

    fn from(address: &str, at: i64) -> Sources {
        let entry = audit::Entry {
            id: AuditId::from_bytes([1; 16]),
            actor: "nobody".to_owned(),
            employee: None,
            action: "WrongPassword",
            subject: "own_1".to_owned(),
            address: Some(address.to_owned()),
        };
        Sources::of(&entry, Timestamp::from_micros(at))
    }

    fn places_of(sources: &Sources) -> Vec<(Option<&str>, i64, i64, i64)> {
        let places = sources.as_slice().iter();
        places.map(|it| (it.address.as_deref(), it.times, it.first_at, it.last_at)).collect()
    }

    #[test]
    fn the_first_places_stay_and_the_latest_is_counted_however_many_there_are() {
        let mut sources = Sources::default();
        for n in 1..=1_000 {
            sources.add(&from(&format!("203.0.113.{}", n % 250), n));
        }
        assert_eq!(
            places_of(&sources),
            [
                (Some("203.0.113.1"), 4, 1, 751),
                (Some("203.0.113.2"), 4, 2, 752),
                (Some("203.0.113.3"), 4, 3, 753),
                (Some("203.0.113.4"), 4, 4, 754),
                (Some("203.0.113.0"), 1, 1_000, 1_000),
            ]
        );
        assert_eq!(sources.times(), 17);
    }

    #[test]
    fn what_is_put_back_comes_before_what_came_meanwhile() {
        let mut sources = from("203.0.113.2", 2);
        sources.join(from("203.0.113.1", 1));
        let both = [(Some("203.0.113.1"), 1, 1, 1), (Some("203.0.113.2"), 1, 2, 2)];
        assert_eq!(places_of(&sources), both);
        sources.join(from("203.0.113.1", 3));
        assert_eq!(places_of(&sources)[0], (Some("203.0.113.1"), 2, 1, 3));
    }

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let mut sources = from("203.0.113.1", 1);
        sources.add(&from("203.0.113.2", 2));
        assert_eq!(Sources::read(Some(&sources.text())), sources);
        for text in [None, Some(""), Some("[7]")] {
            assert_eq!(Sources::read(text), Sources::default(), "{text:?}");
        }
    }
}
