//! The tables of `docs/access.md`, which say what is expected.

use std::fs;
use std::path::Path;

/// A table: what its columns are, and of each row who calls and what its cells say.
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<(String, Vec<String>)>,
}

impl Table {
    /// The table below that heading.
    pub(crate) fn below(heading: &str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/access.md");
        let text = fs::read_to_string(file).unwrap();
        let (_, below) = text.split_once(&format!("\n## {heading}\n")).expect(heading);
        let lines = below.lines().skip_while(|line| !line.starts_with('|'));
        let mut rows = lines.take_while(|line| line.starts_with('|')).map(cells);
        let (_, columns) = rows.next().expect("a line of columns");
        rows.next().expect("a rule");
        let rows: Vec<_> = rows.collect();
        assert!(rows.iter().all(|(_, cells)| cells.len() == columns.len()), "{heading}");
        Self { columns, rows }
    }

    /// Returns that caller's row, column by column.
    pub(crate) fn row(&self, caller: &str) -> impl Iterator<Item = (&str, bool)> {
        let (_, cells) = self.rows.iter().find(|(name, _)| name == caller).expect(caller);
        let is_yes = |cell: &String| match cell.as_str() {
            "yes" => true,
            "404" => false,
            other => panic!("{other:?} is neither yes nor 404"),
        };
        self.columns.iter().map(String::as_str).zip(cells.iter().map(is_yes))
    }
}

/// The first cell of a row, and the others.
fn cells(line: &str) -> (String, Vec<String>) {
    let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
    (cells.next().expect("a first cell"), cells.collect())
}
