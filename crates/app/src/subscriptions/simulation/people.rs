//! People of the owner, and its programs, who act on subscriptions at any instant; and payers who cancel theirs.

use std::sync::{Arc, OnceLock};

use domain::access::{
    AdvanceTestClock, Caller, CancelByPayer, CancelSubscription, Operation, PauseSubscription,
    Permit, ResumeSubscription, SetSubscriptionPrice, SetUnpaidPolicy, UndoCancellation,
    WaiveCycle,
};
use domain::browser::Program;
use domain::ids::{OwnerId, SubscriptionId};
use domain::language::Language;
use domain::subscriptions::{Calendar, End, PayerAddress, Resumption, UnpaidPolicy};
use domain::time::CaracasDate;
use store::subscriptions::Subscription;

use super::books::{self, Books};
use super::trouble::Troubles;
use crate::subscriptions::{
    ClockTarget, CycleState, PauseEnd, When, advance_clock, cancel, cancel_by_payer, pause, resume,
    set_price, set_unpaid_policy, undo_cancel, waive,
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
    /// It is paused for so many days, at whose end it resumes by itself.
    PauseFor(i32, Calendar),
    Resume(Calendar),
    SetPrice(i64),
    SetUnpaid(UnpaidPolicy),
    /// The first cycle that is owed is waived.
    Waive,
    /// The payer cancels, by its page.
    CancelByPayer,
    /// The clock is set ahead by so many days.
    Advance(u32),
}

impl Deed {
    /// Draws one. Few are final, so that most subscriptions live for years.
    pub(super) fn draw(chance: &mut Chance) -> Self {
        match chance.below(90) {
            0 => Self::CancelAtOnce,
            1 => Self::CancelByPayer,
            2..8 => Self::CancelAtPeriodEnd,
            8..22 => Self::Keep,
            22..36 => Self::Pause,
            36..40 => {
                let days = 1 + i32::try_from(chance.below(150)).unwrap();
                Self::PauseFor(days, calendar(chance))
            }
            40..66 => Self::Resume(calendar(chance)),
            66..72 => Self::Waive,
            72..76 => Self::Advance(1 + u32::try_from(chance.below(40)).unwrap()),
            76..79 => Self::SetUnpaid(match chance.below(6) {
                0 => UnpaidPolicy::End,
                1..4 => UnpaidPolicy::Pause,
                _ => UnpaidPolicy::Stay,
            }),
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
            Self::Pause | Self::PauseFor(..) => standing.paused_from.is_some(),
            Self::Resume(_) => standing.paused_from.is_none(),
            Self::SetPrice(hundredths) => of.price.hundredths == hundredths,
            Self::SetUnpaid(policy) => of.terms.unpaid == policy,
            Self::CancelByPayer => {
                standing.end.is_some() || standing.ends_unpaid || of.canceled_by_payer
            }
            // Whether the cycle is waived is looked at where that is done.
            Self::Waive | Self::Advance(_) => true,
        }
    }
}

