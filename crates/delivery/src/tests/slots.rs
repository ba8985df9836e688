//! Who has a slot beside those that take all they can.

use std::time::Duration;

use domain::ids::OwnerId;

use super::world::{OTHER, OWNER, World};
use crate::poller::Cursors;
use crate::{NOT_QUICK_OF_ONE_OWNER_MAX, OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, UNDER_WAY_MAX};

#[tokio::test]
async fn an_owner_with_many_receivers_leaves_slots_to_others() {
    let world = World::new(Duration::ZERO).await;
    let ports = (0..UNDER_WAY_MAX + 4).map(|port| format!("https://dead.example:{}/", 1 + port));
    let many = world.write_all(OWNER, ports).await;
    let other = world.write_all(OTHER, ["https://well.example/".to_owned()]).await[0];
    world.look_and_begin(&mut Cursors::default()).await;
    assert!(world.is_under_way(other));
    assert_eq!(world.under_way(&many), NOT_QUICK_OF_ONE_OWNER_MAX);
    world.end();
}

/// Four would fill all slots, if each took all that it may have.
#[tokio::test]
async fn hostile_owners_leave_slots_to_one_that_comes_later_and_is_well() {
    let world = World::new(Duration::ZERO).await;
    let mut hostile = Vec::new();
    for owner in (10..14).map(|number| OwnerId::from_bytes([number; 16])) {
        let ports = (0..1_000).map(|number| format!("https://dead.example:{}/", 1 + number % 99));
        hostile.extend(world.write_all(owner, ports).await);
    }
    let mut cursors = Cursors::default();
    world.look_and_begin(&mut cursors).await;
    let taken = world.under_way(&hostile);
    assert!(taken < UNDER_WAY_MAX - 40, "{taken} are taken");
    let mut overtaken = 0;
    for _ in 0..3 {
        let well = (0..10).map(|_| "https://well.example/".to_owned());
        let well = world.write_all(OWNER, well).await;
        world.look_and_begin(&mut cursors).await;
        overtaken += world.under_way(&well);
    }
    assert!(overtaken >= OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, "{overtaken}");
    assert_eq!(world.under_way(&hostile), taken, "and takes none of theirs");
    world.end();
}
