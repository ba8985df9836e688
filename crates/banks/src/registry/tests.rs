//! What every bank of the list must declare, and how its settings are read.

use std::collections::BTreeSet;
use std::sync::Arc;

use bank::{Capabilities, CredentialFact, Field, Format};
use domain::time::Timestamp;

use super::*;
use crate::clock::Clock;
use crate::definition::{Connect, SettingError, SettingValue, Settings};

/// The settings that hold unless something else is said, with these over them.
fn open(bank: &Definition, set: &[(&str, &'static str)]) -> Result<Option<Connect>, SettingError> {
    let set = set.to_vec();
    let value = |name: &str| {
        let default = bank.settings.iter().find(|setting| setting.name == name);
        let default = default.and_then(|setting| match setting.value {
            SettingValue::Default(text) => Some(text.trim_matches('"')),
            SettingValue::Absent(_) => None,
        });
        set.iter().find(|(key, _)| *key == name).map(|(_, text)| *text).or(default)
    };
    (bank.open)(&Settings::new(&value))
}

fn clock() -> Clock {
    let now = Arc::new(|| Timestamp::from_micros(0));
    Clock { now, wait: Arc::new(|_| Box::pin(std::future::pending())) }
}

#[test]
fn no_two_banks_share_a_name() {
    let all = |name: fn(&Definition) -> &'static str| {
        let names: Vec<_> = BANKS.iter().map(|bank| name(bank)).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    };
    all(|bank| bank.name);
    // Variables of the environment have `_` between a name and what follows it.
    let is_word = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'))
    };
    assert!(BANKS.iter().all(|bank| is_word(bank.name)));
    all(|bank| bank.capabilities.provider);
    all(|bank| bank.capabilities.wire_name);
    let ours: BTreeSet<_> = BANKS.iter().map(|bank| bank.capabilities.provider).collect();
    for bank in BANKS {
        let Capabilities { provider, wire_name, .. } = bank.capabilities;
        assert!(wire_name == provider || !ours.contains(wire_name), "{wire_name} names two banks");
    }
}

#[test]
fn each_fact_of_a_bank_has_a_name_and_a_field_of_its_own() {
    for bank in BANKS {
        let facts = bank.capabilities.credentials;
        // Movements belong to a real account, and payers are shown its number.
        let is_number = |fact: &CredentialFact| fact.format == Format::AccountNumber;
        assert!(facts.is_empty() || facts.iter().any(is_number), "{}", bank.name);
        let names: BTreeSet<_> = facts.iter().map(|fact| fact.name).collect();
        let fields: BTreeSet<_> = facts.iter().map(|fact| format!("{:?}", fact.field)).collect();
        assert_eq!((names.len(), fields.len()), (facts.len(), facts.len()), "{}", bank.name);
        for fact in facts {
            // What is kept in the open is no secret, and what a field is cut to is not declared longer.
            let longest = match fact.field {
                Field::Username => 200,
                Field::Password | Field::Phone | Field::Metadata(_) => 1024,
            };
            assert!(fact.max_len <= longest, "{} {}", bank.name, fact.name);
            assert!(!fact.is_secret || fact.format == Format::Text, "{} {}", bank.name, fact.name);
            assert!(
                (fact.format == Format::Phone) == (fact.field == Field::Phone),
                "{}",
                fact.name
            );
        }
    }
}

#[test]
fn a_bank_with_an_address_is_closed_without_it_and_open_with_it() {
    for bank in BANKS {
        let has_address = bank.settings.iter().any(|setting| setting.name == "url");
        assert_eq!(open(bank, &[]).unwrap().is_none(), has_address, "{}", bank.name);
        let connect = open(bank, &[("url", "http://127.0.0.1:1")]).unwrap().expect(bank.name);
        let connector = connect(&clock()).unwrap();
        assert_eq!(connector.capabilities().provider, bank.capabilities.provider);
    }
}

#[test]
fn a_wrong_setting_is_named_and_its_value_is_not() {
    for (name, value, problem) in [
        ("url", "ftp://made-up", "must begin with https://"),
        ("environment", "made-up", "must be production or quality"),
        ("timeout_seconds", "0", "must be a whole number of seconds from 1 to 60"),
        ("timeout_seconds", "61", "must be a whole number of seconds from 1 to 60"),
        ("interval_seconds", "1.5", "must be a whole number of seconds from 1 to 600"),
    ] {
        let error = open(&bdv::BANK, &[(name, value)]).err().expect(name);
        assert_eq!(error.name, name);
        assert_eq!(error.problem, problem);
    }
}
