//! How a pause ends.

use crate::time::CaracasDate;

/// Calendar by which a subscription goes on after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calendar {
    /// The one that it had: the next period that begins is asked for.
    Same,
    /// Another one, whose first period begins on the day on which the pause ends.
    New,
}

/// End that a pause is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// Day at whose beginning the pause ends.
    pub on: CaracasDate,
    /// Calendar from then on.
    pub calendar: Calendar,
}
