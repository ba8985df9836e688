//! The table, beside another engine's figures, with the conditions of both.

use super::super::rows::Row;
use super::Options;
use super::outcome::Outcome;
use super::profiles::{Profile, Results};

/// Messages a second of svix-server in a closed loop with 8 clients.
const SVIX_PER_SECOND: f64 = 1_232.0;

/// Returns svix-server's results in a profile: its figures, and its rate where one compares.
const fn of_svix(profile: Profile) -> (&'static str, Option<f64>) {
    match profile {
        Profile::Closed8 => ("1,232/s, p50 8.3 ms, p99 18 ms, max 169 ms", Some(SVIX_PER_SECOND)),
        Profile::Closed32 => ("1,197/s, p50 36 ms, p99 63 ms", Some(1_197.0)),
        Profile::Open500 => ("p50 1.35 ms, p99 8.6 ms, max 20 ms", None),
        Profile::Accept => ("2,302/s", Some(2_302.0)),
        Profile::Drain => ("2,096/s", Some(2_096.0)),
        Profile::Alone => ("p50 23 ms", None),
        Profile::NeighbourOwner | Profile::NeighbourHost => ("p50 31,900 ms, p99 50,800 ms", None),
    }
}

/// The least that svix-server was seen to use for a message: 0.61 ms itself, PostgreSQL 0.63 and
/// Redis 0.09.
const SVIX_CPU_MS: f64 = 1.33;

/// The rows of profiles that ran on that database, by events of that kind.
pub(super) fn rows(on: &str, results: &Results) -> Vec<Row> {
    let of = |wanted: Profile| results.iter().find(|(profile, _)| *profile == wanted);
    let mut rows = Vec::new();
    if let Some((_, open)) = of(Profile::Open500) {
        let what =
            format!("webhook, {on}, open loop 500/s: commit to arrival, the commit included");
        let (p50, p99) = (open.event_p50_ms, open.event_p99_ms);
        rows.push(Row::at_most(format!("{what}, p50"), p50, 2.0).direction(1.0).unit(" ms"));
        rows.push(Row::at_most(format!("{what}, p99"), p99, 10.0).unit(" ms"));
    }
    if let Some((_, closed)) = of(Profile::Closed8) {
        let rate = closed.per_second / SVIX_PER_SECOND;
        let cpu = (closed.service_ms + closed.postgres_ms) / SVIX_CPU_MS;
        let what = format!("webhook deliveries a second, {on} ÷ svix-server's");
        rows.push(Row::at_least(what, rate, 2.0).direction(4.0));
        let what = format!("processor time of a delivery, {on} ÷ svix-server's");
        rows.push(Row::at_most(what, cpu, 0.5));
    }
    rows
}

/// Prints everything as Markdown.
pub(super) fn print(results: &[(String, Results)], options: &Options) {
    let find = |results: &Results, wanted: Profile| {
        results.iter().find(|(profile, _)| *profile == wanted).map(|(_, outcome)| *outcome)
    };
    let any = results.iter().flat_map(|(_, results)| results).map(|(_, outcome)| outcome);
    let bytes = any.map(|outcome| outcome.bytes).fold(0.0, f64::max);
    println!(
        "{} events in a profile, four times as many to accept and to drain, of {} owner(s) to one \
         receiver on this machine, which answers 204; body {bytes:.0} B; an event is made by a payer's payment of a \
         link at the test bank, or by the rejection of a link; latency from before that request to the arrival, and \
         from the event's own instant.
",
        options.messages(),
        options.owners,
    );
    println!(
        "svix-server 1.100.0: another run on a machine of the same class (2 vCPU shared with \
         generator and receiver), PostgreSQL 15 with fsync, Redis 7 with AOF everysec, body ≈ 420 B, \
         20,000 messages of one application to one endpoint.\n"
    );
    row(["profile", "svix-server"].map(str::to_owned), results, |name, _| name.to_owned());
    row(["---", "---"].map(str::to_owned), results, |_, _| "---".to_owned());
    for profile in Profile::ALL {
        let (said, rate) = of_svix(profile);
        row([profile.name().to_owned(), said.to_owned()], results, |_, results| {
            find(results, profile).map_or_else(String::new, |outcome| cell(outcome, rate))
        });
    }
    for (profile, said, svix) in [
        (Profile::Closed8, "0.61–0.69 ms + 0.63–0.75 ms PostgreSQL + 0.09 ms Redis", true),
        (Profile::Accept, "", false),
        (Profile::Drain, "", false),
    ] {
        let what = format!("processor time of an event, {}", profile.name());
        row([what, said.to_owned()], results, |_, results| {
            find(results, profile).map_or_else(String::new, |outcome| cost(outcome, svix))
        });
    }
    let alone = |results: &Results, of: fn(&Outcome) -> f64, wanted| {
        let (alone, beside) = (find(results, Profile::Alone)?, find(results, wanted)?);
        Some(of(&beside) / of(&alone))
    };
    for profile in [Profile::NeighbourOwner, Profile::NeighbourHost] {
        let what = format!("{} ÷ alone", profile.name());
        row([what, "p50 1,390".to_owned()], results, |_, results| {
            let p50 = alone(results, |outcome| outcome.p50_ms, profile);
            let p99 = alone(results, |outcome| outcome.p99_ms, profile);
            match p50.zip(p99) {
                Some((p50, p99)) => format!("p50 {p50:.2}, p99 {p99:.2}"),
                None => String::new(),
            }
        });
    }
    let most = |results: &Results, of: fn(&Outcome) -> f64| {
        results.iter().map(|(_, outcome)| of(outcome)).fold(0.0, f64::max)
    };
    row(
        ["memory of the service at the most", "45–57 MB"].map(str::to_owned),
        results,
        |_, all| format!("{:.0} MB", most(all, |outcome| outcome.memory_mb)),
    );
    row(["heard more than once", ""].map(str::to_owned), results, |_, results| {
        results.iter().map(|(_, outcome)| outcome.repeats).sum::<usize>().to_string()
    });
    row(["connections to drain", ""].map(str::to_owned), results, |_, results| {
        find(results, Profile::Drain).map_or_else(String::new, |it| it.connections.to_string())
    });
}

fn row(first: [String; 2], results: &[(String, Results)], cell: impl Fn(&str, &Results) -> String) {
    let cells = results.iter().map(|(name, results)| cell(name, results));
    let cells: Vec<String> = first.into_iter().chain(cells).collect();
    println!("| {} |", cells.join(" | "));
}

fn cell(outcome: Outcome, svix: Option<f64>) -> String {
    let Outcome { per_second, p50_ms, p99_ms, max_ms, .. } = outcome;
    let rate = match svix {
        Some(svix) => format!("{per_second:.0}/s (× {:.2})", per_second / svix),
        None => String::new(),
    };
    let latency = match max_ms > 0.0 {
        true => format!(
            "p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms, max {max_ms:.0} ms; from the event {:.1} and {:.1} ms",
            outcome.event_p50_ms, outcome.event_p99_ms,
        ),
        false => String::new(),
    };
    let parts = [rate, latency].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

fn cost(outcome: Outcome, svix: bool) -> String {
    let Outcome { service_ms, postgres_ms, .. } = outcome;
    let postgres = match postgres_ms > 0.0 {
        true => format!(" + {postgres_ms:.2} ms PostgreSQL"),
        false => String::new(),
    };
    let ratio = match svix {
        true => format!(" (× {:.2})", (service_ms + postgres_ms) / SVIX_CPU_MS),
        false => String::new(),
    };
    format!("{service_ms:.2} ms{postgres}{ratio}")
}
