//! What a journey takes place on: a service, a bank, an owner with an account there, and the time.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use app::admin::{NewRate, Operator, Recording, record_rates};
use app::ports::Clock;
use data_encoding::BASE64;
use domain::links::Currency;
use domain::rates::{Rate, RateDays, RateSource};
use domain::time::CaracasDate;
use pages::dashboard::routes;
use serde_json::json;
use testkit::bank::{ACCOUNT, KEY, SimulatedBank};
use testkit::picture::{NOTHING, png};
use testkit::{Engine, Owner, Setup, TestApp, TestMailServer, VirtualClock, run};
use tokio::sync::mpsc;

use crate::part::{ALL, Part};

/// Variable with the folder in which `cargo xtask test` has put the packages that the journeys import.
const MODULES_VARIABLE: &str = "TEST_NODE_MODULES";

/// Path where Debian puts the browser.
const CHROMIUM: &str = "/usr/bin/chromium";

const MISSING: &str = "journeys need Chromium, Node.js and its packages: `cargo xtask test` brings them, and \
                       `cargo xtask test -p cotejo --test browser` runs the journeys alone";

/// The journeys of a service that sends mail.
const BY_MAIL: [&str; 2] = ["address", "people"];

/// The journeys that begin without a real account: of a new installation, and of a person who links one by hand.
const WITHOUT_ACCOUNT: [&str; 2] = ["first", "sale"];

/// How far the clock is moved at a time where it is pushed on, so that what looks every second does.
const STEP: Duration = Duration::from_millis(250);

/// How long everybody has to notice a step.
const BREATH: Duration = Duration::from_millis(3);

/// How somebody uses the pages of a journey.
#[derive(Clone, Copy)]
pub(crate) enum Hands {
    /// By touch, where scripts run.
    Touch,
    /// By the keyboard alone.
    Keys,
    /// By touch, where no script runs.
    Plain,
}

impl Hands {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Touch => "touch",
            Self::Keys => "keys",
            Self::Plain => "plain",
        }
    }
}

/// Plays one of the journeys beside this file, in that language.
///
/// # Panics
/// Where the journey fails, or what it needs is not there.
pub(crate) fn play(journey: &str, language: &str) {
    play_by(Hands::Touch, journey, language);
}

/// Plays a journey by those hands.
///
/// # Panics
/// As [`play`].
pub(crate) fn play_by(hands: Hands, journey: &str, language: &str) {
    perform(hands, journey, language, ALL);
}

/// Plays a journey that looks at that part of what it comes by.
///
/// # Panics
/// As [`play`].
pub(crate) fn perform(hands: Hands, journey: &str, language: &str, part: Part) {
    run(Engine::Sqlite, async |setup: Setup| {
        let bank = SimulatedBank::open().await;
        let mail = BY_MAIL.contains(&journey).then(TestMailServer::start);
        let setup = setup.seeded(7).with_bank(&bank);
        let setup = match &mail {
            Some(server) => setup.with_mail(server.settings()),
            None => setup,
        };
        let app = setup.start().await;
        let owner = app.owner().await;
        let user_bank = match WITHOUT_ACCOUNT.contains(&journey) {
            true => String::new(),
            false => link(&owner).await,
        };
        let penniless = penniless_key(&owner).await;
        let mut command = node(journey);
        command.env("SERVICE", format!("http://{}", owner.address()));
        command.env("BANK", format!("http://{}", bank.address())).env("BANK_KEY", KEY);
        command.env("ACCOUNT", ACCOUNT).env("USER_BANK", user_bank).env("TEST_BANK", &owner.bank);
        command.env("KEY", &owner.key.text).env("KEY_ID", &owner.key.id);
        command.env("PENNILESS_KEY", penniless);
        // Black, and nothing behind it.
        let logo =
            png(320, 120, |x, y| if (x / 40 + y / 40) % 2 == 0 { [0, 0, 0, 255] } else { NOTHING });
        command.env("LOGO", BASE64.encode(&logo));
        command.env("EMAIL", &owner.email).env("PASSWORD", &owner.password);
        command.env("PART", part.number.to_string()).env("PARTS", part.of.to_string());
        command.env("TEMPLATES", templates());
        command.env("READS", language).env("HANDS", hands.as_str());
        command.env("PICTURES", pictures(journey, language, hands).join(part.folder()));
        if matches!((language, hands), ("es", Hands::Touch)) && makes_media() {
            command.env("GUIDE", concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/media"));
        }
        let went_well = Journey::begin(&mut command).end(&app, mail.as_ref()).await;
        assert!(went_well, "the journey `{journey}` failed: see what it says above");
        app.clock().flow(app.settle()).await;
    });
}

/// Answers whether the pictures of the guide are made anew, as `cargo xtask media` wants them.
fn makes_media() -> bool {
    std::env::var_os("MAKE_MEDIA").is_some()
}

/// Links the shop's account; answers its id.
async fn link(owner: &Owner) -> String {
    let mut account = SimulatedBank::link(KEY);
    account["holder_name"] = json!("Tienda Ejemplo, C.A.");
    let linked = owner.post("/usersbank", account).await.ok();
    linked["userbank"]["id"].as_str().unwrap().to_owned()
}

/// Lists the paths of the dashboard's pages, for a journey that leaves none out.
fn templates() -> String {
    let pages = routes().into_iter().filter(|route| route.method == "GET");
    json!(pages.map(|route| route.path).collect::<Vec<_>>()).to_string()
}

/// A key that may make links and has nothing to pay for them.
async fn penniless_key(owner: &Owner) -> String {
    let key = owner.key_with(&["payment_links", "payment_verifications"]).await;
    owner.set_limit(&key, json!(0)).await.ok();
    key.text
}

/// The journey's program, where this machine has all that it needs.
fn node(journey: &str) -> Command {
    let modules = env::var_os(MODULES_VARIABLE).expect(MISSING);
    assert!(Path::new(CHROMIUM).exists(), "{MISSING}");
    let mut command = Command::new("node");
    command.arg(format!("{}/tests/browser/{journey}.mjs", env!("CARGO_MANIFEST_DIR")));
    command.env("MODULES", modules).env("CHROMIUM", CHROMIUM);
    command
}

/// The folder of the journey's pictures.
fn pictures(journey: &str, language: &str, hands: Hands) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    folder.join(format!("{journey}-{language}-{}", hands.as_str()))
}

