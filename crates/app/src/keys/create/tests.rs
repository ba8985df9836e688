use domain::access::{KeyCaller, OwnerCaller};
use domain::ids::{AuditId, IdentityId, SessionId};
use domain::keys::KeyHash;
use domain::refusal::BadCredentials;
use domain::second_factor::Proof;
use store::Meter;
use store::issuers::Issuer;

use super::*;
use crate::keys::tests::{NOW, an_owner};

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const CLIENT: ClientId = ClientId::from_bytes([2; 16]);
const OTHER_CLIENT: ClientId = ClientId::from_bytes([3; 16]);

fn session() -> Caller {
    Caller::Owner(OwnerCaller {
        owner: OWNER,
        session: SessionId::from_bytes([4; 16]),
        proof: Proof::NotAsked,
    })
}

fn issuer(permissions: &[Permission]) -> Caller {
    Caller::Key(KeyCaller {
        owner: OWNER,
        key: KeyId::from_bytes([5; 16]),
        hash: KeyHash::from_bytes([8; 32]),
        client: None,
        payments_enabled: false,
        selection: Vec::new(),
        permissions: permissions.iter().copied().collect(),
        is_default: false,
        has_monthly_limit: false,
        expires_at: None,
    })
}

fn set(permissions: &[Permission]) -> Permissions {
    permissions.iter().copied().collect()
}

fn account(client: Option<ClientId>) -> Account {
    Account {
        id: BankId::from_bytes([6; 16]),
        identity: IdentityId::from_bytes([7; 16]),
        provider: "BANK_TEST".to_owned(),
        description: String::new(),
        client,
        is_trashed: false,
        is_disabled: false,
        client_is_active: client.map(|_| true),
        client_limit: None,
        created_at: NOW,
        same_bank_by_payer: false,
        short_references: false,
        client_since: client.map(|_| NOW),
    }
}

#[test]
fn a_session_grants_everything() {
    assert_eq!(grantable(&session(), None, Permissions::ALL), Ok(Permissions::ALL));
    assert_eq!(grantable(&session(), None, Permissions::NONE), Ok(Permissions::NONE));
}

#[test]
fn a_key_grants_only_what_it_has_and_never_issuing() {
    let key = issuer(&[Permission::ApiKeys, Permission::Movements]);
    let movements = set(&[Permission::Movements]);
    assert_eq!(grantable(&key, None, movements), Ok(movements));
    let links = set(&[Permission::Movements, Permission::PaymentLinks]);
    let missing = Refusal::PermissionMissing(Permission::PaymentLinks);
    assert_eq!(grantable(&key, None, links), Err(missing));
    let issuing = set(&[Permission::ApiKeys]);
    assert_eq!(grantable(&key, None, issuing), Err(Refusal::OwnerSessionRequired));
}

#[test]
fn the_permissions_of_a_clients_key_are_fixed() {
    let client = Some(CLIENT);
    assert_eq!(grantable(&session(), client, Permissions::NONE), Ok(Permissions::NONE));
    let asked = set(&[Permission::Movements]);
    assert_eq!(grantable(&session(), client, asked), Err(Refusal::ClientPermissionsFixed));
}

#[test]
fn a_selection_holds_live_accounts_of_the_client() {
    let of_client = account(Some(CLIENT));
    assert!(selectable(&session(), None, Some(&account(None))));
    assert!(selectable(&session(), None, Some(&of_client)));
    assert!(selectable(&session(), Some(CLIENT), Some(&of_client)));
    assert!(!selectable(&session(), Some(OTHER_CLIENT), Some(&of_client)));
    assert!(!selectable(&session(), Some(CLIENT), Some(&account(None))));
    assert!(!selectable(&session(), None, None));
    let trashed = Account { is_trashed: true, ..account(None) };
    assert!(!selectable(&session(), None, Some(&trashed)));
}

#[tokio::test]
async fn a_key_that_was_rotated_meanwhile_issues_nothing() {
    let store = store::inline().unwrap();
    let made = an_owner(&store).await;
    let owner = made.owner;
    let issue_by = |hash, number| {
        let all: Vec<_> = Permissions::ALL.iter().collect();
        let Caller::Key(key) = issuer(&all) else { panic!("a key") };
        let key = KeyCaller { owner, key: made.api_key_id, hash, is_default: true, ..key };
        let id = KeyId::from_bytes([number; 16]);
        let issue = Issue {
            caller: Caller::Key(key),
            key: NewKey {
                id,
                name: "caja".to_owned(),
                hash: KeyHash::from_bytes([number; 32]),
                hint: "hint".to_owned(),
                is_default: false,
                client: None,
                selection: Vec::new(),
                permissions: Permissions::NONE,
                monthly_credit_limit: None,
                expires_at: None,
                issuer: Issuer::default(),
            },
            slot: None,
            entry: audit::Entry {
                id: AuditId::from_bytes([number; 16]),
                actor: "key".to_owned(),
                employee: None,
                action: "create_key",
                subject: id.to_string(),
                address: None,
            },
            now: NOW,
        };
        let job = move |tx: &mut Tx<'_>| {
            let issued = as_answer(write(tx, owner, &issue))?;
            Ok((issued, keys::count(tx, owner)?))
        };
        let meter = Meter::default();
        let store = &store;
        async move { store.write(&meter, Lane::Admission, owner, job).await.unwrap() }
    };
    let (present, former) = (made.api_key.hash(), KeyHash::from_bytes([3; 32]));
    assert_eq!(issue_by(present, 1).await, (Ok(()), 2));
    let unknown = Refusal::Unauthorized(BadCredentials::Unknown);
    assert_eq!(issue_by(former, 2).await, (Err(unknown), 2));
}
