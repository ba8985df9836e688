use super::*;

/// The variables of a test.
fn environment(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Loads a file of that text.
fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let folder = crate::testing::Folder::new();
    let file = folder.path().join("cotejo.toml");
    std::fs::write(&file, text).unwrap();
    let flags = Flags { config: Some(file), ..Flags::default() };
    Config::load(&flags, environment(variables))
}

#[test]
fn the_example_is_made_from_the_list_of_keys() {
    let kept = include_str!("../../../../config.example.toml");
    assert_eq!(kept, Config::example(), "write it anew: cotejo config-example");
}

#[test]
fn the_example_uncommented_is_valid_and_says_what_holds_without_it() {
    let text: String = Config::example()
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let example = load(&text, &[]).unwrap();
    let defaults = Config::load(&Flags::default(), []).unwrap();
    assert_eq!(example.master_key_file.to_str(), Some("/etc/cotejo/master.key"));
    assert!(example.postgres.is_some() && defaults.postgres.is_none());
    assert_eq!(example.settings.base_url, "https://cobros.example.com");
    let same = |mut config: Config| {
        // Where nothing is said, it follows from where the service listens.
        config.settings.base_url.clear();
        config.http.connections_per_address = Some(config.http.share());
        let (data, listen) = (config.data.clone(), config.listen);
        format!("{listen} {data:?} {:?} {:?} {:?}", config.log, config.http, config.settings)
    };
    assert_eq!(same(example), same(defaults));
}

#[test]
fn the_defaults_are_those_of_the_use_cases() {
    let config = Config::load(&Flags::default(), []).unwrap();
    assert_eq!(format!("{:?}", config.settings), format!("{:?}", Settings::default()));
    assert_eq!(config.master_key_file, config.data.join("master.key"));
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let file = "listen = \"127.0.0.1:1\"\ndata = \"a\"\n[log]\nformat = \"plain\"\n";
    let config = load(file, &[("COTEJO_DATA", "b"), ("HOME", "/root")]).unwrap();
    assert_eq!(config.listen.port(), 1);
    assert_eq!(config.data.to_str(), Some("b"));
    assert_eq!(config.log.format, LogFormat::Plain);
    let flags = Flags { data: Some("c".into()), json_logs: true, ..Flags::default() };
    let config = Config::load(&flags, environment(&[("COTEJO_DATA", "b")])).unwrap();
    assert_eq!(config.data.to_str(), Some("c"));
    assert_eq!(config.log.format, LogFormat::Json);
}

#[test]
fn the_environment_can_name_the_file() {
    let folder = crate::testing::Folder::new();
    let file = folder.path().join("other.toml");
    std::fs::write(&file, "[verification]\nprice = 7\n").unwrap();
    let variables = [("COTEJO_CONFIG".to_owned(), file.display().to_string())];
    let config = Config::load(&Flags::default(), variables).unwrap();
    assert_eq!(config.settings.verification_price, Credits::new(7));
}

#[test]
fn a_misspelt_name_is_answered_with_the_right_one() {
    let problem = |text: &str| load(text, &[]).unwrap_err().to_string();
    assert_eq!(
        problem("[log]\nlevl = \"info\""),
        "unknown key log.levl in the configuration; did you mean log.level?"
    );
    assert_eq!(problem("[quite]\nother = 1"), "unknown key quite.other in the configuration");
    let problem = load("", &[("COTEJO_LISTN", "x")]).unwrap_err().to_string();
    assert_eq!(
        problem,
        "unknown variable COTEJO_LISTN in the environment; did you mean COTEJO_LISTEN?"
    );
}

