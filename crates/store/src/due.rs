//! Work that some node must do, by lease: who waits for what, and which node has it until when.
//!
//! A row says when its subject is due. The claimant moves that instant to the end of a lease
//! and advances the fence; a holder that comes too late finds a newer fence and changes nothing.
//! No node leads: every node scans, without locks, and then claims what it found owner by owner.

mod kind;

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::point_query::PointQuery;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

pub use kind::Kind;

statements! {
    INSERT = Sql::new(
        "insert into due (owner_id, kind, subject_id, due_at, fence, tries) \
         values ($1, $2, $3, $4, $5, $6)",
    );

    RESCHEDULE = Sql::new(
        "insert into due (owner_id, kind, subject_id, due_at, fence, tries) \
         values ($1, $2, $3, $4, $5, $6) on conflict (owner_id, kind, subject_id) do update set \
         due_at = excluded.due_at, fence = due.fence + 1",
    );

    REMOVE = Sql::new("delete from due where owner_id = $1 and kind = $2 and subject_id = $3");

    END = Sql::new(
        "delete from due where owner_id = $1 and kind = $2 and subject_id = $3 and fence = $4 \
         returning fence",
    );

    POSTPONE = Sql::new(
        "update due set due_at = $5 \
         where owner_id = $1 and kind = $2 and subject_id = $3 and fence = $4 returning fence",
    );

    HAND_BACK = Sql::new(
        "update due set due_at = $5, fence = $6 \
         where owner_id = $1 and kind = $2 and subject_id = $3 and fence = $4 returning fence",
    );

    // A lease that is over is none, and nothing more is accepted from its holder.
    HASTEN = Sql::new(
        "update due set due_at = case when due_at < $4 then due_at else $4 end, \
         fence = case when fence % $5 = $6 then fence else fence + 1 end \
         where owner_id = $1 and kind = $2 and subject_id = $3 \
         and (due_at <= $4 or fence % $5 = $6) returning fence",
    );

    // A transaction that has it just now is not waited for: it claims it, or reports about it.
    PICK = Sql::new(
        "select subject_id from due where owner_id = $1 and kind = $2 and subject_id = $3 \
         and (due_at <= $4 or fence % $5 = $6) for update skip locked",
    );

    RENEW = Sql::new(
        "update due set due_at = $5, fence = fence + 1, tries = tries + 1 \
         where owner_id = $1 and kind = $2 and subject_id = $3 and fence = $4 \
         returning fence, tries",
    );

    CLAIM = Sql::new(
        "update due set due_at = $5, fence = fence + 1, tries = tries + 1 \
         where owner_id = $1 and kind = $2 and subject_id = $3 and due_at <= $4 \
         returning fence, tries",
    );

    RELEASE = Sql::new(
        "update due set due_at = $5, tries = tries - 1 \
         where owner_id = $1 and kind = $2 and subject_id = $3 and fence = $4 returning fence",
    );

    // As it was found: its holder may have moved it since.
    BRING_FORWARD = Sql::new(
        "update due set due_at = $5, fence = fence + 1 \
         where owner_id = $1 and kind = $2 and subject_id = $3 and due_at = $4 returning fence",
    );

    SCAN_FROM_THE_START = Sql::across_owners(
        "select owner_id, subject_id, due_at from due where kind = $1 and due_at <= $2 \
         order by due_at asc, owner_id asc, subject_id asc limit $3",
        "nodes look for whatever is due, whosesoever it is",
    );

    SCAN_AFTER = Sql::across_owners(
        "select owner_id, subject_id, due_at from due where kind = $1 and due_at <= $2 \
         and (due_at, owner_id, subject_id) > ($3, $4, $5) \
         order by due_at asc, owner_id asc, subject_id asc limit $6",
        "nodes look for whatever is due, whosesoever it is",
    );
}

/// The rows that one scan reads at most.
pub const SCAN_MAX: i64 = 500;

/// The right to end a subject's work, as long as nobody took it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Fence of this holder. Each later holder of the subject has a greater one.
    pub fence: i64,
    /// Claims so far, counting creation as one. After a restart, counts recorded attempts instead of claims before it.
    pub tries: i64,
}

