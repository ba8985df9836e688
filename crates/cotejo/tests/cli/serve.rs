//! A server as a process: its first start, its socket, and its end.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::program::{Data, Serving, text};

#[test]
fn a_first_start_leaves_its_secrets_in_a_private_file_and_not_in_the_log() {
    let data = Data::new();
    let server = data.serve();
    assert_eq!(server.get("/health/live").0, 200);
    assert_eq!(server.get("/health/ready"), (200, "{\"status\":\"ready\"}".to_owned()));
    let addr = server.addr();
    let path = data.path().join("first-secrets.txt");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let letter = fs::read_to_string(&path).unwrap();
    // Pasted into a shell, its last lines verify a payment.
    let (_, pasted) = letter.split_once("curl ").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("curl {pasted}")]).env("no_proxy", "*");
    let output = shell.output().unwrap();
    assert!(text(&output.stdout).contains("\"is_new\":true"), "{}", text(&output.stderr));
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");

    assert!(letter.contains("owner@localhost"), "{letter}");
    assert!(letter.contains(&format!("curl -sS http://{addr}/userbankpayment/bank_")), "{letter}");
    assert!(letter.contains("0000067890"), "{letter}");
    let key = letter.split_whitespace().find(|word| word.starts_with("ck_live_")).unwrap();
    let password = letter.lines().find_map(|line| line.split_once("password:")).unwrap().1.trim();
    assert!(!log.contains(key) && !log.contains(password), "{log}");
    assert!(log.contains("first-secrets.txt"), "{log}");

    let audit = data.json(&["check-ledger", "--json"]);
    assert_eq!(audit["owners"], 1);
}

