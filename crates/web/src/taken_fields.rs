//! The fields that a form takes.

use domain::refusal::{Detail, Refusal};

use crate::form::FormBody;
use crate::form_fields::{FORM_TOKEN, OF_PROOF, ONCE, SHOWN, SIGNED_IN_ANEW};

/// The fields that the form of a route takes, by their names; one that ends in `*` stands for all that begin so.
#[derive(Clone, Copy, Debug)]
pub struct TakenFields(pub &'static [&'static str]);

impl TakenFields {
    /// Refuses a form with a field that is not among them, by its name: nobody is told that something was done which
    /// nobody looked at.
    ///
    /// # Errors
    /// Every field that the form does not take.
    pub(crate) fn check(self, form: &FormBody) -> Result<(), Refusal> {
        let mut unknown: Vec<String> = form.pairs().into_iter().map(|(name, _)| name).collect();
        unknown.extend(form.file_field().map(str::to_owned));
        unknown.retain(|name| !self.has(name));
        unknown.sort_unstable();
        unknown.dedup();
        if unknown.is_empty() {
            return Ok(());
        }
        let problem = ("esta página no lo recibe", "this page does not take it");
        Err(Refusal::Validation(
            unknown.into_iter().map(|name| Detail::new(name, problem)).collect(),
        ))
    }

    fn has(self, name: &str) -> bool {
        let is_named = |name: &str| {
            self.0.iter().any(|taken| match taken.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => *taken == name,
            })
        };
        [FORM_TOKEN, ONCE, SIGNED_IN_ANEW].contains(&name)
            || OF_PROOF.contains(&name)
            || is_named(name.strip_prefix(SHOWN).unwrap_or(name))
    }
}
