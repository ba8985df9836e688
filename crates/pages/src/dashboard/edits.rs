//! Changes that a person makes in a form. Each field of a form that changes something carries along what it showed
//! (`was-name` beside `name`): what stands as it was shown is not asked for, and what somebody else has changed
//! meanwhile is not undone unseen.

use app::Precondition;
use web::{FormBody, SHOWN};

use super::form::FormState;

/// A field that a person may have changed.
#[derive(Clone, Debug)]
struct Field {
    /// The values that its page showed; nothing where the form does not say.
    shown: Option<Vec<String>>,
    typed: Vec<String>,
}

impl Field {
    fn of(form: &FormBody, name: &str) -> Self {
        let was = format!("{SHOWN}{name}");
        let shown = form.has(&was).then(|| form.fields(&was));
        Self { shown, typed: form.fields(name) }
    }

    fn is_edited(&self) -> bool {
        self.shown.as_ref().is_none_or(|shown| !are_same(shown, &self.typed))
    }

    /// Answers whether something stands there by now that its person has neither seen nor typed.
    fn is_overtaken(&self, now: &[String]) -> bool {
        let has_seen = self.shown.as_ref().is_some_and(|shown| are_same(shown, now));
        !has_seen && !are_same(&self.typed, now)
    }
}

/// Answers whether a field is in the form and does not stand as it was shown. One that is not in the form is not changed.
pub(super) fn is_edited(form: &FormBody, name: &str) -> bool {
    form.has(name) && Field::of(form, name).is_edited()
}

/// Compares what is chosen or typed, in whatever order and with whatever space around.
pub(super) fn are_same(one: &[String], other: &[String]) -> bool {
    fn sorted(values: &[String]) -> Vec<String> {
        // Browsers send each end of a line as two characters.
        let plain = |value: &String| value.trim().replace("\r\n", "\n");
        let mut values: Vec<String> = values.iter().map(plain).collect();
        values.retain(|value| !value.is_empty());
        values.sort_unstable();
        values.dedup();
        values
    }
    sorted(one) == sorted(other)
}

/// The condition that nobody else has changed a field which the person changes. `kept` is the form with what is in force.
pub(super) fn unless_overtaken<T>(
    form: &FormBody,
    kept: impl Fn(&T) -> FormState + Send + Sync + 'static,
) -> Precondition<T> {
    let form = form.clone();
    Precondition::new(move |in_force| {
        overtaken(&kept(in_force), |name| is_edited(&form, name).then(|| Field::of(&form, name)))
    })
}

/// The same condition for a form whose fields are one value: none of them may be another by now, be it in the form or not.
pub(super) fn unless_any_overtaken<T>(
    form: &FormBody,
    kept: impl Fn(&T) -> FormState + Send + Sync + 'static,
) -> Precondition<T> {
    let form = form.clone();
    Precondition::new(move |in_force| {
        overtaken(&kept(in_force), |name| Some(Field::of(&form, name)))
    })
}

/// The same condition for a form in which `pair` means something together alone: where one of the two was edited, the other
/// must be as it was shown.
pub(super) fn unless_overtaken_with_pair<T>(
    form: &FormBody,
    pair: [&'static str; 2],
    kept: impl Fn(&T) -> FormState + Send + Sync + 'static,
) -> Precondition<T> {
    let form = form.clone();
    Precondition::new(move |in_force| {
        let is_pair_edited = pair.iter().any(|name| is_edited(&form, name));
        overtaken(&kept(in_force), |name| {
            let counts = is_edited(&form, name) || (is_pair_edited && pair.contains(&name));
            counts.then(|| Field::of(&form, name))
        })
    })
}

/// The fields of that form which are overtaken, of those that `field` has.
fn overtaken(kept: &FormState, field: impl Fn(&str) -> Option<Field>) -> Vec<String> {
    let is_overtaken = |name: &&str| {
        let now = kept.all(name);
        field(name).zip(now).is_some_and(|(field, now)| field.is_overtaken(now))
    };
    let mut names: Vec<&str> = kept.names().filter(is_overtaken).collect();
    names.sort_unstable();
    names.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_the_same_in_whatever_order_and_with_whatever_line_ends() {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        for (one, other) in [
            (&["a", "b"][..], &["b", "a", ""][..]),
            (&["two\r\nlines "], &["two\nlines"]),
            (&[""], &[]),
        ] {
            assert!(are_same(&list(one), &list(other)), "{one:?}");
        }
        assert!(!are_same(&list(&["a"]), &list(&["a", "b"])));
    }
}
