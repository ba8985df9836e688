//! Everything asked once more, when all is quiet.

use super::{Chance, FORMS, MOVEMENTS, SPELLINGS, World, query};

/// How one of these calls was answered.
struct Answered {
    is_confirmed: bool,
    is_bank_asked: bool,
}

impl World {
    /// Everybody asks everything once more, so that every first report arrives; and again, which reaches no bank
    /// where the call was confirmed.
    pub(in crate::verification::simulation) fn ask_all_again(&mut self) {
        let first = self.ask_all();
        self.settle();
        for (first, second) in first.into_iter().zip(self.ask_all()) {
            let is_known = second.is_confirmed && !second.is_bank_asked;
            assert!(is_known || !first.is_confirmed, "a confirmed call is not known again");
        }
        self.settle();
    }

    /// Everybody asks everything, one after another, of a bank in good health: first by the keys that they used, since
    /// what was replayed to a key and lost on its way is a first report for that key alone.
    fn ask_all(&mut self) -> Vec<Answered> {
        self.ledger.lock().unwrap().moods.clear();
        let mut queries: Vec<_> = self
            .keyed
            .iter()
            .map(|(asker, bank, query, key)| {
                self.calling(&self.callers[*asker].0, *bank, query.clone(), false, Some(*key))
            })
            .collect();
        for (caller, banks) in &self.callers {
            for bank in banks {
                for asked in 0..MOVEMENTS * SPELLINGS * FORMS {
                    let (movement, spelling) = (asked % MOVEMENTS, asked / MOVEMENTS / FORMS);
                    let query = query(movement, spelling, asked / MOVEMENTS % FORMS);
                    queries.push(self.calling(caller, *bank, query, false, None));
                }
            }
        }
        let mut chance = Chance::new(0);
        let mut answers = Vec::new();
        for calling in queries {
            let (known, questions) = (self.answers.len(), self.questions());
            self.calls.push(calling);
            while !self.calls.is_empty() {
                self.poll_one(&mut chance);
            }
            answers.push(Answered {
                is_confirmed: self.answers.len() > known,
                is_bank_asked: self.questions() > questions,
            });
        }
        answers
    }

    fn questions(&self) -> usize {
        self.ledger.lock().unwrap().questions
    }
}
