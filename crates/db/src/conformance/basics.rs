//! Commits, faults, and what comes back.

use domain::ids::KeyId;

use super::schema::{
    ADD, ADD_TO_ALL, COUNTER, INSERT, INSERT_KINDS, INSERT_ONCE, INSERT_SESSION, KINDS, TOTALS,
    add, insert, total,
};
use super::*;
use crate::tx::Expect;
use crate::value::Value;

pub(crate) fn a_commit_is_seen_by_the_next_reader(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 5)).unwrap();
    assert_eq!(seen(store, owner), Some(5));
    for expected in 6..30 {
        write(store, owner, move |tx| add(tx, owner, 1)).unwrap();
        let found = wait(store.look_up(&Meter::default(), move |tx| total(tx, owner)));
        assert_eq!(found.unwrap(), Some(expected));
    }
}

pub(crate) fn a_fault_rolls_back_the_whole_job(store: &Store) {
    let owner = owner();
    let outcome = write(store, owner, move |tx| {
        insert(tx, owner, 5)?;
        Err::<(), _>(Fault::broken("changed its mind"))
    });
    assert_eq!(kind(outcome), FaultKind::Broken);
    assert_eq!(seen(store, owner), None);
}

pub(crate) fn a_refusal_is_a_value_and_commits(store: &Store) {
    let owner = owner();
    let refused = write(store, owner, move |tx| {
        insert(tx, owner, 5)?;
        Ok(Err::<(), _>("no credit"))
    });
    assert_eq!(refused.unwrap(), Err("no credit"));
    assert_eq!(seen(store, owner), Some(5));
}

pub(crate) fn what_is_put_off_happens_in_order(store: &Store) {
    let owner = owner();
    let found = write(store, owner, move |tx| {
        tx.defer(&INSERT, [owner.into(), COUNTER.into(), 1.into()], Expect::Rows(1))?;
        add(tx, owner, 2)?;
        let between = total(tx, owner)?;
        add(tx, owner, 3)?;
        Ok(between)
    });
    assert_eq!(found.unwrap(), Some(3));
    assert_eq!(seen(store, owner), Some(6));
}

pub(crate) fn an_unmet_expectation_rolls_back(store: &Store) {
    let (owner, other) = (owner(), KeyId::from_bytes([8; 16]));
    let outcome = write(store, owner, move |tx| {
        insert(tx, owner, 5)?;
        tx.defer(&ADD, [owner.into(), 1.into(), other.into()], Expect::Rows(1))?;
        // Seen here at the latest on one engine, and at the commit on another.
        Ok(())
    });
    assert_eq!(kind(outcome), FaultKind::Broken);
    assert_eq!(seen(store, owner), None);
}

pub(crate) fn a_panic_hurts_only_its_own_job(store: &Store) {
    let owner = owner();
    let outcome = write(store, owner, move |tx| -> Result<(), Fault> {
        insert(tx, owner, 5)?;
        panic!("a bug in a closure");
    });
    assert_eq!(kind(outcome), FaultKind::Panicked);
    assert_eq!(seen(store, owner), None);
    write(store, owner, move |tx| insert(tx, owner, 6)).unwrap();
    assert_eq!(seen(store, owner), Some(6));
}

pub(crate) fn violated_constraints_are_distinguished(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 5)).unwrap();
    let twice = write(store, owner, move |tx| insert(tx, owner, 6));
    assert_eq!(kind(twice), FaultKind::Constraint);
    let below_zero = write(store, owner, move |tx| add(tx, owner, -6));
    assert_eq!(kind(below_zero), FaultKind::Constraint);
    let orphan = write(store, owner, move |tx| {
        tx.defer(&INSERT_SESSION, [owner.into(), COUNTER.into()], Expect::Rows(1))
    });
    assert_eq!(kind(orphan), FaultKind::Constraint);
    assert_eq!(seen(store, owner), Some(5));
}

pub(crate) fn nothing_follows_a_failed_statement(store: &Store) {
    let owner = owner();
    let follows = write(store, owner, move |tx| {
        insert(tx, owner, 5)?;
        assert!(insert(tx, owner, 6).is_err());
        total(tx, owner)
    });
    assert!(matches!(follows, Err(WriteError::Fault(_))), "{follows:?}");
    assert_eq!(seen(store, owner), None);
}

pub(crate) fn a_swallowed_failure_is_not_committed(store: &Store) {
    let owner = owner();
    let swallowed = write(store, owner, move |tx| {
        insert(tx, owner, 5)?;
        drop(insert(tx, owner, 6));
        Ok(())
    });
    assert!(matches!(swallowed, Err(WriteError::Fault(_))), "{swallowed:?}");
    assert_eq!(seen(store, owner), None);
}

pub(crate) fn a_job_that_writes_rows_of_another_owner_fails(store: &Store) {
    let (own, other) = (owner(), owner());
    let strayed = write(store, own, move |tx| {
        insert(tx, own, 5)?;
        insert(tx, other, 6)
    });
    assert_eq!(kind(strayed), FaultKind::Broken);
    assert_eq!((seen(store, own), seen(store, other)), (None, None));
    write(store, own, move |tx| insert(tx, own, 5)).unwrap();
    // Put off or asked for, swallowed or not: nothing of it is sent.
    write(store, other, move |tx| {
        drop(add(tx, own, 1));
        Ok(())
    })
    .unwrap();
    assert_eq!(seen(store, own), Some(5));
}

