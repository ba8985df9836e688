//! Recording exchange rates: by the running server, or without one.

use domain::time::{CaracasDate, Timestamp};
use serde_json::json;

use crate::program::{Data, text};

#[test]
fn rates_are_recorded_with_and_without_a_server_and_shown() {
    let data = Data::new();
    let owner = data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    // A rate serves for some days, so that it is of the day on which the test runs, and of the next.
    let today = today();
    let (first, last) = (today.to_string(), today.plus_days(1).to_string());
    let dollar = ["--currency", "USD", "--value-date", &first, "--until", &last];
    let add = |rate: &str, more: &[&str]| {
        let line = [&["rates", "add", "--rate", rate], &dollar[..], more, &["--json"]].concat();
        data.json(&line)
    };
    let recorded = |added: u64, corrected: u64, unchanged: u64| json!({ "added": added, "corrected": corrected, "unchanged": unchanged, "superseded": 0 });
    assert_eq!(add("300,5", &[]), recorded(1, 0, 0));
    assert_eq!(add("300.50", &[]), recorded(0, 0, 1));
    let server = data.serve();
    assert_eq!(add("301.37093", &["--source", "BCV, corregida"]), recorded(0, 1, 0));
    let key = owner["api_key"].as_str().unwrap();
    let (status, body) = server.ask("GET", "/exchange/rate", Some(key), "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""price":301.37093"#), "{body}");
    server.stop();

    let listed = data.json(&["rates", "list", "--json"]);
    let rates = listed["rates"].as_array().unwrap();
    let texts: Vec<_> = rates.iter().map(|rate| rate["rate"].as_str().unwrap()).collect();
    assert_eq!(texts, ["301.37093", "300.50"], "the correction first, and the former stays");
    assert_eq!(rates[0]["source"], "BCV, corregida");
    assert_eq!(
        data.json(&["rates", "list", "--currency", "EUR", "--json"]),
        json!({ "rates": [] })
    );
}

#[test]
fn a_file_is_imported_whole_and_can_be_imported_again() {
    let data = Data::new();
    data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    let file = data.path().join("tasas.csv");
    let path = file.to_str().unwrap();
    let import = || data.json(&["rates", "import", path, "--json"]);
    // As a spreadsheet in Spanish writes it.
    let lines = "\u{feff}value_date;currency;rate;until\r\n\
                 2026-11-23;USD;872,3927;\r\n2026-11-20;USD;870,1;2026-11-22\r\n";
    std::fs::write(&file, lines).unwrap();
    let recorded = |added: u64, unchanged: u64| json!({ "added": added, "corrected": 0, "unchanged": unchanged, "superseded": 0 });
    assert_eq!(import(), recorded(2, 0));
    assert_eq!(import(), recorded(0, 2));

    // As Excel in Spanish saves it: what separates cells in a line of its own, capitals, days first, a comma before
    // decimals, columns and rows in which nothing is, and one byte for a letter with an accent.
    let lines: &[u8] = b"\"sep=;\"\r\nCURRENCY;Value_Date;Rate;UNTIL;Source;\r\nusd;24/11/2026;873,5;26/11/2026;Publicaci\xf3n;\r\n\
          USD;3/12/2026;874,25;;;\r\n;;;;;\r\n";
    std::fs::write(&file, lines).unwrap();
    assert_eq!(import(), recorded(2, 0));
    let listed = data.json(&["rates", "list", "--json"]);
    let days: Vec<_> =
        listed["rates"].as_array().unwrap().iter().map(|rate| &rate["value_date"]).collect();
    assert_eq!(days, ["2026-12-03", "2026-11-24", "2026-11-23", "2026-11-20"]);
    assert_eq!(
        (&listed["rates"][1]["source"], &listed["rates"][1]["rate"]),
        (&json!("Publicación"), &json!("873.50"))
    );

    let first = CaracasDate::parse("2020-01-01").unwrap();
    let many: String = (0..1_200)
        .map(|day| {
            let date = first.plus_days(day);
            format!("EUR,{date},977.{:04}\n", day % 100)
        })
        .collect();
    std::fs::write(&file, format!("currency,value_date,rate\n{many}")).unwrap();
    assert_eq!(import(), recorded(1_200, 0));
    assert_eq!(import(), recorded(0, 1_200));
    // A slip in its last line leaves nothing of it.
    std::fs::write(&file, format!("currency,value_date,rate\n{many}EUR,2023-04-15,9770\n"))
        .unwrap();
    let output = data.run(&["rates", "import", path]);
    assert!(text(&output.stderr).contains("--accept-jump"), "{}", text(&output.stderr));
    let more: String =
        (0..5_001).map(|day| format!("USDT,{},870\n", first.plus_days(day - 5_000))).collect();
    std::fs::write(&file, format!("currency,value_date,rate\n{more}")).unwrap();
    let output = data.run(&["rates", "import", path]);
    assert!(text(&output.stderr).contains("5001 rates; up to 5000"), "{}", text(&output.stderr));
    let listed = data.json(&["rates", "list", "--currency", "USDT", "--json"]);
    assert_eq!(listed, json!({ "rates": [] }));
}

#[test]
fn a_file_with_a_slip_changes_nothing_and_says_where_it_is() {
    let data = Data::new();
    data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    let file = data.path().join("tasas.csv");
    for (lines, says) in [
        (
            "currency,value_date,rate\nUSD,2026-11-20,870.1\nUSD,2026-11-31,872\n",
            "line 3: value_date",
        ),
        ("currency,value_date,rate\nUSD,2026-11-20,1.870,10\n", "line: 2"),
        ("currency,value_date,rate\nVES,2026-11-20,1\n", "currency: not USD, EUR or USDT"),
        ("currency;value_date;rate\nUSD;2026-11-20;0\n", "must be a number above 0"),
        ("currency,value_date,rate,until\nUSD,2026-11-20,870,2026-11-19\n", "until: before"),
        (
            "currency,value_date,rate,until\nUSD,2026-11-20,870,2062-11-20\n",
            "until: more than 31 days",
        ),
        ("currency,day,rate\nUSD,2026-11-20,870.1\n", "line 2"),
        // Between commas the month may stand first.
        ("currency,value_date,rate\nUSD,03/11/2026,870.1\n", "line 2: value_date"),
        ("sep=;\ncurrency;value_date;rate\nUSD;31/11/2026;870,1\n", "line 3: value_date"),
        ("currency;value_date;rate\nUSD;20/11/26;870,1\n", "line 2: value_date"),
        ("sep=|\ncurrency|value_date|rate\n", "line 1: sep="),
        ("currency,value_date,rate\nUSD,2026-11-20,870\nUSD,2026-11-21,8700\n", "--accept-jump"),
    ] {
        std::fs::write(&file, lines).unwrap();
        let output = data.run(&["rates", "import", file.to_str().unwrap()]);
        assert!(!output.status.success(), "{lines}");
        assert!(text(&output.stderr).contains(says), "{lines}: {}", text(&output.stderr));
    }
    assert_eq!(data.json(&["rates", "list", "--json"]), json!({ "rates": [] }));
}

#[expect(clippy::disallowed_methods, reason = "the program under test goes by the wall's clock")]
fn today() -> CaracasDate {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let micros = i64::try_from(since.as_micros()).unwrap();
    CaracasDate::of(Timestamp::from_micros(micros))
}
