//! What callers were answered. Whatever the server forgets afterwards, they do not.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use crate::cast::{Key, Owner};
use crate::http::Answer;

/// Refusals that limits and the slow bank bring about.
const EXPECTED: &[(u16, &str)] = &[
    (402, "NOT_ENOUGH_CREDITS"),
    (403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED"),
    (503, "BANK_NOT_AVAILABLE"),
];

/// Answers that a server may also give while its database fails, in a test of that.
pub(crate) const DATABASE_FAILS: &[(u16, &str)] =
    &[(500, "INTERNAL_SERVER_ERROR"), (503, "SERVICE_UNAVAILABLE")];

/// The payment of a reference, as callers were answered.
#[derive(Clone, Debug)]
pub(crate) struct Payment {
    pub(crate) id: String,
    /// How often it was reported to a caller as new.
    pub(crate) first_reports: u32,
    /// Who learned of it first: the number of its owner and of the key.
    pub(crate) by: (usize, usize),
}

#[derive(Default)]
struct Known {
    payments: HashMap<String, Payment>,
    /// The references in the order in which their payments were first reported.
    order: Vec<String>,
    /// How many there were at each kill: those before it are the ones at risk.
    kills: Vec<usize>,
    /// How often each end was received.
    ends: BTreeMap<(u16, String), u64>,
    violations: Vec<String>,
}

/// Answers that all callers together received.
#[derive(Default)]
pub(crate) struct Answers {
    known: Mutex<Known>,
    /// Ends that are expected besides the usual ones.
    tolerated: &'static [(u16, &'static str)],
}

impl Answers {
    pub(crate) fn tolerating(tolerated: &'static [(u16, &'static str)]) -> Self {
        Self { tolerated, ..Self::default() }
    }

    /// Notes a whole answer to a verification; references are compared by their digits alone.
    pub(crate) fn note(&self, digits: &str, by: (usize, usize), answer: &Answer) {
        let mut known = self.known.lock().unwrap();
        let end = (answer.status, answer.code().to_owned());
        *known.ends.entry(end).or_default() += 1;
        if answer.status == 200 {
            note_payment(&mut known, digits, by, answer);
            return;
        }
        let end = (answer.status, answer.code());
        if !EXPECTED.contains(&end) && !self.tolerated.contains(&end) {
            known.violations.push(format!("{digits}: {}", answer.body));
        }
    }

    /// Notes what a key's limit record says: more must never be used than it allows.
    pub(crate) fn note_limit(&self, key: &Key, answer: &Answer) {
        let (used, limit) = (&answer.body["quota_used"], key.limit);
        if answer.status != 200 {
            let end = (answer.status, answer.code());
            if !self.tolerated.contains(&end) {
                self.violation(format!("{}: {}", key.id, answer.body));
            }
        } else if used.as_i64().zip(limit).is_none_or(|(used, limit)| used > limit) {
            self.violation(format!("{}: over its limit: {}", key.id, answer.body));
        }
    }

    pub(crate) fn violation(&self, what: String) {
        self.known.lock().unwrap().violations.push(what);
    }

    pub(crate) fn note_kill(&self) {
        let mut known = self.known.lock().unwrap();
        let count = known.order.len();
        known.kills.push(count);
    }

    /// Every payment that was reported, by its digits.
    pub(crate) fn payments(&self) -> HashMap<String, Payment> {
        self.known.lock().unwrap().payments.clone()
    }

    /// At most about `most` references whose payments were reported: the last ones before each
    /// kill, which a server that answers too early would lose.
    pub(crate) fn at_risk(&self, most: usize) -> Vec<String> {
        let known = self.known.lock().unwrap();
        let mut ends = known.kills.clone();
        ends.push(known.order.len());
        let each = (most / ends.len()).max(1);
        let mut begin = 0;
        let mut chosen = Vec::new();
        for end in ends {
            let from = end.saturating_sub(each).max(begin);
            chosen.extend_from_slice(&known.order[from..end]);
            begin = end;
        }
        chosen
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.known.lock().unwrap().violations.clone()
    }

    /// How often each end was received, in one line.
    pub(crate) fn summary(&self) -> String {
        let known = self.known.lock().unwrap();
        let ends = known.ends.iter().map(|((status, code), count)| {
            format!("{count} x {}", format!("{status} {code}").trim_end())
        });
        let ends: Vec<String> = ends.collect();
        format!("{} payments heard of, {}", known.payments.len(), ends.join(", "))
    }
}

fn note_payment(known: &mut Known, digits: &str, by: (usize, usize), answer: &Answer) {
    let data = &answer.body["data"];
    let shown = &data["user_bank_payment"];
    let (Some(id), Some(is_new)) = (shown["id"].as_str(), data["is_new"].as_bool()) else {
        return known.violations.push(format!("{digits}: no payment in {}", answer.body));
    };
    if shown["bank_reference_id"] != digits {
        known.violations.push(format!("{digits}: another payment in {}", answer.body));
    }
    if !known.payments.contains_key(digits) {
        known.order.push(digits.to_owned());
    }
    let first = || Payment { id: id.to_owned(), first_reports: 0, by };
    let payment = known.payments.entry(digits.to_owned()).or_insert_with(first);
    payment.first_reports += u32::from(is_new);
    let (first_id, first_reports) = (payment.id.clone(), payment.first_reports);
    if first_id != id {
        known.violations.push(format!("{digits}: {first_id} before, {id} now"));
    }
    if first_reports > 1 {
        known.violations.push(format!("{digits}: called new {first_reports} times"));
    }
}

/// The owner and the key behind their numbers.
pub(crate) fn who(cast: &[Owner], by: (usize, usize)) -> (&Owner, &Key) {
    let owner = &cast[by.0];
    (owner, &owner.keys[by.1])
}
