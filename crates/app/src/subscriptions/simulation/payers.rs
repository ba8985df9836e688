//! Payers of cycles: they come in time, late and twice, by the link of the cycle or by a new one, and sometimes without
//! having paid. Besides, a person of the owner accepts money for links of which no payer does.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use domain::access::{AcceptLink, Caller, PayLink, RenewCycleLink, RenewLink};
use domain::bank_text::BankText;
use domain::ids::{LinkId, MovementId, OwnerId, VerificationId};
use domain::links::Status;
use domain::matching::{PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::reference::{BankReference, TypedReference};
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::links::{self as rows, CycleOf, Link};
use store::subscription_cycles::{self, Cycle};
use store::tx::Tx;
use store::{Lane, Meter, movements, subscriptions as subscription_rows};

use super::people::permitted;
use super::world::World;
use crate::links::checkout::{self, Typed};
use crate::links::{self, Chosen};
use crate::subscriptions;
use crate::verification::simulation::bank::Ledger;
use crate::verification::simulation::surroundings::{Chance, at_once, pick};
use crate::{App, Error};

/// A payer on the way: the link and the check of it that was begun, if one was.
pub(super) type Calling = Pin<Box<dyn Future<Output = Option<(LinkId, VerificationId)>>>>;

/// How many of the links that payers had last a person looks at.
const LATEST_LINKS: usize = 8;

/// A payer of a cycle.
struct Payer {
    app: Arc<App>,
    ledger: Arc<Mutex<Ledger>>,
    owner: OwnerId,
    cycle: CycleOf,
    /// The link that the payer has.
    link: LinkId,
    reference: String,
    /// Whether the bank shows the payment.
    has_paid: bool,
    /// The owner's key, if the owner is asked for another link where this one has ended. Else its page is.
    key: Option<Caller>,
}

impl World {
    /// Somebody comes to pay a cycle, now and then by two payments at once.
    pub(super) fn payer_comes(&mut self, chance: &mut Chance) {
        let Some((cycle, link)) = self.cycle_to_pay(chance) else { return };
        let times = if chance.below(8) == 0 { 2 } else { 1 };
        for _ in 0..times {
            let node = pick(chance, self.nodes.len());
            let payer = Payer {
                app: Arc::clone(&self.nodes[node].app),
                ledger: Arc::clone(&self.ledger),
                owner: self.owner,
                cycle,
                link,
                reference: self.new_reference(),
                has_paid: chance.below(6) > 0,
                key: (chance.below(3) == 0).then(|| self.people.key.clone()),
            };
            let mood = (u32::try_from(chance.below(4)).unwrap(), chance.below(10) == 0);
            self.ledger.lock().unwrap().moods.push_back(mood);
            let troubles = self.people.troubles.clone();
            let calling = async move {
                match payer.pay().await {
                    Ok(begun) => Some(begun),
                    Err(Error::Refused(_)) => None,
                    Err(error) => {
                        troubles.explain(&error);
                        None
                    }
                }
            };
            self.calls.push((node, Box::pin(calling)));
        }
        self.links.push(link);
    }

    /// A person of the owner finds the money for a link, and accepts it: for the link of a cycle, or for one that a payer
    /// had, which another may have followed.
    pub(super) fn accept(&mut self, chance: &mut Chance) {
        let latest = self.links.len().saturating_sub(LATEST_LINKS);
        let former = &self.links[latest..];
        let id = if former.is_empty() || chance.below(2) == 0 {
            self.cycle_to_pay(chance).map(|(_, link)| link)
        } else {
            Some(former[pick(chance, former.len())])
        };
        let Some(id) = id else { return };
        let app = Arc::clone(&self.nodes[pick(chance, self.nodes.len())].app);
        let (owner, identity, now) = (self.owner, self.identity, app.clock.now());
        let (movement, reference) = (MovementId::new(&*app.ids, now), self.new_reference());
        let keep = move |tx: &mut Tx<'_>| {
            let link = rows::find(tx, owner, id)?.expect("a link");
            let seen = sighting(&reference, &link, now).into_movement(movement);
            movements::insert(tx, owner, identity, &seen, now)
        };
        if at_once(app.store.write(&Meter::default(), Lane::Admission, owner, keep)).is_err() {
            // The store is in trouble.
            return;
        }
        let chosen = Chosen { movement, has_other_receipt: false, other_than: None };
        let act = permitted::<AcceptLink>(&app, &self.person);
        match at_once(links::accept(&app, &act, id, chosen, None, |_, _| Vec::new())) {
            Ok(_) | Err(Error::Refused(_)) => {}
            Err(error) => self.people.troubles.explain(&error),
        }
    }

    /// Chooses a cycle that somebody may want to pay, and the link that its payer has: mostly the first one that is owed;
    /// else the last of those, or any that has begun.
    fn cycle_to_pay(&self, chance: &mut Chance) -> Option<(CycleOf, LinkId)> {
        let (place, _) = self.people.wish(chance);
        let (owner, subscription) = (self.owner, self.people.subscription(place));
        let (wish, any) = (chance.below(5), u32::try_from(chance.below(1 << 16)).unwrap());
        let look = move |tx: &mut Tx<'_>| -> Result<Option<Cycle>, Fault> {
            let of = subscription_rows::find(tx, owner, subscription)?.expect("a subscription");
            let owed = subscription_cycles::owed(tx, owner, subscription)?;
            match (wish, any.checked_rem(of.standing.begun)) {
                (0, Some(number)) => {
                    subscription_cycles::find(tx, owner, CycleOf { subscription, number })
                }
                (1, _) => Ok(owed.last().copied()),
                _ => Ok(owed.first().copied()),
            }
        };
        let store = &self.nodes[0].app.store;
        let cycle = at_once(store.look_up(&Meter::default(), look)).unwrap()?;
        Some((CycleOf { subscription, number: cycle.number }, cycle.link))
    }

    /// A reference that no other payment has, nor ends as one does.
    fn new_reference(&mut self) -> String {
        self.references += 1;
        format!("{}", 700_000_000_000 + self.references)
    }
}

