//! Identity of this program: its version, the commit that it was built from, and the engines that it has.

use std::sync::LazyLock;

/// The commit, or `unknown` in a build for development.
pub(crate) const COMMIT: &str = env!("BUILD_COMMIT");

static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{} (commit {COMMIT}; SQLite {} built in, PostgreSQL by network)",
        env!("CARGO_PKG_VERSION"),
        store::sqlite_version(),
    )
});

/// Returns the text of `cotejo --version`, without the program's name.
pub(crate) fn version() -> &'static str {
    VERSION.as_str()
}
