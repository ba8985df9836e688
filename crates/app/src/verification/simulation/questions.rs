//! The few movements, and the many ways to ask for them.

use std::hash::{Hash, Hasher};

use domain::ids::{ActorId, BankId, ClientId, KeyId, LinkId};
use domain::keys::KeyHash;
use domain::links::{Currency, Price, Standing, State};
use domain::matching::Query;
use domain::money::Bolivars;
use domain::payer::Phone;
use domain::permissions::Permissions;
use domain::reference::TypedReference;
use domain::time::Timestamp;
use store::idempotency::Slot;
use store::issuers::Issuer;
use store::keys;
use store::links::{Link, Origin};

pub(super) const MOVEMENTS: u64 = 6;
pub(super) const SPELLINGS: u64 = 4;

/// How much a caller says besides the reference: nothing, the amount, or the amount and a phone.
pub(super) const FORMS: u64 = 3;

/// The phone that the bank shows of the payer, and another one, which it shows by mistake.
pub(super) const PHONES: [&str; 2] = ["04140000001", "04140000002"];

/// Amount of every movement.
pub(super) const AMOUNT: Bolivars = Bolivars::from_hundredths(10_000);

/// The bank's whole reference of a movement. Two and two end in the same six digits.
pub(super) fn reference(movement: u64) -> String {
    format!("12345{movement}774567{}9", movement / 2)
}

/// Returns the phone that the bank shows of the payer, or that a payer states.
pub(super) fn phone(which: usize) -> Phone {
    Phone::parse(PHONES[which]).unwrap()
}

/// A question for a movement: whole, without or with another beginning, or the last six digits; in
/// one of a few forms.
pub(super) fn query(movement: u64, spelling: u64, form: u64) -> Query {
    let mut whole = reference(movement);
    let spelled = match spelling {
        0 => whole,
        1 => whole.split_off(5),
        2 => format!("00-{}", whole.split_off(3)),
        _ => whole.split_off(8),
    };
    let mut query = Query::new(TypedReference::parse(&spelled).unwrap());
    query.amount = (form > 0).then_some(AMOUNT);
    query.phone = (form > 1).then(|| phone(1));
    query
}

/// The slot of an `Idempotency-Key` that comes with `body`.
pub(super) fn slot(caller: [u8; 16], key: u64, body: &str) -> Slot {
    let bytes = |number: u64| {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        bytes
    };
    let (key_hash, body_hash) = (bytes(key), bytes(hash(body)));
    Slot { caller, operation: "Verify", key_hash, body_hash }
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

pub(crate) fn new_key(id: KeyId, client: Option<ClientId>) -> keys::NewKey {
    keys::NewKey {
        id,
        name: "key".to_owned(),
        hash: KeyHash::from_bytes([0; 32]),
        hint: "0000".to_owned(),
        is_default: false,
        client,
        selection: Vec::new(),
        permissions: Permissions::ALL,
        monthly_credit_limit: None,
        expires_at: None,
        issuer: Issuer::default(),
    }
}

/// A link that asks for what every movement is of.
pub(super) fn new_link(id: LinkId, actor: ActorId, bank: BankId, now: Timestamp) -> Link {
    Link {
        id,
        bank,
        actor,
        client: None,
        name: String::new(),
        description: String::new(),
        price: Price { hundredths: AMOUNT.hundredths(), currency: Currency::Vef },
        webhook_url: None,
        redirect_url: None,
        metadata: "{}".to_owned(),
        origin: Origin::Api,
        cycle: None,
        livemode: false,
        status_detail: None,
        payment: None,
        expiration_minutes: None,
        rate_minutes: 60,
        held_rate: None,
        standing: Standing {
            state: State::Pending,
            is_stopped: false,
            expires_at: None,
            is_checking: false,
            expired_at: None,
        },
        created_at: now,
        updated_at: now,
    }
}
