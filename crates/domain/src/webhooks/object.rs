//! JSON of webhooks about an owner's own affairs, written by hand: no serialiser is known here, and amounts go from whole
//! hundredths to decimal text without a binary fraction in between.

use std::fmt::Display;

/// An amount as a JSON number, always with its hundredths, so that it is of one type to receivers.
pub(super) fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let whole = hundredths.unsigned_abs();
    format!("{sign}{}.{:02}", whole / 100, whole % 100)
}

/// A JSON object that is being written.
pub(super) struct Object(String);

impl Object {
    pub(super) fn begin() -> Self {
        Self("{".to_owned())
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        quote(&mut self.0, name);
        self.0.push(':');
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        quote(&mut self.0, value);
    }

    pub(super) fn optional(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => self.bare(name, &"null"),
        }
    }

    /// A value whose text is to stand in quotes.
    pub(super) fn shown(&mut self, name: &str, value: &dyn Display) {
        self.text(name, &value.to_string());
    }

    /// A value whose text is JSON already.
    pub(super) fn bare(&mut self, name: &str, value: &dyn Display) {
        self.name(name);
        self.0.push_str(&value.to_string());
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quote(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            // DEL is allowed raw, yet some readers stumble over it.
            control if control.is_ascii_control() => {
                json.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => json.push(other),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        for (hundredths, text) in [
            (0, "0.00"),
            (7, "0.07"),
            (100, "1.00"),
            (99_999_999_999_999, "999999999999.99"),
            (-5, "-0.05"),
            (i64::MIN, "-92233720368547758.08"),
        ] {
            assert_eq!(decimal(hundredths), text);
        }
    }
}
