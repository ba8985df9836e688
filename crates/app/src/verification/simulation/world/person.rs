//! A person who accepts what the bank has shown as the payment of a link.

use std::sync::Arc;

use domain::access::{Caller, OwnerCaller, Permit};
use domain::ids::SessionId;
use domain::second_factor::Proof;
use domain::session::Session;
use domain::time::{CaracasDate, Timestamp};
use store::list::PageBounds;
use store::movement_pages::{self, Shown, Unnamed};
use store::{Meter, accounts, links};

use super::{Chance, MOVEMENTS, START, World, pick};
use crate::links::Chosen;
use crate::{Act, Error};

/// How many movements the person looks at: more than there are.
const FIRST_PAGE: PageBounds = PageBounds { limit: 100, offset: 0, count_max: 100 };

/// The session of the person.
pub(super) const PERSONS: SessionId = SessionId::from_bytes([0; 16]);

/// Its session, which lasts whatever a clock says.
pub(super) fn signed_in(now: Timestamp) -> Session {
    Session { expires_at: Timestamp::from_micros(i64::MAX), ..Session::begin(now) }
}

impl World {
    /// The person accepts one of the account's movements, claimed or not, for one of the links.
    pub(super) fn accept(&mut self, chance: &mut Chance) {
        let (owner, id) = (self.owner, self.links[pick(chance, self.links.len())]);
        let chosen = usize::try_from(chance.below(MOVEMENTS)).unwrap();
        let caller = Caller::Owner(OwnerCaller { owner, session: PERSONS, proof: Proof::NotAsked });
        let now = self.app.clock.now();
        let act = Act {
            permit: Permit::check(&caller, now).unwrap(),
            now,
            request: Arc::new(self.request()),
        };
        let (app, troubles) = (Arc::clone(&self.app), self.troubles.clone());
        self.calls.push(Box::pin(async move {
            let day = CaracasDate::of(Timestamp::from_micros(START));
            let meter = Meter::default();
            let look = app.store.look_up(&meter, move |tx| {
                let link = links::find(tx, owner, id)?.expect("a link");
                let account = accounts::find(tx, owner, link.bank)?.expect("an account");
                let shown = Shown {
                    identity: account.identity,
                    days: day..=day,
                    since: None,
                    unnamed: Unnamed::All,
                };
                movement_pages::page(tx, owner, &shown, FIRST_PAGE)
            });
            let known = look.await.unwrap().entries;
            let movement = known.get(chosen % known.len().max(1))?.id;
            let chosen = Chosen { movement, has_other_receipt: false, other_than: None };
            match crate::links::accept(&app, &act, id, chosen, None, |_, _| Vec::new()).await {
                Ok(_) | Err(Error::Refused(_)) => None,
                Err(error) => troubles.explain(&error),
            }
        }));
    }
}