#[test]
fn a_wrong_value_names_its_key_and_is_not_repeated() {
    for (text, name) in [
        ("listen = \"hunter2\"", "listen"),
        ("database = \"mysql://u:hunter2@db\"", "database"),
        ("log.format = \"hunter2\"", "log.format"),
        ("http.connections_max = 0", "http.connections_max"),
        ("http.connections_per_address = 0", "http.connections_per_address"),
        ("http.connections_reserved = 0", "http.connections_reserved"),
        ("http.write_seconds = 0", "http.write_seconds"),
        ("http.answer_seconds = 0", "http.answer_seconds"),
        ("http.send_buffer_kib = 3", "http.send_buffer_kib"),
        ("http.attempts_per_minute = -1", "http.attempts_per_minute"),
        ("http.key_requests_per_minute = -1", "http.key_requests_per_minute"),
        ("verification.price = -1", "verification.price"),
        ("verification.price = 1.5", "verification.price"),
        ("verification.allow_test_bank = 3", "verification.allow_test_bank"),
        ("postgres.batch = \"hunter2\"", "postgres.batch"),
        ("webhooks.retention_days = 6", "webhooks.retention_days"),
        ("webhooks.retention_days = 3651", "webhooks.retention_days"),
        ("movements.retention_days = 6", "movements.retention_days"),
        ("movements.unnamed_for_keys = 3", "movements.unnamed_for_keys"),
    ] {
        let problem = load(text, &[]).unwrap_err().to_string();
        assert!(problem.starts_with(&format!("{name}: ")), "{problem}");
        assert!(!problem.contains("hunter2"), "{problem}");
    }
    let problem = load("", &[("COTEJO_LISTEN", "x")]).unwrap_err().to_string();
    assert!(problem.starts_with("COTEJO_LISTEN: "), "{problem}");
}

#[test]
fn a_file_that_is_no_toml_is_reported_by_line_and_column_without_its_text() {
    for (text, place) in [
        ("# A comment.\ndatabase = \"postgres://u:hunter2@db/c\n", "line 2, column "),
        ("database = postgres://u:hunter2@db/c", "line 1, column 12"),
        ("data = \"ñ\" hunter2", "line 1, column 12"),
        ("hunter2", "line 1, column "),
        ("[hunter2", "line 1, column "),
        ("data = \"\\hunter2\"", "line 1, column "),
        ("database = \"hunter2\"\ndatabase = \"hunter2\"", "line 2, column 1"),
        ("database = { hunter2 = 1, hunter2 = 2 }", "line 1, column "),
    ] {
        let problem = load(text, &[]).unwrap_err().to_string();
        assert!(problem.contains(&format!("is not TOML: {place}")), "{problem}");
        assert!(!problem.contains("hunter2") && !problem.contains('\n'), "{problem}");
    }
}

#[test]
fn the_databases_password_is_not_shown() {
    let config = load("database = \"postgres://u:hunter2@db/c\"", &[]).unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    assert_eq!(config.postgres.unwrap().url.expose(), "postgres://u:hunter2@db/c");
}

#[test]
fn lists_read_the_same_from_a_file_and_from_a_variable() {
    let file = load("http.trusted_proxies = [\"10.0.0.0/8\", \"::1\"]", &[]).unwrap();
    let variable = load("", &[("COTEJO_HTTP_TRUSTED_PROXIES", "10.0.0.0/8, ::1")]).unwrap();
    assert_eq!(file.http.trusted_proxies, variable.http.trusted_proxies);
    assert_eq!(file.http.trusted_proxies.len(), 2);
}

#[test]
fn an_address_may_have_a_quarter_of_the_connections_unless_set_otherwise() {
    let share = |text: &str| load(text, &[]).unwrap().http.share();
    assert_eq!(share(""), 2_500);
    assert_eq!(share("http.connections_max = 20"), 8);
    assert_eq!(share("http.connections_max = 3"), 3);
    assert_eq!(share("http.connections_per_address = 9"), 9);
    assert_eq!(share("http.connections_per_address = 9\nhttp.connections_max = 4"), 4);
}

#[test]
fn webhooks_go_to_the_internet_alone_unless_set_otherwise() {
    let reach = |text: &str, flags: &Flags| {
        let folder = crate::testing::Folder::new();
        let file = folder.path().join("cotejo.toml");
        std::fs::write(&file, text).unwrap();
        let flags = Flags { config: Some(file), ..flags.clone() };
        Config::load(&flags, []).unwrap().webhooks.reach
    };
    let flag = Flags { allow_private_webhooks: true, ..Flags::default() };
    assert_eq!(reach("", &Flags::default()), Reach::Internet);
    assert_eq!(reach("", &flag), Reach::Anywhere);
    assert_eq!(reach("[webhooks]\nallow_private = true", &Flags::default()), Reach::Anywhere);
    assert_eq!(reach("[webhooks]\nallow_private = false", &flag), Reach::Anywhere);
}