impl Payer {
    /// Pays, and types the reference into the page of the link.
    async fn pay(self) -> Result<(LinkId, VerificationId), Error> {
        let link = self.link_to_pay().await?;
        if self.has_paid {
            let seen = sighting(&self.reference, &link, self.app.clock.now());
            self.ledger.lock().unwrap().movements.push(seen);
        }
        let reference = TypedReference::parse(&self.reference).unwrap();
        let typed = Typed { reference, phone: None, document: None, seen: None };
        let act = permitted::<PayLink>(&self.app, &Caller::Nobody);
        let check = checkout::pay(&self.app, &act, link.id, typed).await?;
        Ok((link.id, check))
    }

    /// The link that the payer has, or the one that follows it where it has ended without a payment.
    async fn link_to_pay(&self) -> Result<Link, Error> {
        let Self { app, cycle, .. } = self;
        let had = self.find(self.link).await?;
        let status = had.standing.status(app.clock.now());
        if !matches!(status, Status::Failed | Status::Expired) {
            return Ok(had);
        }
        let next = match &self.key {
            Some(key) => {
                let act = permitted::<RenewCycleLink>(app, key);
                let made =
                    subscriptions::renew(app, &act, cycle.subscription, cycle.number).await?;
                made.link.id
            }
            None => {
                let act = permitted::<RenewLink>(app, &Caller::Nobody);
                links::renew(app, &act, had.id).await?
            }
        };
        self.find(next).await
    }

    async fn find(&self, id: LinkId) -> Result<Link, Error> {
        let owner = self.owner;
        let look = move |tx: &mut Tx<'_>| rows::find(tx, owner, id);
        let found = self.app.store.look_up(&Meter::default(), look).await?;
        Ok(found.expect("a link"))
    }
}

/// A payment of what a link asks for, as the bank shows it.
fn sighting(reference: &str, link: &Link, now: Timestamp) -> Sighting {
    Sighting {
        reference: BankReference::parse(reference).unwrap(),
        bank_key: None,
        amount: Bolivars::from_hundredths(link.price.hundredths),
        paid_on: CaracasDate::of(now),
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
    }
}
