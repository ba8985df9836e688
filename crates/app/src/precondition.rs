//! The state that a change was asked for by somebody who looked at it.
//!
//! A page shows what is in force, and its form carries that along. Where somebody else has changed meanwhile what the
//! person changes, the write refuses in its own transaction, so that nobody undoes what nobody has seen. What a form
//! says of that state is compared and nothing else: it opens nothing, and is never written. Programs send what they
//! change alone, and ask for none.

use std::fmt;
use std::sync::Arc;

use domain::refusal::Refusal;

/// Finds the fields that somebody else has changed meanwhile, by the state that is in force.
type Overtaken<T> = dyn Fn(&T) -> Vec<String> + Send + Sync;

/// A condition on the state in force, without which a change is not made.
pub struct Precondition<T>(Option<Arc<Overtaken<T>>>);

impl<T> Precondition<T> {
    /// No condition: the change is made whatever is in force.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// The condition that `overtaken` finds no field by what is in force.
    pub fn new(overtaken: impl Fn(&T) -> Vec<String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(overtaken)))
    }

    /// Compares with what is in force, as the transaction of the write has read it.
    ///
    /// # Errors
    /// The fields that somebody else has changed meanwhile.
    pub(crate) fn check(&self, in_force: &T) -> Result<(), Refusal> {
        let fields = self.0.as_ref().map(|overtaken| overtaken(in_force)).unwrap_or_default();
        if fields.is_empty() {
            return Ok(());
        }
        Err(Refusal::Overtaken { fields })
    }
}

impl<T> Clone for Precondition<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Precondition<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Precondition").field(&self.0.is_some()).finish()
    }
}
