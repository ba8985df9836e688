//! The order of locks, as far as a job can break it: what it may lock without its owner's row.

use domain::ids::{EventId, NoticeId};
use domain::notices::Notice;
use domain::webhooks::Trouble;

use super::*;
use crate::deliveries::{Conclusion, Next};
use crate::due::{self, Kind, Lease};
use crate::evidence::AttemptDigests;
use crate::recording;
use crate::row_locks::{Locks, WITHOUT_OWNER};
use crate::tx::{Connection, StatementResult};
use crate::value::{Row, Value};
use crate::writes::Writes;
use crate::{notices, owners};

const SUBJECT: [u8; 16] = [1; 16];

/// The lanes whose jobs do without their owner's row, and those whose jobs hold it.
const WITHOUT: [Lane; 2] = [Lane::Keeping, Lane::Taking];
const HOLDING: [Lane; 3] = [Lane::Admission, Lane::Completion, Lane::Maintenance];

fn tell(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    let event = EventId::from_bytes(SUBJECT);
    let notice = Notice::webhook_exhausted("https://a.example/", event, None, Trouble::Refused);
    notices::tell(tx, owner, NoticeId::from_bytes(SUBJECT), &notice, at(1))
}

fn take(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    due::take(tx, owner, Kind::Delivery, SUBJECT, at(1), at(1)).map(drop)
}

pub(crate) fn who_does_without_its_owners_row_locks_in_the_order_of_all(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        owners::insert(tx, owner, "a@b", "A", "", at(1))?;
        due::insert(tx, owner, Kind::Delivery, SUBJECT, at(1))?;
        insert(tx, owner, 0)
    })
    .unwrap();
    let meter = Meter::default();
    let in_order = move |tx: &mut Tx<'_>| {
        take(tx, owner)?;
        tell(tx, owner)?;
        // What is locked already is come back to.
        take(tx, owner)
    };
    let backwards = move |tx: &mut Tx<'_>| {
        tell(tx, owner)?;
        take(tx, owner)
    };
    let elsewhere = move |tx: &mut Tx<'_>| add(tx, owner, 1);
    for lane in WITHOUT {
        wait(store.write(&meter, lane, owner, in_order)).unwrap();
        for wrong in [
            kind(wait(store.write(&meter, lane, owner, backwards))),
            kind(wait(store.write(&meter, lane, owner, elsewhere))),
        ] {
            assert_eq!(wrong, FaultKind::Broken, "{lane:?}");
        }
    }
    assert_eq!(seen(store, owner), Some(0));
    for lane in HOLDING {
        wait(store.write(&meter, lane, owner, backwards)).unwrap();
        wait(store.write(&meter, lane, owner, elsewhere)).unwrap();
    }
    assert_eq!(seen(store, owner), Some(3));
}

/// Notes what a transaction runs; every lease holds, every attempt is new, and no notice is the first.
#[derive(Default)]
struct Recorder(Vec<(&'static Sql, Vec<Value>)>);

impl Connection for Recorder {
    fn run(
        &mut self,
        statements: &[(&'static Sql, &[Value])],
    ) -> Result<Vec<StatementResult>, Fault> {
        let result = |(sql, params): &(&'static Sql, &[Value])| {
            self.0.push((*sql, params.to_vec()));
            StatementResult { rows: vec![Row::new(sql, vec![Value::Int(2)])], rows_affected: 1 }
        };
        Ok(statements.iter().map(result).collect())
    }

    fn defer(&mut self, sql: &'static Sql, params: Vec<Value>, _: Expect) -> Result<(), Fault> {
        self.0.push((sql, params));
        Ok(())
    }
}

impl Recorder {
    /// What was locked of the listed tables, in order: the table's place and the parameter that says which row.
    fn locked(&self, row_at: [usize; WITHOUT_OWNER.len()]) -> Vec<(usize, Value)> {
        let locked = |(sql, params): &(&'static Sql, Vec<Value>)| match sql.locks() {
            Locks::Listed(table) => Some((table, params[row_at[table]].clone())),
            Locks::Nothing | Locks::Other => None,
        };
        self.0.iter().filter_map(locked).collect()
    }
}

#[test]
fn results_recorded_together_lock_table_by_table_and_within_one_in_order() {
    let owner = owner();
    let ids = [1, 2].map(|byte| EventId::from_bytes([byte; 16]));
    let of = |receiver: &str| Conclusion {
        attempt: attempt(1, Some(Trouble::Reset)),
        step: 1,
        trouble: Some(Trouble::Reset),
        next: Next::At(at(300)),
        notice: Some((
            NoticeId::from_bytes(SUBJECT),
            Notice::webhook_failing(receiver, Trouble::Reset, at(200)),
        )),
        digests: AttemptDigests::default(),
    };
    // The notices come in the other order than the deliveries.
    let made = [of("https://b.example/"), of("https://a.example/")];
    let made: Vec<_> = ids.iter().zip(&made).map(|(id, made)| (*id, Lease::FIRST, made)).collect();
    let mut recorder = Recorder::default();
    let mut tx = Tx::new(&mut recorder, Some(Writes { owner, holds_owner: false }));
    recording::record_all(&mut tx, owner, &made).unwrap();

    let slot = |notice: usize| {
        made[notice].2.notice.as_ref().map(|(_, notice)| notice.slot.as_str().into())
    };
    let [first, second] = ids.map(Into::into);
    let (first, second): (Value, Value) = (first, second);
    assert_eq!(
        recorder.locked([2, 1, 1, 3]),
        [
            (0, first.clone()),
            (0, second.clone()),
            (1, first),
            (1, second),
            (3, slot(1).unwrap()),
            (3, slot(0).unwrap()),
        ]
    );
}
