//! Work over all owners that fails, though every one of them can be reached.

use domain::time::Timestamp;
use store::Batch;
use store::fault::{Fault, FaultKind};
use store::one_by_one::{self, Reach};
use testkit::postgres::Database;

use crate::bench::{owner, store};

const NOW: Timestamp = Timestamp::from_micros(1);

#[tokio::test]
async fn nobody_is_asked_one_by_one_where_every_owner_can_be_reached() {
    let database = Database::empty();
    let store = store(&database.url(), Batch::AcrossOwners);
    store.known_owners().learn([owner(1)]);
    let too_slow = async { Err::<(), _>(Fault::new(FaultKind::Unavailable, "a time limit")) };
    let failed = one_by_one::reach(&store, "mail", NOW, too_slow).await.unwrap_err();
    assert_eq!(failed.kind(), FaultKind::Unavailable);
    // Nor does other work ask one by one then.
    let all = one_by_one::reach(&store, "links", NOW, async { Ok(7) }).await.unwrap();
    assert!(matches!(all, Reach::All(7)), "{all:?}");

    // What a server answers that has lost another one.
    database.execute("alter table owners rename to kept_owners");
    let lost = async { Err::<(), _>(Fault::new(FaultKind::Unavailable, "its server is lost")) };
    let reached = one_by_one::reach(&store, "mail", NOW, lost).await.unwrap();
    assert!(matches!(&reached, Reach::OneByOne(owners) if *owners == [owner(1)]), "{reached:?}");
    store.close();
}
