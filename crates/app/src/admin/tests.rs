use std::sync::atomic::{AtomicU64, Ordering};

use domain::money::Credits;
use domain::text::Text;
use store::ledger_audit::{self, Findings};
use store::locators::Located;
use store::{keys, owners};

use super::*;

const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

/// Counts, so that no two fills are alike.
struct Counting(AtomicU64);

impl IdSource for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let number = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            chunk.copy_from_slice(&number.to_be_bytes()[..chunk.len()]);
        }
    }
}

fn operator<'a>(store: &'a Store, ids: &'a Counting) -> Operator<'a> {
    let password_cost = PasswordCost { memory_kib: 8, passes: 1 };
    let (vault, sends_mail, app) = (None, false, None);
    Operator { store, vault, sends_mail, app, ids, now: NOW, password_cost }
}

fn new_owner(credits: i64) -> NewOwner {
    let email = EmailAddress::parse("ana@example.com").unwrap();
    NewOwner {
        email,
        name: None,
        password: None,
        credits: Credits::new(credits),
        test_account: true,
    }
}

#[tokio::test]
async fn an_owner_begins_with_a_key_an_account_and_credits() {
    let (store, ids) = (store::inline().unwrap(), Counting(AtomicU64::new(1)));
    let created = create_owner(&operator(&store, &ids), new_owner(10)).await.unwrap();
    let (owner, key) = (created.owner, created.api_key_id);
    let meter = Meter::default();
    let look = store.look_up(&meter, move |tx| keys::standing(owner, key).run(tx));
    let standing = look.await.unwrap().unwrap();
    assert!(standing.is_default && standing.is_active && standing.owner_is_active);
    assert_eq!(standing.hash, created.api_key.hash());
    let audit = store.read(&meter, move |tx| ledger_audit::check(tx, owner, NOW));
    assert_eq!(audit.await.unwrap(), Findings::default());
}

#[tokio::test]
async fn a_claim_that_leads_to_nobody_is_taken_over() {
    let (store, ids) = (store::inline().unwrap(), Counting(AtomicU64::new(1)));
    let operator = operator(&store, &ids);
    let lost = OwnerId::from_bytes([7; 16]);
    let hash = email_hash(&new_owner(0).email);
    let meter = Meter::default();
    let claim = store.write_shared(&meter, move |tx| {
        locators::claim(tx, Kind::Email, &hash, Located { owner: lost, subject: lost.to_bytes() })
    });
    claim.await.unwrap();
    assert_eq!(create_owner(&operator, new_owner(0)).await.unwrap().owner, lost);
    let again = create_owner(&operator, new_owner(0)).await;
    assert!(matches!(again, Err(AdminError::EmailTaken(_))), "{again:?}");
}

#[tokio::test]
async fn amounts_beyond_reason_are_refused() {
    let (store, ids) = (store::inline().unwrap(), Counting(AtomicU64::new(1)));
    let operator = operator(&store, &ids);
    let owner = create_owner(&operator, new_owner(10)).await.unwrap().owner;
    let name = OwnerName::Id(owner);
    for amount in [0, i64::MIN, i64::MAX, Credits::MAX.get()] {
        let refused = grant_credits(&operator, &name, Credits::new(amount)).await;
        assert!(matches!(refused, Err(AdminError::Amount)), "{amount}: {refused:?}");
    }
    let refused = grant_credits(&operator, &name, Credits::new(-11)).await;
    assert!(matches!(refused, Err(AdminError::BalanceTooSmall { available: 10 })), "{refused:?}");
    let meter = Meter::default();
    let balance = store.look_up(&meter, move |tx| owners::find(tx, owner)).await.unwrap();
    assert_eq!(balance.unwrap().balance, 10);
}

#[tokio::test]
async fn a_client_needs_an_owner() {
    let (store, ids) = (store::inline().unwrap(), Counting(AtomicU64::new(1)));
    let new = NewClient {
        owner: "own_00000000000000000000000000".parse().unwrap(),
        name: Text::parse("Shop").unwrap(),
        payments_enabled: false,
    };
    let refused = create_client(&operator(&store, &ids), new).await;
    assert!(matches!(refused, Err(AdminError::NoSuchOwner(_))), "{refused:?}");
}

#[tokio::test]
async fn a_client_needs_a_name_that_no_other_of_the_owner_has() {
    let (store, ids) = (store::inline().unwrap(), Counting(AtomicU64::new(1)));
    let operator = operator(&store, &ids);
    let other = EmailAddress::parse("luis@example.com").unwrap();
    let owners = [
        create_owner(&operator, new_owner(0)).await.unwrap().owner,
        create_owner(&operator, NewOwner { email: other, ..new_owner(0) }).await.unwrap().owner,
    ];
    let create = async |owner: OwnerId, name: &str| {
        let (owner, name) = (OwnerName::Id(owner), Text::parse(name).unwrap());
        create_client(&operator, NewClient { owner, name, payments_enabled: false }).await
    };
    let first = create(owners[0], "Kiosco Süd").await.unwrap();
    let again = create(owners[0], "KIOSCO SUD").await;
    assert!(matches!(again, Err(AdminError::ClientNameTaken(id)) if id == first), "{again:?}");
    create(owners[1], "Kiosco Süd").await.unwrap();
}
