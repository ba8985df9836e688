//! The guides that are walks, from their first command to their last.

mod numbers;
pub(crate) mod walk;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testkit::TestMailServer;
use testkit::picture::{NOTHING, RED, png};

use self::walk::{Block, Page, Walk, blocks, fits, root};

/// The pages of the guide: the Spanish one, and the English one.
const PAIRS: [[&str; 2]; 23] = [
    ["integrar.md", "integrate.md"],
    ["verificar.md", "verify.md"],
    ["operar.md", "operate.md"],
    ["entrar.md", "sign-in.md"],
    ["llaves-y-clientes.md", "keys-and-clients.md"],
    ["equipo.md", "team.md"],
    ["avisos.md", "notices.md"],
    ["ventas-y-creditos.md", "sales-and-credits.md"],
    ["mudarse.md", "moving.md"],
    ["al-menos-una-vez.md", "at-least-once.md"],
    ["avisos-de-creditos.md", "credits-events.md"],
    ["banco-de-venezuela.md", "banco-de-venezuela.en.md"],
    ["bancos-simulados.md", "simulated-banks.md"],
    ["enlaces-de-pago.md", "payment-links.md"],
    ["suscripciones.md", "subscriptions.md"],
    ["comprobantes.md", "receipts.md"],
    ["panel.md", "dashboard.md"],
    ["primer-pago.md", "first-payment.md"],
    ["restaurar.md", "restore.md"],
    ["prueba-de-entrega.md", "proof-of-delivery.md"],
    ["registro-de-entregas.md", "delivery-log.md"],
    ["varios-servidores.md", "several-servers.md"],
    ["webhooks.md", "webhooks.en.md"],
];

/// The Spanish pages whose answers are in the language of the caller, and differ from those of the English ones.
const ANSWERED_IN_ITS_LANGUAGE: [&str; 2] = ["verificar.md", "entrar.md"];

fn guide(name: &str) -> String {
    fs::read_to_string(root().join("docs/guide").join(name)).unwrap()
}

/// Returns the rest of the line behind that name, in the letter of a first start.
fn secret<'a>(letter: &'a str, name: &str) -> &'a str {
    letter.lines().find_map(|line| line.split_once(name)).unwrap().1.trim()
}

/// The pages that are walked from their beginning to their end, each by a test.
macro_rules! walked {
    ($($test:ident $page:literal $walk:expr;)+) => {
        const WALKED: &[&str] = &[$($page),+];

        $(#[test]
        fn $test() {
            let walk: fn(&mut Page) = $walk;
            let mut page = Page::open($page);
            walk(&mut page);
            page.is_over();
        })+
    };
}

/// Pages without a walk, by the test that runs all their blocks.
const RUN_ELSEWHERE: [(&str, &str); 1] = [("simulated-banks.md", "tests/cli/banks.rs")];

/// Pages without an example.
const WITHOUT: [&str; 1] = ["at-least-once.md"];

/// The second words of fences: the pages where they are, and the tests that run such a block or compare it with what is
/// sent.
const MARKED: [(&str, &str, &str); 7] = [
    ("receivers", "webhooks.md", "tests/it/webhooks/receivers/program.rs"),
    ("event", "credits-events.md", "tests/it/webhooks/credits/guide.rs"),
    ("event", "subscriptions.md", "tests/it/subscriptions/reminders.rs"),
    ("event", "webhooks.md", "tests/it/webhooks/guide.rs"),
    ("notices", "webhooks.md", "tests/it/webhooks/guide.rs"),
    ("rates", "operar.md operate.md", "tests/it/rate_address.rs"),
    ("postgres", "operar.md operate.md", "tests/cli/tls.rs"),
];

