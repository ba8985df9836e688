//! What the jobs of a batch begin with is asked at once, as far as they may.

use std::sync::{Mutex, mpsc};

use domain::ids::OwnerId;
use futures_util::future::{join, join_all};
use tokio::sync::oneshot;

use super::open;
use crate::conformance::{KEY, add, insert, kind, owner, posted, seen, wait, write};
use crate::fault::{Fault, FaultKind, WriteError};
use crate::meter::Meter;
use crate::opening::{Kind, Opening};
use crate::sql::Sql;
use crate::store::{Lane, Store};
use crate::tx::Tx;

static POSTED: Sql = Sql::new("select posted from key_months where owner_id = $1 and key_id = $2");
static IMPOSSIBLE: Sql =
    Sql::new("select posted / 0 from key_months where owner_id = $1 and key_id = $2");

/// Begins with the number that all jobs add to: against the rules, so that it shows who asked when.
fn opening(owner: OwnerId, sql: &'static Sql, subject: u8) -> Opening<i64> {
    let statements = vec![(sql, vec![owner.into(), KEY.into()])];
    Opening::new((Kind::LinkEnd, [subject; 16]), statements, |answers| answers[0][0].get(0))
}

/// Runs jobs in one batch that begin so and then add one; answers what each of them began with.
fn in_a_batch(
    store: &Store,
    owner: OwnerId,
    openings: Vec<Opening<i64>>,
) -> Vec<Result<i64, WriteError>> {
    let (began, has_begun) = oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let gate = Mutex::new(Some((began, released)));
    let slow = move |_: &mut Tx<'_>| {
        if let Some((began, released)) = gate.lock().unwrap().take() {
            began.send(()).unwrap();
            released.recv().map_err(|_| Fault::broken("nobody let the slow job go"))?;
        }
        Ok(())
    };
    let meter = Meter::default();
    let slow = store.write(&meter, Lane::Admission, owner, slow);
    let others = async {
        has_begun.await.unwrap();
        let jobs = openings.into_iter().map(|opening| {
            store.write_opened(&meter, Lane::Admission, owner, opening, move |tx, began_with| {
                add(tx, owner, 1)?;
                Ok(began_with)
            })
        });
        join(join_all(jobs), async { release.send(()).unwrap() }).await.0
    };
    let (slow, results) = wait(join(slow, others));
    slow.unwrap();
    results
}

fn with_a_row(store: &Store) -> OwnerId {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 0)).unwrap();
    owner
}

#[test]
fn those_about_different_subjects_begin_at_once_and_others_see_what_was_written_before() {
    let fixture = open().unwrap();
    let owner = with_a_row(&fixture.store);
    let openings = [1, 2, 2, 3, 3].map(|subject| opening(owner, &POSTED, subject));
    let began = in_a_batch(&fixture.store, owner, openings.into());
    let began: Vec<i64> = began.into_iter().map(Result::unwrap).collect();
    assert_eq!(began, [0, 0, 2, 2, 4]);
    assert_eq!(seen(&fixture.store, owner), Some(5));
}

#[test]
fn one_that_cannot_begin_harms_no_other() {
    let fixture = open().unwrap();
    let owner = with_a_row(&fixture.store);
    let openings = [(&POSTED, 1), (&IMPOSSIBLE, 2), (&POSTED, 3)]
        .map(|(sql, subject)| opening(owner, sql, subject));
    let mut began = in_a_batch(&fixture.store, owner, openings.into()).into_iter();
    assert_eq!(began.next().unwrap().unwrap(), 0);
    assert_eq!(kind(began.next().unwrap()), FaultKind::Broken);
    assert_eq!(began.next().unwrap().unwrap(), 1, "each ran by itself");
    assert_eq!(seen(&fixture.store, owner), Some(2));
}

#[test]
fn a_job_that_begins_with_something_costs_as_if_it_asked_by_itself() {
    let fixture = open().unwrap();
    let owner = with_a_row(&fixture.store);
    let meter = Meter::default();
    let told = fixture.store.write_opened(
        &meter,
        Lane::Admission,
        owner,
        opening(owner, &POSTED, 1),
        move |tx, began_with| Ok((began_with, posted(tx, owner)?)),
    );
    assert_eq!(wait(told).unwrap(), (0, Some(0)));
    assert_eq!((meter.statements(), meter.waits()), (2, 2));
}
