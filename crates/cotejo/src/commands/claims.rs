//! Importing claims that another system accepted, and withdrawing them. The whole file is read, and every line of it is
//! checked where it is to be written, before anything is written. What is written goes in slices, each in one
//! transaction; a command that was cut short is said again.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail, ensure};
use domain::ids::BankId;
use domain::imported_claims::{CLAIMS_IMPORTED_MAX, ImportedClaim};
use domain::money::Bolivars;
use domain::time::CaracasDate;
use serde::Deserialize;
use serde_json::json;

use super::progress::Progress;
use super::{sheet, write};
use crate::admin::{ClaimRow, ClaimsCounted, CommandOutcome, Request};
use crate::cli::{ClaimsCommand, ClaimsFile};
use crate::config::Config;
use crate::system::Runtime;
use crate::telemetry;

/// How large a file may be: much more than the claims that are imported at once.
const FILE_LEN_MAX: u64 = 16 * 1024 * 1024;

/// How many claims one transaction takes: the owner's other work waits no longer than for these.
const CLAIMS_AT_ONCE: usize = 500;

/// How many lines are named that say nothing.
const PROBLEMS_SHOWN: usize = 20;

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    account: String,
    reference: String,
    #[serde(default)]
    amount: Option<String>,
    #[serde(default)]
    date: Option<String>,
}

/// Claims of one account.
struct OfAccount {
    /// The first line that names it.
    line: u64,
    claims: Vec<ClaimRow>,
}

/// Content of a file, each claim once.
struct Content {
    lines: u64,
    repeated: u64,
    accounts: BTreeMap<String, OfAccount>,
}

/// How far it has come.
#[derive(Default)]
struct Reached {
    checked: AtomicU64,
    written: AtomicU64,
}

/// Does what the command says.
pub(super) fn run(command: &ClaimsCommand) -> anyhow::Result<ExitCode> {
    let (of, withdraws) = match command {
        ClaimsCommand::Import(of) => (of, false),
        ClaimsCommand::Withdraw(of) => (of, true),
    };
    let config = super::configure(&of.place.flags())?;
    telemetry::start(&config.log)?;
    let today = CaracasDate::of(Runtime::default().clock.now());
    let shown = of.file.display();
    let content = read(&bytes(&of.file)?, today).with_context(|| format!("{shown}"))?;
    let reached = Arc::new(Reached::default());
    let (seen, lines) = (Arc::clone(&reached), content.lines);
    let progress = Progress::show(move || {
        let [checked, written] =
            [&seen.checked, &seen.written].map(|number| number.load(Ordering::Relaxed));
        format!("{checked} of {lines} lines checked, {written} written so far")
    });
    let work = Work { config: &config, of, withdraws, content: &content };
    let counted = super::single_threaded()?.block_on(work.run(&reached));
    drop(progress);
    let ClaimsCounted { done, unchanged } = counted?;
    let (accounts, repeated) = (content.accounts.len(), content.repeated);
    let [done_name, unchanged_name] =
        if withdraws { ["withdrawn", "unknown"] } else { ["added", "known"] };
    let fields = json!({
        "lines": lines,
        "accounts": accounts,
        done_name: done,
        unchanged_name: unchanged,
        "repeated": repeated,
        "dry_run": of.dry_run,
    });
    super::print(fields, of.json)?;
    Ok(ExitCode::SUCCESS)
}

/// All that is to be done.
struct Work<'a> {
    config: &'a Config,
    of: &'a ClaimsFile,
    withdraws: bool,
    content: &'a Content,
}

impl Work<'_> {
    /// Checks everything, and then writes it, unless it is a dry run.
    async fn run(&self, reached: &Reached) -> anyhow::Result<ClaimsCounted> {
        let checked = self.pass(true, &reached.checked).await?;
        if self.of.dry_run {
            return Ok(checked);
        }
        let written = self.pass(false, &reached.written).await;
        written.context("a part of it may be written: say the same again, which writes the rest")
    }

    /// Goes through all claims, account by account and slice by slice.
    async fn pass(&self, is_dry_run: bool, reached: &AtomicU64) -> anyhow::Result<ClaimsCounted> {
        let mut all = ClaimsCounted::default();
        for (account, OfAccount { line, claims }) in &self.content.accounts {
            for slice in claims.chunks(CLAIMS_AT_ONCE) {
                let request = Request::WorkOnClaims {
                    owner: self.of.owner.to_string(),
                    account: account.clone(),
                    claims: slice.to_vec(),
                    withdraws: self.withdraws,
                    is_test: self.of.test,
                    is_dry_run,
                };
                let outcome = write::write(self.config, request).await;
                let outcome = outcome.with_context(|| format!("{account}, from line {line}"))?;
                let CommandOutcome::Claims(counted) = outcome else {
                    bail!("the server answered something else");
                };
                all.done += counted.done;
                all.unchanged += counted.unchanged;
                let looked_at = counted.done.saturating_add(counted.unchanged);
                reached.fetch_add(looked_at, Ordering::Relaxed);
            }
        }
        Ok(all)
    }
}

