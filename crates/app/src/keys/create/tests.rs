use domain::access::{KeyCaller, OwnerCaller};
use domain::ids::{IdentityId, SessionId};

use super::*;

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const CLIENT: ClientId = ClientId::from_bytes([2; 16]);
const OTHER_CLIENT: ClientId = ClientId::from_bytes([3; 16]);
const NOW: Timestamp = Timestamp::from_micros(1_000_000);

fn session() -> Caller {
    Caller::Owner(OwnerCaller { owner: OWNER, session: SessionId::from_bytes([4; 16]) })
}

fn issuer(permissions: &[Permission]) -> Caller {
    Caller::Key(KeyCaller {
        owner: OWNER,
        key: KeyId::from_bytes([5; 16]),
        client: None,
        payments_enabled: false,
        selection: Vec::new(),
        permissions: permissions.iter().copied().collect(),
        is_default: false,
        has_monthly_limit: false,
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
