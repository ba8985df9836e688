//! The operations below `/v1/exchange-rates`: what other currencies cost for an owner's own links, and by which rule
//! rates serve there.

use domain::access::{ListOwnRates, SetOwnRate, SetRateRule};
use domain::ids::{OwnerId, RateId};
use domain::links::Currency;
use domain::rates::{
    DAYS_MAX, InvalidDays, JUMP_PERCENT, OwnRate, Rate, RateDays, RateRule, RateSource,
};
use domain::refusal::{Problem, Refusal};
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::tx::Tx;
use store::{audit, link_settings, owner_rates};

use crate::audit_entry::audited;
use crate::changes::{changed, made};
use crate::paging::{Page, PageNumber};
use crate::rates::serving;
use crate::{Act, App, Error, Precondition};

/// Statement of an owner about its rate from a day on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOwnRate {
    /// Of which currency. Not bolívares.
    pub currency: Currency,
    /// What a unit costs; `None`: from that day on what it costs everybody.
    pub rate: Option<Rate>,
    /// The first day that it is the rate of.
    pub value_date: CaracasDate,
    /// The last such day, after which everybody's serves.
    pub until: Option<CaracasDate>,
    /// Whose rate it is, as payers are shown.
    pub source: RateSource,
    /// Whether it may be far from the one before.
    pub accepts_jump: bool,
}

/// Lists what the owner said, the latest first, and by which rule rates serve for it.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListOwnRates>,
    page: PageNumber,
) -> Result<(RateRule, Page<OwnRate>), Error> {
    let (owner, bounds) = (act.owner(), page.bounds());
    let read = app.store.read(act.meter(), move |tx| {
        let rule = link_settings::rate_rule(tx, owner)?;
        Ok((rule, owner_rates::page(tx, owner, bounds)?))
    });
    Ok(read.await?)
}

/// Keeps what the owner says that a currency costs from a day on. What it said of that day before is a row that stays;
/// what says nothing new leaves no row. Rates that are held for payers stay as they were held.
///
/// # Errors
/// Days that are too far ahead, over or too many; a rate that may be a slip; a session that ended meanwhile; what
/// somebody else has said of that day meanwhile; or a failure of the store.
pub async fn set(
    app: &App,
    act: &Act<SetOwnRate>,
    new: NewOwnRate,
    precondition: Precondition<Option<OwnRate>>,
) -> Result<OwnRate, Error> {
    let (owner, now) = (act.owner(), act.now);
    let days = RateDays::new(new.value_date, new.until).map_err(refused)?;
    let today = CaracasDate::of(now);
    if days.are_beyond(today, DAYS_MAX) {
        return Err(Refusal::invalid("value_date", FAR_AHEAD).into());
    }
    let entry = audited(app, act, owner.to_string());
    let rate = OwnRate {
        id: RateId::new(&*app.ids, now),
        currency: new.currency,
        rate: new.rate,
        value_date: days.first,
        until: days.last,
        published_at: now,
        source: new.source,
    };
    if days.last.is_some_and(|last| last < today) {
        return Err(Refusal::invalid("until", OVER).into());
    }
    if rate.clone().rate().is_some_and(|rate| rate.until.is_none() && rate.is_old(today)) {
        return Err(Refusal::invalid("value_date", OLD).into());
    }
    let accepts_jump = new.accepts_jump;
    let write = act.write(app, move |tx| {
        let former = owner_rates::of_day(tx, owner, rate.currency, rate.value_date)?;
        if let Some(former) = former.as_ref().filter(|former| says_the_same(former, &rate)) {
            return Ok(former.clone());
        }
        precondition.check(&former)?;
        let before = before(tx, owner, rate.currency, now)?;
        let is_jump = before
            .zip(rate.rate)
            .is_some_and(|(before, rate)| !accepts_jump && rate.is_jump_from(before, JUMP_PERCENT));
        if is_jump {
            return Err(Refusal::invalid("rate", JUMP).into());
        }
        let id = former.as_ref().map_or(rate.id, |former| rate.id.behind(former.id));
        let rate = OwnRate { id, ..rate.clone() };
        owner_rates::insert(tx, owner, &rate)?;
        let change = match &former {
            Some(former) => changed(former, &rate),
            None => made(&rate),
        };
        audit::insert_change(tx, owner, &entry, &change, now)?;
        Ok(rate)
    });
    write.await
}

/// Returns the rate that a new one is compared with: the one that serves, or else the owner's latest, though it may be
/// old or over.
fn before(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    currency: Currency,
    now: Timestamp,
) -> Result<Option<Rate>, Fault> {
    if let Some(serving) = serving(tx, owner, currency, now)? {
        return Ok(Some(serving.rate));
    }
    let rule = link_settings::rate_rule(tx, owner)?;
    Ok(owner_rates::latest(tx, owner, currency, rule, now)?.and_then(|own| own.rate))
}

/// Problem of a rate that may be a slip.
const JUMP: Problem = Problem::of(
    "dista más de un décimo de la anterior; si es así, diga accept_jump: true",
    "is more than a tenth away from the one before; if it is right, say accept_jump: true",
);

fn refused(days: InvalidDays) -> Refusal {
    let problem = match days {
        InvalidDays::Reversed => REVERSED,
        InvalidDays::TooLong => TOO_LONG,
    };
    Refusal::invalid("until", problem)
}

const FAR_AHEAD: Problem = Problem::of("queda a más de 31 días", "is more than 31 days ahead");

const OLD: Problem = Problem::of(
    "queda a más de 6 días: una tasa sin until ya no rige hoy",
    "is more than 6 days ago: a rate without until no longer serves today",
);

const OVER: Problem = Problem::of("ya pasó", "is over already");

const REVERSED: Problem = Problem::of("es anterior a value_date", "is before value_date");

const TOO_LONG: Problem =
    Problem::of("queda a más de 31 días de value_date", "is more than 31 days after value_date");

fn says_the_same(kept: &OwnRate, new: &OwnRate) -> bool {
    (kept.rate, kept.until, &kept.source) == (new.rate, new.until, &new.source)
}

/// Keeps by which rule rates serve for the owner, from the next look on. Rates that are held for payers stay.
///
/// # Errors
/// A session that ended meanwhile, what somebody else has changed meanwhile, or a failure of the store.
pub async fn set_rule(
    app: &App,
    act: &Act<SetRateRule>,
    rule: RateRule,
    precondition: Precondition<RateRule>,
) -> Result<RateRule, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    let write = act.write(app, move |tx| {
        let former = link_settings::rate_rule(tx, owner)?;
        precondition.check(&former)?;
        if former != rule {
            link_settings::set_rate_rule(tx, owner, rule, now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &rule), now)?;
        }
        Ok(rule)
    });
    write.await
}
