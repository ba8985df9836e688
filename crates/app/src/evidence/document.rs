//! Evidence as it is handed over: one JSON object that says of itself how it is verified. The guide
//! `docs/guide/proof-of-delivery.md` describes every field; what is described of a format never
//! changes, and another one gets another name.

use data_encoding::{BASE64, HEXLOWER};
use domain::ids::LinkId;
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::evidence::{Digest, Step};
use domain::webhooks::{DeliveryState, EventKind};
use serde::Serialize;
use store::evidence::KeptAttempt;

use super::{CoveringDay, Evidence};

/// The name of the format.
const FORMAT: &str = "cotejo-proof-1";

const HOW_TO_VERIFY: &str = "\
Cada huella es SHA-256. Un campo se escribe como su longitud en 4 bytes (big-endian) y sus bytes; uno que \
es null, como ffffffff. Los números van en decimal, las horas en microsegundos desde 1970, las huellas en \
sus 32 bytes, subject y phases en sus bytes. \
/ Every digest is SHA-256. A field is written as its length in 4 bytes (big-endian) and its bytes; one that \
is null, as ffffffff. Numbers are decimal, times microseconds since 1970, digests their 32 bytes, subject \
and phases their bytes. \
\n1. body_digest = sha256(body); url_digest = sha256(url); event.digest = sha256(fields: 'cotejo event 1', \
owner_id, id, kind, subject, created_at_micros, url_digest, body_digest). \
\n2. request_digest = sha256(request_head); answer_digest = sha256(fields: 'cotejo answer 1', answer_head, \
answer_body). \
\n3. attempt.digest = sha256(fields: 'cotejo attempt 1', the digest of the attempt before it or of the event, \
number, began_at_micros, duration_micros, status, trouble, address, is_reused as 1 or 0, phases, \
request_digest, answer_digest). \
\n4. The path of an attempt to the root of its day: h = sha256(00 + digest); for each step h = sha256(01 + \
step + h) if it is left, sha256(01 + h + step) if it is right; at the end h = root. \
\n5. day.digest = sha256(fields: 'cotejo day 1', owner_id, day, attempts, root, before). \
\nGuide: docs/guide/proof-of-delivery.md";

/// The whole of it.
#[derive(Serialize)]
pub struct Document<'a> {
    format: &'static str,
    how_to_verify: &'static str,
    event: Event<'a>,
    attempts: Vec<Attempt<'a>>,
    days: Vec<Day>,
}

/// Shows nothing of what was sent.
impl std::fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").field("event", &self.event.id).finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct Event<'a> {
    owner_id: String,
    id: String,
    kind: &'a str,
    subject: String,
    payment_link_id: Option<String>,
    created_at: String,
    created_at_micros: i64,
    state: Option<&'static str>,
    ended_at: Option<String>,
    /// Since when contents are gone, which leaves null where they were.
    pruned_at: Option<String>,
    url: Option<&'a str>,
    url_digest: Option<String>,
    body_base64: Option<String>,
    body_digest: Option<String>,
    digest: Option<String>,
}

#[derive(Serialize)]
struct Attempt<'a> {
    number: i64,
    began_at: String,
    began_at_micros: i64,
    duration_micros: i64,
    status: Option<i64>,
    trouble: Option<&'a str>,
    address: Option<&'a str>,
    is_reused: Option<bool>,
    phases: Option<String>,
    request_head: Option<&'a str>,
    request_digest: Option<String>,
    answer_head_base64: Option<String>,
    answer_body_base64: Option<String>,
    answer_digest: Option<String>,
    digest: Option<String>,
    day: Option<String>,
}

#[derive(Serialize)]
struct Day {
    day: String,
    attempts: i64,
    root: String,
    before: Option<String>,
    digest: String,
    sealed_at: String,
    paths: Vec<Path>,
}

/// The way of an attempt to the root of its day.
#[derive(Serialize)]
struct Path {
    attempt: i64,
    steps: Vec<WireStep>,
}

#[derive(Serialize)]
struct WireStep {
    side: &'static str,
    digest: String,
}

impl Evidence {
    /// Returns the evidence in the form in which it is handed over.
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        let is_pruned = self.delivery.pruned_at.is_some();
        Document {
            format: FORMAT,
            how_to_verify: HOW_TO_VERIFY,
            event: self.event(is_pruned),
            attempts: self.delivery.attempts.iter().map(|kept| attempt(kept, is_pruned)).collect(),
            days: self.days.iter().map(day).collect(),
        }
    }

    fn event(&self, is_pruned: bool) -> Event<'_> {
        let kept = &self.delivery;
        let kind = EventKind::parse(&kept.kind);
        let link = kind.is_some_and(EventKind::is_of_a_link);
        Event {
            owner_id: self.owner.to_string(),
            id: kept.id.to_string(),
            kind: &kept.kind,
            subject: HEXLOWER.encode(&kept.subject),
            payment_link_id: link.then(|| LinkId::from_bytes(kept.subject).to_string()),
            created_at: kept.created_at.to_string(),
            created_at_micros: kept.created_at.as_micros(),
            state: kept.state.map(DeliveryState::as_str),
            ended_at: shown(kept.ended_at),
            pruned_at: shown(kept.pruned_at),
            url: (!is_pruned).then_some(&kept.url),
            url_digest: hex(kept.url_digest),
            body_base64: (!is_pruned).then(|| BASE64.encode(&kept.body)),
            body_digest: hex(kept.body_digest),
            digest: hex(kept.digest(self.owner)),
        }
    }
}

fn attempt(kept: &KeptAttempt, is_pruned: bool) -> Attempt<'_> {
    let digests = &kept.digests;
    Attempt {
        number: kept.number,
        began_at: kept.began_at.to_string(),
        began_at_micros: kept.began_at.as_micros(),
        duration_micros: kept.duration_micros,
        status: kept.status,
        trouble: kept.trouble.as_deref(),
        address: kept.address.as_deref(),
        is_reused: kept.is_reused,
        phases: kept.phases.as_ref().map(|phases| HEXLOWER.encode(phases)),
        request_head: kept.sent.as_deref(),
        request_digest: hex(digests.sent),
        answer_head_base64: (!is_pruned).then(|| BASE64.encode(&kept.answer_head)),
        answer_body_base64: (!is_pruned).then(|| BASE64.encode(&kept.answer)),
        answer_digest: hex(digests.answer),
        digest: hex(digests.digest),
        day: digests.day.and_then(CaracasDate::from_days).map(|day| day.to_string()),
    }
}

fn day(covering: &CoveringDay) -> Day {
    let sealed = covering.sealed;
    let step = |step: &Step| WireStep { side: step.side.as_str(), digest: step.digest.to_string() };
    let path = |(attempt, path): &(i64, Vec<Step>)| Path {
        attempt: *attempt,
        steps: path.iter().map(step).collect(),
    };
    Day {
        day: sealed.day.to_string(),
        attempts: sealed.attempts,
        root: sealed.root.to_string(),
        before: hex(covering.before),
        digest: sealed.digest.to_string(),
        sealed_at: sealed.sealed_at.to_string(),
        paths: covering.paths.iter().map(path).collect(),
    }
}

fn hex(digest: Option<Digest>) -> Option<String> {
    digest.map(|digest| digest.to_string())
}

fn shown(instant: Option<Timestamp>) -> Option<String> {
    instant.map(|instant| instant.to_string())
}
