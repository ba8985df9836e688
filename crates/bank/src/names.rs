//! The names of providers: our short one, which rows keep and the paths of banks' notices have, and
//! the one on the wire, which clients send and filter by.

/// The providers whose name on the wire is another one than ours.
const ON_THE_WIRE: [(&str, &str); 1] = [("BDV", "VE_BAN_EMP_V2")];

/// The name on the wire of the provider that we call so.
#[must_use]
pub fn wire_name(provider: &str) -> &str {
    ON_THE_WIRE.iter().find(|(ours, _)| *ours == provider).map_or(provider, |(_, wire)| wire)
}

/// Our name of the provider that a request names; ours is a synonym there.
#[must_use]
pub fn provider_named(name: &str) -> &str {
    ON_THE_WIRE.iter().find(|(_, wire)| *wire == name).map_or(name, |(ours, _)| ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_there_and_back() {
        for (ours, wire) in ON_THE_WIRE {
            assert_eq!((wire_name(ours), provider_named(wire)), (wire, ours));
            assert_eq!(provider_named(ours), ours);
        }
        assert_eq!(
            (wire_name("BANK_TEST"), provider_named("BANK_TEST")),
            ("BANK_TEST", "BANK_TEST")
        );
    }
}
