//! Who is asked for a code again, and for what.

use super::*;
use crate::refusal::SecondFactorRefusal;

/// Credentials, rotations, scope, what makes a payment be confirmed, the secret of webhooks, people, what the owner is warned of and the
/// second factor itself: nothing else, and nobody but a person who has one.
#[test]
fn a_person_with_a_second_factor_steps_up_for_exactly_these() {
    let expected = [
        "ChangeEmail",
        "EndSecondFactor",
        "RenewRecoveryCodes",
        "RotateDefaultKey",
        "RotateKey",
        "SetKeyScope",
        "InviteClientEmployee",
        "RenewClientInvitation",
        "ChangeClientEmployee",
        "RemoveClientEmployee",
        "SetAccountSettings",
        "ShowWebhookSecret",
        "RotateWebhookSecret",
        "IssueClientWebhookSecret",
        "RevokeClientWebhookSecret",
        "RotatePushSecret",
        "SetNoticeSettings",
        "InviteEmployee",
        "RenewInvitation",
        "ChangeEmployee",
        "RemoveEmployee",
    ];
    let asking: Vec<_> = TABLE.iter().filter(|entry| entry.step_up).collect();
    assert_eq!(asking.iter().map(|entry| entry.name).collect::<Vec<_>>(), expected);
    let session = SessionId::from_bytes([8; 16]);
    let with = |proof| {
        let owner = Caller::Owner(OwnerCaller { owner: OWNER, session, proof });
        let employee = Caller::Employee(EmployeeCaller { proof, ..employee(Right::all()) });
        let of_client = |payments| Caller::Client(ClientCaller { proof, ..person(payments) });
        [owner, employee, of_client(true), of_client(false)]
    };
    let later = NOW.plus(std::time::Duration::from_secs(600));
    for entry in TABLE {
        for caller in with(Proof::NotAsked).iter().chain(&with(Proof::Given(NOW))) {
            assert_eq!(entry.check(caller, NOW), entry.rule.check(caller), "{}", entry.name);
        }
        for (caller, now) in with(Proof::Missing)
            .iter()
            .map(|it| (it, NOW))
            .chain(with(Proof::Given(NOW)).iter().map(|it| (it, later)))
        {
            let stepping_up = if entry.step_up {
                Err(Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired))
            } else {
                Ok(())
            };
            let result = entry.rule.check(caller).and(stepping_up);
            assert_eq!(entry.check(caller, now), result, "{} by {caller:?}", entry.name);
        }
        let (_, key) = callers().swap_remove(2);
        assert_eq!(entry.check(&key, NOW), entry.rule.check(&key), "{}", entry.name);
    }
}

#[test]
fn a_proof_is_no_part_of_what_a_caller_reaches() {
    let session = SessionId::from_bytes([8; 16]);
    let proved = Caller::Owner(OwnerCaller { owner: OWNER, session, proof: Proof::Given(NOW) });
    assert!(owner() != proved && owner().has_reach_of(&proved) && proved.has_reach_of(&owner()));
    let (some, more) = (employee([Area::Team.read()]), employee([Area::Team.write()]));
    let proved = EmployeeCaller { proof: Proof::Given(NOW), ..some };
    assert!(Caller::Employee(some).has_reach_of(&Caller::Employee(proved)));
    assert!(!Caller::Employee(some).has_reach_of(&Caller::Employee(more)));
    let proved = Caller::Client(ClientCaller { proof: Proof::Given(NOW), ..person(true) });
    let of_client = Caller::Client(person(true));
    assert!(of_client.has_reach_of(&proved) && proved.has_reach_of(&of_client));
    assert!(!of_client.has_reach_of(&Caller::Client(person(false))));
    assert!(!owner().has_reach_of(&Caller::Employee(some)));
    assert!(!Caller::Key(key(&[])).has_reach_of(&Caller::Key(limited(key(&[])))));
    let counted = KeyCaller { has_monthly_limit: true, ..key(&[]) };
    assert!(Caller::Key(counted).has_reach_of(&Caller::Key(key(&[]))));
}
