//! Writing a copy.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_lc_rs::digest::{Context, SHA256};
use store::RowSink;
use store::value::Value;

use super::manifest::{About, Gathered, Manifest};
use super::records::{
    END, MAGIC, MANIFEST, RECORD_LEN_MAX, ROWS, TABLE, TableHead, invalid, write_row,
};

/// How many bytes of rows make a record.
const BLOCK_LEN: usize = 256 * 1024;

/// Writer of a copy, to which a store hands its rows.
pub(crate) struct CopyWriter {
    file: BufWriter<File>,
    digest: Context,
    block: Vec<u8>,
    gathered: Gathered,
    rows: Arc<AtomicU64>,
}

impl CopyWriter {
    /// Begins a copy in an empty file.
    pub(crate) fn begin(file: File) -> io::Result<Self> {
        let mut writer = Self {
            file: BufWriter::with_capacity(1 << 20, file),
            digest: Context::new(&SHA256),
            block: Vec::with_capacity(2 * BLOCK_LEN),
            gathered: Gathered::default(),
            rows: Arc::default(),
        };
        writer.write(MAGIC)?;
        Ok(writer)
    }

    /// How many rows were written, for a caller who shows it meanwhile.
    pub(crate) fn rows(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.rows)
    }

    /// Writes the manifest and the end, and answers the file, which is to be seen onto the disk.
    pub(crate) fn finish(mut self, about: &About) -> io::Result<(File, Manifest)> {
        self.flush_rows()?;
        let content = self.digest.clone().finish();
        let manifest = std::mem::take(&mut self.gathered).manifest(about, content.as_ref());
        self.record(MANIFEST, &serde_json::to_vec(&manifest)?)?;
        let all = self.digest.clone().finish();
        self.record(END, all.as_ref())?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((file, manifest))
    }

    fn flush_rows(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        self.record(ROWS, &block)?;
        self.block = block;
        self.block.clear();
        Ok(())
    }

    fn record(&mut self, mark: u8, body: &[u8]) -> io::Result<()> {
        let length = u32::try_from(body.len()).ok().filter(|length| *length <= RECORD_LEN_MAX);
        let length = length.ok_or_else(|| invalid("a record that is too long"))?;
        self.write(&[mark])?;
        self.write(&length.to_be_bytes())?;
        self.write(body)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.file.write_all(bytes)
    }
}

impl RowSink for CopyWriter {
    fn begin(&mut self, table: &str, columns: &[String]) -> io::Result<()> {
        self.flush_rows()?;
        self.gathered.begin(table, columns);
        let head = TableHead { table: table.to_owned(), columns: columns.to_vec() };
        self.record(TABLE, &serde_json::to_vec(&head)?)
    }

    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        self.gathered.row(values);
        write_row(&mut self.block, values)?;
        self.rows.fetch_add(1, Ordering::Relaxed);
        if self.block.len() >= BLOCK_LEN { self.flush_rows() } else { Ok(()) }
    }
}
