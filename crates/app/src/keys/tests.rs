//! What the tests of several operations begin with.

use domain::ids::IdSource;
use domain::money::Credits;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::Store;

use crate::admin::{CreatedOwner, NewOwner, Operator, create_owner};
use crate::settings::PasswordCost;

pub(super) const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

struct Sevens;

impl IdSource for Sevens {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// An owner with a default key.
pub(super) async fn an_owner(store: &Store) -> CreatedOwner {
    let password_cost = PasswordCost { memory_kib: 8, passes: 1 };
    let (vault, sends_mail, app) = (None, false, None);
    let operator =
        Operator { store, ids: &Sevens, now: NOW, password_cost, vault, sends_mail, app };
    let email = EmailAddress::parse("ana@example.com").unwrap();
    let new =
        NewOwner { email, name: None, password: None, credits: Credits::ZERO, test_account: true };
    create_owner(&operator, new).await.unwrap()
}
