//! What a long history costs: verifications beside it, and the pages of lists.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use domain::ids::OwnerId;
use domain::time::{CaracasDate, Timestamp};

use super::charges::CONNECTIONS;
use super::lists::{self, OF_VERIFICATIONS, OTHERS, Owner, PAGES, Pages, Question};
use super::requests::Verify;
use super::rounds::{Case, LEAD_IN, Rounds};
use super::rows::Row;
use super::seed::{self, Database};
use super::service::{Asker, Service};
use super::stage::{Installation, OWNERS, now, on_sqlite, rest};
use super::{Measured, Options, copies, history, owners};
use crate::process::progress;

/// How many verifications the short history holds.
const SHORT: usize = 10_000;

/// How many rows the short lists have.
const SHORT_LISTS: usize = 100_000;

/// How many owners have lists. A third of the short links is to be more than a search looks at and than is counted,
/// so that both sizes come to these bounds.
const LISTERS: usize = 1;

/// Beside so many verifications of those who list, the owners who share a load have one.
const SPREAD: usize = 10;

/// A page is asked for so much shorter than other loads are run.
const PAGES_SHARE: u32 = 8;

/// A service with long lists.
struct Lists {
    at: Installation,
    owners: Vec<Owner>,
    /// By whom these sign in.
    listers: Vec<owners::Owner>,
}

/// How many rows a store gets: verifications of the owners who share a load, and rows in each list of those who list.
struct Size {
    of_all: usize,
    of_listers: usize,
}

/// Measures everything that a history may slow down.
pub(super) fn run(program: &Path, folder: &Path, options: &Options) -> Result<Measured> {
    let (now, long) = (now()?, options.history);
    progress("writing a short history, short lists and long ones");
    let short = on_sqlite(program, &folder.join("short"), SHORT / OWNERS, now)?;
    let banks = Service::banks(program, folder)?;
    let make = |name: &str, size| Lists::make(program, &folder.join(name), &banks, &size, now);
    let mut short_lists = make("short-lists", Size { of_all: 0, of_listers: SHORT_LISTS })?;
    let mut long_lists = make("long", Size { of_all: long / SPREAD, of_listers: long })?;
    // A token lasts for less than the writing of long lists.
    short_lists.sign_in()?;
    long_lists.sign_in()?;

    let today = CaracasDate::of(now);
    let mut cases = Vec::new();
    for question in questions() {
        for page in PAGES {
            cases.push(short_lists.case(question, page, today, "short"));
            cases.push(long_lists.case(question, page, today, "long"));
        }
    }
    let mut pages = Rounds::of(cases);
    let verify = |name: &str, at: &Installation| {
        let requests = Verify { accounts: at.accounts.clone(), series: 6 };
        Case::http(name, &at.service, CONNECTIONS, requests)
    };
    let mut verifications = Rounds::of(vec![
        verify("verify, short history", &short),
        verify("verify, long history", &long_lists.at),
    ]);
    let time = Duration::from_secs(options.seconds);
    for round in 1..=options.rounds {
        rest(None)?;
        progress(&format!("history and lists, round {round} of {}", options.rounds));
        verifications.run(LEAD_IN, time)?;
        pages.run(Duration::ZERO, time / PAGES_SHARE)?;
    }
    let mut rows = vec![verifications_row(&verifications, long)];
    rows.extend(PAGES.map(|page| pages_row(&pages, page, long)));
    Ok(Measured { rows, tables: vec![verifications, pages], logs: Vec::new() })
}

fn questions() -> impl Iterator<Item = &'static Question> {
    OF_VERIFICATIONS.iter().chain(&OTHERS)
}

fn verifications_row(rounds: &Rounds, long: usize) -> Row {
    let ratio =
        rounds.ratio("verify, long history", "verify, short history", |round| round.per_second);
    let what = format!("verification, SQLite, a history of {} ÷ {SHORT}", long + long / SPREAD);
    Row::at_least(what, ratio, 0.8).direction(0.95)
}

/// The worst of all lists.
fn pages_row(rounds: &Rounds, page: u32, long: usize) -> Row {
    let ratios = questions().map(|question| {
        let name = |which: &str| format!("{}, page {page}, {which}", question.name);
        (rounds.ratio(&name("long"), &name("short"), |round| round.p99_ms), question.name)
    });
    let (worst, which) = ratios.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, "none"));
    let what =
        format!("page {page} of any list, {long} rows ÷ {SHORT_LISTS}: p99 of the worst ({which})");
    Row::at_most(what, worst, 1.5).direction(1.1)
}

impl Lists {
    fn make(
        program: &Path,
        data: &Path,
        banks: &Service,
        size: &Size,
        now: Timestamp,
    ) -> Result<Self> {
        let bdv = [
            ("COTEJO_BANKS_BDV_URL", format!("http://{}", banks.addr)),
            ("COTEJO_WEBHOOKS_ALLOW_PRIVATE", "true".to_owned()),
            ("COTEJO_WEBHOOKS_DELIVER", "false".to_owned()),
            // Each of those who list signs in four times.
            ("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0".to_owned()),
        ];
        let service = Service::cotejo(program, data, None, &bdv)?;
        let listers = owners::create(program, data, None, LISTERS)?;
        let signed = listers.iter().map(|owner| owners::sign_in_everywhere(service.addr, owner));
        let accounts = signed.collect::<Result<Vec<_>>>().context("signing in")?;
        let owners = lists::first_entries(&service, banks, &accounts, now)?;
        service.stop()?;

        let all = seed::owners(&Database::Sqlite(data), OWNERS, now)?;
        let each = size.of_listers / LISTERS;
        if size.of_all > 0 {
            history::write(data, &all, size.of_all / OWNERS, now)?;
        }
        history::write(data, &accounts, each, now)?;
        let ids: Vec<OwnerId> = accounts.iter().map(|account| account.owner).collect();
        copies::write(data, &ids, each, now)?;

        let service = Service::cotejo(program, data, None, &bdv)?;
        let at = Installation { service, accounts: all, data: data.to_owned() };
        Ok(Self { at, owners, listers })
    }

    /// Signs those in who list.
    fn sign_in(&mut self) -> Result<()> {
        let addr = self.at.service.addr;
        let mut asker = Asker::connect(addr)?;
        for (owner, lister) in self.owners.iter_mut().zip(&self.listers) {
            owner.account = owners::sign_in_everywhere(addr, lister).context("signing in")?;
            owner.find_last_pages(&mut asker)?;
        }
        Ok(())
    }

    /// One caller who asks for that page again and again.
    fn case(
        &self,
        question: &'static Question,
        page: u32,
        today: CaracasDate,
        which: &str,
    ) -> Case {
        let requests = Pages { owners: self.owners.clone(), question, page, today };
        let name = format!("{}, page {page}, {which}", question.name);
        Case::http(name, &self.at.service, 1, requests)
    }
}
