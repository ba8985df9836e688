//! The feed of an owner's events: all of them, each at a place that it keeps, in an order to which
//! nothing is ever added but at the end. So a reader who has read up to a place has missed nothing before it.
//!
//! Neither an instant nor an id is such an order, since what begins earlier may be committed later. So
//! the caller that asks gives places to what is committed already: a *round* brings in events that have
//! none. Rounds of an owner are made one at a time, each behind those before it, and what belongs to one
//! is seen with all the rest of it or not at all.

use std::fmt;

use domain::ids::{EventCursor, EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::EventKind;
use domain::webhooks::evidence::Digest;

use crate::delivery_pages::{self, Listed, livemode};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

/// What is shown of an event, and its round.
macro_rules! kept {
    () => {
        "id, event, subject_id, url, receiver, created_at, state, attempts, trouble, ended_at, body, \
         digest, pruned_at, feed_round"
    };
}

/// The first `$4` events of the owner `$1` behind the place `$2`, `$3`, with these columns.
macro_rules! behind {
    ($columns:expr) => {
        concat!(
            "select ",
            $columns,
            " from webhook_deliveries where owner_id = $1 and (feed_round, id) > ($2, $3) \
             order by feed_round asc, id asc limit $4"
        )
    };
}

/// Those of these events, each with when its delivery is due.
macro_rules! with_due {
    ($events:expr) => {
        concat!(
            "select p.id, p.event, p.subject_id, p.url, p.receiver, p.created_at, p.state, \
             p.attempts, p.trouble, p.ended_at, ",
            livemode!("p.subject_id"),
            " as livemode, d.due_at, d.fence, p.body, \
             p.digest, p.pruned_at from (",
            $events,
            ") as p left join due d on d.owner_id = $1 and d.kind = 2 \
             and d.subject_id = p.id order by p.feed_round asc, p.id asc"
        )
    };
}

statements! {
    PLACE = Sql::new("select feed_round from webhook_deliveries where owner_id = $1 and id = $2");

    PAGE = Sql::new(with_due!(behind!(kept!())));

    PAGE_OF = Sql::new(with_due!(concat!(
        "select ", kept!(), " from (", behind!(kept!()), ") as looked where event = $5 \
         order by feed_round asc, id asc limit $6"
    )));

    LOOKED = Sql::new(behind!("id"));

    LEFT = Sql::new(
        "select id from webhook_deliveries where owner_id = $1 and feed_round = 0 \
         order by id asc limit 1",
    );

    // The row is held until the commit: the transaction that makes the next round waits for it.
    ROUND = Sql::new(
        "insert into webhook_feeds (owner_id, rounds) values ($1, 1) \
         on conflict (owner_id) do update set rounds = webhook_feeds.rounds + 1 returning rounds",
    );

    // What another transaction holds is an attempt being recorded. It is left for the next round, so that
    // a round waits for nobody but another one, and no two can wait for each other.
    PICK = Sql::new(
        "select id from webhook_deliveries where owner_id = $1 and feed_round = 0 \
         order by id asc limit $2 for update skip locked",
    );

    ENTER = Sql::new(
        "update webhook_deliveries set feed_round = $3 \
         where owner_id = $1 and id = $2 and feed_round = 0",
    );
}

/// How many events one round brings in at most: as many as a page has.
pub const ROUND_LEN: i64 = 100;

/// Among how many events those of one kind are looked for, for one page.
pub const LOOKED_MAX: i64 = 1_000;

/// The place before the first event: behind what is in no round.
const START: (i64, EventId) = (0, EventId::from_bytes([u8::MAX; 16]));

/// Query for a page of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Behind which place; from the first event on, where none is said.
    pub after: Option<EventCursor>,
    /// Those of this kind alone.
    pub event: Option<EventKind>,
    /// How many events at most.
    pub limit: u32,
}

/// An event as the feed shows it.
#[derive(Clone)]
pub struct FeedEvent {
    /// What it is and how its delivery stands.
    pub listed: Listed,
    /// What receivers were sent or will be, byte for byte; nothing where it is deleted.
    pub body: Option<Vec<u8>>,
    /// SHA-256 of that, which stays; nothing where it is from before that was kept.
    pub digest: Option<Digest>,
    /// When its contents were deleted.
    pub pruned_at: Option<Timestamp>,
}

/// Shows nothing of the body, which is about a payment.
impl fmt::Debug for FeedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedEvent").field("listed", &self.listed).finish_non_exhaustive()
    }
}

/// A piece of the feed.
#[derive(Clone, Debug)]
pub struct Page {
    /// The events, those first that came into the feed first.
    pub events: Vec<FeedEvent>,
    /// The place that was read up to; nothing where there is no event at all.
    pub next: Option<EventCursor>,
    /// Whether the feed goes on behind that.
    pub goes_on: bool,
    /// Whether events are there that are not in the feed yet.
    pub is_behind: bool,
}

