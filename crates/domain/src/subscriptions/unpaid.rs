//! The consequence for a subscription when the grace of a cycle ends and nobody has paid.

/// Consequence of a cycle's lapsing for its subscription, once that has begun. It holds for what lapses from then on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnpaidPolicy {
    /// It goes on: the next cycles open.
    #[default]
    Stay,
    /// It is paused until somebody resumes it.
    Pause,
    /// It ends, and nothing is owed any more. What was paid ahead runs to its end first.
    End,
}

impl UnpaidPolicy {
    /// Every policy, the mildest first.
    pub const ALL: [Self; 3] = [Self::Stay, Self::Pause, Self::End];

    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stay => "stay",
            Self::Pause => "pause",
            Self::End => "end",
        }
    }

    /// Reads a policy by its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == word)
    }
}
