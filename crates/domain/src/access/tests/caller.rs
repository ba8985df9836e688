//! Rank of a caller, its knowledge of credits, its permit, and whether its key is active.

use super::*;

#[test]
fn an_employee_decides_about_people_who_may_do_no_more() {
    let some: Rights = [Area::Team.write(), Area::Payments.read()].into_iter().collect();
    let other: Rights = [Area::Payments.write()].into_iter().collect();
    let caller = Caller::Employee(employee(some.iter()));
    assert!(caller.outranks(some) && caller.outranks(Rights::NONE));
    assert!(!caller.outranks(other) && !caller.outranks(Rights::ALL));
    assert!(owner().outranks(Rights::ALL));
    assert!(!Caller::Nobody.outranks(Rights::NONE));
    assert!(!Caller::Client(person(true)).outranks(Rights::NONE));
    assert!(!Caller::Key(key(&Permission::ALL)).outranks(Rights::NONE));
}

#[test]
fn credits_are_shown_to_the_owner_and_to_those_it_lets_see_them() {
    let reading = Caller::Employee(employee([Area::Billing.read()]));
    let others = Right::all().filter(|right| !right.as_str().starts_with("billing"));
    let other = Caller::Employee(employee(others));
    for (caller, knows) in [
        (owner(), true),
        (reading, true),
        (other, false),
        (Caller::Key(key(&[])), true),
        (Caller::Key(client_key(true)), false),
        (Caller::Client(person(true)), false),
        (Caller::Nobody, false),
    ] {
        assert_eq!(caller.knows_credits(), knows, "{caller:?}");
    }
}

#[test]
fn a_permit_carries_its_caller() {
    let caller = Caller::Key(key(&[Permission::PaymentVerifications]));
    let permit = Permit::<Verify>::check(&caller, NOW).unwrap();
    assert_eq!((permit.caller(), permit.owner(), permit.actor()), (&caller, OWNER, KEY.into()));
    assert_eq!(Permit::<Verify>::check(&owner(), NOW).unwrap().actor(), OWNER.into());
    let writing = employee([Area::Payments.write()]);
    let permit = Permit::<Verify>::check(&Caller::Employee(writing), NOW).unwrap();
    assert_eq!((permit.owner(), permit.actor()), (OWNER, writing.employee.into()));
    let of_client = person(true);
    let permit = Permit::<Verify>::check(&Caller::Client(of_client), NOW).unwrap();
    assert_eq!((permit.owner(), permit.actor()), (OWNER, of_client.employee.into()));
    assert!(Permit::<Login>::check(&Caller::Nobody, NOW).is_ok());
    let refusal = Permit::<Me>::check(&Caller::Nobody, NOW).unwrap_err();
    assert_eq!(refusal, Refusal::Unauthorized(BadCredentials::Missing));
}

#[test]
fn what_is_not_active_opens_nothing_and_the_first_reason_is_reported() {
    let good = KeyStanding {
        is_active: true,
        revoked_at: None,
        expires_at: None,
        owner_is_active: true,
        client_is_active: None,
    };
    let unknown = Err(Refusal::Unauthorized(BadCredentials::Unknown));
    let later = Timestamp::from_micros(1_001);
    let none = KeyStanding { is_active: false, owner_is_active: false, ..good };
    for (standing, result) in [
        (good, Ok(())),
        (KeyStanding { client_is_active: Some(true), expires_at: Some(later), ..good }, Ok(())),
        (KeyStanding { expires_at: Some(NOW), ..good }, unknown.clone()),
        (KeyStanding { revoked_at: Some(later), ..none }, unknown),
        (none, Err(Refusal::KeyNotActive)),
        (
            KeyStanding { is_active: true, client_is_active: Some(false), ..none },
            Err(Refusal::OwnerNotActive),
        ),
        (KeyStanding { client_is_active: Some(false), ..good }, Err(Refusal::ClientNotActive)),
    ] {
        assert_eq!(check_active(&standing, NOW), result, "{standing:?}");
    }
}
