//! Who may have a connection: places are counted by address, so that no address has them all, and some
//! are kept for health and metrics.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::network::Network;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::doing::{Doing, Tickets, Waiting};
use crate::config::Http;
use crate::metrics;

/// How many addresses are looked at, from the one with the most connections down, for one that gives way.
const LOOKED_AT_MAX: usize = 256;

/// An address has at most this part of the places that are kept for operations.
const PART_OF_RESERVE: usize = 4;

/// How often the log says that places are short.
const WARNED_EVERY: Duration = Duration::from_secs(60);

/// All places of a server.
#[derive(Debug)]
pub(in crate::server) struct Places {
    tables: Mutex<Tables>,
    tickets: Tickets,
    trusted: Vec<Network>,
    /// Every connection ends when this does.
    stop: CancellationToken,
}

#[derive(Debug)]
struct Tables {
    general: Table,
    /// Used where there is no general place, and for health and metrics alone.
    reserve: Table,
    next_id: u64,
    warned_at: WarnedAt,
}

/// A place that a connection has until this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    id: u64,
    subject: Option<u128>,
    /// For health and metrics alone.
    pub(super) is_reserved: bool,
    pub(super) doing: Arc<Doing>,
    /// Ends when the connection is to give its place to another, or the server stops.
    pub(super) leave: CancellationToken,
}

/// How many places are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Taken {
    pub(in crate::server) general: usize,
    pub(in crate::server) reserve: usize,
}

impl Places {
    pub(in crate::server) fn new(limits: &Http, stop: CancellationToken) -> Self {
        let reserved = limits.connections_reserved;
        let tables = Tables {
            general: Table::new(Kind::General, limits.connections_max, limits.share()),
            reserve: Table::new(Kind::Reserve, reserved, (reserved / PART_OF_RESERVE).max(1)),
            next_id: 0,
            warned_at: WarnedAt::default(),
        };
        let trusted = limits.trusted_proxies.clone();
        Self { tables: Mutex::new(tables), tickets: Tickets::default(), trusted, stop }
    }

    /// A place for a connection from that address, if there is one or one can be had.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        // A proxy of ours speaks for many, and is neither limited nor has to give way.
        let address = address.to_canonical();
        let is_trusted = self.trusted.iter().any(|network| network.contains(address));
        let subject = (!is_trusted).then(|| subject(address));
        let doing = Arc::new(Doing::new(self.tickets.clone()));
        let leave = self.stop.child_token();
        let mut tables = self.lock();
        let id = tables.next_id;
        tables.next_id += 1;
        let seat = || Seat { id, doing: Arc::clone(&doing), leave: leave.clone() };
        let is_reserved = match tables.general.take(subject, seat()) {
            Ok(()) => false,
            Err(why) => {
                tables.warn(why);
                let reserved = tables.reserve.take(subject, seat());
                metrics::note_short_of_places(why.label(), reserved.is_ok());
                reserved.ok()?;
                true
            }
        };
        drop(tables);
        Some(Place { places: Arc::clone(self), id, subject, is_reserved, doing, leave })
    }

    /// How many places are taken.
    pub(in crate::server) fn taken(&self) -> Taken {
        let tables = self.lock();
        Taken { general: tables.general.open, reserve: tables.reserve.open }
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        // Nothing in here panics between two steps that belong together.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut tables = self.places.lock();
        let table = if self.is_reserved { &mut tables.reserve } else { &mut tables.general };
        table.leave(self.subject, self.id);
    }
}

impl Tables {
    /// Warns the operator, of each kind once a minute at most.
    fn warn(&mut self, why: Short) {
        if !self.warned_at.is_due(why, Instant::now()) {
            return;
        }
        let (open, max, share) = (self.general.open, self.general.max, self.general.share);
        let addresses = self.general.seats.len();
        match why {
            Short::OfPlaces => {
                tracing::warn!(open, max, addresses, "all connection slots are taken");
            }
            Short::OfShare => {
                tracing::warn!(open, max, share, "an address has reached its connection limit");
            }
        }
    }
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    /// All are taken, and nobody gives way.
    OfPlaces,
    /// The address has its share, and is busy with all of it.
    OfShare,
}

impl Short {
    fn label(self) -> &'static str {
        match self {
            Self::OfPlaces => "places",
            Self::OfShare => "address",
        }
    }
}

/// Purpose of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    General,
    /// Here nobody needs long: not even equals are let wait for what they owe.
    Reserve,
}

/// When the operator was last warned of each kind: an address that always has its share must not hide
/// that all places are taken.
#[derive(Debug, Default)]
struct WarnedAt {
    of_places: Option<Instant>,
    of_share: Option<Instant>,
}