walked! {
    the_first_payment_goes_as_the_guide_says "first-payment.md"
        |page| Walk::begin().finish(page);
    a_shop_is_integrated_as_the_guide_says "integrar.md" |page| served().finish(page);
    a_shop_is_integrated_as_the_english_guide_says "integrate.md" |page| served().finish(page);
    a_payment_is_verified_as_the_guide_says "verificar.md" |page| served().finish(page);
    a_payment_is_verified_as_the_english_guide_says "verify.md" |page| served().finish(page);
    the_dashboard_is_opened_as_the_guide_says "dashboard.md" |page| served().finish(page);
    an_owner_signs_in_as_the_guide_says "entrar.md" sign_in_with_mail;
    an_owner_signs_in_as_the_english_guide_says "sign-in.md" sign_in_with_mail;
    keys_and_clients_are_made_as_the_guide_says "llaves-y-clientes.md" |page| served().finish(page);
    keys_and_clients_are_made_as_the_english_guide_says "keys-and-clients.md" |page| served().finish(page);
    a_team_works_as_the_guide_says "equipo.md" |page| served().finish(page);
    a_team_works_as_the_english_guide_says "team.md" |page| served().finish(page);
    notices_are_read_and_chosen_as_the_guide_says "avisos.md" |page| served().finish(page);
    notices_are_read_and_chosen_as_the_english_guide_says "notices.md" |page| served().finish(page);
    sales_and_credits_are_counted_as_the_guide_says "ventas-y-creditos.md" |page| served().finish(page);
    sales_and_credits_are_counted_as_the_english_guide_says "sales-and-credits.md" |page| served().finish(page);
    a_shop_moves_here_as_the_guide_says "mudarse.md" |page| served().finish(page);
    a_shop_moves_here_as_the_english_guide_says "moving.md" |page| served().finish(page);
    the_delivery_log_is_read_as_the_guide_says "delivery-log.md" |page| served().finish(page);
    the_service_is_operated_as_the_guide_says "operar.md" operate;
    the_service_is_operated_as_the_english_guide_says "operate.md" operate;
    links_are_made_as_the_guide_says "payment-links.md" |page| {
        let mut walk = served();
        // Money that came without anybody's having asked for it: the bank shows one bolívar more than was asked.
        let asked = r#"{"bank_reference": "110001", "amount": 1299}"#;
        walk.call("KEY", &format!("userbankpayment/{}/betaserio", walk.given("BANK")), asked);
        walk.put("logo.png", &png(400, 150, |x, _| if x < 200 { RED } else { NOTHING }));
        walk.finish(page);
    };
    subscriptions_run_as_the_guide_says "subscriptions.md" |page| served().finish(page);
    receipts_are_found_and_voided_as_the_guide_says "receipts.md" |page| served().finish(page);
    tables_are_spread_as_the_guide_says "several-servers.md" |page| Walk::begin().finish(page);
    webhooks_are_received_as_the_guide_says "webhooks.md" |page| {
        let mut walk = served();
        let client = walk.call("TOKEN", "v1/clients", r#"{"name": "Sucursal"}"#);
        let client: Value = serde_json::from_str(&client).unwrap();
        walk.give("CLIENT", client["client"]["id"].as_str().unwrap());
        walk.up_to(page, "## Comprobar su receptor");
        let secret = walk.call("TOKEN", "me/webhook-secret", "");
        walk.run(&format!("export WEBHOOK_SECRET={}", field(&secret, "webhook_secret")));
        walk.start("python3 docs/guide/receivers/receiver.py 9000 &");
        walk.finish(page);
    };
    credits_are_reported_as_the_guide_says "credits-events.md" |page| served().finish(page);
    a_delivery_is_proven_as_the_guide_says "proof-of-delivery.md" |page| {
        let mut walk = served();
        let sent = walk.call("TOKEN", "v1/webhooks/test", r#"{"url": "http://127.0.0.1:8/webhook"}"#);
        let sent: Value = serde_json::from_str(&sent).unwrap();
        walk.give("EVENT", sent["delivery"]["id"].as_str().unwrap());
        walk.finish(page);
    };
    a_copy_is_put_back_as_the_guide_says "restore.md" |page| {
        let mut walk = served();
        walk.up_to(page, "```sh\nmkdir restored");
        walk.call("TOKEN", "v1/api-keys/default/rotate", "{}");
        walk.stop();
        walk.up_to(page, "```sh\nCOTEJO=");
        let body = json!({ "email": walk.given("EMAIL"), "password": walk.given("PASSWORD") });
        let session = walk.run(&format!("curl -sS http://127.0.0.1:8080/auth/login --json '{body}'"));
        walk.give("TOKEN", &field(&session, "token"));
        walk.finish(page);
    };
    an_account_is_linked_as_the_guide_says "banco-de-venezuela.md" |page| {
        let mut walk = Walk::begin();
        walk.start("cotejo banks &");
        walk.run("curl -sS http://127.0.0.1:8102/admin/accounts --json '{\"account\": \"01020000890000000001\", \
            \"api_key\": \"LA-CLAVE-DEL-BANCO\", \"phone\": \"04120000001\", \"rif\": \"J-12345678-4\"}'");
        walk.start("COTEJO_BANKS_BDV_URL=http://127.0.0.1:8102 cotejo serve --allow-private-webhooks &");
        sign_in(&mut walk);
        walk.finish(page);
    };
}

/// A service that has just started, with what its owner was shown.
fn served() -> Walk {
    let mut walk = Walk::begin();
    walk.start("cotejo serve --allow-private-webhooks &");
    sign_in(&mut walk);
    walk
}

/// Gives the reader the facts in the letter of the first start, and a session.
fn sign_in(walk: &mut Walk) {
    let letter = walk.run("cat data/first-secrets.txt");
    for (name, label) in [("EMAIL", "e-mail:"), ("PASSWORD", "password:"), ("KEY", "API key:")] {
        walk.give(name, secret(&letter, label));
    }
    let bank = letter.split('/').find(|part| part.starts_with("bank_")).unwrap();
    walk.give("BANK", bank);
    walk.give("LLAVE", secret(&letter, "API key:"));
    let body = json!({ "email": walk.given("EMAIL"), "password": walk.given("PASSWORD") });
    let session = walk.call("KEY", "auth/login", &body.to_string());
    walk.give("TOKEN", &field(&session, "token"));
    walk.give("SESSION", &field(&session, "token"));
}

fn field(answer: &str, name: &str) -> String {
    let answer: Value = serde_json::from_str(answer).expect(answer);
    answer[name].as_str().expect(name).to_owned()
}

/// The operator sends mail while the reader asks for another password, and not where it changes its address.
fn sign_in_with_mail(page: &mut Page) {
    const START: &str = "cotejo serve --allow-private-webhooks &";
    let mut walk = served();
    walk.up_to(page, "```sh\ncurl -sS \"$COTEJO/auth/password/reset\"");
    let server = TestMailServer::start();
    let start_again = |walk: &mut Walk, settings: &str| {
        walk.stop();
        walk.run(settings);
        walk.start(START);
        walk.run("COTEJO=http://127.0.0.1:8080");
    };
    start_again(&mut walk, &set_up_mail(&server));
    walk.up_to(page, "```sh\nRESET=");
    walk.hear("…mail sent…");
    let mails = server.mails();
    walk.give("RESET", &mails[0].token());
    walk.up_to(page, "```sh\nNEW_EMAIL=");
    start_again(&mut walk, WITHOUT_MAIL);
    walk.finish(page);
}

/// Returns the command that makes programs started from now on send mail by that server.
fn set_up_mail(server: &TestMailServer) -> String {
    let port = server.settings().port;
    format!(
        "export COTEJO_MAIL_SERVER=127.0.0.1 COTEJO_MAIL_PORT={port} COTEJO_MAIL_TLS=off \
         COTEJO_MAIL_FROM=cobros@example.com"
    )
}

/// Command that makes them send no mail again.
const WITHOUT_MAIL: &str =
    "unset COTEJO_MAIL_SERVER COTEJO_MAIL_PORT COTEJO_MAIL_TLS COTEJO_MAIL_FROM";

/// Between the commands that need it stopped, the service runs.
fn operate(page: &mut Page) {
    let mut walk = Walk::begin();
    walk.up_to(page, "```sh\ncotejo master-key");
    walk.stop();
    walk.up_to(page, "```sh\ncotejo mail test");
    let server = TestMailServer::start();
    walk.run(&set_up_mail(&server));
    walk.up_to(page, "```sh\ncotejo owner create");
    assert_eq!(server.mails().len(), 1);
    walk.run(WITHOUT_MAIL);
    walk.start("cotejo serve --data ./data &");
    walk.finish(page);
}

/// Lists the pages without a test of their own whose twin in the other language has one, and the same examples, as
/// `both_languages_show_the_same` holds.
fn twins_of(tested: &[&str]) -> Vec<&'static str> {
    let pairs = PAIRS.into_iter().filter(|pair| !ANSWERED_IN_ITS_LANGUAGE.contains(&pair[0]));
    let mut twins = Vec::new();
    for [spanish, english] in pairs {
        match (tested.contains(&spanish), tested.contains(&english)) {
            (true, false) => twins.push(english),
            (false, true) => twins.push(spanish),
            _ => {}
        }
    }
    twins
}

/// Every page or its twin is walked or run elsewhere, and every mark that takes a block out of a walk names a test that
/// reads the page.
#[test]
fn no_example_is_without_a_test() {
    let mut known: Vec<&str> = WALKED.to_vec();
    known.extend(RUN_ELSEWHERE.iter().map(|(page, _)| page));
    known.extend(WITHOUT);
    let twins = twins_of(&known);
    known.extend(twins.iter().copied());
    known.sort_unstable();
    let pages = fs::read_dir(root().join("docs/guide")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = pages.filter(|name| name.ends_with(".md")).collect();
    pages.sort_unstable();
    assert_eq!(pages, known, "each page or its twin is run by one test");

    let mut marks = Vec::new();
    for page in pages.iter().filter(|page| !twins.contains(&page.as_str())) {
        for (kind, _) in blocks(&guide(page)) {
            assert!(!WITHOUT.contains(&page.as_str()), "{page} has an example");
            if let Some((_, mark)) = kind.split_once(' ') {
                let run = MARKED.iter().find(|(known, pages, _)| {
                    *known == mark && pages.split(' ').any(|known| known == page)
                });
                marks.push(*run.unwrap_or_else(|| panic!("{page}: no test runs what is {mark}")));
            }
        }
    }
    for run in MARKED {
        assert!(marks.contains(&run), "{run:?} is of no block");
    }
    let marked = MARKED.iter().map(|(_, pages, test)| (*pages, *test));
    for (pages, test) in marked.chain(RUN_ELSEWHERE) {
        let test = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(test)).unwrap();
        for page in pages.split(' ') {
            assert!(test.contains(page), "a test that does not read {page}");
        }
    }
}

/// The README's blocks: the first command, whose test is in `start.rs`, what a first start says, and the command that
/// runs this test.
#[test]
fn what_the_readme_shows_is_what_a_first_start_says() {
    let of = |name: &str| blocks(&fs::read_to_string(root().join(name)).unwrap());
    let shown = of("README.md");
    assert_eq!(shown, of("README.en.md"));
    let kinds: Vec<_> = shown.iter().map(|(kind, text)| (kind.as_str(), text.trim())).collect();
    assert!(
        matches!(kinds[..], [("sh", "./start"), ("text", _), ("sh", "cargo xtask test")]),
        "{kinds:?}"
    );
    let mut walk = Walk::begin();
    walk.start("cotejo serve &");
    let letter = walk.run("cat data/first-secrets.txt");
    let mut lines = letter.lines();
    for shown in walk.here(kinds[1].1).lines() {
        assert!(lines.any(|line| fits(shown, line)), "{shown}\nis not in\n{letter}");
    }
}

#[test]
fn both_languages_show_the_same() {
    /// Returns what both languages share: the examples, the number of headings, and the names in tables.
    fn shown(name: &str) -> (Vec<Block>, usize, Vec<String>) {
        let guide = guide(name);
        let headings = guide.lines().filter(|line| line.starts_with('#')).count();
        let rows = guide.lines().filter(|line| line.starts_with("| "));
        let statuses =
            rows.clone().filter_map(|row| row.split(' ').nth(1)).filter(|cell| is_status(cell));
        let words = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
        let named = statuses.chain(words).map(str::to_owned).collect();
        (blocks(&guide).into_iter().map(without_comments).collect(), headings, named)
    }
    /// Returns a block without its comments, which are in the language of its page.
    fn without_comments((kind, text): Block) -> Block {
        let lines = text.lines().map(|line| line.split("  # ").next().unwrap_or_default());
        (kind, lines.map(str::trim_end).collect::<Vec<_>>().join("\n"))
    }
    fn is_status(cell: &str) -> bool {
        cell.parse::<u16>().is_ok()
    }
    for pair in PAIRS {
        let [mut spanish, mut english] = pair.map(shown);
        if ANSWERED_IN_ITS_LANGUAGE.contains(&pair[0]) {
            for (_, text) in spanish.0.iter_mut().chain(&mut english.0) {
                text.clear();
            }
        }
        for (one, other) in spanish.0.iter().zip(&english.0) {
            assert_eq!(one, other);
        }
        assert_eq!(spanish, english);
        assert!(spanish.1 > 2, "{spanish:?}");
    }
    let [spanish, _] = PAIRS[0].map(shown);
    assert!(spanish.0.len() > 15 && spanish.2.len() > 50, "{spanish:?}");
}
