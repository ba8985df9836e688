//! A browser and a system, as a person recognises them: one word each, from what a request says of its program. The text
//! itself is long, changes from month to month and tells people apart; it is kept nowhere.

/// The most of such a text that is looked at, in bytes.
const LEN_MAX: usize = 1_024;

/// Browsers by what they say, those first that also say what others do.
const BROWSERS: [(&str, &str); 11] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex"),
    ("Vivaldi/", "Vivaldi"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
    ("curl/", "curl"),
];

/// Systems by what browsers say of them, in the same way.
const SYSTEMS: [(&str, &str); 8] = [
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
    ("BSD", "BSD"),
];

/// The program that a request comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The browser; nothing where it is none that is known.
    pub browser: Option<&'static str>,
    /// The system that it runs on.
    pub system: Option<&'static str>,
}

impl Program {
    /// Reads what a request says of its program. Any program may say anything: it is shown, and decides nothing.
    #[must_use]
    pub fn of(said: &str) -> Self {
        if said.len() > LEN_MAX {
            return Self::default();
        }
        let first = |known: &[(&str, &'static str)]| {
            known.iter().find(|(part, _)| said.contains(part)).map(|(_, name)| *name)
        };
        Self { browser: first(&BROWSERS), system: first(&SYSTEMS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_known_by_what_no_other_says() {
        let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
        let phone = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)";
        let apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
        for (said, browser, system) in [
            (windows.to_owned(), Some("Chrome"), Some("Windows")),
            (format!("{windows} Edg/140.0.0.0"), Some("Edge"), Some("Windows")),
            (format!("{windows} OPR/120.0.0.0"), Some("Opera"), Some("Windows")),
            (
                format!("{phone} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36"),
                Some("Samsung Internet"),
                Some("Android"),
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".to_owned(),
                Some("Firefox"),
                Some("Linux"),
            ),
            (
                format!(
                    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) {apple} Version/18.5 Mobile/15E148 Safari/604.1"
                ),
                Some("Safari"),
                Some("iOS"),
            ),
            (
                format!(
                    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {apple} Version/18.5 Safari/605.1.15"
                ),
                Some("Safari"),
                Some("macOS"),
            ),
            ("curl/8.5.0".to_owned(), Some("curl"), None),
            ("a program of a shop".to_owned(), None, None),
            (String::new(), None, None),
            (format!("Firefox/140.0 {}", "x".repeat(LEN_MAX)), None, None),
        ] {
            assert_eq!(Program::of(&said), Program { browser, system }, "{said}");
        }
    }
}
