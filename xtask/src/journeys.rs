//! What the journeys through the pages need: Debian's browser and reader of PDFs, Node.js, and three packages of that.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::debian;
use crate::npm;

/// Variable in which the tests look for the packages.
pub(crate) const MODULES_VARIABLE: &str = "TEST_NODE_MODULES";

/// The browser, which no package may bring along: the journeys name it by this path.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Folder of the journeys, and of the list of packages that they import.
const JOURNEYS: &str = "crates/cotejo/tests/browser";

/// Installs what is missing, and answers the folder of the packages.
pub(crate) fn ensure() -> Result<PathBuf> {
    if !Path::new(CHROMIUM).exists() {
        debian::install("Chromium", "chromium")?;
    }
    debian::ensure_pdf_reader()?;
    npm::ensure(JOURNEYS, "target/journeys")
}
