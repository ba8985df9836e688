//! What the jobs of a batch begin with is asked at once, as far as they may.

use std::sync::{Mutex, mpsc};

use domain::ids::{AuditId, KeyId, OwnerId};
use futures_util::future::{join, join_all};
use tokio::sync::oneshot;

use super::open_with;
use crate::audit::{self, Entry};
use crate::conformance::{POSTED, at, kind, owner, wait, write};
use crate::fault::{Fault, FaultKind, WriteError};
use crate::meter::Meter;
use crate::opening::{Kind, Opening};
use crate::sql::Sql;
use crate::store::{Lane, Store};
use crate::tx::{Expect, Tx};

static INSERT: Sql = Sql::new(
    "insert into key_months (owner_id, key_id, month, posted, reserved, operations, requests, \
     credit_lines) values ($1, $2, 1, $3, 0, 0, 0, 0)",
);
static SUM: Sql =
    Sql::shared("select cast(sum(posted) as bigint) from key_months where key_id <> $1");
static ADD: Sql =
    Sql::new("update key_months set posted = posted + 1 where owner_id = $1 and key_id = $2");
static IMPOSSIBLE: Sql =
    Sql::new("select posted / 0 from key_months where owner_id = $1 and key_id = $2");

/// What a job does, to the row of a key.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// Begins with that row and, against the rules, with the sum of all others, whosesoever they are, so that
    /// it shows who asked when; adds one to it, and notes that in the audit, as the entry with this number.
    Begins(u8, u8),
    /// Begins so, and gives up.
    GivesUp(u8),
    /// Begins with what cannot be.
    CannotBegin(u8),
    /// Adds one, without beginning with anything.
    Adds(u8),
}

impl Does {
    fn key(self) -> KeyId {
        let (Self::Begins(key, _) | Self::GivesUp(key) | Self::CannotBegin(key) | Self::Adds(key)) =
            self;
        KeyId::from_bytes([key; 16])
    }

    fn opening(self, owner: OwnerId) -> Opening<[i64; 2]> {
        let first = if matches!(self, Self::CannotBegin(_)) { &IMPOSSIBLE } else { &POSTED };
        let params = vec![owner.into(), self.key().into()];
        let statements = vec![(first, params), (&SUM, vec![self.key().into()])];
        Opening::new((Kind::LinkEnd, self.key().to_bytes()), statements, |answers| {
            Ok([answers[0][0].get(0)?, answers[1][0].get(0)?])
        })
    }

    fn then(self, tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
        if matches!(self, Self::GivesUp(_)) {
            return Err(Fault::broken("it gives up"));
        }
        if let Self::Begins(_, number) = self {
            let id = AuditId::from_bytes([number; 16]);
            let (actor, subject) = (String::new(), self.key().to_string());
            let entry = Entry { id, actor, action: "Begins", subject, address: None };
            audit::insert(tx, owner, &entry, at(0))?;
        }
        tx.defer(&ADD, [owner.into(), self.key().into()], Expect::Any)
    }

    async fn run(
        self,
        store: &Store,
        meter: &Meter,
        owner: OwnerId,
    ) -> Result<[i64; 2], WriteError> {
        if matches!(self, Self::Adds(_)) {
            let add = move |tx: &mut Tx<'_>| self.then(tx, owner).map(|()| [0, 0]);
            return store.write(meter, Lane::Admission, owner, add).await;
        }
        let then = move |tx: &mut Tx<'_>, began_with| {
            self.then(tx, owner)?;
            Ok(began_with)
        };
        store.write_opened(meter, Lane::Admission, owner, self.opening(owner), then).await
    }
}

/// An owner with a row for each of the keys 1 to 4, in which stands ten times its number.
fn with_rows(store: &Store) -> OwnerId {
    let owner = owner();
    let rows = move |tx: &mut Tx<'_>| {
        (1..=4).try_for_each(|key| {
            let posted = i64::from(key) * 10;
            let row = [owner.into(), KeyId::from_bytes([key; 16]).into(), posted.into()];
            tx.defer(&INSERT, row, Expect::Rows(1))
        })
    };
    write(store, owner, rows).unwrap();
    owner
}

