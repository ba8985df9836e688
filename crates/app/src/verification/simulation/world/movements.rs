//! What is known of the bank's movements at the end: each payment once, whatever was said of its payer.

use std::collections::HashSet;

use domain::matching::Movement;
use domain::time::{CaracasDate, Timestamp};
use store::accounts;
use store::list::PageBounds;
use store::movement_pages::{self, Shown, Unnamed};

use super::{START, World, at_once};

/// How many movements are looked at: more than there are.
const FIRST_PAGE: PageBounds = PageBounds { limit: 100, offset: 0, count_max: 100 };

impl World {
    /// A reference is one movement of an account, so that it can be claimed once; what contradicts it is kept once beside
    /// it, as contested.
    pub(super) fn check_movements(&self) {
        let (owner, banks) = (self.owner, self.callers[0].1.clone());
        let day = CaracasDate::of(Timestamp::from_micros(START));
        let look = self.app.store.look_up(&self.meter, move |tx| {
            let mut found = Vec::new();
            for bank in &banks {
                let account = accounts::find(tx, owner, *bank)?.expect("an account");
                let shown = Shown {
                    identity: account.identity,
                    days: day..=day,
                    since: None,
                    unnamed: Unnamed::All,
                };
                found.push(movement_pages::page(tx, owner, &shown, FIRST_PAGE)?.entries);
            }
            Ok(found)
        });
        for movements in at_once(look).unwrap() {
            let (contested, certain): (Vec<_>, Vec<_>) =
                movements.iter().partition(|movement| movement.contested_with.is_some());
            let mut references = HashSet::new();
            for movement in &certain {
                assert!(references.insert(movement.reference.clone()), "{movements:?}");
            }
            for (place, movement) in contested.iter().enumerate() {
                let is_again = |one: &&Movement| {
                    one.reference == movement.reference && one.payer == movement.payer
                };
                assert!(!contested[..place].iter().any(is_again), "{movements:?}");
                let mut certain = certain.iter();
                let rival = certain.find(|one| movement.contested_with == Some(one.id));
                let rival = rival.expect("the movement that it may be");
                assert_eq!(rival.reference, movement.reference, "{movements:?}");
            }
        }
    }
}
