//! Reading a copy: once to see that it is whole, and once to put its rows back.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use app::admin::installation::{CHECK, Installation, STORE_ID};
use domain::time::Timestamp;
use store::RowSource;
use store::value::Value;

use super::manifest::{Manifest, hex};
use super::records::{Record, Records, TableHead, invalid, read_row};

/// The table that has the installation's own.
const INSTALLATION: &str = "installation";

/// A copy that is whole.
pub(crate) struct Checked {
    pub(crate) manifest: Manifest,
    pub(crate) copied_at: Timestamp,
    /// The store that it is a copy of; nothing where that was never set up.
    pub(crate) installation: Option<Installation>,
}

/// Reads all of the copy and checks that nothing of it is missing or altered.
///
/// # Errors
/// Where it is no copy, or not a whole one.
pub(crate) fn check(path: &Path) -> anyhow::Result<Checked> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("the copy {shown}"))?;
    let mut records = Records::of(file).with_context(|| format!("the copy {shown}"))?;
    let (mut table, mut manifest) = (None, None);
    let mut own = Own::default();
    loop {
        match records.next().with_context(|| format!("the copy {shown}"))? {
            Record::Table(head) => table = Some(head),
            Record::Rows(block) => {
                if let Some(head) = table.as_ref().filter(|head| head.table == INSTALLATION) {
                    own.read(head, &block)?;
                }
            }
            Record::Manifest(json) => {
                let read: Manifest = serde_json::from_slice(&json)
                    .with_context(|| format!("the manifest of the copy {shown}"))?;
                if read.content != hex(records.digest_before().as_ref()) {
                    bail!("the copy {shown} was altered: its digest is not that of its manifest");
                }
                manifest = Some(read);
            }
            Record::End(digest) => {
                if digest != records.digest_before().as_ref() || !records.are_over()? {
                    bail!("the copy {shown} was altered: its digest is another");
                }
                break;
            }
        }
    }
    let manifest = manifest.with_context(|| format!("the copy {shown} has no manifest"))?;
    let copied_at = Timestamp::parse(&manifest.copied_at)
        .with_context(|| format!("the instant of the copy {shown}"))?;
    Ok(Checked { manifest, copied_at, installation: own.installation() })
}

/// Rows of the installation that say which store it is.
#[derive(Default)]
struct Own {
    id: Option<Vec<u8>>,
    check: Option<Vec<u8>>,
}

impl Own {
    fn read(&mut self, head: &TableHead, mut block: &[u8]) -> io::Result<()> {
        while !block.is_empty() {
            let row = read_row(&mut block, head.columns.len())?;
            match (text(head, &row, "name"), value(head, &row, "value")) {
                (Some(STORE_ID), Some(Value::Bytes(id))) => self.id = Some(id.clone()),
                (Some(CHECK), Some(Value::Bytes(check))) => self.check = Some(check.clone()),
                _ => {}
            }
        }
        Ok(())
    }

    fn installation(self) -> Option<Installation> {
        Installation::of_copy(&self.id?, self.check?)
    }
}

fn value<'r>(head: &TableHead, row: &'r [Value], column: &str) -> Option<&'r Value> {
    row.get(head.columns.iter().position(|name| name == column)?)
}

fn text<'r>(head: &TableHead, row: &'r [Value], column: &str) -> Option<&'r str> {
    match value(head, row, column)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Rows of a copy on their way into a store, which says of itself from the beginning that it was put back.
pub(crate) struct CopySource {
    records: Records,
    /// The digest that the copy had when it was checked.
    content: String,
    /// A record behind the rows that are read.
    waiting: Option<Record>,
    head: TableHead,
    block: Vec<u8>,
    at: usize,
    mark: Option<Vec<u8>>,
    rows: Arc<AtomicU64>,
}

impl CopySource {
    /// The rows of a copy that was checked and had that digest, with that mark.
    pub(crate) fn open(path: &Path, content: &str, mark: Vec<u8>) -> io::Result<Self> {
        Ok(Self {
            records: Records::of(File::open(path)?)?,
            content: content.to_owned(),
            waiting: None,
            head: TableHead { table: String::new(), columns: Vec::new() },
            block: Vec::new(),
            at: 0,
            mark: Some(mark),
            rows: Arc::default(),
        })
    }

    /// How many rows were read, for a caller who shows it meanwhile.
    pub(crate) fn rows(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.rows)
    }

    /// Checks that the rows which were read are those of the copy that was checked: another may have taken its place.
    fn check_content(&self) -> io::Result<()> {
        if hex(self.records.digest_before().as_ref()) == self.content {
            return Ok(());
        }
        Err(invalid("the copy has changed since it was checked"))
    }

    /// Tells whether the row is the mark that the copied store had itself.
    fn is_former_mark(&self, row: &[Value]) -> bool {
        self.head.table == INSTALLATION && text(&self.head, row, "name") == Some(app::review::NAME)
    }

    /// The row of the mark, once, behind the others of its table.
    fn mark_row(&mut self) -> io::Result<Option<Vec<Value>>> {
        if self.head.table != INSTALLATION {
            return Ok(None);
        }
        let Some(mark) = self.mark.take() else { return Ok(None) };
        let column = |name: &String| match name.as_str() {
            "name" => Ok(Value::from(app::review::NAME)),
            "value" => Ok(Value::from(mark.clone())),
            _ => Err(invalid("an installation with other columns")),
        };
        self.head.columns.iter().map(column).collect::<io::Result<_>>().map(Some)
    }
}

impl RowSource for CopySource {
    fn next_table(&mut self) -> io::Result<Option<(String, Vec<String>)>> {
        loop {
            let record = match self.waiting.take() {
                Some(record) => record,
                None => self.records.next()?,
            };
            match record {
                Record::Table(head) => {
                    let named = (head.table.clone(), head.columns.clone());
                    (self.head, self.at) = (head, 0);
                    self.block.clear();
                    return Ok(Some(named));
                }
                Record::Rows(_) => {}
                Record::Manifest(_) | Record::End(_) => {
                    self.check_content()?;
                    return Ok(None);
                }
            }
        }
    }

    fn next_row(&mut self) -> io::Result<Option<Vec<Value>>> {
        loop {
            if let Some(mut rest) = self.block.get(self.at..).filter(|rest| !rest.is_empty()) {
                let row = read_row(&mut rest, self.head.columns.len())?;
                self.at = self.block.len() - rest.len();
                if self.is_former_mark(&row) {
                    continue;
                }
                self.rows.fetch_add(1, Ordering::Relaxed);
                return Ok(Some(row));
            }
            if self.waiting.is_some() {
                return self.mark_row();
            }
            match self.records.next()? {
                Record::Rows(block) => (self.block, self.at) = (block, 0),
                other => self.waiting = Some(other),
            }
        }
    }
}

#[cfg(test)]
mod tests;
