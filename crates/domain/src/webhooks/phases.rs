//! How long each part of an exchange took.

use std::time::Duration;

use super::Phase;

/// The bytes of one part.
const PART_LEN: usize = size_of::<u32>();

/// Number that stands for a part that did not begin.
const NOT_BEGUN: u32 = u32::MAX;

/// How long each part of an exchange took, to the microsecond: a part that did not begin took nothing,
/// which is another thing than no time. Over a connection that was there already, nothing is resolved,
/// connected or secured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases([Option<Duration>; Phase::ALL.len()]);

impl Phases {
    /// How many bytes stores keep.
    pub const LEN: usize = Phase::ALL.len() * PART_LEN;

    /// How long that part took, if it began.
    #[must_use]
    pub fn get(&self, phase: Phase) -> Option<Duration> {
        self.0.get(phase.place()).copied().flatten()
    }

    /// Adds to what that part took. More than an hour counts as one.
    pub fn add(&mut self, phase: Phase, time: Duration) {
        const LONGEST: Duration = Duration::from_secs(60 * 60);
        if let Some(part) = self.0.get_mut(phase.place()) {
            *part = Some(part.unwrap_or_default().saturating_add(time).min(LONGEST));
        }
    }

    /// How long it was from the beginning to the head of the answer.
    #[must_use]
    pub fn before_reading(&self) -> Duration {
        Phase::ALL
            .into_iter()
            .filter(|phase| *phase != Phase::Reading)
            .filter_map(|phase| self.get(phase))
            .fold(Duration::ZERO, Duration::saturating_add)
    }

    /// Returns the bytes that stores keep: microseconds, each in four bytes, the first phase first.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        for (part, to) in self.0.iter().zip(bytes.chunks_exact_mut(PART_LEN)) {
            let micros = part.and_then(|part| u32::try_from(part.as_micros()).ok());
            to.copy_from_slice(&micros.unwrap_or(NOT_BEGUN).to_le_bytes());
        }
        bytes
    }

    /// Reads the bytes that a store kept; `None` where they are not [`Self::LEN`] in number.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; Self::LEN] = bytes.try_into().ok()?;
        let mut phases = Self::default();
        for (part, from) in phases.0.iter_mut().zip(bytes.chunks_exact(PART_LEN)) {
            let micros = u32::from_le_bytes(from.try_into().ok()?);
            *part = (micros != NOT_BEGUN).then(|| Duration::from_micros(micros.into()));
        }
        Some(phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_reads_back() {
        let mut phases = Phases::default();
        assert_eq!(Phases::from_bytes(&phases.to_bytes()), Some(phases));
        phases.add(Phase::Connecting, Duration::from_micros(7));
        phases.add(Phase::Connecting, Duration::from_micros(1));
        phases.add(Phase::Waiting, Duration::ZERO);
        phases.add(Phase::Reading, Duration::MAX);
        assert_eq!(Phases::from_bytes(&phases.to_bytes()), Some(phases));
        assert_eq!(phases.get(Phase::Resolving), None);
        assert_eq!(phases.get(Phase::Connecting), Some(Duration::from_micros(8)));
        assert_eq!(phases.get(Phase::Waiting), Some(Duration::ZERO));
        assert_eq!(phases.get(Phase::Reading), Some(Duration::from_secs(3_600)));
        assert_eq!(phases.before_reading(), Duration::from_micros(8));
        assert_eq!(Phases::from_bytes(&[0; 3]), None);
    }
}