/// Runs the jobs in one batch; answers what each of them began with.
fn in_a_batch(
    store: &Store,
    meter: &Meter,
    jobs: &[(OwnerId, Does)],
) -> Vec<Result<[i64; 2], WriteError>> {
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
    let other = Meter::default();
    let slow = store.write(&other, Lane::Admission, jobs[0].0, slow);
    let jobs = async {
        has_begun.await.unwrap();
        // The futures hand their jobs in when first polled, in this order, and then this one.
        let let_go = async { release.send(()).unwrap() };
        join(join_all(jobs.iter().map(|(owner, does)| does.run(store, meter, *owner))), let_go)
            .await
            .0
    };
    let (slow, results) = wait(join(slow, jobs));
    slow.unwrap();
    results
}

fn values(results: Vec<Result<[i64; 2], WriteError>>) -> Vec<[i64; 2]> {
    results.into_iter().map(Result::unwrap).collect()
}

#[test]
fn those_about_different_subjects_begin_at_once_and_others_see_what_was_written_before() {
    let fixture = open_with(1).unwrap();
    let owner = with_rows(&fixture.store);
    let meter = Meter::default();
    let jobs = [
        Does::Begins(1, 1),
        Does::Begins(2, 2),
        Does::Begins(2, 3),
        Does::Begins(3, 4),
        Does::Begins(1, 5),
    ];
    let began = in_a_batch(&fixture.store, &meter, &jobs.map(|does| (owner, does)));
    // The first two at once, and the last three, when those two had been added to.
    assert_eq!(values(began), [[10, 90], [20, 80], [21, 81], [30, 72], [11, 91]]);
    assert_eq!((meter.statements(), meter.waits()), (5 * 4, 5), "as if each asked by itself");
}

#[test]
fn a_job_that_begins_with_nothing_takes_no_answer_of_another() {
    let fixture = open_with(1).unwrap();
    let owner = with_rows(&fixture.store);
    let jobs = [
        Does::Begins(1, 1),
        Does::Begins(2, 2),
        Does::Adds(4),
        Does::Begins(3, 3),
        Does::Begins(4, 4),
    ];
    let began = in_a_batch(&fixture.store, &Meter::default(), &jobs.map(|does| (owner, does)));
    assert_eq!(values(began), [[10, 90], [20, 80], [0, 0], [30, 73], [41, 62]]);
}

#[test]
fn one_that_cannot_begin_or_gives_up_harms_no_other() {
    for spoilt in [Does::CannotBegin(2), Does::GivesUp(2)] {
        let fixture = open_with(1).unwrap();
        let owner = with_rows(&fixture.store);
        let jobs = [Does::Begins(1, 1), spoilt, Does::Begins(3, 3), Does::Begins(4, 4)];
        let mut began =
            in_a_batch(&fixture.store, &Meter::default(), &jobs.map(|does| (owner, does)));
        assert_eq!(kind(began.remove(1)), FaultKind::Broken, "{spoilt:?}");
        // Each ran once more by itself.
        assert_eq!(values(began), [[10, 90], [30, 71], [40, 62]], "{spoilt:?}");
    }
}

#[test]
fn one_whose_row_is_there_already_harms_none_that_it_was_to_be_written_with() {
    let fixture = open_with(1).unwrap();
    let owner = with_rows(&fixture.store);
    let jobs = [1, 2, 3, 4].map(|key| Does::Begins(key, if key == 3 { 1 } else { key }));
    let mut began = in_a_batch(&fixture.store, &Meter::default(), &jobs.map(|does| (owner, does)));
    assert_eq!(kind(began.remove(2)), FaultKind::Constraint);
    assert_eq!(values(began), [[10, 90], [20, 81], [40, 62]]);
}

/// Locks go from owner to owner in order, which is that of their ids.
#[test]
fn those_of_another_owner_begin_when_the_first_has_written() {
    let fixture = open_with(1).unwrap();
    let mut owners = [with_rows(&fixture.store), with_rows(&fixture.store)];
    owners.sort();
    let [first, second] = owners;
    let jobs = [
        (second, Does::Begins(3, 3)),
        (first, Does::Begins(1, 1)),
        (second, Does::Begins(4, 4)),
        (first, Does::Begins(2, 2)),
    ];
    let began = in_a_batch(&fixture.store, &Meter::default(), &jobs);
    assert_eq!(values(began), [[30, 142], [10, 180], [40, 122], [20, 160]]);
}
