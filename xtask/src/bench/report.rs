//! The table, with the conditions above it and where the time goes below.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use super::rounds::Rounds;
use super::service::log_of;
use super::stage::{Installation, OWNERS, SMALL, Stage};
use super::{Options, ROUNDS};
use crate::statistics::percentile;

/// A row of rates: what, which load, by which it is divided, and the goals.
type Rate = (&'static str, &'static str, &'static str, &'static str, &'static str);

const RATES: [Rate; 14] = [
    ("`GET /me` with a key ÷ echo, 64 connections", "GET /me 64", "echo GET 64", "0.60", "0.80"),
    (
        "verification, SQLite, 64 connections ÷ echo",
        "sqlite verify 64",
        "echo POST 64",
        "0.10",
        "0.25",
    ),
    (
        "verification, SQLite, 256 connections ÷ echo",
        "sqlite verify 256",
        "echo POST 256",
        "0.10",
        "0.25",
    ),
    (
        "verification, PostgreSQL, 64 connections ÷ pgbench",
        "postgres verify 64",
        "pgbench 64",
        "0.2",
        "0.5",
    ),
    (
        "verification, PostgreSQL, 256 connections ÷ pgbench",
        "postgres verify 256",
        "pgbench 256",
        "0.2",
        "0.5",
    ),
    (
        "one hot owner ÷ 1,000 owners, SQLite",
        "sqlite verify hot 64",
        "sqlite verify 64",
        "0.8",
        "1.0",
    ),
    (
        "one hot owner ÷ 1,000 owners, PostgreSQL",
        "postgres verify hot 64",
        "postgres verify 64",
        "0.3",
        "0.6",
    ),
    (
        "verification, large ÷ small history, SQLite",
        "sqlite verify large 64",
        "sqlite verify 64",
        "0.8",
        "0.95",
    ),
    (
        "verification at Banco de Venezuela, a day of 100 ÷ the sandbox",
        "bdv verify few 64",
        "sqlite verify 64",
        "-",
        "-",
    ),
    (
        "verification at Banco de Venezuela, a day of 10,000 ÷ the sandbox",
        "bdv verify many 64",
        "sqlite verify 64",
        "-",
        "-",
    ),
    (
        "verification at Banco de Venezuela, a day of 10,000 ÷ 100",
        "bdv verify many 64",
        "bdv verify few 64",
        "-",
        "-",
    ),
    ("a payer's payment of a link ÷ verification", "link payment 64", "sqlite verify 64", "-", "-"),
    ("`GET /pay/{id}` ÷ echo, 64 connections", "link page 64", "echo page 64", "-", "-"),
    (
        "activity page, rate, large ÷ small history, SQLite",
        "activity large 16",
        "activity small 16",
        "-",
        "-",
    ),
];

/// Prints everything as Markdown.
pub(super) fn print(stage: &Stage, rounds: &Rounds, options: &Options) -> Result<()> {
    println!("{}\n", crate::conditions::machine(&stage.folder.0)?);
    println!(
        "{ROUNDS} rounds of {} s in turns, medians; {OWNERS} owners; histories of {SMALL} and {} \
         verifications; load and databases on the same machine.\n",
        options.seconds, options.history,
    );
    println!("| what | here | at least | aim |\n| --- | --- | --- | --- |");
    for (what, a, b, least, aim) in RATES {
        if let Some(ratio) = rounds.ratio(a, b, |round| round.per_second) {
            println!("| {what} | {ratio:.2} | {least} | {aim} |");
        }
    }
    let late = rounds.ratio("activity large 16", "activity small 16", |round| round.p99_ms);
    if let Some(late) = late {
        println!("| activity page, p99, large ÷ small history, SQLite | {late:.2} | ≤ 2 | ≤ 1.2 |");
    }
    for shops in [&stage.few, &stage.many] {
        let (day, first) = (shops.day.name, shops.first_look_ms);
        println!(
            "| first verification on a day of {day} at Banco de Venezuela | {first:.0} ms | - | - |"
        );
    }
    let size = fs::metadata(&stage.program)?.len() as f64 / 1e6;
    let (idle, first) = (stage.idle_mb, stage.first_start_ms);
    let again = stage.sqlite.service.start_ms;
    println!("| idle memory | {idle:.0} MB | ≤ 50 MB | 25 MB |");
    println!("| start to first answer, a new store | {first:.0} ms | - | - |");
    println!(
        "| start to first answer, a store that is there | {again:.0} ms | ≤ 300 ms | 100 ms |"
    );
    println!("| release binary | {size:.1} MB | ≤ 35 MB | 20 MB |\n");

    println!("| load | p50 | p99 | processor time of the service for each answer |");
    println!("| --- | --- | --- | --- |");
    for name in rounds.names() {
        let of = |of: fn(&super::rounds::Round) -> f64| rounds.middle(name, of).unwrap_or(0.0);
        let (p50, p99) = (of(|round| round.p50_ms), of(|round| round.p99_ms));
        println!("| {name} | {p50:.2} ms | {p99:.2} ms | {:.0} µs |", of(|round| round.cpu_us));
    }
    costs("SQLite", &stage.sqlite)?;
    stage.on_postgres.iter().try_for_each(|service| costs("PostgreSQL", service))
}

/// A line of the service's log about a request.
#[derive(Deserialize)]
struct Line {
    route: String,
    status: u16,
    statements: f64,
    waits: f64,
    store_us: f64,
    total_us: f64,
}

/// What requests cost the store, by the service's own log.
fn costs(engine: &str, installation: &Installation) -> Result<()> {
    println!("\n| {engine}: route | statements | waits | in the store, p50 | in all, p50 |");
    println!("| --- | --- | --- | --- | --- |");
    for (route, lines) in lines(&log_of(&installation.data))? {
        let p50 = |of: fn(&Line) -> f64| percentile(lines.iter().map(of).collect(), 0.5);
        let (statements, waits) = (p50(|line| line.statements), p50(|line| line.waits));
        let (store, all) = (p50(|line| line.store_us) / 1e3, p50(|line| line.total_us) / 1e3);
        println!("| {route} | {statements} | {waits} | {store:.2} ms | {all:.2} ms |");
    }
    Ok(())
}

fn lines(log: &Path) -> Result<BTreeMap<String, Vec<Line>>> {
    let mut routes: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for line in BufReader::new(File::open(log)?).lines() {
        // Other lines tell other things.
        if let Ok(line) = serde_json::from_str::<Line>(&line?)
            && line.status == 200
            && line.statements > 0.0
        {
            routes.entry(line.route.clone()).or_default().push(line);
        }
    }
    Ok(routes)
}
