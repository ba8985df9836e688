//! A form that makes something and was sent before: its work is done once, and its page leads to what came of it.

use app::{Error, kept_answers};
use domain::access::Guarded;
use domain::language::Language;
use domain::refusal::Refusal;
use web::{AppState, FormBody, NotTaken, Signed};

use super::form::FormState;
use super::reader::Both;

/// The kind of thing that a form makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Makes {
    /// The page of what it made, by the id of that.
    pub(super) path: fn([u8; 16]) -> String,
    /// The words that lead there.
    pub(super) see: Both,
    /// Advice where the answer was lost, which is given once since it shows a secret.
    pub(super) lost: Option<Both>,
}

impl Makes {
    /// The form once more, where what it asked for was refused. What it made when it was sent before is one press away.
    ///
    /// # Errors
    /// A failure that is no refusal.
    pub(super) async fn again<O: Guarded>(
        self,
        (state, signed): (&AppState, &Signed<O>),
        form: &FormBody,
        error: Error,
    ) -> Result<FormState, NotTaken> {
        let language = signed.language();
        let (is_other, is_lost) = match &error {
            Error::Refused(Refusal::IdempotencyKeyReused) => (true, false),
            Error::Refused(Refusal::Conflict { .. }) => (false, true),
            _ => (false, false),
        };
        let mut again = FormState::again(form, error, language)?;
        let Some(slot) = form.slot(&signed.act).filter(|_| is_other || is_lost) else {
            return Ok(again);
        };
        let pick = |(es, en): Both| Language::pick(language, es, en);
        if let Some(made) = kept_answers::made_before(&state.app, &signed.act, slot).await? {
            again.earlier = Some(((self.path)(made), pick(self.see)));
            if let Some(lost) = self.lost.filter(|_| is_lost) {
                again.notice = Some(pick(lost).to_owned());
            }
        }
        Ok(again)
    }
}