pub(crate) fn values_come_back_as_they_went_in(store: &Store) {
    let owner = owner();
    let long = vec![0xa5_u8; 5_000];
    let (kept, text) = (long.clone(), "Añil 'x\" — 銀行 🏦");
    let row = write(store, owner, move |tx| {
        let values = [
            owner.into(),
            COUNTER.into(),
            text.into(),
            Vec::new().into(),
            long.clone().into(),
            Value::Null,
            i64::MIN.into(),
            true.into(),
            false.into(),
        ];
        tx.defer(&INSERT_KINDS, values, Expect::Rows(1))?;
        tx.query_one(&KINDS, &[owner.into(), COUNTER.into()])
    })
    .unwrap();
    assert_eq!(row.get::<OwnerId>("owner_id").unwrap(), owner);
    assert_eq!(row.get::<KeyId>("id").unwrap(), COUNTER);
    assert_eq!(row.get::<[u8; 16]>("id").unwrap(), [7; 16]);
    assert_eq!(row.get::<String>("label").unwrap(), text);
    assert_eq!(row.get::<Vec<u8>>("short").unwrap(), Vec::<u8>::new());
    assert_eq!(row.get::<Vec<u8>>("long").unwrap(), kept);
    assert_eq!(row.get::<Option<Vec<u8>>>("absent").unwrap(), None);
    assert_eq!(row.get::<Option<i64>>("absent").unwrap(), None);
    assert_eq!(row.get::<i64>("lowest").unwrap(), i64::MIN);
    assert!(row.get::<bool>("is_so").unwrap());
    assert!(!row.get::<bool>("is_not").unwrap());
    assert!(row.get::<i64>("label").is_err());
    assert!(row.get::<i64>("missing").is_err());
}

pub(crate) fn text_with_a_nul_is_refused(store: &Store) {
    let owner = owner();
    let outcome = write(store, owner, move |tx| {
        let bytes = || Value::from(vec![1]);
        let nul = "a\0b".into();
        let (null, number) = (Value::Null, Value::from(0));
        let (yes, no) = (true.into(), false.into());
        let values = [owner.into(), COUNTER.into(), nul, bytes(), bytes(), null, number, yes, no];
        tx.execute(&INSERT_KINDS, &values).map(drop)
    });
    assert_eq!(kind(outcome), FaultKind::Broken);
}

pub(crate) fn reads_cannot_write(store: &Store) {
    let owner = owner();
    let outcome = wait(store.read(&Meter::default(), move |tx| insert(tx, owner, 5)));
    // A server has one state for this and for a server that takes no writes at all.
    let kind = outcome.unwrap_err().kind();
    assert!(matches!(kind, FaultKind::Broken | FaultKind::ReadOnly), "{kind:?}");
    assert_eq!(seen(store, owner), None);
    // And the connection is as good as before.
    write(store, owner, move |tx| insert(tx, owner, 6)).unwrap();
    assert_eq!(seen(store, owner), Some(6));
}

pub(crate) fn the_meter_counts(store: &Store) {
    let (owner, meter) = (owner(), Meter::default());
    wait(store.write(&meter, Lane::Admission, owner, move |tx| {
        insert(tx, owner, 5)?;
        add(tx, owner, 1)?;
        add(tx, owner, 1)
    }))
    .unwrap();
    assert_eq!((meter.statements(), meter.waits()), (3, 1));
    wait(store.look_up(&meter, move |tx| total(tx, owner))).unwrap();
    assert_eq!((meter.statements(), meter.waits()), (4, 2));
}

pub(crate) fn a_closed_store_refuses_everything(store: &Store) {
    let owner = owner();
    store.close();
    store.close();
    let outcome = write(store, owner, move |tx| insert(tx, owner, 5));
    assert_eq!(kind(outcome), FaultKind::Unavailable);
    let meter = Meter::default();
    let outcome = wait(store.read(&meter, move |tx| total(tx, owner)));
    assert_eq!(outcome.unwrap_err().kind(), FaultKind::Unavailable);
    let outcome = wait(store.look_up(&meter, move |tx| total(tx, owner)));
    assert_eq!(outcome.unwrap_err().kind(), FaultKind::Unavailable);
}

pub(crate) fn a_write_answers_how_many_rows_it_wrote(store: &Store) {
    let owner = owner();
    let other = KeyId::from_bytes([8; 16]);
    let all = [owner.into()];
    let (first, second) = ([owner.into(), COUNTER.into()], [owner.into(), other.into()]);
    let (counts, together) = write(store, owner, move |tx| {
        let one_by_one = [tx.execute(&ADD_TO_ALL, &all)?, tx.execute(&INSERT_ONCE, &first)?];
        let results = tx.pipeline(&[
            (&INSERT_ONCE, &first),
            (&INSERT_ONCE, &second),
            (&TOTALS, &all),
            (&ADD_TO_ALL, &all),
        ])?;
        let counts: Vec<_> = results.iter().map(|result| result.rows_affected).collect();
        assert_eq!(
            results.iter().map(|result| result.rows.len()).collect::<Vec<_>>(),
            [0, 0, 2, 0]
        );
        Ok((one_by_one, counts))
    })
    .unwrap();
    assert_eq!(counts, [0, 1]);
    assert_eq!([together[0], together[1], together[3]], [0, 1, 2]);
}
