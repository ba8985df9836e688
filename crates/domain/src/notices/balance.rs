//! The notice that a change of the balance gives: by the step that passes a line, so that nothing need be remembered.

use super::{Kind, Notice};
use crate::money::Credits;

/// The notice to the owner where its balance fell from `before` to `after`: that it is used up, where less is left
/// than the `next` charge costs, or that it has fallen below the line. `id` is what no other change of the balance
/// has. A balance that was below before gives no notice again until it has been above.
#[must_use]
pub fn of_balance(
    (before, after): (Credits, Credits),
    next: Credits,
    below: Option<Credits>,
    id: &str,
) -> Option<Notice> {
    let passes = |line: Credits| before >= line && after < line;
    let kind = match below {
        _ if passes(next.max(Credits::new(1))) => Kind::CreditsExhausted,
        Some(line) if passes(line) => Kind::LowBalance,
        _ => return None,
    };
    Some(Notice::of(kind, after.get().to_string(), id.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(before: i64, after: i64, next: i64, below: Option<i64>) -> Option<Kind> {
        let [before, after, next] = [before, after, next].map(Credits::new);
        of_balance((before, after), next, below.map(Credits::new), "id").map(|notice| notice.kind)
    }

    #[test]
    fn a_line_is_reported_by_the_step_that_passes_it() {
        assert_eq!(kind_of(21, 20, 1, Some(20)), None);
        assert_eq!(kind_of(20, 19, 1, Some(20)), Some(Kind::LowBalance));
        assert_eq!(kind_of(19, 18, 1, Some(20)), None);
        assert_eq!(kind_of(20, 19, 1, None), None);
        assert_eq!(kind_of(5, 30, 1, Some(20)), None);
    }

    #[test]
    fn what_is_used_up_is_reported_as_that_alone() {
        assert_eq!(kind_of(1, 0, 1, Some(20)), Some(Kind::CreditsExhausted));
        assert_eq!(kind_of(1, 0, 1, Some(1)), Some(Kind::CreditsExhausted));
        assert_eq!(kind_of(1, 0, 1, None), Some(Kind::CreditsExhausted));
        assert_eq!(kind_of(6, 4, 5, None), Some(Kind::CreditsExhausted));
        assert_eq!(kind_of(4, 3, 5, Some(2)), None);
        assert_eq!(kind_of(0, 0, 1, Some(20)), None);
        assert_eq!(kind_of(9, 9, 0, Some(20)), None);
    }

    #[test]
    fn the_notice_has_the_balance_and_the_change_of_its_own() {
        let steps = (Credits::new(20), Credits::new(7));
        let notice = of_balance(steps, Credits::new(1), Some(Credits::new(20)), "one").unwrap();
        assert_eq!((&*notice.subject, &*notice.slot), ("7", "one"));
    }
}
