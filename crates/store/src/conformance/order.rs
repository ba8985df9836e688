//! The order of locks within the tables of which a job may lock rows without its owner's row.

use db::Writes;
use db::row_locks::Locks;
use db::tx::{Connection, StatementResult};
use db::value::{Row, Value};
use domain::ids::{EventId, NoticeId};
use domain::notices::Notice;
use domain::webhooks::Trouble;

use super::*;
use crate::deliveries::{Conclusion, Next};
use crate::due::Lease;
use crate::evidence::AttemptDigests;
use crate::recording;
use crate::schema::LOCK_ORDER;

const SUBJECT: [u8; 16] = [1; 16];

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
    /// Returns what was locked of the listed tables, in order: the table's place and the parameter that says which row.
    fn locked(&self, row_at: [usize; LOCK_ORDER.len()]) -> Vec<(usize, Value)> {
        let locked = |(sql, params): &(&'static Sql, Vec<Value>)| {
            let Locks::Table(table) = sql.locks() else { return None };
            let place = LOCK_ORDER.iter().position(|listed| *listed == table)?;
            Some((place, params[row_at[place]].clone()))
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
    let mut tx = Tx::new(&mut recorder, Some(Writes { owner, without_owner: Some(LOCK_ORDER) }));
    recording::record_all(&mut tx, owner, &made).unwrap();

    let slot = |notice: usize| {
        made[notice].2.notice.as_ref().map(|(_, notice)| notice.slot.as_str().into())
    };
    let [first, second] = ids.map(Into::into);
    let (first, second): (Value, Value) = (first, second);
    assert_eq!(
        recorder.locked([2, 1, 1, 1, 3]),
        [
            (0, first.clone()),
            (0, second.clone()),
            (1, first),
            (1, second),
            (4, slot(1).unwrap()),
            (4, slot(0).unwrap()),
        ]
    );
}
