//! The operation: `GET /v1/platforms`.

use super::Capabilities;
use crate::App;

/// A bank that accounts can be linked at, as anybody may know it.
#[derive(Clone, Copy, Debug)]
pub struct Platform {
    /// What it can do and wants.
    pub bank: &'static Capabilities,
    /// Whether it sends notices of payments by itself.
    pub pushes: bool,
}

/// Lists the banks that accounts can be linked at here, by our names of their providers.
#[must_use]
pub fn platforms(app: &App) -> Vec<Platform> {
    let open = app.banks.iter().filter(|bank| app.is_open(bank.capabilities()));
    open.map(|bank| Platform { bank: bank.capabilities(), pushes: bank.push().is_some() }).collect()
}