/// A journey under way. What it wants of the clock it says line by line, and is answered when that is done.
struct Journey {
    child: Child,
    replies: ChildStdin,
    wishes: mpsc::UnboundedReceiver<String>,
}

impl Journey {
    fn begin(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect(MISSING);
        let wishes = lines(child.stdout.take().unwrap());
        Self { replies: child.stdin.take().unwrap(), child, wishes }
    }

    /// Lets time pass as the journey wants it; answers whether it came to a good end.
    async fn end(mut self, app: &TestApp, mail: Option<&TestMailServer>) -> bool {
        let clock = app.clock();
        let mut is_held = false;
        loop {
            let wish = match is_held {
                true => self.wishes.recv().await,
                false => clock.flow(self.wishes.recv()).await,
            };
            let Some(wish) = wish else { break };
            let mut reply = String::new();
            match wish.split_once(' ') {
                None if wish == "hold" => is_held = true,
                None if wish == "flow" => is_held = false,
                Some(("rate", rate)) => record_dollar(app, rate).await,
                Some(("mail", wanted)) => {
                    reply = clock.flow(link_to(mail.expect("a mail server"), wanted)).await;
                }
                None if wish == "now" => reply = clock.now().as_seconds().to_string(),
                Some(("skip", seconds)) => {
                    clock.advance(Duration::from_secs(seconds.parse().unwrap()));
                }
                Some(("pass", seconds)) => pass(clock, seconds.parse().unwrap()).await,
                _ => panic!("nobody understands {wish:?}"),
            }
            // A journey that does not wait for the reply has ended.
            drop(writeln!(self.replies, "{reply}"));
        }
        self.child.wait().unwrap().success()
    }
}

impl Drop for Journey {
    fn drop(&mut self) {
        // The browser ends with the process that drives it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Records what a dollar costs on the day that journeys begin.
async fn record_dollar(app: &TestApp, rate: &str) {
    let dollar = NewRate {
        currency: Currency::Usd,
        rate: Rate::parse(rate).unwrap(),
        days: RateDays { first: CaracasDate::parse("2026-11-20").unwrap(), last: None },
        published_at: None,
        source: RateSource::parse("BCV").unwrap(),
    };
    record_rates(&Operator::of(app.app()), vec![dollar], Recording::default()).await.unwrap();
}

/// Waits for the mail to an address with a link to a place, and returns the last part of the link.
#[expect(clippy::disallowed_methods, reason = "the mail server is a program of its own")]
async fn link_to(server: &TestMailServer, wanted: &str) -> String {
    let (email, place) = wanted.split_once(' ').expect("an address and a place");
    let place = format!("/{place}/");
    loop {
        let mails = server.mails();
        let mut mails = mails.iter();
        if let Some(mail) = mails.find(|mail| mail.to()[0] == email && mail.body().contains(&place))
        {
            return mail.token();
        }
        tokio::time::sleep(BREATH).await;
    }
}

/// Lets so many seconds pass at once.
#[expect(clippy::disallowed_methods, reason = "what runs on threads must have a moment to notice")]
async fn pass(clock: &VirtualClock, seconds: u32) {
    let end = clock.now().plus(Duration::from_secs(seconds.into()));
    while clock.now() < end {
        clock.advance(STEP);
        tokio::time::sleep(BREATH).await;
    }
}

/// The lines that are written to it, as they come.
fn lines(output: ChildStdout) -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}
