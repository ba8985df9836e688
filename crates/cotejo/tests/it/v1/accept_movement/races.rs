//! Of many at once one is told that the payment is new, and one credit is spent.

use futures_util::future::{join, join_all, join3};
use serde_json::json;
use testkit::{Owner, Principal, Response, Setup, both_engines};

use super::{accept, accept_for_caller, path_of, result};
use crate::pay::{make, status};
use crate::payment_links::accept::{self as links, OWED, shown};

/// How many send the same at once.
const CROWD: usize = 50;

/// A reference that the simulated bank always knows.
fn reference(round: usize) -> String {
    format!("{round}9967890")
}

async fn verify(caller: &Principal, owner: &Owner, reference: &str) -> Response {
    let body = json!({ "bank_reference": reference, "amount": 150.75 });
    caller.verify(&owner.bank, body).await
}

/// How many of these answers say that the payment is new; all are about one.
#[track_caller]
fn reported_new(answers: &[Response]) -> usize {
    let results: Vec<_> = answers.iter().map(result).collect();
    assert!(results.iter().all(|(id, ..)| *id == results[0].0), "{results:?}");
    results.iter().filter(|(_, is_new, _)| *is_new).count()
}

both_engines! {
    async fn fifty_that_accept_at_once_report_it_new_once(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payments:write"]).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let callers: [&Principal; 2] = [&owner, &employee];
        let crowd = (0..CROWD).map(|number| accept(callers[number % 2], &movement));
        let answers = join_all(crowd).await;
        assert_eq!(reported_new(&answers), 1);
        let spent: i64 = answers.iter().map(|answer| result(answer).2).sum();
        assert_eq!((spent, owner.balance().await), (1, 999));
        assert_eq!(app.database().number("select count(*) from payments"), 1);
        assert_eq!(app.database().number("select count(*) from audit where action = 'AcceptMovement'"), 1);
    }

    async fn fifty_calls_for_what_was_left_to_a_caller_report_it_new_once(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let till = owner.key_with(&["payment_verifications"]).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        assert!(!result(&accept_for_caller(&owner, &movement).await).1);
        let callers: [&Principal; 3] = [&owner.key, &till, &owner];
        let crowd = (0..CROWD).map(|number| verify(callers[number % 3], &owner, "7654321"));
        assert_eq!(reported_new(&join_all(crowd).await), 1);
        assert_eq!(owner.balance().await, 999);
    }

    async fn an_acceptance_and_calls_for_the_same_report_it_new_once(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let till = owner.key_with(&["payment_verifications"]).await;
        for round in 1..=5 {
            let reference = reference(round);
            let movement = shown(&app, &owner, &reference, OWED).await;
            let is_for_caller = round % 2 == 0;
            let accepting = async {
                match is_for_caller {
                    true => accept_for_caller(&owner, &movement).await,
                    false => accept(&owner, &movement).await,
                }
            };
            let calls = join_all((0..5).flat_map(|_| {
                [verify(&owner.key, &owner, &reference), verify(&till, &owner, &reference)]
            }));
            let (accepted, mut answers) = join(accepting, calls).await;
            match accepted.status {
                // A call was sooner, so that nothing was left to leave.
                409 => assert!(is_for_caller, "{accepted:?}"),
                _ => answers.push(accepted),
            }
            assert_eq!(reported_new(&answers), 1, "round {round}");
            assert_eq!(owner.balance().await, 1_000 - i64::try_from(round).unwrap());
        }
    }

    async fn a_movement_pays_a_link_or_is_a_payment_of_its_own(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        for round in 1..=5 {
            let movement = shown(&app, &owner, &reference(round), OWED).await;
            let link = make(&owner.key, &owner.bank, json!({})).await;
            let (own, of_link, call) = join3(
                accept(&owner, &movement),
                links::accept(&owner, &link, &movement),
                verify(&owner.key, &owner, &reference(round)),
            )
            .await;
            let is_paid = status(&owner, &link).await == "paid";
            assert_eq!((of_link.status == 200, is_paid), (is_paid, of_link.status == 200));
            // Whoever pays the link is told so by the link: then neither of the others is new.
            assert_eq!(reported_new(&[own, call]), usize::from(!is_paid), "round {round}");
            assert_eq!(owner.balance().await, 1_000 - i64::try_from(round).unwrap());
        }
        assert_eq!(app.database().number("select count(*) from payments"), 5);
    }

    async fn of_fifty_with_one_idempotency_key_all_are_answered_alike(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let send = async || {
            let call = owner.request("POST", &path_of(&movement)).header("idempotency-key", "caja-7");
            call.json(&json!({})).send().await
        };
        let answers = join_all((0..CROWD).map(|_| send())).await;
        for answer in &answers {
            answer.ok();
            assert_eq!(answer.body, answers[0].body);
        }
        assert!(result(&answers[0]).1);
        assert_eq!(owner.balance().await, 999);
    }
}
