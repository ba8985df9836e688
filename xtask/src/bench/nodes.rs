//! One owner with several keys and accounts on PostgreSQL: its verifications through one node and through two, and
//! how many deadlocks the server has seen.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::charges::CONNECTIONS;
use super::load::Load;
use super::requests::Verify;
use super::rounds::{Case, Rounds, Work};
use super::rows::Row;
use super::seed::{self, Account, Database};
use super::service::Service;
use super::stage::now;
use crate::postgres::Server;

/// How many keys the owner has, each with an account.
const KEYS: u32 = 6;

const ONE: &str = "verify, PostgreSQL, one node";
const TWO: &str = "verify, PostgreSQL, two nodes";

/// Sessions that have ended say how many there were.
const DEADLOCKS: &str = "select deadlocks from pg_stat_database where datname = current_database()";

/// Two nodes on one database, with one owner.
pub(super) struct Nodes {
    nodes: [Service; 2],
    url: String,
    accounts: Vec<Account>,
}

impl Nodes {
    /// Starts two nodes with one master key.
    pub(super) fn start(program: &Path, folder: &Path, url: String) -> Result<Self> {
        let node = |name: &str, settings: &[(&str, String)]| {
            Service::cotejo(program, &folder.join(name), Some(&url), settings)
        };
        let one = node("one", &[])?;
        let key = folder.join("one").join("master.key");
        let key = key.to_str().context("the folder's name")?.to_owned();
        let nodes = [one, node("other", &[("COTEJO_MASTER_KEY_FILE", key)])?];
        let accounts = seed::one_owner(&Database::Postgres(&url), KEYS, now()?)?;
        Ok(Self { nodes, url, accounts })
    }

    /// The same connections at one node, and half of them at each of two.
    pub(super) fn cases(&self) -> [Case; 2] {
        let load = |to: &Service, share: usize, series| {
            let verify = Verify { accounts: self.accounts.clone(), series };
            Load::new(to.addr, CONNECTIONS / share, Arc::new(verify))
        };
        let [one, other] = &self.nodes;
        let case = |name: &str, loads| Case {
            name: name.to_owned(),
            work: Work::Together(loads),
            process: None,
        };
        [case(ONE, vec![load(one, 1, 1)]), case(TWO, vec![load(one, 2, 2), load(other, 2, 3)])]
    }

    /// Stops both, so that the server counts what they have seen, and makes the rows.
    pub(super) fn rows(self, rounds: &Rounds, server: &Server) -> Result<Vec<Row>> {
        self.nodes.into_iter().try_for_each(Service::stop)?;
        let deadlocks = server.number(&self.url, DEADLOCKS)? as f64;
        let what = format!("PostgreSQL, one owner with {KEYS} keys and accounts, two nodes");
        let ratio = rounds.ratio(TWO, ONE, |round| round.per_second);
        Ok(vec![
            Row::at_least(format!("{what} ÷ one node"), ratio, 0.8).direction(1.2),
            Row::at_most(format!("{what}: deadlocks"), deadlocks, 0.0),
        ])
    }
}
