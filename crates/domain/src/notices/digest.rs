//! A mail about notices of one kind: one for all that happened since the mail before.

use super::Kind;
use crate::language::Language::{self, En, Es};
use crate::time::Timestamp;
use crate::webhooks::Trouble;

/// How many things a mail names.
pub const LATEST_MAX: usize = 5;

/// The most of a name that a mail shows, in characters.
const NAME_MAX: usize = 120;

/// Summary of the notices of one kind, for a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// What they are about.
    pub kind: Kind,
    /// How many times it happened that no mail has reported yet.
    pub times: i64,
    /// When it happened first of these times.
    pub since: Timestamp,
    /// What it was about, the latest first, [`LATEST_MAX`] at most.
    pub latest: Vec<Item>,
    /// About how many other things it was.
    pub others: i64,
}

/// One thing that notices were about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// As [`super::Notice::subject`].
    pub subject: String,
    /// Why a webhook was not delivered.
    pub trouble: Option<Trouble>,
    /// How often it happened.
    pub times: i64,
    /// Whether it is about money that exists: not about a link of the test bank.
    pub livemode: bool,
}

impl Digest {
    /// The mail's subject and its text.
    #[must_use]
    pub fn write(&self, language: Language, base_url: &str) -> (String, String) {
        let title = self.kind.title(language);
        // One that is only about tests says so before anybody opens it.
        let is_test = self.others == 0 && self.latest.iter().all(|item| !item.livemode);
        let title = match is_test && !self.latest.is_empty() {
            true => format!("{} {title}", of_test(language)),
            false => title.to_owned(),
        };
        let subject = match (self.times, language) {
            (..=1, _) => title,
            (times, Es) => format!("{title} ({times} veces)"),
            (times, En) => format!("{title} ({times} times)"),
        };
        let latest = self.latest.first();
        let name = latest.map(|item| one_line(&item.subject)).unwrap_or_default();
        let text = self.kind.text(&name, latest.and_then(|item| item.trouble), language);
        let (what, place) = (self.what(language), self.kind.path());
        let ends = match language {
            Es => format!(
                "Dónde mirar: {base_url}{place}\nTodos los avisos: {base_url}/v1/notices\n\nQué avisos llegan por \
                 correo, y cada cuánto, se elige en {base_url}/v1/notices/settings\n"
            ),
            En => format!(
                "Where to look: {base_url}{place}\nAll notices: {base_url}/v1/notices\n\nChoose which notices arrive \
                 by email, and how often, at {base_url}/v1/notices/settings\n"
            ),
        };
        (subject, format!("{text}\n\n{what}\n{ends}"))
    }

    /// When and about what it was.
    fn what(&self, language: Language) -> String {
        let since = self.since.in_caracas();
        let mut what = match (self.times, language) {
            (..=1, Es) => format!("Pasó el {since} (hora de Caracas):\n"),
            (..=1, En) => format!("It happened on {since} (Caracas time):\n"),
            (times, Es) => format!("Pasó {times} veces desde el {since} (hora de Caracas):\n"),
            (times, En) => format!("It happened {times} times since {since} (Caracas time):\n"),
        };
        for item in &self.latest {
            let name = match item.livemode {
                true => one_line(&item.subject),
                false => format!("{} {}", of_test(language), one_line(&item.subject)),
            };
            let line = match (item.times, language) {
                (..=1, _) => format!("- {name}\n"),
                (times, Es) => format!("- {name} ({times} veces)\n"),
                (times, En) => format!("- {name} ({times} times)\n"),
            };
            what.push_str(&line);
        }
        if self.others > 0 {
            let others = self.others;
            what.push_str(&match language {
                Es => format!("- y {others} más\n"),
                En => format!("- and {others} more\n"),
            });
        }
        what
    }
}

/// The beginning of what is about test money alone.
const fn of_test(language: Language) -> &'static str {
    match language {
        Es => "[Prueba, no es dinero]",
        En => "[Test, not real money]",
    }
}

fn one_line(name: &str) -> String {
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().chars().take(NAME_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(kind: Kind, times: i64, subjects: &[(&str, i64)]) -> Digest {
        let item = |(subject, times): &(&str, i64)| Item {
            subject: (*subject).to_owned(),
            trouble: (kind == Kind::WebhookFailing).then_some(Trouble::Gone),
            times: *times,
            livemode: true,
        };
        Digest {
            kind,
            times,
            since: Timestamp::from_micros(1_795_176_000_000_000),
            latest: subjects.iter().map(item).collect(),
            others: 0,
        }
    }

    #[test]
    fn a_mail_counts_what_happened_and_says_where_to_look() {
        let hosts = [("shop.example", 2), ("otro.example", 1)];
        let three = Digest { others: 4, ..digest(Kind::WebhookFailing, 3, &hosts) };
        let (subject, body) = three.write(Es, "https://c.example");
        assert_eq!(subject, "Su servidor no recibe avisos (3 veces)");
        for part in [
            "shop.example no recibió un aviso: la respuesta fue 410",
            "Pasó 3 veces desde el 2026-11-20 08:00 (hora de Caracas):\n- shop.example (2 veces)\n- otro.example\n- y 4 más",
            "https://c.example/v1/webhooks/deliveries",
            "https://c.example/v1/notices/settings",
        ] {
            assert!(body.contains(part), "{part}: {body}");
        }
        let (subject, body) = digest(Kind::LowBalance, 1, &[("19", 1)]).write(En, "");
        assert_eq!(subject, "Few credits are left");
        assert!(body.contains("19 credits are left"), "{body}");
        assert!(body.contains("It happened on 2026-11-20 08:00"), "{body}");
    }

    #[test]
    fn test_money_is_called_so_in_subject_and_text() {
        let mut both = digest(Kind::LinkMoneyUnclaimed, 2, &[("link_1", 1), ("link_2", 1)]);
        both.latest[0].livemode = false;
        let (subject, body) = both.write(Es, "");
        assert!(!subject.contains("Prueba"), "{subject}");
        assert!(body.contains("- [Prueba, no es dinero] link_1\n- link_2\n"), "{body}");
        both.latest[1].livemode = false;
        assert!(both.write(Es, "").0.starts_with("[Prueba, no es dinero] "));
        assert!(both.write(En, "").0.starts_with("[Test, not real money] "));
    }

    #[test]
    fn every_kind_has_a_mail_in_both_languages() {
        let mut subjects = std::collections::HashSet::new();
        for kind in Kind::ALL {
            for language in Language::ALL {
                let (subject, body) = digest(kind, 1, &[("algo", 1)]).write(language, "");
                assert!(!body.contains(['{', '}']), "{body}");
                assert!(subjects.insert(subject));
            }
        }
    }

    #[test]
    fn a_name_stays_a_part_of_one_line() {
        let hostile = format!("a\r\nBcc: b\u{1b}{}", "x".repeat(500));
        let (subject, body) = digest(Kind::WebhookFailing, 1, &[(&hostile, 1)]).write(Es, "");
        assert!(!subject.contains(['\r', '\n']));
        assert!(!body.contains(['\r', '\u{1b}']) && body.contains("a  Bcc: b"), "{body}");
    }
}
