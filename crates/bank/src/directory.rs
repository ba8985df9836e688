//! The banks that this program knows, and the connectors of those that are open here.
//!
//! Providers have two names: our short one, which rows keep, and the one on the wire, which clients
//! send and filter by. A bank that is closed here has its name on the wire, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Bank, Capabilities};

/// The banks.
#[derive(Debug, Default)]
pub struct Banks {
    known: Vec<&'static Capabilities>,
    connectors: BTreeMap<&'static str, Arc<dyn Bank>>,
}

impl Banks {
    /// The banks that are known, and the connectors that there are of them.
    #[must_use]
    pub fn new(
        known: impl IntoIterator<Item = &'static Capabilities>,
        connectors: impl IntoIterator<Item = Arc<dyn Bank>>,
    ) -> Self {
        let connectors = connectors.into_iter().map(|bank| (bank.capabilities().provider, bank));
        Self { known: known.into_iter().collect(), connectors: connectors.collect() }
    }

    /// These connectors, of banks that are known by them alone.
    #[must_use]
    pub fn of(connectors: impl IntoIterator<Item = Arc<dyn Bank>>) -> Self {
        let connectors: Vec<_> = connectors.into_iter().collect();
        let known: Vec<_> = connectors.iter().map(|bank| bank.capabilities()).collect();
        Self::new(known, connectors)
    }

    /// The connector of the provider that we call so.
    #[must_use]
    pub fn get(&self, provider: &str) -> Option<&Arc<dyn Bank>> {
        self.connectors.get(provider)
    }

    /// The connectors, by our names of their providers.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Bank>> {
        self.connectors.values()
    }

    /// The providers whose payments are of no money, by our names.
    pub fn sandboxes(&self) -> impl Iterator<Item = &'static str> {
        self.known.iter().filter(|bank| !bank.livemode).map(|bank| bank.provider)
    }

    /// True if payments at the provider that we call so are of no money, also where it is closed here. Everything that is
    /// said of test money follows from this.
    #[must_use]
    pub fn is_sandbox(&self, provider: &str) -> bool {
        self.sandboxes().any(|sandbox| sandbox == provider)
    }

    /// The name on the wire of the provider that we call so.
    #[must_use]
    pub fn wire_name<'a>(&self, provider: &'a str) -> &'a str {
        let known = self.known.iter().find(|bank| bank.provider == provider);
        known.map_or(provider, |bank| bank.wire_name)
    }

    /// Our name of the provider that a request names; ours is a synonym there.
    #[must_use]
    pub fn provider_named<'a>(&self, name: &'a str) -> &'a str {
        let known = self.known.iter().find(|bank| bank.wire_name == name);
        known.map_or(name, |bank| bank.provider)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::matching::{MovementKind, Rule};

    use super::*;

    static CLOSED: Capabilities = Capabilities {
        provider: "MADE_UP",
        wire_name: "VE_BAN_MADE_UP",
        platform: "Banco imaginario",
        bank_code: None,
        livemode: false,
        rule: Rule::Exact,
        questions: &[],
        payer_facts: &[],
        days_back: 2,
        deadline: Duration::from_secs(60),
        credentials: &[],
        verifies: &MovementKind::ALL,
        has_same_bank_references: false,
    };

    #[test]
    fn a_bank_that_is_closed_here_keeps_its_name_on_the_wire() {
        let banks = Banks::new([&CLOSED], []);
        assert!(banks.get("MADE_UP").is_none());
        assert!(banks.is_sandbox("MADE_UP") && !banks.is_sandbox("OTHER"));
        assert_eq!(banks.wire_name("MADE_UP"), "VE_BAN_MADE_UP");
        assert_eq!(banks.provider_named("VE_BAN_MADE_UP"), "MADE_UP");
        // Our name is a synonym; another one stays what it is.
        assert_eq!(banks.provider_named("MADE_UP"), "MADE_UP");
        assert_eq!((banks.wire_name("OTHER"), banks.provider_named("OTHER")), ("OTHER", "OTHER"));
    }
}