/// The events that are asked for, as they stand at `now`; nothing where the place is none of the
/// owner's.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    now: Timestamp,
) -> Result<Option<Page>, Fault> {
    let Some((round, id)) = place(tx, owner, asked.after)? else { return Ok(None) };
    let limit = i64::from(asked.limit);
    let looked = asked.event.map_or(limit, |_| LOOKED_MAX);
    let from: [Value; 4] = [owner.into(), round.into(), id.into(), looked.into()];
    let of_owner: [Value; 1] = [owner.into()];
    let mut of_kind = from.to_vec();
    of_kind.extend(asked.event.map(|event| event.as_str().into()));
    of_kind.push(limit.into());
    let page: (&'static Sql, &[Value]) = match asked.event {
        None => (&PAGE, &from),
        Some(_) => (&PAGE_OF, &of_kind),
    };
    let mut statements = vec![page, (&LEFT, &of_owner)];
    if asked.event.is_some() {
        statements.push((&LOOKED, &from));
    }
    let answers = tx.query_all(&statements)?;
    let [rows, left, looked_at @ ..] = answers.as_slice() else {
        return Err(Fault::broken("the feed's row is missing"));
    };
    // A caller that asks for every kind is shown all that is looked at.
    let seen = looked_at.first().unwrap_or(rows);

    let mut events = Vec::with_capacity(rows.len());
    for row in rows {
        // An event that this program does not know is of a newer one, which will show it. Nothing behind
        // it is shown before it, and asking this program again brings no more.
        let Some(event) = read(row, now)? else { break };
        events.push(event);
    }
    let is_cut_short = events.len() < rows.len();
    let is_whole = !is_cut_short && (events.len() as u64) < u64::from(asked.limit);
    let last = events.last().map(|event| event.listed.id);
    let next = if is_whole { seen.last().map(|row| row.get("id")).transpose()? } else { last };
    Ok(Some(Page {
        events,
        next: next.map(|id: EventId| EventCursor::from_bytes(id.to_bytes())).or(asked.after),
        goes_on: !is_cut_short && (!is_whole || seen.len() as u64 >= looked.unsigned_abs()),
        is_behind: !is_cut_short && !left.is_empty(),
    }))
}

/// Finds the place of that cursor in the feed. `None` where the cursor is of no event of the owner, or of one that no
/// answer can have named.
fn place(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    cursor: Option<EventCursor>,
) -> Result<Option<(i64, EventId)>, Fault> {
    let Some(cursor) = cursor else { return Ok(Some(START)) };
    let id = EventId::from_bytes(cursor.to_bytes());
    let row = tx.query_opt(&PLACE, &[owner.into(), id.into()])?;
    let round = row.map(|row| row.get("feed_round")).transpose()?.filter(|round| *round > 0);
    Ok(round.map(|round| (round, id)))
}

/// Brings up to [`ROUND_LEN`] events into the feed that are committed and not in it, the oldest first.
///
/// # Errors
/// A fault of the store.
pub fn enter(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    let of_owner: [Value; 1] = [owner.into()];
    let pick: [Value; 2] = [owner.into(), ROUND_LEN.into()];
    // In this order: what is picked is what was committed once the round before was.
    let answers = tx.query_all(&[(&ROUND, &of_owner), (&PICK, &pick)])?;
    let [round, picked] = answers.as_slice() else {
        return Err(Fault::broken("the feed's round returned no row"));
    };
    let round = round.first().ok_or_else(|| Fault::broken("the feed's round has no number"))?;
    let round: i64 = round.get("rounds")?;
    for row in picked {
        let id: EventId = row.get("id")?;
        tx.defer(&ENTER, [owner.into(), id.into(), round.into()], Expect::Rows(1))?;
    }
    Ok(())
}

fn read(row: &Row, now: Timestamp) -> Result<Option<FeedEvent>, Fault> {
    let Some(listed) = delivery_pages::read(row, now)? else { return Ok(None) };
    let pruned_at: Option<Timestamp> = row.get("pruned_at")?;
    let body: Vec<u8> = row.get("body")?;
    Ok(Some(FeedEvent {
        listed,
        body: pruned_at.is_none().then_some(body),
        digest: row.get("digest")?,
        pruned_at,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::due::Kind;

    #[test]
    fn the_feed_is_joined_with_what_is_due_of_deliveries() {
        assert_eq!(Kind::Delivery.number(), 2);
        assert!([&PAGE, &PAGE_OF].iter().all(|sql| sql.text().contains("d.kind = 2 ")));
    }
}
