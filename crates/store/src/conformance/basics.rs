//! Commits, faults, and what comes back.

use super::*;
use crate::locators::{self, Located};
use crate::value::Value;

pub(crate) fn a_commit_is_seen_by_whoever_reads_next(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 5)).unwrap();
    assert_eq!(seen(store, owner), Some(5));
    for expected in 6..30 {
        write(store, owner, move |tx| add(tx, owner, 1)).unwrap();
        let found = wait(store.look_up(&Meter::default(), move |tx| posted(tx, owner)));
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
        tx.defer(&INSERT, [owner.into(), KEY.into(), 1.into()], Expect::Rows(1))?;
        add(tx, owner, 2)?;
        let between = posted(tx, owner)?;
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

static ORPHAN: Sql = Sql::new(
    "insert into sessions (owner_id, id, created_at, turn, turned_at, expires_at) \
     values ($1, $2, 0, 0, 0, 0)",
);

pub(crate) fn violated_constraints_are_told_apart(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 5)).unwrap();
    let twice = write(store, owner, move |tx| insert(tx, owner, 6));
    assert_eq!(kind(twice), FaultKind::Constraint);
    let below_zero = write(store, owner, move |tx| add(tx, owner, -6));
    assert_eq!(kind(below_zero), FaultKind::Constraint);
    let orphan = write(store, owner, move |tx| {
        tx.defer(&ORPHAN, [owner.into(), KEY.into()], Expect::Rows(1))
    });
    assert_eq!(kind(orphan), FaultKind::Constraint);
    assert_eq!(seen(store, owner), Some(5));
}