/// How many fences a subject has between one end of an attempt and the next.
const ATTEMPT_FENCES: i64 = 1 << 32;

impl Lease {
    /// The lease of the maker of the subject.
    pub const FIRST: Self = Self { fence: 1, tries: 1 };

    /// The lease that a subject waits with, for any claimant, once so many attempts at it were kept. It
    /// is beyond every lease that there was before, also where the subject had ended in between and was
    /// forgotten: nothing is accepted from the holder of such a lease.
    #[must_use]
    pub fn waiting_after(attempts: u32) -> Self {
        let attempts = i64::from(attempts).min(i64::MAX / ATTEMPT_FENCES - 1);
        Self { fence: attempts * ATTEMPT_FENCES + Self::FIRST.fence, tries: attempts + 1 }
    }

    /// Tells whether a subject with this fence waits, and nobody has taken it since.
    pub(crate) const fn is_waiting(fence: i64) -> bool {
        fence % ATTEMPT_FENCES == Self::FIRST.fence
    }
}

/// A row that a scan found, and the place from which the next one goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Whose it is.
    pub owner: OwnerId,
    /// The id of what is due, of the kind that was scanned for.
    pub subject: [u8; 16],
    /// Since when.
    pub due_at: Timestamp,
}

/// Makes a subject known, leased to its maker until `due_at` by [`Lease::FIRST`].
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    due_at: Timestamp,
) -> Result<(), Fault> {
    insert_after(tx, owner, kind, subject, due_at, Lease::FIRST)
}

/// Makes a subject known again that had ended, with the lease that it waits with.
///
/// # Errors
/// A fault of the store.
pub fn insert_after(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    due_at: Timestamp,
    lease: Lease,
) -> Result<(), Fault> {
    let row = [
        owner.into(),
        kind.number().into(),
        subject.into(),
        due_at.into(),
        lease.fence.into(),
        lease.tries.into(),
    ];
    tx.defer(&INSERT, row, Expect::Any)
}

/// Forgets a subject whose work has ended, no matter who has its lease: the subject's own state has
/// decided that this is its one end.
///
/// # Errors
/// A fault of the store; a subject that is not known fails the transaction.
pub fn remove(tx: &mut Tx<'_>, owner: OwnerId, kind: Kind, subject: [u8; 16]) -> Result<(), Fault> {
    let params = [owner.into(), kind.number().into(), subject.into()];
    tx.defer(&REMOVE, params, Expect::Rows(1))
}

/// Makes a subject due at that instant, whether it was known before or not. Whoever has taken it keeps no lease.
///
/// # Errors
/// A fault of the store.
pub fn reschedule(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    due_at: Timestamp,
) -> Result<(), Fault> {
    let Lease { fence, tries } = Lease::FIRST;
    let params = [
        owner.into(),
        kind.number().into(),
        subject.into(),
        due_at.into(),
        fence.into(),
        tries.into(),
    ];
    tx.defer(&RESCHEDULE, params, Expect::Rows(1))
}

/// Forgets a subject, if it is known, that is not worth attending to.
///
/// # Errors
/// A fault of the store.
pub fn forget(tx: &mut Tx<'_>, owner: OwnerId, kind: Kind, subject: [u8; 16]) -> Result<(), Fault> {
    let params = [owner.into(), kind.number().into(), subject.into()];
    tx.defer(&REMOVE, params, Expect::Any)
}

/// Forgets a subject if the lease still holds: its holder has decided that its work has ended.
/// Answers whether it did.
///
/// # Errors
/// A fault of the store.
pub fn end(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    lease: Lease,
) -> Result<bool, Fault> {
    let params = [owner.into(), kind.number().into(), subject.into(), lease.fence.into()];
    Ok(tx.query_opt(&END, &params)?.is_some())
}

/// Moves the end of a lease to `due_at`: later to keep it, sooner to give it up. Answers whether
/// the lease still held.
///
/// # Errors
/// A fault of the store.
pub fn postpone(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    lease: Lease,
    due_at: Timestamp,
) -> Result<bool, Fault> {
    let params =
        [owner.into(), kind.number().into(), subject.into(), lease.fence.into(), due_at.into()];
    Ok(tx.query_opt(&POSTPONE, &params)?.is_some())
}