/// Draws the calendar on which a subscription goes on.
fn calendar(chance: &mut Chance) -> Calendar {
    if chance.below(2) == 0 { Calendar::Same } else { Calendar::New }
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
    pub(super) fn act(&self, app: &Arc<App>, (place, wish): (usize, Deed)) {
        let deed = self.fitting(place, wish);
        self.note(place, deed);
        match at_once(self.ask(app, self.subscription(place), deed)) {
            Ok(of) => assert!(deed.is_done(&of), "{deed:?}: {of:?}"),
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

    /// Finds what somebody does who wishes that. Only some subscriptions are paused and resumed by anybody but people,
    /// who look at once: of the others the model knows every pause.
    fn fitting(&self, place: usize, wish: Deed) -> Deed {
        let goes_by_itself = self.books.lock().unwrap()[place].goes_by_itself;
        match wish {
            Deed::PauseFor(..) if !goes_by_itself => Deed::Pause,
            Deed::SetUnpaid(UnpaidPolicy::Pause) if !goes_by_itself => {
                Deed::SetUnpaid(UnpaidPolicy::Stay)
            }
            wish => wish,
        }
    }

    /// Notes what somebody tries, since the answer may be lost.
    fn note(&self, place: usize, deed: Deed) {
        let mut books = self.books.lock().unwrap();
        let known = &mut books[place];
        match deed {
            // Where nothing is settled, a payer's cancellation ends it at once.
            Deed::CancelAtOnce | Deed::CancelByPayer => {
                (known.was_canceled, known.was_canceled_at_once) = (true, true);
            }
            Deed::CancelAtPeriodEnd => known.was_canceled = true,
            Deed::SetPrice(hundredths) => known.prices.push(hundredths),
            Deed::SetUnpaid(policy) => known.may_end_unpaid |= policy == UnpaidPolicy::End,
            Deed::Keep
            | Deed::Pause
            | Deed::PauseFor(..)
            | Deed::Resume(_)
            | Deed::Waive
            | Deed::Advance(_) => {}
        }
    }

    async fn ask(
        &self,
        app: &Arc<App>,
        id: SubscriptionId,
        deed: Deed,
    ) -> Result<Subscription, Error> {
        let key = &self.key;
        let record = match deed {
            Deed::CancelAtOnce => {
                cancel(app, &permitted::<CancelSubscription>(app, key), id, When::Now).await
            }
            Deed::CancelAtPeriodEnd => {
                cancel(app, &permitted::<CancelSubscription>(app, key), id, When::AtPeriodEnd).await
            }
            Deed::Keep => undo_cancel(app, &permitted::<UndoCancellation>(app, key), id).await,
            Deed::Pause => {
                let act = permitted::<PauseSubscription>(app, key);
                pause(app, &act, id, PauseEnd::Open).await
            }
            Deed::PauseFor(days, calendar) => {
                let of = books::read(&app.store, self.owner, id).0;
                let today = CaracasDate::of(of.clock.virtual_now(app.clock.now()));
                let resumes = Resumption { on: today.plus_days(days), calendar };
                let act = permitted::<PauseSubscription>(app, key);
                pause(app, &act, id, PauseEnd::By(resumes)).await
            }
            Deed::Resume(calendar) => {
                resume(app, &permitted::<ResumeSubscription>(app, key), id, calendar).await
            }
            Deed::SetPrice(hundredths) => {
                let act = permitted::<SetSubscriptionPrice>(app, key);
                set_price(app, &act, id, hundredths, crate::Precondition::none()).await
            }
            Deed::SetUnpaid(policy) => {
                let act = permitted::<SetUnpaidPolicy>(app, key);
                set_unpaid_policy(app, &act, id, policy, crate::Precondition::none()).await
            }
            Deed::Advance(days) => {
                let act = permitted::<AdvanceTestClock>(app, key);
                let advanced = advance_clock(app, &act, id, ClockTarget::Days(days)).await?;
                Ok(advanced.record)
            }
            Deed::Waive => return self.waive(app, id).await,
            Deed::CancelByPayer => return self.cancel_by_payer(app, id).await,
        };
        Ok(record?.subscription)
    }

    /// Waives the first cycle that is owed, and looks at it at once.
    async fn waive(&self, app: &Arc<App>, id: SubscriptionId) -> Result<Subscription, Error> {
        let (_, cycles) = books::read(&app.store, self.owner, id);
        let first = cycles.iter().find(|cycle| cycle.owed().is_some());
        let number = first.map_or(0, |cycle| cycle.number);
        let act = permitted::<WaiveCycle>(app, &self.key);
        let of = waive(app, &act, id, number, None).await?.subscription;
        let (_, cycles) = books::read(&app.store, self.owner, id);
        let waived = cycles.iter().find(|cycle| cycle.number == number);
        assert_eq!(waived.map(|cycle| cycle.state), Some(CycleState::Waived), "{of:?}");
        Ok(of)
    }

    /// The payer cancels, by the page that it was given.
    async fn cancel_by_payer(
        &self,
        app: &Arc<App>,
        id: SubscriptionId,
    ) -> Result<Subscription, Error> {
        let (of, _) = books::read(&app.store, self.owner, id);
        let address = PayerAddress { owner: self.owner, page: of.page };
        let act = permitted::<CancelByPayer>(app, &Caller::Nobody);
        cancel_by_payer(app, &act, address).await?;
        Ok(books::read(&app.store, self.owner, id).0)
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
        program: Program::default(),
        language: Language::Es,
        meter: Arc::default(),
        readmitted: OnceLock::new(),
    };
    Act { permit: Permit::check(caller, now).unwrap(), now, request: Arc::new(request) }
}
