//! The loads that every build is measured by, on SQLite and on PostgreSQL, and the rows that come of them.

use super::requests::{Me, Same, Verify, written};
use super::rounds::{Case, OPEN_PER_SECOND, Rounds, Work};
use super::rows::Row;
use super::seed::Account;
use super::service::Service;
use super::stage::Installation;

/// How many owners the few are.
const FEW: usize = 10;

/// How many connections a closed loop has.
pub(super) const CONNECTIONS: usize = 64;

const ECHO_GET: &str = "echo, GET";
const ECHO_POST: &str = "echo, POST";
const PGBENCH: &str = "pgbench";

/// Lists the loads of the echo: it is asked the same as the service.
pub(super) fn of_echo(echo: &Service, of: &Installation) -> Vec<Case> {
    let me = Same(written(&Me(of.accounts.clone())));
    vec![
        Case::http(ECHO_GET, echo, CONNECTIONS, me),
        Case::http(
            ECHO_POST,
            echo,
            CONNECTIONS,
            Verify { accounts: of.accounts.clone(), series: 1 },
        ),
    ]
}

/// The loads of a service on SQLite, whose names end with `of`.
pub(super) fn on_sqlite(at: &Installation, of: &str) -> Vec<Case> {
    let few: Vec<Account> = at.accounts.iter().take(FEW).cloned().collect();
    let name = |what: &str| format!("{what}{of}");
    let many = at.accounts.clone();
    let closed = |name, requests| Case::http(name, &at.service, CONNECTIONS, requests);
    let mut cases = vec![
        Case::http(name("GET /me"), &at.service, CONNECTIONS, Me(many.clone())),
        closed(name("verify, few owners"), Verify { accounts: few.clone(), series: 2 }),
        closed(name("verify, many owners"), Verify { accounts: many, series: 3 }),
    ];
    let names = [name("verify, open loop"), name("durable commit")];
    let open = Verify { accounts: few, series: 4 };
    cases.extend(Case::open(names, &at.service, &at.data, open));
    cases
}

/// The rows of those loads.
pub(super) fn rows_on_sqlite(rounds: &Rounds, of: &str, owners: usize) -> Vec<Row> {
    let name = |what: &str| format!("{what}{of}");
    let (open, commit) = (name("verify, open loop"), name("durable commit"));
    let (few, many) = (name("verify, few owners"), name("verify, many owners"));
    let p50 = rounds.ratio(&open, &commit, |round| round.p50_ms);
    let p99 = rounds.ratio(&open, &commit, |round| round.p99_ms);
    let rate = |a: &str, b: &str| rounds.ratio(a, b, |round| round.per_second);
    let what = format!("verification, SQLite, open loop {OPEN_PER_SECOND}/s, {FEW} owners");
    let by = format!("a durable commit's, of {} bytes", rounds.commit_bytes(&commit));
    vec![
        Row::at_most(format!("{what}: p50 ÷ {by}"), p50, 5.0).direction(2.5),
        Row::at_most(format!("{what}: p99 ÷ {by}"), p99, 6.0).direction(3.0),
        Row::at_least(
            format!("verification, SQLite, {CONNECTIONS} connections, {FEW} owners ÷ echo"),
            rate(&few, ECHO_POST),
            0.08,
        )
        .direction(0.15),
        Row::at_least(
            format!("verification, SQLite, {owners} owners ÷ {FEW} owners"),
            rate(&many, &few),
            0.5,
        )
        .direction(0.8),
        Row::at_least(
            "`GET /me` with a key ÷ echo".to_owned(),
            rate(&name("GET /me"), ECHO_GET),
            0.5,
        )
        .direction(0.8),
    ]
}

/// PostgreSQL's own benchmark in that database.
pub(super) fn of_pgbench(url: &str) -> Case {
    let work = Work::Pgbench { url: url.to_owned(), connections: CONNECTIONS };
    Case { name: PGBENCH.to_owned(), work, process: None }
}

/// The load of a service on PostgreSQL.
pub(super) fn on_postgres(at: &Installation, of: &str) -> Case {
    let requests = Verify { accounts: at.accounts.clone(), series: 5 };
    Case::http(format!("verify, PostgreSQL{of}"), &at.service, CONNECTIONS, requests)
}

/// The row of that load.
pub(super) fn row_on_postgres(rounds: &Rounds, of: &str, owners: usize) -> Row {
    let name = format!("verify, PostgreSQL{of}");
    let ratio = rounds.ratio(&name, PGBENCH, |round| round.per_second);
    let what = format!(
        "verification, PostgreSQL, {CONNECTIONS} connections, {owners} owners ÷ `pgbench -N -M prepared`"
    );
    Row::at_least(what, ratio, 0.2).direction(0.5)
}