/// Makes a subject due by `now` that waits to be; answers whether it is. One that somebody has taken
/// is left alone.
///
/// # Errors
/// A fault of the store.
pub fn hasten(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    now: Timestamp,
) -> Result<bool, Fault> {
    Ok(hasten_all(tx, owner, kind, &[subject], now)? == [true])
}

/// The same for many at once, each by itself. What another transaction holds at this instant is left
/// alone too, so that nobody waits for anybody: deliveries are claimed, and their results are
/// recorded, at the same time and in another order.
///
/// # Errors
/// A fault of the store.
pub fn hasten_all(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subjects: &[[u8; 16]],
    now: Timestamp,
) -> Result<Vec<bool>, Fault> {
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    let params = |subject: &[u8; 16]| -> [Value; 6] {
        [
            owner.into(),
            kind.number().into(),
            (*subject).into(),
            now.into(),
            ATTEMPT_FENCES.into(),
            Lease::FIRST.fence.into(),
        ]
    };
    let params: Vec<_> = subjects.iter().map(params).collect();
    let of = |sql, which: &[bool]| -> Vec<(&'static Sql, &[Value])> {
        let which = params.iter().zip(which).filter(|(_, is_it)| **is_it);
        which.map(|(params, _)| (sql, params.as_slice())).collect()
    };
    let done = |rows: Vec<Row>| !rows.is_empty();
    let all = of(&PICK, &vec![true; subjects.len()]);
    let mut hastened: Vec<bool> = tx.query_all(&all)?.into_iter().map(done).collect();
    let picked = of(&HASTEN, &hastened);
    if !picked.is_empty() {
        let mut answers = tx.query_all(&picked)?.into_iter().map(done);
        for is_it in hastened.iter_mut().filter(|is_it| **is_it) {
            *is_it = answers.next().unwrap_or_default();
        }
    }
    Ok(hastened)
}

/// Takes a subject again, until `until`, for another try by the holder of `lease`. Nothing where that
/// no longer held.
///
/// # Errors
/// A fault of the store.
pub fn renew(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    lease: Lease,
    until: Timestamp,
) -> Result<Option<Lease>, Fault> {
    let params =
        [owner.into(), kind.number().into(), subject.into(), lease.fence.into(), until.into()];
    tx.query_opt(&RENEW, &params)?.as_ref().map(read_lease).transpose()
}

/// Claims a subject that is due at `now`, until `until`. Nothing where another node was faster, or
/// where its holder has renewed the lease.
///
/// # Errors
/// A fault of the store.
pub fn claim(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<Lease>, Fault> {
    let params = claim_params(owner, kind, subject, now, until);
    tx.query_opt(&CLAIM, &params)?.as_ref().map(read_lease).transpose()
}

fn claim_params(
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    now: Timestamp,
    until: Timestamp,
) -> [Value; 5] {
    [owner.into(), kind.number().into(), subject.into(), now.into(), until.into()]
}

/// Claims these subjects as [`claim`] does, in this order, and reads something `beside` them, all with
/// one wait. Answers for each, and what was read.
///
/// # Errors
/// A fault of the store.
pub(crate) fn claim_all<T>(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subjects: &[[u8; 16]],
    now: Timestamp,
    until: Timestamp,
    beside: &PointQuery<T>,
) -> Result<(Vec<Option<Lease>>, T), Fault> {
    let params = subjects.iter().map(|subject| claim_params(owner, kind, *subject, now, until));
    let params: Vec<[Value; 5]> = params.collect();
    let claims = params.iter().map(|params| (&CLAIM, params.as_slice()));
    let statements: Vec<_> = claims.chain([beside.statement().as_pair()]).collect();
    let mut answers = tx.query_all(&statements)?;
    let beside = beside.parse(&answers.pop().unwrap_or_default())?;
    let leases = answers.iter().map(|rows| rows.first().map(read_lease).transpose());
    Ok((leases.collect::<Result<_, Fault>>()?, beside))
}

fn read_lease(row: &Row) -> Result<Lease, Fault> {
    Ok(Lease { fence: row.get("fence")?, tries: row.get("tries")? })
}

/// The end of a lease.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The subject.
    pub subject: [u8; 16],
    /// The lease.
    pub lease: Lease,
    /// When the subject is due again, and how many attempts at it there were; nothing where its work
    /// has ended.
    pub then: Option<(Timestamp, u32)>,
}

