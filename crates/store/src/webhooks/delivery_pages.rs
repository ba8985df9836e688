//! Pages of an owner's deliveries, the newest first.
//!
//! Ids begin with the instant of the event, so that a span of time is a piece of the primary key.
//! What is filtered by more than that or a link is looked for among the newest of the span alone:
//! no question reads more than that, however much an owner has.

use std::fmt;
use std::ops::Range;

use domain::ids::{EventId, LinkId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{DeliveryState, EventKind, Trouble};

use crate::deliveries::trouble;
use crate::due::Lease;
use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted, first_id};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// Whether a delivery about that subject is about money that exists: only one about a link or a subscription of the test
/// bank is not.
macro_rules! livemode {
    ($subject:literal) => {
        concat!(
            "coalesce((select l.livemode from payment_links l where l.owner_id = $1 and l.id = ",
            $subject,
            "), (select s.livemode from subscriptions s where s.owner_id = $1 and s.id = ",
            $subject,
            "), true)"
        )
    };
}

pub(super) use livemode;

/// The deliveries of the owner `$1` between two ids that are of this state, event and receiver, and about money that
/// exists or the test bank's. What is not filtered by is -1 or empty.
macro_rules! filtered {
    () => {
        concat!(
            "from webhook_deliveries where owner_id = $1 and id >= $2 and id < $3 \
             and (cast($4 as bigint) = -1 or state = $4) and ($5 = '' or event = $5) \
             and ($6 = '' or receiver = $6) and (cast($7 as bigint) = -1 or ",
            livemode!("subject_id"),
            " = (cast($7 as bigint) = 1))"
        )
    };
}

/// The same of one subject.
macro_rules! filtered_of {
    () => {
        concat!(filtered!(), " and subject_id = $8")
    };
}

/// The page `p` of deliveries, each with when it is due.
macro_rules! shown {
    ($page:expr) => {
        concat!(
            "select p.id, p.event, p.subject_id, p.url, p.receiver, p.created_at, p.state, \
             p.attempts, p.trouble, p.ended_at, d.due_at, d.fence, ",
            livemode!("p.subject_id"),
            " as livemode from (select owner_id, id, event, \
             subject_id, url, receiver, created_at, state, attempts, trouble, ended_at ",
            $page,
            ") as p left join due d on d.owner_id = $1 and d.kind = 2 \
             and d.subject_id = p.id order by p.id desc"
        )
    };
}

statements! {
    PAGE = Sql::new(shown!(concat!(filtered!(), " order by id desc limit $8 offset $9")));

    PAGE_OF = Sql::new(shown!(concat!(filtered_of!(), " order by id desc limit $9 offset $10")));

    ONE = Sql::new(shown!("from webhook_deliveries where owner_id = $1 and id = $2"));

    COUNT = counted!(filtered!(), "$8");

    COUNT_OF = counted!(filtered_of!(), "$9");

    REACH = Sql::new(
        "select id, created_at from webhook_deliveries where owner_id = $1 and id >= $2 and id < $3 \
         order by id desc limit 1 offset $4",
    );
}

const DELIVERIES: List = List { page: &PAGE, count: &COUNT };

const DELIVERIES_OF: List = List { page: &PAGE_OF, count: &COUNT_OF };

/// Which deliveries are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Those that are this.
    pub state: Option<DeliveryState>,
    /// Those that report this.
    pub event: Option<EventKind>,
    /// Those of this link.
    pub link: Option<LinkId>,
    /// Those that go to this host and port.
    pub receiver: Option<String>,
    /// Those about money that exists, or about the test bank's.
    pub livemode: Option<bool>,
}

/// A page of deliveries.
#[derive(Clone, Debug)]
pub struct Found {
    /// The deliveries, and how many there are.
    pub page: Page<Listed>,
    /// Where they were not all looked at: since when they were.
    pub looked_since: Option<Timestamp>,
}

/// A delivery as it is listed.
#[derive(Clone)]
pub struct Listed {
    /// The event's id.
    pub id: EventId,
    /// What it reports.
    pub kind: EventKind,
    /// The payment link that it is about, if it is about one.
    pub link: Option<LinkId>,
    /// Where it goes.
    pub url: String,
    /// The host and port in that.
    pub receiver: String,
    /// When the event happened.
    pub created_at: Timestamp,
    /// How it stands.
    pub state: DeliveryState,
    /// How many attempts were made.
    pub attempts: u32,
    /// What the latest came to, unless it succeeded.
    pub trouble: Option<Trouble>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// What comes next.
    pub next: Next,
}

