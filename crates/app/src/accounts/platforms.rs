//! The operation: `GET /v1/platforms`.

use super::Capabilities;
use crate::App;

/// A bank that accounts can be linked at, as anybody may know it.
#[derive(Clone, Copy, Debug)]
pub struct Platform {
    /// Our name of the provider.
    pub provider: &'static str,
    /// The bank's name for people.
    pub name: &'static str,
    /// The four digits that its accounts begin with; none where it is no bank.
    pub bank_code: Option<&'static str>,
    /// Whether it tells of payments by itself.
    pub pushes: bool,
}

/// Lists the banks that accounts can be linked at here, by our names of their providers.
#[must_use]
pub fn platforms(app: &App) -> Vec<Platform> {
    let open = app.banks.keys().filter_map(|provider| app.open_bank(provider));
    let mut platforms: Vec<_> = open
        .map(|bank| {
            let Capabilities { provider, platform, bank_code, .. } = *bank.capabilities();
            Platform { provider, name: platform, bank_code, pushes: bank.push().is_some() }
        })
        .collect();
    platforms.sort_unstable_by_key(|platform| platform.provider);
    platforms
}
