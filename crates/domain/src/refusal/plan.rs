//! What people read about the owner's plan, in two languages.

use super::Refusal;
use crate::language::Language::{self, En, Es};
use crate::time::CaracasDate;

/// The text of a refusal about a plan, if it is one that says more than its code means.
pub(super) fn message(refusal: &Refusal, language: Language) -> Option<String> {
    let Refusal::PlanRequestLimit { limit, used, resets_at, .. } = refusal else { return None };
    let day = CaracasDate::of(*resets_at);
    Some(match language {
        Es => format!(
            "too many requests: el plan del titular da para {limit} pagos al mes y ya van {used}. Se renueva el {day}."
        ),
        En => format!(
            "too many requests: the owner's plan is for {limit} payments a month, and there are {used}. It resets on \
             {day}."
        ),
    })
}
