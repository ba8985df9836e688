//! The mark of a store that was put back from a copy, and the movements that a person looks at since: the copy does not know
//! what was accepted after it.

use domain::ids::{IdentityId, OwnerId};
use domain::review::ReviewWindow;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, Store, installation, reviews};

use crate::error::Error;

/// Name under which the installation keeps the mark.
pub const NAME: &str = "restored";

/// The mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When the copy was made, and when it was put back.
    pub window: ReviewWindow,
    /// Whether everything is done that follows from putting it back. Nobody is served before.
    pub is_settled: bool,
}

impl Mark {
    /// The mark as it is kept: both instants in microseconds, and whether it is settled.
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        let ReviewWindow { since, until } = self.window;
        let mut bytes = since.as_micros().to_be_bytes().to_vec();
        bytes.extend(until.as_micros().to_be_bytes());
        bytes.push(u8::from(self.is_settled));
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (since, rest) = bytes.split_first_chunk()?;
        let (until, rest) = rest.split_first_chunk()?;
        let [is_settled @ (0 | 1)] = rest else { return None };
        let at = |bytes: &[u8; 8]| Timestamp::from_micros(i64::from_be_bytes(*bytes));
        let window = ReviewWindow { since: at(since), until: at(until) };
        Some(Self { window, is_settled: *is_settled == 1 })
    }
}

/// The mark of the store, if it was ever put back.
///
/// # Errors
/// A fault of the store.
pub async fn mark(store: &Store) -> Result<Option<Mark>, Error> {
    let kept = store.look_up(&Meter::default(), |tx| installation::find(tx, NAME)).await?;
    let broken = || Fault::broken("the mark of a restore cannot be read");
    Ok(kept.map(|kept| Mark::read(&kept).ok_or_else(broken)).transpose()?)
}

/// The window of an account, unless its owner has closed it. A store that was never put back is not asked; nor is one about
/// money that does not exist, of which each question makes a movement of its own.
///
/// # Errors
/// A fault of the store.
pub(crate) fn open_window(
    tx: &mut Tx<'_>,
    (review, livemode): (Option<ReviewWindow>, bool),
    (owner, identity): (OwnerId, IdentityId),
) -> Result<Option<ReviewWindow>, Fault> {
    let Some(window) = review.filter(|_| livemode) else { return Ok(None) };
    let reviewed = reviews::reviewed_until(tx, owner, identity)?;
    let is_open = reviewed.is_none_or(|until| until < window.until);
    Ok(is_open.then_some(window))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_from_what_is_kept() {
        let at = Timestamp::from_micros;
        for is_settled in [false, true] {
            let window = ReviewWindow { since: at(-1), until: at(1_796_097_600_000_000) };
            let mark = Mark { window, is_settled };
            assert_eq!(Mark::read(&mark.to_bytes()), Some(mark));
        }
        let mut bytes = vec![0; 17];
        bytes[16] = 2;
        assert_eq!(Mark::read(&bytes), None);
        assert_eq!(Mark::read(&bytes[..16]), None);
    }
}
