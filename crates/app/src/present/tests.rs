use domain::ids::{ClientId, EmployeeId, OwnerId};
use domain::permissions::Permissions;
use domain::rights::Area;
use domain::second_factor::Proof;
use domain::session::Session;

use super::*;

const NOW: Timestamp = Timestamp::from_micros(1_000_000);
const LATER: Timestamp = Timestamp::from_micros(1_000_001);
const HASH: KeyHash = KeyHash::from_bytes([5; 32]);
const UNKNOWN: Refusal = Refusal::Unauthorized(BadCredentials::Unknown);

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const SESSION: SessionId = SessionId::from_bytes([4; 16]);

fn caller(found: sessions::Standing, now: Timestamp) -> Result<Caller, Refusal> {
    session_caller((OWNER, SESSION), Some(found), now)
}

fn standing() -> Standing {
    Standing {
        hash: HASH,
        is_default: false,
        is_active: true,
        revoked_at: None,
        expires_at: None,
        client: None,
        selection: Vec::new(),
        permissions: Permissions::NONE,
        monthly_credit_limit: Some(0),
        owner_is_active: true,
        client_is_active: None,
        client_payments_enabled: false,
    }
}

fn decide(standing: Standing) -> Result<KeyCaller, Refusal> {
    key_caller(Located { owner: OwnerId::from_bytes([1; 16]), subject: [2; 16] }, standing, NOW)
}

#[test]
fn a_stale_locator_never_admits() {
    assert!(goes_by(&standing(), HASH));
    assert!(!goes_by(&standing(), KeyHash::from_bytes([6; 32])));
}

#[test]
fn a_key_that_ended_is_unknown_before_anything_else_is_reported() {
    let mut ended = standing();
    ended.is_active = false;
    ended.revoked_at = Some(NOW);
    assert_eq!(decide(ended.clone()), Err(UNKNOWN));
    ended.revoked_at = None;
    assert_eq!(decide(ended), Err(Refusal::KeyNotActive));
}

#[test]
fn a_limit_is_in_force_only_on_a_standalone_key() {
    assert!(decide(standing()).unwrap().has_monthly_limit);
    let mut bound = standing();
    bound.client = Some(ClientId::from_bytes([3; 16]));
    bound.client_is_active = Some(true);
    assert!(!decide(bound).unwrap().has_monthly_limit);
}

#[test]
fn a_session_is_open_until_it_ends() {
    let open = Session { expires_at: LATER, ..Session::begin(NOW) };
    let (proof, session) = (Proof::Given(NOW), SESSION);
    let of_owner = sessions::Standing {
        session: open,
        owner_is_active: true,
        employee: None,
        proof,
        cookie: None,
    };
    let owner = Caller::Owner(OwnerCaller { owner: OWNER, session, proof });
    assert_eq!(caller(of_owner, NOW), Ok(owner));
    assert_eq!(caller(of_owner, LATER), Err(UNKNOWN));
    assert_eq!(session_caller((OWNER, SESSION), None, NOW), Err(UNKNOWN));
    let session = Session { ended_at: Some(NOW), ..open };
    assert_eq!(caller(sessions::Standing { session, ..of_owner }, NOW), Err(UNKNOWN));
    let inactive = sessions::Standing { owner_is_active: false, ..of_owner };
    assert_eq!(caller(inactive, NOW), Err(Refusal::OwnerNotActive));
}

#[test]
fn an_employees_session_is_its_own_while_it_is_active() {
    let (id, rights) = (EmployeeId::from_bytes([5; 16]), [Area::Team.read()].into_iter().collect());
    let employee = sessions::EmployeeStanding { id, is_active: true, rights, client: None };
    let session = Session { expires_at: LATER, ..Session::begin(NOW) };
    let proof = Proof::Missing;
    let open = sessions::Standing {
        session,
        owner_is_active: true,
        employee: Some(employee),
        proof,
        cookie: None,
    };
    let expected = EmployeeCaller { owner: OWNER, session: SESSION, employee: id, rights, proof };
    assert_eq!(caller(open, NOW), Ok(Caller::Employee(expected)));
    let employee = Some(sessions::EmployeeStanding { is_active: false, ..employee });
    let inactive = sessions::Standing { employee, ..open };
    assert_eq!(caller(inactive, NOW), Err(Refusal::EmployeeNotActive));
    // What ended is unknown before anything else is reported.
    assert_eq!(caller(inactive, LATER), Err(UNKNOWN));
    let without_owner = sessions::Standing { owner_is_active: false, ..inactive };
    assert_eq!(caller(without_owner, NOW), Err(Refusal::OwnerNotActive));
}
