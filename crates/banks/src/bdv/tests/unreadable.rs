//! Rows that cannot be read, or that nobody asked about.

use bank::DayRows;

use super::*;

#[tokio::test]
async fn a_credit_that_cannot_be_read_is_not_passed_over() {
    let mut unreadable = credit("0000012912345", "4.25.0,");
    for amount in [json!("4.25.0,"), json!(null), json!({}), json!("1.234")] {
        unreadable["importe"] = amount;
        let movements = json!([unreadable.clone(), credit("0000055555555", "1.0")]);
        let answer = find_among(movements.clone(), &query("912345")).await;
        assert_eq!(answer, Answer::Failed(Failure::BadResponse));
        assert_eq!(shown(&find_among(movements, &query("55555555")).await).len(), 1);
    }
    let mut strange = credit("0000012912345", "4.25");
    for kind in ["CARGO", "DEPOSITO", ""] {
        strange["mov"] = json!(kind);
        let answer = find_among(json!([strange.clone()]), &query("912345")).await;
        assert_eq!(answer, Answer::Failed(Failure::BadResponse), "{kind}");
    }
}

#[tokio::test]
async fn money_whose_reference_is_nothing_but_zeros_troubles_no_question_and_is_counted_for_people()
{
    let mut went_out = credit("0000000000000", "-4.25");
    went_out["mov"] = json!("DEBITO");
    for (row, unread) in [(credit("0000000000000", "4.25"), 1), (went_out, 0)] {
        let server = on_the_day(Play::ok(page(&json!([row]))));
        let bank = connector(&server, Environment::Production);
        assert_eq!(ask_at(&bank, &query("912345"), NOON).await, nothing());
        let statements = bank.statements().expect("the statements of this bank");
        let (identity, day) = (IdentityId::from_bytes([3; 16]), CaracasDate::of(NOON));
        assert_eq!(statements.rows_of(identity, day), DayRows { read: 0, unread });
        assert_eq!(statements.unkept(identity, 8).unread.len(), unread);
    }
}

/// Whatever is wrong with one row, it costs that row and not the day.
#[tokio::test]
async fn a_row_in_no_form_at_all_leaves_the_others_readable() {
    let unreadable = [
        json!(null),
        json!("0000012912345"),
        json!(["0000012912345"]),
        json!({ "referencia": { "numero": "0000012912345" }, "mov": "CREDITO" }),
        credit("0000012912345", "muchos"),
    ];
    for row in unreadable {
        let movements = json!([row, credit("0000055555555", "1.0")]);
        let found = find_among(movements, &query("55555555")).await;
        assert_eq!(shown(&found).len(), 1, "{row}");
    }
}

/// Programs write control characters into JSON that are none there.
#[tokio::test]
async fn a_tab_in_a_text_costs_nothing() {
    let row = credit("0000012912345", "4.25").to_string();
    for raw in ["\t", "\n", "\r\n", "\u{1}"] {
        let row = row.replace("OTROS BANCOS", &format!("OTROS{raw}BANCOS"));
        let body =
            format!("{{\"code\":\"1000\",\"data\":{{\"totalOfMovements\":1,\"movs\":[{row}]}}}}");
        let answer = find_in(Play::Answer(200, body.into_bytes()), &query("12912345")).await;
        let seen = shown(&answer);
        assert_eq!(seen.len(), 1, "{raw:?}");
        assert!(seen[0].payer.phone.is_some(), "{raw:?}");
    }
}

#[tokio::test]
async fn a_credit_whose_reference_cannot_be_read_may_be_the_one_that_is_not_there() {
    let mut nameless = credit("", "4.25");
    let mut debit = nameless.clone();
    (debit["mov"], debit["referencia"]) = (json!("DEBITO"), json!(null));
    for reference in [json!(null), json!(""), json!("SIN REF"), json!("1".repeat(41))] {
        nameless["referencia"] = reference;
        let movements = json!([nameless.clone(), credit("0000055555555", "1.0")]);
        let missing = find_among(movements.clone(), &query("912345")).await;
        assert_eq!(missing, Answer::Failed(Failure::BadResponse), "{nameless}");
        assert_eq!(shown(&find_among(movements, &query("55555555")).await).len(), 1);
    }
    let answer = find_among(json!([debit]), &query("912345")).await;
    assert_eq!(answer, nothing(), "what went out is not looked for");
}

#[tokio::test]
async fn a_payer_from_the_same_bank_who_cannot_be_read_may_be_anybody() {
    let mut row = credit("0677212345678", "4.25");
    for (observation, is_complete) in [
        ("PAGOMOVIL BDV V012345678 PRUEBA", true),
        ("PAGOMOVIL BDV V0123***78 PRUEBA", false),
        ("PAGOMOVIL BDV", false),
        // Of others the bank does not always say who paid.
        ("PAGOMOVIL OTROS BANCOS 0134 0414***4567", true),
    ] {
        row["observacion"] = json!(observation);
        let answer = find_among(json!([row.clone()]), &query("912345")).await;
        assert_eq!(answer, Answer::Shown { sightings: Vec::new(), is_complete }, "{observation}");
        // By its own reference it is found all the same.
        let found = find_among(json!([row.clone()]), &query("12345678")).await;
        assert_eq!(shown(&found).len(), 1, "{observation}");
    }
}

#[tokio::test]
async fn the_rows_of_another_day_are_not_those_of_the_day_asked_about() {
    let mut other = credit("0000012912345", "42.50");
    other["fecha"] = json!("2026-11-19");
    let answer = find_among(json!([other.clone()]), &query("777777")).await;
    assert_eq!(answer, Answer::Failed(Failure::BadResponse), "that day was not shown");
    // One among those of the day is one that the bank has put there.
    let movements = json!([other, credit("0000055555555", "1.0")]);
    let answer = find_among(movements, &query("912345")).await;
    assert_eq!(shown(&answer)[0].paid_on.to_string(), "2026-11-19");
}