/// Ends these leases, in this order and with one wait for all of them: each by giving it up until an
/// instant, after so many attempts at its subject, or, where none is given, by forgetting its subject as
/// [`end`] does. Answers of each whether it still held; nothing that is reported by it later is accepted.
///
/// # Errors
/// A fault of the store.
pub fn conclude_all(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    ends: &[End],
) -> Result<Vec<bool>, Fault> {
    let statement = |&End { subject, lease, then }: &End| {
        let mut params: Vec<Value> =
            vec![owner.into(), kind.number().into(), subject.into(), lease.fence.into()];
        let Some((due_at, attempts)) = then else { return (&END, params) };
        params.extend([due_at.into(), Lease::waiting_after(attempts).fence.into()]);
        (&HAND_BACK, params)
    };
    let statements: Vec<_> = ends.iter().map(statement).collect();
    let statements: Vec<_> =
        statements.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
    Ok(tx.query_all(&statements)?.iter().map(|rows| !rows.is_empty()).collect())
}

/// Releases a subject that nothing was done about, as if it had not been claimed: due at `now`, for
/// the node that is next. Answers whether the lease still held.
///
/// # Errors
/// A fault of the store.
pub fn release(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: Kind,
    subject: [u8; 16],
    lease: Lease,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params =
        [owner.into(), kind.number().into(), subject.into(), lease.fence.into(), now.into()];
    Ok(tx.query_opt(&RELEASE, &params)?.is_some())
}

/// Reads the work of a kind that is due at `now`, the longest overdue first, beyond `after` if given; [`SCAN_MAX`] rows
/// at most. It locks nothing, so another node may find the same.
///
/// # Errors
/// A fault of the store.
pub fn scan(
    tx: &mut Tx<'_>,
    kind: Kind,
    now: Timestamp,
    after: Option<Due>,
) -> Result<Vec<Due>, Fault> {
    let (kind, now) = (kind.number().into(), now.into());
    let rows = match after {
        None => tx.query(&SCAN_FROM_THE_START, &[kind, now, SCAN_MAX.into()])?,
        Some(Due { owner, subject, due_at }) => {
            let params = [kind, now, due_at.into(), owner.into(), subject.into(), SCAN_MAX.into()];
            tx.query(&SCAN_AFTER, &params)?
        }
    };
    rows.iter().map(read).collect()
}

/// Reads the work of a kind that is due after `after`, the first due first; [`SCAN_MAX`] rows at most. It locks
/// nothing.
///
/// # Errors
/// A fault of the store.
pub fn scan_beyond(tx: &mut Tx<'_>, kind: Kind, after: Due) -> Result<Vec<Due>, Fault> {
    scan(tx, kind, Timestamp::from_micros(i64::MAX), Some(after))
}

/// The place behind everything that is due at `now`.
#[must_use]
pub fn behind(now: Timestamp) -> Due {
    Due { owner: OwnerId::from_bytes([u8::MAX; 16]), subject: [u8::MAX; 16], due_at: now }
}

/// Makes a subject due at `now` that was found to wait for longer than anything of its kind does. A holder that
/// has taken it ends nothing any more.
///
/// # Errors
/// A fault of the store.
pub fn bring_forward(tx: &mut Tx<'_>, kind: Kind, found: Due, now: Timestamp) -> Result<(), Fault> {
    let Due { owner, subject, due_at } = found;
    let params = [owner.into(), kind.number().into(), subject.into(), due_at.into(), now.into()];
    tx.query(&BRING_FORWARD, &params).map(drop)
}

pub(crate) fn read(row: &Row) -> Result<Due, Fault> {
    Ok(Due {
        owner: row.get("owner_id")?,
        subject: row.get("subject_id")?,
        due_at: row.get("due_at")?,
    })
}