pub(crate) fn nothing_follows_a_failed_statement(store: &Store) {
    let owner = owner();
    let follows = write(store, owner, move |tx| {
        insert(tx, owner, 5)?;
        assert!(insert(tx, owner, 6).is_err());
        posted(tx, owner)
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

static WIDE: Sql = Sql::new(
    "insert into idempotent_answers (owner_id, caller_id, operation, key_hash, body_hash, \
     subject_id, answer, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)",
);

static READ_WIDE: Sql = Sql::new(
    "select owner_id, caller_id, operation, key_hash, body_hash, subject_id, answer, created_at \
     from idempotent_answers where owner_id = $1 and caller_id = $2",
);

static KEY_FLAGS: Sql =
    Sql::new("select payments_enabled, monthly_credit_limit from clients where owner_id = $1");

static CLIENT: Sql = Sql::new(
    "insert into clients (owner_id, id, name, is_active, payments_enabled, monthly_credit_limit, \
     created_at, updated_at) values ($1, $2, 'a client', $3, $4, $5, $6, $6)",
);

static OWNER: Sql =
    Sql::new("insert into owners (owner_id, balance, reserved, credit_lines) values ($1, 0, 0, 0)");

pub(crate) fn values_come_back_as_they_went_in(store: &Store) {
    let owner = owner();
    let long = vec![0xa5_u8; 5_000];
    let (kept, text) = (long.clone(), "Añil 'x\" — 銀行 🏦");
    let row = write(store, owner, move |tx| {
        let values = [
            owner.into(),
            KEY.into(),
            text.into(),
            Vec::new().into(),
            long.clone().into(),
            [3_u8; 16].as_slice().into(),
            Value::Null,
            i64::MIN.into(),
        ];
        tx.defer(&WIDE, values, Expect::Rows(1))?;
        tx.query_one(&READ_WIDE, &[owner.into(), KEY.into()])
    })
    .unwrap();
    assert_eq!(row.get::<OwnerId>("owner_id").unwrap(), owner);
    assert_eq!(row.get::<KeyId>("caller_id").unwrap(), KEY);
    assert_eq!(row.get::<String>("operation").unwrap(), text);
    assert_eq!(row.get::<Vec<u8>>("key_hash").unwrap(), Vec::<u8>::new());
    assert_eq!(row.get::<Vec<u8>>("body_hash").unwrap(), kept);
    assert_eq!(row.get::<[u8; 16]>("subject_id").unwrap(), [3; 16]);
    assert_eq!(row.get::<Option<Vec<u8>>>("answer").unwrap(), None);
    assert_eq!(row.get::<i64>("created_at").unwrap(), i64::MIN);
    assert!(row.get::<i64>("operation").is_err());
    assert!(row.get::<i64>("missing").is_err());

    let row = write(store, owner, move |tx| {
        tx.defer(&OWNER, [owner.into()], Expect::Rows(1))?;
        let values =
            [owner.into(), KEY.into(), true.into(), false.into(), Value::Null, i64::MAX.into()];
        tx.defer(&CLIENT, values, Expect::Rows(1))?;
        tx.query_one(&KEY_FLAGS, &[owner.into()])
    })
    .unwrap();
    assert!(!row.get::<bool>("payments_enabled").unwrap());
    assert_eq!(row.get::<Option<i64>>("monthly_credit_limit").unwrap(), None);
}

pub(crate) fn text_with_a_nul_is_refused(store: &Store) {
    let owner = owner();
    let outcome = write(store, owner, move |tx| {
        let id = || Value::from(KEY);
        let hash = || Value::from(vec![1]);
        let nul = "a\0b".into();
        let values = [owner.into(), id(), nul, hash(), hash(), id(), Value::Null, Value::from(0)];
        tx.execute(&WIDE, &values).map(drop)
    });
    assert_eq!(kind(outcome), FaultKind::Broken);
}

pub(crate) fn reads_cannot_write(store: &Store) {
    let owner = owner();
    let outcome = wait(store.read(&Meter::default(), move |tx| insert(tx, owner, 5)));
    assert_eq!(outcome.unwrap_err().kind(), FaultKind::Broken);
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
    wait(store.look_up(&meter, move |tx| posted(tx, owner))).unwrap();
    assert_eq!((meter.statements(), meter.waits()), (4, 2));
}

pub(crate) fn locators_belong_to_whoever_came_first(store: &Store) {
    let meter = Meter::default();
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&random().to_be_bytes());
    let claim = |owner| {
        let to = Located { owner, subject: [1; 16] };
        let job = move |tx: &mut Tx<'_>| locators::claim(tx, locators::Kind::ApiKey, &hash, to);
        wait(store.write_shared(&meter, job)).unwrap()
    };
    let (first, second) = (owner(), owner());
    assert!(claim(first));
    assert!(!claim(second));
    let job = move |tx: &mut Tx<'_>| locators::find(tx, locators::Kind::ApiKey, &hash);
    let found = wait(store.look_up(&meter, job)).unwrap();
    assert_eq!(found.map(|located| located.owner), Some(first));
}

pub(crate) fn a_closed_store_refuses_everything(store: &Store) {
    let owner = owner();
    store.close();
    store.close();
    let outcome = write(store, owner, move |tx| insert(tx, owner, 5));
    assert_eq!(kind(outcome), FaultKind::Unavailable);
    let meter = Meter::default();
    let outcome = wait(store.read(&meter, move |tx| posted(tx, owner)));
    assert_eq!(outcome.unwrap_err().kind(), FaultKind::Unavailable);
    let outcome = wait(store.look_up(&meter, move |tx| posted(tx, owner)));
    assert_eq!(outcome.unwrap_err().kind(), FaultKind::Unavailable);
}

/// Every month of a key.
static ADD_TO_ALL: Sql =
    Sql::new("update actor_months set posted = posted + 1 where owner_id = $1");

static INSERT_ONCE: Sql = Sql::new(
    "insert into actor_months (owner_id, actor_id, month, posted, reserved, operations, requests, \
     credit_lines) values ($1, $2, $3, 0, 0, 0, 0, 0) on conflict do nothing",
);

pub(crate) fn a_write_answers_how_many_rows_it_wrote(store: &Store) {
    let owner = owner();
    let (all, month) = ([owner.into()], |month: i64| [owner.into(), KEY.into(), month.into()]);
    let (first, second) = (month(1), month(2));
    let (counts, together) = write(store, owner, move |tx| {
        let one_by_one = [tx.execute(&ADD_TO_ALL, &all)?, tx.execute(&INSERT_ONCE, &first)?];
        let results = tx.pipeline(&[
            (&INSERT_ONCE, &first),
            (&INSERT_ONCE, &second),
            (&POSTED, &first[..2]),
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
