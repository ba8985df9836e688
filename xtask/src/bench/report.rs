//! Where the time goes, by the service's own log.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use super::service::log_of;
use crate::statistics::percentile;

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

/// Prints what requests cost the store of the service with that data folder.
pub(super) fn costs(engine: &str, data: &Path) -> Result<()> {
    println!("\n| {engine}: route | statements | waits | in the store, p50 | in all, p50 |");
    println!("| --- | --- | --- | --- | --- |");
    for (route, lines) in lines(&log_of(data))? {
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
        // Other lines say other things.
        if let Ok(line) = serde_json::from_str::<Line>(&line?)
            && line.status == 200
            && line.statements > 0.0
        {
            routes.entry(line.route.clone()).or_default().push(line);
        }
    }
    Ok(routes)
}