impl WarnedAt {
    /// Tells whether to warn the operator now, and notes it.
    fn is_due(&mut self, why: Short, now: Instant) -> bool {
        let at = match why {
            Short::OfPlaces => &mut self.of_places,
            Short::OfShare => &mut self.of_share,
        };
        let is_due = at.is_none_or(|at| now.duration_since(at) >= WARNED_EVERY);
        if is_due {
            *at = Some(now);
        }
        is_due
    }
}

/// Places of one kind.
#[derive(Debug)]
struct Table {
    kind: Kind,
    max: usize,
    /// How many an address may have.
    share: usize,
    open: usize,
    seats: HashMap<u128, Vec<Seat>>,
    /// The addresses by how many places they have.
    ranks: BTreeSet<(usize, u128)>,
}

/// A place that is taken.
#[derive(Debug)]
struct Seat {
    id: u64,
    doing: Arc<Doing>,
    leave: CancellationToken,
}

impl Table {
    fn new(kind: Kind, max: usize, share: usize) -> Self {
        Self { kind, max, share, open: 0, seats: HashMap::new(), ranks: BTreeSet::new() }
    }

    fn take(&mut self, subject: Option<u128>, seat: Seat) -> Result<(), Short> {
        let held = subject.map_or(0, |subject| self.held(subject));
        if let Some(subject) = subject
            && held >= self.share
        {
            // It gives way to itself.
            let gives_way = match self.kind {
                Kind::General => Doing::idle,
                Kind::Reserve => Doing::owing,
            };
            if !self.free(subject, gives_way) {
                return Err(Short::OfShare);
            }
        } else if self.open >= self.max && !self.free_for(held) {
            return Err(Short::OfPlaces);
        }
        self.open += 1;
        if let Some(subject) = subject {
            self.change(subject, |seats| seats.push(seat));
        }
        Ok(())
    }

    /// Frees a place for an address that has `held`. One that has more than this address would have
    /// then gives way while it owes something; others do between two requests alone.
    fn free_for(&mut self, held: usize) -> bool {
        let ranks: Vec<_> = self.ranks.iter().rev().take(LOOKED_AT_MAX).copied().collect();
        let has_given_way = ranks.iter().any(|&(count, subject)| {
            let has_more = count > held + 1;
            self.free(subject, if has_more { Doing::owing } else { Doing::idle })
        });
        has_given_way || (self.kind == Kind::Reserve && self.free_equal(&ranks, held))
    }

    /// Frees the place that has been owed something for longest, of those addresses that have no less
    /// than one with `held` would have then.
    fn free_equal(&mut self, ranks: &[(usize, u128)], held: usize) -> bool {
        let equals = ranks.iter().filter(|(count, _)| *count > held);
        let longest = equals.filter_map(|&(_, subject)| {
            let (waiting, _) = self.longest(subject, Doing::owing)?;
            Some((waiting, subject))
        });
        let Some((_, subject)) = longest.min() else { return false };
        self.free(subject, Doing::owing)
    }

    /// Frees the place of that address which has waited longest, of those that give way.
    fn free(&mut self, subject: u128, gives_way: fn(&Doing) -> Option<Waiting>) -> bool {
        let Some((_, id)) = self.longest(subject, gives_way) else { return false };
        self.leave(Some(subject), id);
        metrics::note_gave_way();
        true
    }

    /// The place of that address which has waited longest, of those that give way.
    fn longest(
        &self,
        subject: u128,
        gives_way: fn(&Doing) -> Option<Waiting>,
    ) -> Option<(Waiting, u64)> {
        let seats = self.seats.get(&subject).into_iter().flatten();
        seats.filter_map(|seat| Some((gives_way(&seat.doing)?, seat.id))).min()
    }

    /// Takes a place back, and notifies its connection. One that gave way before has none.
    fn leave(&mut self, subject: Option<u128>, id: u64) {
        let Some(subject) = subject else {
            self.open -= 1;
            return;
        };
        let seat = self.change(subject, |seats| {
            let at = seats.iter().position(|seat| seat.id == id)?;
            Some(seats.swap_remove(at))
        });
        if let Some(seat) = seat {
            self.open -= 1;
            seat.leave.cancel();
        }
    }

    /// Changes the places of an address, and its rank with them.
    fn change<T>(&mut self, subject: u128, change: impl FnOnce(&mut Vec<Seat>) -> T) -> T {
        let seats = self.seats.entry(subject).or_default();
        let before = seats.len();
        let changed = change(seats);
        let after = seats.len();
        if after == 0 {
            self.seats.remove(&subject);
        }
        self.ranks.remove(&(before, subject));
        if after > 0 {
            self.ranks.insert((after, subject));
        }
        changed
    }

    fn held(&self, subject: u128) -> usize {
        self.seats.get(&subject).map_or(0, Vec::len)
    }
}

/// Returns the subject that is counted: an IPv4 address, or the network of 64 bits that an IPv6 customer gets whole.
fn subject(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
    }
}

#[cfg(test)]
mod tests;
