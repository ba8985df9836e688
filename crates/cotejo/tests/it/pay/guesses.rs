//! A person who tries references out learns nothing: neither from what is answered nor from how long
//! that takes.
//!
//! A clock would say little here: what differs between two guesses is a hundredth of what one disk
//! differs from itself. What can be distinguished by time is work, so that work is counted instead:
//! statements, waits for the store and calls of the bank, which are all that an answer waits for.

use std::time::Duration;

use serde_json::json;
use testkit::bank::PAYER;
use testkit::log::access_line;
use testkit::{Principal, Response, Setup, TestApp, both_engines};

use super::{follow, form, make, paid_by, paid_with, pay, place, said, send, text};
use crate::bdv::{link, start};

/// Facts that a guess brings to light.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    answers: Vec<String>,
    /// Statements and waits: of the guess, and of the look at its result.
    work: [(u64, u64); 2],
}

/// Guesses, and looks at everything that comes of it.
async fn guess(payer: &Principal, id: &str, fields: &[(&str, &str)], name: &str) -> Seen {
    let (first, second) = (format!("{name}-try"), format!("{name}-look"));
    let call = form(payer, &format!("/pay/{id}"), fields);
    let tried = call.header("x-request-id", &first).send().await;
    let place = place(&tried);
    let looked = payer.request("GET", &place).header("x-request-id", &second).send().await;
    let check = place.split("v=").nth(1).unwrap();
    // The answer to the form has what was typed, and only there.
    let reference = fields[0].1;
    assert!(!text(&looked).contains(reference), "{looked:?}");
    let answers = [&tried, &looked].map(|answer| masked(answer, &[id, check, reference]));
    let mut work = [(0, 0); 2];
    for (work, request) in work.iter_mut().zip([&first, &second]) {
        let line = access_line(request).await;
        *work = (line.statements, line.waits);
    }
    Seen { answers: answers.into(), work }
}

/// An answer without what differs from check to check.
fn masked(answer: &Response, ids: &[&str]) -> String {
    let mut headers: Vec<String> = answer
        .headers
        .iter()
        .filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    let mut whole = format!("{}\n{}\n\n{}", answer.status, headers.join("\n"), text(answer));
    for id in ids {
        whole = whole.replace(id, "…");
    }
    whole
}

both_engines! {
    async fn guesses_are_answered_alike_and_cost_alike(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let payer = app.nobody();
        let asked = |reference: &str| json!({ "bank_reference": reference, "amount": 150.75 });
        owner.key.verify(&owner.bank, asked("167890")).await.ok();
        let paid = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&payer, &paid, "267890").await;
        stranger.key.verify(&stranger.bank, asked("110007")).await.refused(404, "PAYMENT_NOT_FOUND");
        app.clock().advance(Duration::from_secs(30));
        stranger.key.verify(&stranger.bank, asked("110007")).await.ok();

        let mut seen = Vec::new();
        // Not there, verified by the API, paid another link, another owner's, of another amount, used
        // by what the bank says, several, gone out. What the bank shows for the first time is written
        // down with the guess's own end, in the same wait and the same commit, once.
        // The second guess finds it there.
        for reference in
            ["123456", "167890", "267890", "110007", "110001", "110002", "110003", "110009"]
        {
            let fields = [("reference", reference), ("seen", "15075")];
            let mut guesses = Vec::new();
            for _ in 0..2 {
                let id = make(&owner.key, &owner.bank, json!({})).await;
                guesses.push(guess(&payer, &id, &fields, &id).await);
            }
            seen.push((reference, guesses));
        }
        let (_, usual) = &seen[0];
        for (reference, guesses) in &seen {
            assert_eq!(guesses[1], usual[1], "{reference}");
            assert_eq!(guesses[0].answers, usual[0].answers, "{reference}");
            let [tried, looked] = guesses[0].work;
            let [usual_try, usual_look] = usual[0].work;
            assert_eq!((tried.1, looked), (usual_try.1, usual_look), "{reference}");
            let rows = tried.0 - usual_try.0;
            assert_eq!(rows, u64::from(["110001", "110009"].contains(reference)), "{reference}");
        }
        let (calls, rows) = ("cast(sum(calls) as bigint)", "count(*)");
        let of_links = |what| app.database().number(
            &format!("select {what} from verifications where link_id is not null"));
        assert_eq!(of_links(calls), of_links(rows), "the bank is asked once about each");
    }

    /// A day that has more than a page is read on from where it was read before, and from its
    /// beginning where nothing is found: who finds something is answered sooner. A person who
    /// does not know who paid must not be.
    async fn a_bank_is_asked_as_much_about_a_guess_that_hits(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        for n in 0..60 {
            bank.pay(&format!("00007{:07}", 1_000_000 + n), 15_075, Duration::ZERO);
        }
        bank.pay("000079912346", 15_000, Duration::ZERO);
        let (payer, theirs) = (app.nobody(), [("phone", PAYER.0)]);
        let paid = make(&owner.key, &account, json!({})).await;
        let page = paid_by(&payer, &paid, "1000001", &theirs).await;
        assert_eq!(said(&page), "Pago confirmado");

        let mut seen = Vec::new();
        // Not there, there and not paid for, used, of another amount: guessed twice, since what the
        // bank shows is written down the first time.
        let references = ["555555", "1000002", "1000001", "912346"];
        for round in 0..2 {
            for reference in references {
                let id = make(&owner.key, &account, json!({})).await;
                // The bank is let rest, and then let answer.
                app.clock().advance(Duration::from_secs(3));
                let asked_before = bank.pages_asked();
                let fields = [("reference", reference), ("seen", "15075"), ("document", "V87654321")];
                let guess = app.clock().flow(async {
                    let tried = send(&payer, &format!("/pay/{id}"), &fields).await;
                    app.settle().await;
                    tried
                });
                let tried = guess.await;
                let page = follow(&payer, &tried).await;
                let place = place(&tried);
                let check = place.split("v=").nth(1).unwrap();
                if round > 0 {
                    let asked = bank.pages_asked() - asked_before;
                    seen.push((masked(&page, &[&id, check]), asked));
                }
            }
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:#?}");
        // A person who knows who paid is answered as soon as it is found.
        let id = make(&owner.key, &account, json!({})).await;
        app.clock().advance(Duration::from_secs(3));
        let asked_before = bank.pages_asked();
        assert_eq!(said(&paid_by(&payer, &id, "1000003", &theirs).await), "Pago confirmado");
        assert!(bank.pages_asked() - asked_before < seen[0].1);
    }

    async fn nothing_is_learned_from_where_an_answer_leads(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let answer = pay(&app.nobody(), &id, "123456").await;
        let page = text(&follow(&app.nobody(), &answer).await);
        assert!(!page.contains("123456"), "{page}");
    }
}