#[test]
fn a_hash_that_costs_too_little_is_refused_where_it_is_no_test() {
    let cost = |memory_kib: u32, passes: u32, is_cheap_allowed| {
        let mut layers = Layers::new().unwrap();
        layers.set_flag("password.memory_kib", memory_kib.to_string());
        layers.set_flag("password.passes", passes.to_string());
        password_cost(&layers, is_cheap_allowed).map_err(|error| error.to_string())
    };
    for (memory_kib, passes) in
        [(47_104, 1), (19_456, 2), (12_288, 3), (9_216, 4), (7_168, 5), (7_168, 9)]
    {
        assert!(cost(memory_kib, passes, false).is_ok(), "{memory_kib} {passes}");
        let problem = cost(memory_kib - 1, passes, false).unwrap_err();
        assert!(problem.contains(&format!("must be at least {memory_kib} ")), "{problem}");
    }
    assert!(cost(8, 1, true).is_ok());
}

#[test]
fn networks_that_webhooks_may_not_go_to_are_read() {
    let refuse = |text: &str| load(text, &[]).map(|config| config.webhooks.refuse.len());
    assert_eq!(refuse("").unwrap(), 0);
    assert_eq!(refuse("webhooks.refuse = [\"203.0.113.0/24\", \"2001:db8::1\"]").unwrap(), 2);
    let problem = refuse("webhooks.refuse = [\"here\"]").unwrap_err().to_string();
    assert!(problem.starts_with("webhooks.refuse: "), "{problem}");
}

#[test]
fn webhooks_are_sent_unless_set_otherwise() {
    assert!(load("", &[]).unwrap().webhooks.deliver);
    assert!(!load("[webhooks]\ndeliver = false", &[]).unwrap().webhooks.deliver);
}

#[test]
fn the_word_in_the_headers_of_webhooks_is_one_that_headers_can_have() {
    let word = |text: &str| load(text, &[]).map(|config| config.webhooks.header_word.to_string());
    assert_eq!(word("").unwrap(), "Service");
    assert_eq!(word("[webhooks]\nheader_word = \"Mi-Tienda\"").unwrap(), "Mi-Tienda");
    let problem = word("[webhooks]\nheader_word = \"a b\"").unwrap_err().to_string();
    assert!(problem.starts_with("webhooks.header_word: must be letters"), "{problem}");
}

#[test]
fn a_bank_is_open_where_its_section_says_where_it_is() {
    let names = |config: &Config| -> Vec<_> {
        config.banks.iter().map(|open| open.bank.capabilities.provider).collect()
    };
    assert_eq!(names(&Config::load(&Flags::default(), []).unwrap()), ["BANK_TEST"]);
    let file = "[banks.bdv]\nurl = \"https://bank.example\"\ninterval_seconds = 5\n";
    assert_eq!(names(&load(file, &[]).unwrap()), ["BANK_TEST", "BDV"]);
    let variable = [("COTEJO_BANKS_BDV_URL", "https://bank.example")];
    assert_eq!(names(&load("", &variable).unwrap()), ["BANK_TEST", "BDV"]);
}

#[test]
fn a_wrong_setting_of_a_bank_is_reported_by_the_name_it_was_given_under() {
    let said =
        |file: &str, variables: &[(&str, &str)]| load(file, variables).unwrap_err().to_string();
    assert_eq!(
        said("[banks.bdv]\nenvironment = \"made-up\"\n", &[]),
        "banks.bdv.environment: must be production or quality"
    );
    assert_eq!(
        said("", &[("COTEJO_BANKS_BDV_TIMEOUT_SECONDS", "61")]),
        "COTEJO_BANKS_BDV_TIMEOUT_SECONDS: must be a whole number of seconds from 1 to 60"
    );
}

