//! Rows that the bank puts among those that were read before, while others are read from a mark on.

use domain::payer::Phone;

use super::double::{INTERVAL, PAGE_ROWS, Row, asking, credit, look, query, set_up, shown};
use super::*;

/// So many credits whose references none of the questions means.
fn others(count: usize) -> impl Iterator<Item = Row> {
    (0..count).map(|number| credit(&format!("91234{number}")))
}

#[test]
fn a_hit_behind_the_mark_waits_where_the_day_may_have_another_that_fits() {
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
    bank.state.lock().unwrap().hides_total = true;
    assert_eq!(shown(asking(&listing, &bank, &query("555555")).1), [""; 0]);
    bank.books_first(credit("11777777"));
    bank.books(credit("22777777"));
    time.pass(INTERVAL);
    let wanted = query("777777");
    let (mut question, answer) = asking(&listing, &bank, &wanted);
    assert_eq!(answer, None, "one of them was read");
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut question)), ["11777777", "22777777"]);
}

#[test]
fn a_hit_is_at_once_where_the_bank_says_that_no_row_is_missing() {
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
    assert_eq!(shown(asking(&listing, &bank, &query("555555")).1), [""; 0]);
    bank.books(credit("22777777"));
    time.pass(INTERVAL);
    assert_eq!(shown(asking(&listing, &bank, &query("777777")).1), ["22777777"]);
    // Its rows have other numbers now, and one stands somewhere before.
    bank.books_first(credit("11777777"));
    time.pass(INTERVAL);
    let wanted = query("777777");
    let (mut question, answer) = asking(&listing, &bank, &wanted);
    assert_eq!(answer, None);
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut question)), ["11777777", "22777777"]);
}

/// One more than was read, though none has another number.
#[test]
fn a_hit_waits_where_the_bank_says_that_a_row_is_missing() {
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
    assert_eq!(shown(asking(&listing, &bank, &query("555555")).1), [""; 0]);
    bank.books(credit("22777777"));
    bank.state.lock().unwrap().total = Some(PAGE_ROWS + 3);
    time.pass(INTERVAL);
    assert_eq!(asking(&listing, &bank, &query("777777")).1, None);
}

#[test]
fn a_hit_is_at_once_where_no_other_can_be_meant() {
    let Row::Credit(theirs) = credit("33777777") else { unreachable!() };
    let phone = || Phone::parse("04141111111").ok();
    let payer = PayerFacts { phone: phone(), ..PayerFacts::default() };
    let theirs = Row::Credit(Sighting { payer, ..theirs });
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1).chain([theirs]));
    assert_eq!(shown(asking(&listing, &bank, &query("555555")).1), [""; 0]);
    for certain in [query("33777777"), Query { phone: phone(), ..query("777777") }] {
        time.pass(INTERVAL);
        assert_eq!(shown(asking(&listing, &bank, &certain).1), ["33777777"]);
    }
}
