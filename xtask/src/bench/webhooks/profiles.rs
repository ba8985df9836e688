//! The profiles, one after the other on one service.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::runtime::Runtime;

use super::super::seed::Account;
use super::outcome::Outcome;
use super::receiver::Receiver;
use super::shop::{self, By, Link, Pace, Sent};
use super::site::Site;

/// How long the slow receiver takes.
const SLOW: Duration = Duration::from_secs(9);

/// How many events the slow receiver is sent.
const BACKLOG: usize = 4_000;

/// How many a second the healthy one is sent meanwhile, and for how long at the most.
const HEALTHY_PER_SECOND: f64 = 50.0;
const HEALTHY_MAX: usize = 1_000;

/// How many more events those profiles have in which nothing is delivered, or nothing made.
const QUEUED: usize = 4;

/// How many events come before everything that is measured.
const WARM_UP: usize = 200;

/// How events are made and delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    Closed8,
    Closed32,
    Open500,
    Accept,
    Drain,
    Alone,
    NeighbourOwner,
    NeighbourHost,
}

impl Profile {
    /// All of them, in the order of the table.
    pub(super) const ALL: [Self; 8] = [
        Self::Closed8,
        Self::Closed32,
        Self::Open500,
        Self::Accept,
        Self::Drain,
        Self::Alone,
        Self::NeighbourOwner,
        Self::NeighbourHost,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Closed8 => "closed loop, 8 clients",
            Self::Closed32 => "closed loop, 32 clients",
            Self::Open500 => "open loop, 500/s",
            Self::Accept => "accept only",
            Self::Drain => "drain only",
            Self::Alone => "neighbour: 50/s, none",
            Self::NeighbourOwner => "neighbour: 50/s beside another owner's slow receiver",
            Self::NeighbourHost => "neighbour: 50/s beside the same owner's slow receiver",
        }
    }
}

/// Results of some profiles.
pub(super) type Results = Vec<(Profile, Outcome)>;

/// Somebody who makes events, and those who receive them.
struct Stage<'a, 's> {
    /// Where requests are sent from; receivers have their own.
    runtime: Runtime,
    site: &'a mut Site<'s>,
    by: By,
    healthy: Receiver,
    slow: Receiver,
}

/// Runs those profiles that are wanted, of so many events each.
pub(super) fn run(
    site: &mut Site<'_>,
    by: By,
    wanted: &[Profile],
    events: usize,
) -> Result<Results> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Stage { runtime, site, by, healthy: Receiver::open()?, slow: Receiver::open()? }
        .run(wanted, events)
}

impl Stage<'_, '_> {
    fn run(&mut self, wanted: &[Profile], some: usize) -> Result<Results> {
        let mut results = Results::new();
        self.site.start(true)?;
        self.make(WARM_UP, Pace::Closed(8))?;
        for &profile in wanted {
            let outcome = match profile {
                Profile::Closed8 => self.make(some, Pace::Closed(8)),
                Profile::Closed32 => self.make(some, Pace::Closed(32)),
                Profile::Open500 => self.make(some, Pace::Open(500.0)),
                Profile::Accept => self.accept(some * QUEUED),
                Profile::Drain => self.drain(some * QUEUED, wanted.contains(&Profile::Accept)),
                Profile::Alone => self.healthy(some),
                Profile::NeighbourOwner => self.beside_a_slow_one(some, true),
                Profile::NeighbourHost => self.beside_a_slow_one(some, false),
            };
            let outcome = outcome.with_context(|| profile.name())?;
            let outcome = Outcome { memory_mb: self.site.memory_mb()?, ..outcome };
            eprintln!(
                "  {:<54} {:>6.0}/s  p50 {:>8.2}  p99 {:>8.2}  max {:>8.2} ms  \
                 processor {:>6.3} + {:>6.3} ms",
                profile.name(),
                outcome.per_second,
                outcome.p50_ms,
                outcome.p99_ms,
                outcome.max_ms,
                outcome.service_ms,
                outcome.postgres_ms,
            );
            results.push((profile, outcome));
        }
        Ok(results)
    }

    fn addr(&self) -> Result<SocketAddr> {
        Ok(self.site.service()?.addr)
    }

    /// Makes links whose ends are sent to that receiver.
    fn links(&self, of: &[Account], to: &Receiver, count: usize) -> Result<Vec<Link>> {
        let links = self.runtime.block_on(shop::links(self.addr()?, of, &to.url(), count))?;
        self.site.settle()?;
        Ok(links)
    }

    fn end(&self, links: Vec<Link>, pace: Pace) -> Result<Vec<Sent>> {
        self.runtime.block_on(shop::end(self.addr()?, self.by, links, pace))
    }

    /// Events that are made and delivered at once.
    fn make(&self, count: usize, pace: Pace) -> Result<Outcome> {
        let links = self.links(&self.site.owners, &self.healthy, count)?;
        let before = self.site.spent()?;
        let sent = self.end(links, pace)?;
        let received = self.healthy.received(count)?;
        Ok(Outcome::of(&sent, &received)?.costing(before, self.site.spent()?, count))
    }

    /// Events that are made, by a service that does not deliver: they wait.
    fn accept(&mut self, count: usize) -> Result<Outcome> {
        self.site.start(false)?;
        let links = self.links(&self.site.owners, &self.healthy, count)?;
        let (before, begun) = (self.site.spent()?, Instant::now());
        self.end(links, Pace::Closed(8))?;
        let per_second = count as f64 / begun.elapsed().as_secs_f64();
        let outcome = Outcome { per_second, ..Outcome::default() };
        Ok(outcome.costing(before, self.site.spent()?, count))
    }

    /// Events that wait, delivered by a service that has nothing else to do.
    fn drain(&mut self, count: usize, is_queued: bool) -> Result<Outcome> {
        if !is_queued {
            self.accept(count)?;
        }
        self.site.start(true)?;
        let before = self.site.spent()?;
        let received = self.healthy.received(count)?;
        let first =
            received.first.values().map(|arrival| arrival.at).min().context("nothing was heard")?;
        let outcome = Outcome::received_since(first, &received)?;
        Ok(outcome.costing(before, self.site.spent()?, count))
    }

    /// Few events a second to a receiver that answers at once.
    fn healthy(&self, some: usize) -> Result<Outcome> {
        self.make(some.min(HEALTHY_MAX), Pace::Open(HEALTHY_PER_SECOND))
    }

    /// The same, with a long row before it for a receiver that is slow.
    fn beside_a_slow_one(&self, some: usize, of_another: bool) -> Result<Outcome> {
        let owners = match of_another {
            true => std::slice::from_ref(&self.site.neighbour),
            false => self.site.owners.get(..1).context("an owner")?,
        };
        let row = self.links(owners, &self.slow, BACKLOG)?;
        self.slow.pause(SLOW);
        self.end(row, Pace::Closed(8))?;
        let outcome = self.healthy(some)?;
        // Then it recovers, so that what waits is received too and is in nobody's way.
        self.slow.pause(Duration::ZERO);
        self.slow.received(BACKLOG)?;
        Ok(outcome)
    }
}