/// The bytes of a file, or of standard input.
fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let (mut bytes, at_most) = (Vec::new(), FILE_LEN_MAX + 1);
    if path == Path::new("-") {
        stdin().lock().take(at_most).read_to_end(&mut bytes)?;
    } else {
        let file = File::open(path).with_context(|| format!("{shown} cannot be opened"))?;
        file.take(at_most).read_to_end(&mut bytes)?;
    }
    let is_small = u64::try_from(bytes.len()).is_ok_and(|len| len <= FILE_LEN_MAX);
    ensure!(is_small, "{shown} is larger than {FILE_LEN_MAX} bytes: divide it");
    Ok(bytes)
}

/// Reads every line, and names those that say nothing.
fn read(bytes: &[u8], today: CaracasDate) -> anyhow::Result<Content> {
    let sheet::Rows { rows, has_semicolons } = sheet::rows::<Line>(bytes)?;
    ensure!(!rows.is_empty(), "there is no claim in it");
    ensure!(
        rows.len() <= CLAIMS_IMPORTED_MAX,
        "it has {} lines; up to {CLAIMS_IMPORTED_MAX} are taken at once: divide it",
        rows.len()
    );
    let lines = u64::try_from(rows.len())?;
    let (mut problems, mut repeated) = (Vec::new(), 0);
    let (mut accounts, mut known) = (BTreeMap::<String, OfAccount>::new(), HashSet::new());
    for (line, row) in rows {
        match row.and_then(|row| understood(row, has_semicolons, today)) {
            Ok((account, row, key)) => {
                let account = account.to_string();
                if !known.insert((account.clone(), key)) {
                    repeated += 1;
                    continue;
                }
                let of = accounts
                    .entry(account)
                    .or_insert_with(|| OfAccount { line, claims: Vec::new() });
                of.claims.push(row);
            }
            Err(problem) => problems.push(format!("line {line}: {problem:#}")),
        }
    }
    if !problems.is_empty() {
        let count = problems.len();
        problems.truncate(PROBLEMS_SHOWN);
        let shown = problems.join("\n");
        let more = count.saturating_sub(PROBLEMS_SHOWN);
        let more = if more > 0 { format!("\nand {more} lines more") } else { String::new() };
        bail!("nothing was written, since {count} of {lines} lines say no claim\n{shown}{more}");
    }
    Ok(Content { lines, repeated, accounts })
}

/// Facts by which two lines of an account are one claim: digits, amount and day.
type Key = (String, Option<i64>, Option<i64>);

/// The account and the claim of a line, in the form that is sent, and the claim's key.
fn understood(
    line: Line,
    has_semicolons: bool,
    today: CaracasDate,
) -> anyhow::Result<(BankId, ClaimRow, Key)> {
    let account = line.account.parse::<BankId>().context("account")?;
    let date = line.date.unwrap_or_default();
    let date = if has_semicolons { sheet::iso(&date) } else { date };
    let row = ClaimRow { reference: line.reference, amount: line.amount.unwrap_or_default(), date };
    let claim: ImportedClaim = row.read(today)?;
    let amount = claim.amount().map(Bolivars::hundredths);
    let key = (claim.digits().to_owned(), amount, claim.paid_on().map(CaracasDate::days));
    Ok((account, row, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: &str = "bank_00000000000000000000000001";

    fn today() -> CaracasDate {
        CaracasDate::parse("2026-11-20").unwrap()
    }

    #[test]
    fn claims_are_read_in_the_forms_of_spreadsheets_each_once() {
        for text in [
            format!("account,reference,amount,date\n{ACCOUNT},79912345,150.75,2026-11-20\n"),
            format!("Account;REFERENCE;amount;date\r\n{ACCOUNT};0079912345;150,75;20/11/2026\r\n"),
        ] {
            let twice = format!("{text}{}\n", text.lines().next_back().unwrap());
            let content = read(twice.as_bytes(), today()).unwrap();
            assert_eq!((content.lines, content.repeated), (2, 1));
            assert_eq!(content.accounts[ACCOUNT].claims.len(), 1);
        }
    }

    #[test]
    fn every_line_that_says_no_claim_is_named() {
        let text = format!(
            "account,reference,amount\n{ACCOUNT},79912345,1\n{ACCOUNT},x,1\nbank,79912345,1\n\
             {ACCOUNT},79912345\n"
        );
        let problem = format!("{:#}", read(text.as_bytes(), today()).err().unwrap());
        for said in ["3 of 4 lines", "line 3: reference:", "line 4: account", "line 5: "] {
            assert!(problem.contains(said), "{said}: {problem}");
        }
        let misspelt = format!("account,reference,ammount\n{ACCOUNT},79912345,1\n");
        let problem = format!("{:#}", read(misspelt.as_bytes(), today()).err().unwrap());
        assert!(problem.contains("line 2") && problem.contains("ammount"), "{problem}");
        assert!(read(b"account,reference\n", today()).is_err());
    }
}