/// Shows nothing of the address, which may hold a key.
impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listed")
            .field("id", &self.id)
            .field("state", &self.state)
            .field("attempts", &self.attempts)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// Next step of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing, since it has ended.
    Nothing,
    /// An attempt, then.
    At(Timestamp),
    /// The end of an attempt that is under way.
    UnderWay,
}

/// A page of the deliveries that `filter` lets through and whose events are of `span`, as they stand
/// at `now`, and how many there are. Those that are filtered by more than a link are looked for among the newest
/// `looked_max` of the span.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    span: &Range<Timestamp>,
    (bounds, looked_max): (PageBounds, i64),
    now: Timestamp,
) -> Result<Found, Fault> {
    let (mut first, end) = (first_id(span.start), first_id(span.end));
    let is_searched = filter.state.is_some()
        || filter.event.is_some()
        || filter.receiver.is_some()
        || filter.livemode.is_some();
    let mut looked_since = None;
    if is_searched && filter.link.is_none() {
        let params = [owner.into(), first.into(), end.into(), (looked_max - 1).into()];
        if let Some(row) = tx.query_opt(&REACH, &params)? {
            (first, looked_since) = (row.get("id")?, Some(row.get("created_at")?));
        }
    }
    let mut params: Vec<Value> = vec![
        owner.into(),
        first.into(),
        end.into(),
        filter.state.map_or(-1, DeliveryState::number).into(),
        filter.event.map_or("", EventKind::as_str).into(),
        filter.receiver.as_deref().unwrap_or_default().into(),
        filter.livemode.map_or(-1, i64::from).into(),
    ];
    params.extend(filter.link.map(Value::from));
    let list = if filter.link.is_some() { &DELIVERIES_OF } else { &DELIVERIES };
    // An event that this program does not know is of a newer one.
    let page = list.read(tx, &params, bounds)?.known(|row| read(row, now))?;
    Ok(Found { page, looked_since })
}

/// A delivery as it stands at `now`.
///
/// # Errors
/// A fault of the store.
pub fn one(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    now: Timestamp,
) -> Result<Option<Listed>, Fault> {
    let row = tx.query_opt(&ONE, &[owner.into(), id.into()])?;
    row.map_or(Ok(None), |row| read(&row, now))
}

/// A delivery by a row of a page, whatever else that has, as it stands at `now`. Nothing where it
/// reports what this program does not know.
pub(crate) fn read(row: &Row, now: Timestamp) -> Result<Option<Listed>, Fault> {
    let broken = || Fault::broken("a delivery with a broken state or count");
    let Some(kind) = EventKind::parse(&row.get::<String>("event")?) else { return Ok(None) };
    let state = DeliveryState::from_number(row.get("state")?).ok_or_else(broken)?;
    let due_at: Option<Timestamp> = row.get("due_at")?;
    let due = due_at.zip(row.get::<Option<i64>>("fence")?);
    Ok(Some(Listed {
        id: row.get("id")?,
        kind,
        link: kind.is_of_a_link().then_some(row.get("subject_id")?),
        url: row.get("url")?,
        receiver: row.get("receiver")?,
        created_at: row.get("created_at")?,
        state,
        attempts: u32::try_from(row.get::<i64>("attempts")?).map_err(|_| broken())?,
        trouble: trouble(row)?,
        ended_at: row.get("ended_at")?,
        // A trial of a receiver is about no money either, as its body says.
        livemode: kind != EventKind::Test && row.get("livemode")?,
        next: match due {
            Some((due_at, fence)) if state == DeliveryState::Pending => {
                // A lease that is over is none.
                let is_held = due_at > now && !Lease::is_waiting(fence);
                if is_held { Next::UnderWay } else { Next::At(due_at) }
            }
            _ => Next::Nothing,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::due::Kind;

    #[test]
    fn pages_are_joined_with_what_is_due_of_deliveries() {
        assert_eq!(Kind::Delivery.number(), 2);
        assert!([&PAGE, &PAGE_OF, &ONE].iter().all(|sql| sql.text().contains("d.kind = 2 ")));
    }
}
