use super::*;
use crate::{Lane, Meter, owners};

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

#[tokio::test]
async fn a_slice_deletes_no_more_than_it_may_and_nothing_that_goes_on() {
    let (store, meter) = (crate::inline().unwrap(), Meter::default());
    let session = Session::begin(NOW);
    let over_by = session.expires_at;
    let left = store.write(&meter, Lane::Admission, OWNER, move |tx| {
        owners::insert(tx, OWNER, "a@b", "A", "", NOW)?;
        for number in 0..5 {
            insert(
                tx,
                (OWNER, None),
                SessionId::from_bytes([number; 16]),
                (&session, false),
                None,
            )?;
        }
        let goes_on = Session { expires_at: over_by.plus(domain::session::GRACE), ..session };
        insert(tx, (OWNER, None), SessionId::from_bytes([9; 16]), (&goes_on, false), None)?;
        let mut left = Vec::new();
        for _ in 0..4 {
            delete_over(tx, OWNER, over_by, 2)?;
            let ids = (0..10).map(|number| SessionId::from_bytes([number; 16]));
            let found = ids.map(|id| find(OWNER, id).run(tx)).collect::<Result<Vec<_>, _>>()?;
            left.push(found.into_iter().flatten().count());
        }
        Ok(left)
    });
    assert_eq!(left.await.unwrap(), [4, 2, 1, 1]);
    let found = store.look_up(&meter, move |tx| owners_with_over(tx, over_by, 10)).await;
    assert_eq!(found.unwrap(), []);
}
