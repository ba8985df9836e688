//! Who is asked for a proof, and for what.

use super::*;
use crate::refusal::SecondFactorRefusal;

const MISSING: Result<(), Refusal> =
    Err(Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired));

/// The names of the operations with such a demand, in the order of the table.
fn with_demand(is_wanted: impl Fn(ProofDemand) -> bool) -> Vec<&'static str> {
    let wanted = TABLE.iter().filter(|entry| is_wanted(entry.demand));
    wanted.map(|entry| entry.name).collect()
}

/// Keys and what widens them, rates, what is received where, accounts and their credentials, people, notices, and the look
/// of pages: nothing else asks in every call.
#[test]
fn exactly_these_ask_for_a_proof() {
    let asking = "CreateKey SetOwnRate SetRateRule RotateDefaultKey RotateKey SetKeyScope InviteClientEmployee \
        RenewClientInvitation ChangeClientEmployee RemoveClientEmployee MoveBankAccount LinkBankAccount ChangeBankSecret \
        SetAccountSettings CloseReview RotateWebhookSecret IssueClientWebhookSecret RevokeClientWebhookSecret RotatePushSecret \
        SetNoticeSettings InviteEmployee RenewInvitation ChangeEmployee RemoveEmployee SetProfile SetLogo RemoveLogo \
        SetWebhookEndpoint";
    assert_eq!(with_demand(|demand| demand == ProofDemand::Asks).join(" "), asking);
    assert_eq!(with_demand(|demand| demand == ProofDemand::Reveals), ["ShowWebhookSecret"]);
    assert_eq!(
        with_demand(|demand| demand == ProofDemand::AsksForCode),
        ["ChangeEmail", "EndSecondFactor", "RenewRecoveryCodes"]
    );
    assert_eq!(
        with_demand(ProofDemand::is_found_by_use_case),
        [
            "EndSession",
            "ChangeKey",
            "SetCreditLimit",
            "CreateClient",
            "ChangeClient",
            "SetClientCreditLimit"
        ]
    );
}

#[test]
fn a_session_is_asked_whose_proof_is_missing_or_old_and_a_key_never() {
    let session = SessionId::from_bytes([8; 16]);
    let with = |proof| {
        let owner = Caller::Owner(OwnerCaller { owner: OWNER, session, proof });
        let employee = Caller::Employee(EmployeeCaller { proof, ..employee(Right::all()) });
        let of_client = |payments| Caller::Client(ClientCaller { proof, ..person(payments) });
        [owner, employee, of_client(true), of_client(false)]
    };
    let later = NOW.plus(std::time::Duration::from_secs(600));
    let (_, key) = callers().swap_remove(2);
    for entry in TABLE {
        let asks = |is_asked: bool| if is_asked { MISSING } else { Ok(()) };
        let of_code = asks(matches!(
            entry.demand,
            ProofDemand::Reveals | ProofDemand::Asks | ProofDemand::AsksForCode
        ));
        let of_password = asks(matches!(entry.demand, ProofDemand::Reveals | ProofDemand::Asks));
        let of_view = asks(entry.demand == ProofDemand::Reveals);
        for (proof, now, missing, of_view) in [
            (Proof::NotAsked, later, Ok(()), Ok(())),
            (Proof::Given(NOW), NOW, Ok(()), Ok(())),
            (Proof::Password(NOW), NOW, Ok(()), Ok(())),
            (Proof::Missing, NOW, of_code.clone(), of_view.clone()),
            (Proof::Given(NOW), later, of_code, of_view.clone()),
            (Proof::Password(NOW), later, of_password, of_view),
        ] {
            for caller in with(proof) {
                let rule = entry.rule.check(&caller);
                let expected = rule.clone().and(missing.clone());
                assert_eq!(entry.check(&caller, now), expected, "{} by {caller:?}", entry.name);
                let expected = rule.and(of_view.clone());
                assert_eq!(entry.check_view(&caller, now), expected, "{}", entry.name);
            }
        }
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