/// The page that somebody with a browser sees at that path, or after a form with these fields.
fn browse(server: &Serving, jar: &Path, path: &str, fields: &[(&str, &str)]) -> String {
    let base = format!("http://{}", server.addr());
    let mut curl = Command::new("curl");
    curl.args(["-sSL", "--noproxy", "*", "-H", &format!("Origin: {base}")]);
    curl.arg("-b").arg(jar).arg("-c").arg(jar);
    for (name, value) in fields {
        curl.args(["--data-urlencode", &format!("{name}={value}")]);
    }
    let output = curl.arg(format!("{base}{path}")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_password_of_a_first_start_opens_the_dashboard_where_one_click_makes_a_payment() {
    let data = Data::new();
    let server = data.serve();
    let letter = fs::read_to_string(data.path().join("first-secrets.txt")).unwrap();
    let password = letter.lines().find_map(|line| line.split_once("password:")).unwrap().1.trim();
    let (jar, person) =
        (data.path().join("cookies"), [("email", "owner@localhost"), ("password", password)]);
    assert!(browse(&server, &jar, "/", &[]).contains("id=\"password\""));
    let home = browse(&server, &jar, "/app/sign-in", &person);
    let (_, rest) = home.split_once("name=\"form_token\" value=\"").expect(&home);
    let token = rest.split('"').next().unwrap();
    assert!(home.contains("action=\"/app/first-payment\""), "{home}");
    let paid = browse(&server, &jar, "/app/first-payment", &[("form_token", token)]);
    assert!(paid.contains("/app/events?behind=pay_"), "{paid}");
    assert!(!paid.contains("action=\"/app/first-payment\""), "{paid}");
}

/// Program on a terminal, ended with the test: the terminal is gone then.
struct OnTerminal(Child);

impl Drop for OnTerminal {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_first_start_on_a_terminal_shows_its_secrets_and_keeps_none() {
    let data = Data::new();
    let command = data.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    let words: Vec<_> = command.get_args().map(|word| format!("'{}'", word.display())).collect();
    let program = command.get_program().display();
    let serve = format!("exec '{program}' {}", words.join(" "));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &serve, "/dev/null"]);
    script.env("COTEJO_PASSWORD_MEMORY_KIB", "8").env("COTEJO_PASSWORD_PASSES", "1");
    script.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut terminal = OnTerminal(script.spawn().unwrap());
    let shown = BufReader::new(terminal.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The log goes to the same terminal: the secrets come last, below a line that says that it has started, and no
    // other line is between them.
    let mut shown = shown.skip_while(|line| !line.contains("\"started\"")).skip(1);
    let letter: Vec<_> = shown.by_ref().take(17).collect();
    let letter = letter.join("\n");
    assert!(
        letter.starts_with("\r\nPrimer arranque") || letter.starts_with("\nPrimer arranque"),
        "{letter}"
    );
    assert!(letter.contains("ck_live_") && letter.contains("0000067890"), "{letter}");
    assert!(!letter.contains("\"timestamp\""), "{letter}");
    // Once they are shown, the file goes.
    while data.path().join("first-secrets.txt").exists() {
        std::thread::yield_now();
    }
    assert!(!data.path().join("first-secrets.txt.new").exists());
}

#[test]
fn an_owner_whose_secrets_cannot_be_kept_is_not_made() {
    let data = Data::new();
    let secrets = data.path().join("first-secrets.txt");
    fs::create_dir_all(&secrets).unwrap();
    let refused = data.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("first-secrets.txt"), "{}", text(&refused.stderr));
    assert_eq!(data.json(&["check-ledger", "--json"])["owners"], 0);
    fs::remove_dir(&secrets).unwrap();
    data.serve().stop();
    assert!(fs::read_to_string(&secrets).unwrap().contains("ck_live_"));
    assert_eq!(data.json(&["check-ledger", "--json"])["owners"], 1);
}

#[test]
fn a_first_owner_never_has_the_password_of_another_database() {
    let data = Data::new();
    let secrets = data.path().join("first-secrets.txt");
    let first_password = || {
        data.serve().stop();
        let letter = fs::read_to_string(&secrets).unwrap();
        letter.lines().find_map(|line| line.split_once("password:")).unwrap().1.to_owned()
    };
    let before = first_password();
    fs::remove_file(data.path().join("cotejo.sqlite")).unwrap();
    assert_ne!(first_password(), before);
}

#[test]
fn a_second_start_makes_no_owner() {
    let data = Data::new();
    data.serve().stop();
    fs::remove_file(data.path().join("first-secrets.txt")).unwrap();
    let (code, _) = data.serve().stop();
    assert_eq!(code, Some(0));
    assert!(!data.path().join("first-secrets.txt").exists());
    assert_eq!(data.json(&["check-ledger", "--json"])["owners"], 1);
}

#[test]
fn signals_without_a_meaning_change_nothing() {
    const SIGNALS: [&str; 3] = ["HUP", "USR1", "USR2"];
    let data = Data::new();
    let server = data.serve();
    for signal in SIGNALS {
        server.signal(signal);
        assert_eq!(server.get("/health/ready").0, 200, "{signal}");
    }
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    for signal in SIGNALS {
        assert!(log.contains(&format!("\"SIG{signal}\"")), "{signal}: {log}");
    }
}

#[test]
fn commands_reach_a_running_server_by_its_socket() {
    let data = Data::new();
    let server = data.serve();
    let socket = data.path().join("admin.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let made = data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    let owner = made["user_id"].as_str().unwrap();
    let grant = ["credits", "grant", "--owner", owner, "--amount", "5", "--json"];
    assert_eq!(data.json(&grant)["balance"], 5);
    let refused = data.run(&["owner", "create", "--email", "ana@example.com"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("there is an owner"), "{}", text(&refused.stderr));
    // The audit reads beside the server.
    assert_eq!(data.json(&["check-ledger", "--json"])["owners"], 2);
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    assert!(!socket.exists());
    assert!(!log.contains(made["api_key"].as_str().unwrap()));
}

#[test]
fn the_key_of_sessions_is_rotated_where_no_server_runs() {
    let data = Data::new();
    let output = data.run(&["sessions", "rotate-key"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no database"), "{}", text(&output.stderr));
    let server = data.serve();
    let output = data.run(&["sessions", "rotate-key"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("stop the server"), "{}", text(&output.stderr));
    server.stop();
    let rotated = data.json(&["sessions", "rotate-key", "--json"]);
    assert!(rotated["key"].is_string() && rotated["former_tokens_until"].is_string(), "{rotated}");
    let ended = data.json(&["sessions", "rotate-key", "--end-sessions", "--json"]);
    assert!(ended["former_tokens_until"].is_null(), "{ended}");
    assert_eq!((&rotated["sessions_ended"], &ended["sessions_ended"]), (&json!(null), &json!(0)));
    assert_ne!(rotated["key"], ended["key"]);
    assert_eq!(data.serve().stop().0, Some(0));
}

#[test]
fn two_servers_never_share_a_folder() {
    let data = Data::new();
    let _server = data.serve();
    let output = data.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("another process"), "{}", text(&output.stderr));
}

#[test]
fn what_a_killed_server_left_behind_stops_nobody() {
    let data = Data::new();
    data.serve().kill();
    assert!(data.path().join("admin.sock").exists());
    let made = data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    assert_eq!(made["email"], "ana@example.com");
    let (code, _) = data.serve().stop();
    assert_eq!(code, Some(0));
}

#[test]
fn metrics_are_shown_as_prometheus_reads_them() {
    let data = Data::new();
    let server = data.serve();
    let (status, text) = server.get("/metrics");
    assert_eq!(status, 200);
    assert!(text.contains("# TYPE cotejo_store_queue_length gauge"), "{text}");
    assert!(text.contains("cotejo_store_queue_length{lane=\"admission\"} 0"), "{text}");
    assert!(text.contains("cotejo_store_wal_bytes "), "{text}");
}

#[test]
fn a_taken_address_leaves_no_owner_behind() {
    let (data, other) = (Data::new(), Data::new());
    let server = data.serve();
    let taken = server.addr().to_string();
    let output = other.run(&["serve", "--listen", &taken]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot be listened at"), "{}", text(&output.stderr));
    let (code, _) = other.serve().stop();
    assert_eq!(code, Some(0));
    assert!(other.path().join("first-secrets.txt").exists());
}

#[test]
fn the_socket_takes_one_line_that_it_understands() {
    let data = Data::new();
    let server = data.serve();
    let socket = data.path().join("admin.sock");
    let say = |line: &[u8]| {
        let mut stream = UnixStream::connect(&socket).unwrap();
        // The other side may have hung up before the whole line was there.
        drop(stream.write_all(line));
        let mut answer = String::new();
        drop(stream.read_to_string(&mut answer));
        answer
    };
    assert!(say(b"{\"command\":\"fly\"}\n").contains("does not know this command"));
    assert!(say(b"nonsense\n").contains("does not know this command"));
    assert_eq!(say(&[b'x'; 100_000]), "");
    let grant = b"{\"command\":\"grant_credits\",\"owner\":\"owner@localhost\",\"amount\":1}\n";
    assert!(say(grant).contains("\"balance\":1001"));
    assert_eq!(server.stop().0, Some(0));
}
