//! People of the owner, and its programs, who act on subscriptions at any instant.

use std::sync::{Arc, OnceLock};

use domain::access::{
    Caller, CancelSubscription, Operation, PauseSubscription, Permit, ResumeSubscription,
    SetSubscriptionPrice, UndoCancellation,
};
use domain::ids::{OwnerId, SubscriptionId};
use domain::language::Language;
use domain::subscriptions::End;
use store::subscriptions::Subscription;

use super::books::{self, Books};
use super::trouble::Troubles;
use crate::subscriptions::{
    SubscriptionRecord, When, cancel, pause, resume, set_price, undo_cancel,
};
use crate::verification::simulation::surroundings::{Chance, at_once, pick};
use crate::{Act, App, Error, RequestContext};

/// Something that somebody does to a subscription.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    CancelAtOnce,
    CancelAtPeriodEnd,
    Keep,
    Pause,
    Resume,
    SetPrice(i64),
}

impl Deed {
    /// Draws one. Few are final, so that most subscriptions live for years.
    pub(super) fn draw(chance: &mut Chance) -> Self {
        match chance.below(40) {
            0 => Self::CancelAtOnce,
            1..4 => Self::CancelAtPeriodEnd,
            4..11 => Self::Keep,
            11..20 => Self::Pause,
            20..33 => Self::Resume,
            _ => Self::SetPrice(price(chance)),
        }
    }

    /// Tells whether the subscription stands as it does once this is done.
    fn is_done(self, of: &Subscription) -> bool {
        let standing = &of.standing;
        match self {
            Self::CancelAtOnce => standing.end == Some(End::Canceled),
            Self::CancelAtPeriodEnd => {
                standing.end == Some(End::Canceled) || standing.canceled_from.is_some()
            }
            Self::Keep => standing.end.is_none() && standing.canceled_from.is_none(),
            Self::Pause => standing.paused_from.is_some(),
            Self::Resume => standing.paused_from.is_none(),
            Self::SetPrice(hundredths) => of.price.hundredths == hundredths,
        }
    }
}

/// Draws a price, in hundredths.
pub(super) fn price(chance: &mut Chance) -> i64 {
    100 + i64::try_from(chance.below(10_000)).unwrap()
}

/// Everybody who acts by the owner's key.
#[derive(Clone)]
pub(super) struct People {
    pub(super) owner: OwnerId,
    pub(super) key: Caller,
    pub(super) books: Books,
    pub(super) troubles: Troubles,
}

impl People {
    /// Draws what somebody wishes, and of which subscription, by its place in the books.
    pub(super) fn wish(&self, chance: &mut Chance) -> (usize, Deed) {
        let count = self.books.lock().unwrap().len();
        (pick(chance, count), Deed::draw(chance))
    }

    /// The subscription at that place in the books.
    pub(super) fn subscription(&self, place: usize) -> SubscriptionId {
        self.books.lock().unwrap()[place].id
    }

    /// Does it at that node, and looks at once at what has become of the subscription.
    pub(super) fn act(&self, app: &Arc<App>, (place, deed): (usize, Deed)) {
        self.note(place, deed);
        match at_once(self.ask(app, self.subscription(place), deed)) {
            Ok(record) => {
                assert!(deed.is_done(&record.subscription), "{deed:?}: {:?}", record.subscription);
            }
            Err(Error::Refused(_)) => {}
            Err(error) => self.troubles.explain(&error),
        }
        self.look(app, place);
    }

    /// Looks at a subscription.
    pub(super) fn look(&self, app: &App, place: usize) {
        let (of, cycles) = books::read(&app.store, self.owner, self.subscription(place));
        self.books.lock().unwrap()[place].look(&of, &cycles);
    }

    /// Notes what somebody tries, since the answer may be lost.
    fn note(&self, place: usize, deed: Deed) {
        let mut books = self.books.lock().unwrap();
        let known = &mut books[place];
        match deed {
            Deed::CancelAtOnce => {
                (known.was_canceled, known.was_canceled_at_once) = (true, true);
            }
            Deed::CancelAtPeriodEnd => known.was_canceled = true,
            Deed::SetPrice(hundredths) => known.prices.push(hundredths),
            Deed::Keep | Deed::Pause | Deed::Resume => {}
        }
    }

    async fn ask(
        &self,
        app: &Arc<App>,
        id: SubscriptionId,
        deed: Deed,
    ) -> Result<SubscriptionRecord, Error> {
        let key = &self.key;
        match deed {
            Deed::CancelAtOnce => {
                cancel(app, &permitted::<CancelSubscription>(app, key), id, When::Now).await
            }
            Deed::CancelAtPeriodEnd => {
                cancel(app, &permitted::<CancelSubscription>(app, key), id, When::AtPeriodEnd).await
            }
            Deed::Keep => undo_cancel(app, &permitted::<UndoCancellation>(app, key), id).await,
            Deed::Pause => pause(app, &permitted::<PauseSubscription>(app, key), id).await,
            Deed::Resume => resume(app, &permitted::<ResumeSubscription>(app, key), id).await,
            Deed::SetPrice(hundredths) => {
                let act = permitted::<SetSubscriptionPrice>(app, key);
                set_price(app, &act, id, hundredths, crate::Precondition::none()).await
            }
        }
    }
}

/// A permitted act of that caller, by the clock of the node that it calls.
pub(super) fn permitted<O: Operation>(app: &App, caller: &Caller) -> Act<O> {
    let now = app.clock.now();
    let request = RequestContext {
        received: now,
        received_uptime: app.clock.uptime(),
        request_id: String::new(),
        address: None,
        language: Language::Es,
        meter: Arc::default(),
        readmitted: OnceLock::new(),
    };
    Act { permit: Permit::check(caller, now).unwrap(), now, request: Arc::new(request) }
}