#[test]
fn a_bank_that_there_is_no_connector_for_is_refused_with_the_list_of_those_there_are() {
    let file = load("[banks.made_up]\nurl = \"https://bank.example\"\n", &[]).unwrap_err();
    let said = file.to_string();
    assert!(said.starts_with("unknown bank made_up in "), "{said}");
    let (_, known) = said.split_once("; banks are: ").unwrap();
    assert!(known.split(", ").any(|name| name == "bdv"), "{said}");
    let empty = load("[banks.made_up]\n", &[]).unwrap_err().to_string();
    assert!(empty.starts_with("unknown bank made_up in "), "{empty}");
    let variable = [("COTEJO_BANKS_MADE_URL", "https://bank.example")];
    let said = load("", &variable).unwrap_err().to_string();
    assert_eq!(said, format!("unknown bank made in the environment; banks are: {known}"));
    // Of a bank that there is, a key that means nothing is one as any other.
    let file = load("[banks.bdv]\nurls = \"https://bank.example\"\n", &[]).unwrap_err();
    assert_eq!(
        file.to_string(),
        "unknown key banks.bdv.urls in the configuration; did you mean banks.bdv.url?"
    );
}

#[test]
fn without_a_server_no_mail_is_sent_and_what_belongs_to_one_is_refused() {
    assert!(load("", &[]).unwrap().mail.is_none());
    for key in [
        "port = 25",
        "user = \"u\"",
        "password = \"s3cret\"",
        "from = \"a@b.c\"",
        "ca_file = \"/nowhere\"",
    ] {
        let error = load(&format!("[mail]\n{key}\n"), &[]).unwrap_err().to_string();
        assert!(error.contains("without mail.server") && !error.contains("s3cret"), "{error}");
    }
}

#[test]
fn a_mail_server_is_read_with_the_port_of_its_encryption() {
    let mail = |lines: &str| {
        let text = format!("[mail]\nserver = \"localhost\"\nfrom = \"Ana <a@b.c>\"\n{lines}");
        load(&text, &[("COTEJO_MAIL_PASSWORD", "s3cret"), ("COTEJO_MAIL_USER", "u")]).unwrap().mail
    };
    for (lines, port) in [
        ("", 587),
        ("tls = \"starttls\"", 587),
        ("tls = \"implicit\"", 465),
        ("tls = \"off\"", 25),
        ("port = 2525", 2_525),
    ] {
        let settings = mail(lines).unwrap();
        assert_eq!(settings.port, port, "{lines}");
        let (user, password) = settings.credentials.clone().unwrap();
        assert_eq!((user.as_str(), password.expose()), ("u", "s3cret"));
        assert!(!format!("{settings:?}").contains("s3cret"));
    }
}

#[test]
fn what_is_wrong_with_mail_is_named() {
    for (lines, expected) in [
        ("server = \"smtp.example.com\"", "mail.from: must have a value"),
        ("server = \"smtp.example.com\"\nfrom = \"Ana\"", "mail.from: must be an e-mail address"),
        ("server = \"smtp.example.com/x\"", "mail.server: must be a name or an address"),
        ("server = \"a\"\nfrom = \"a@b.c\"\nport = 0", "mail.port: must be a port"),
        ("server = \"a\"\nfrom = \"a@b.c\"\nuser = \"u\"", "mail.password: must have a value"),
        ("server = \"a\"\nfrom = \"a@b.c\"\npassword = \"u\"", "mail.user: must have a value"),
        ("tls = \"on\"", "mail.tls: must be starttls, implicit or off"),
        (
            "server = \"localhost\"\nfrom = \"a@b.c\"\nca_file = \"/dev/null\"\ntls = \"off\"",
            "mail.ca_file: means nothing where mail.tls is off",
        ),
        ("server = \"smtp.example.com\"\nfrom = \"a@b.c\"", "base_url: must have a value"),
        (
            "server = \"smtp.example.com\"\nfrom = \"a@b.c\"\ntls = \"off\"",
            "mail.tls: may be off only where mail.server is this machine",
        ),
    ] {
        let error = load(&format!("[mail]\n{lines}\n"), &[]).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_jump_of_rates_is_one_hundredth_at_least_and_less_than_all_of_the_former() {
    let says = |percent: &str| {
        load(&format!("[rates]\nurl = \"https://a.example.com\"\njump_percent = {percent}\n"), &[])
    };
    for percent in [1, 10, 99] {
        let rates = says(&percent.to_string()).unwrap().rates.unwrap();
        assert_eq!(rates.jump_percent, percent);
    }
    for percent in ["0", "100", "1000", "-1", "10.5"] {
        let problem = says(percent).unwrap_err().to_string();
        let expected = "rates.jump_percent: must be a whole number from 1 to 99";
        assert!(problem.contains(expected), "{percent}: {problem}");
    }
}
