//! Runs of schemathesis against a service.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use api::Endpoint;
use axum::http::Uri;
use data_encoding::BASE64;
use domain::logo::MEDIA_TYPES;
use serde_json::{Value, json};
use testkit::picture::{RED, png};
use testkit::{Engine, Setup, TestApp};

use crate::cast::{Cast, Ids, Who};
use crate::checks::settings;

/// Variable with the folder in which `cargo xtask test` has put the program.
const PROGRAMS_VARIABLE: &str = "TEST_CONTRACT_PROGRAMS";

const MISSING: &str = "this test needs schemathesis: `cargo xtask test` installs it, and \
                       `cargo xtask test -p cotejo --test contract` runs these tests alone";

/// Set where nothing is to be left out, and which part of what rotates is to be taken.
const LONG_VARIABLE: &str = "TEST_LONG";
const PART_VARIABLE: &str = "TEST_PART";

/// How often each operation is asked about chosen things, and how often in a long run.
const EXAMPLES: u32 = 4;
const EXAMPLES_IN_A_LONG_RUN: u32 = 60;

/// The file that says how pictures are made.
const PICTURES: &str = "pictures.py";

/// How the pattern of an id goes on after its prefix.
const ID_PATTERN: &str = "_[0-9a-z]{26}$";

/// How a run differs from the others against the same service.
struct Run {
    name: &'static str,
    /// Which operations it asks for.
    operations: &'static [&'static str],
}

/// Runs in their order: first operations that take nothing away, then those that do, even from the caller, at last the
/// end of its session.
const RUNS: [Run; 3] = [
    Run {
        name: "what stays",
        operations: &[
            "--exclude-method",
            "DELETE",
            "--exclude-operation-id",
            "ChangeEmployee",
            "--exclude-operation-id",
            "Logout",
        ],
    },
    Run {
        name: "what goes",
        operations: &["--include-method", "DELETE", "--include-operation-id", "ChangeEmployee"],
    },
    Run { name: "the end", operations: &["--include-operation-id", "Logout"] },
];

/// The statuses that each operation answered with.
type Answered = BTreeMap<&'static str, BTreeSet<u64>>;

/// Operations that the service does for no bank: it always refuses.
const BY_NO_BANK: [&str; 3] = ["NextInvoiceNumber", "PayOutChange", "PayOutChangeOfAccount"];

/// Operations that no schema says how to do: they take a secret or a code that was sent by mail, a bank with such
/// settings, a link in a state that few are in, or a rate of today. Each is done in tests of its own.
const BY_OTHER_TESTS: [&str; 43] = [
    "AcceptInvitation",
    "AcceptLink",
    "AcceptMovement",
    "BeginSecondFactor",
    "ChangeBankSecret",
    "ChangeEmail",
    "ChangeLink",
    "ChangePassword",
    "CloseReview",
    "ConfirmEmail",
    "ConfirmSecondFactor",
    "DismissNotice",
    "Login",
    "RefreshSession",
    "RejectLink",
    "RemoveClientEmployee",
    "RenewClientInvitation",
    "RenewRecoveryCodes",
    "ReadStatement",
    "RequestPasswordReset",
    "ResetPassword",
    "ResumeLink",
    "RotatePushSecret",
    "SetAccountSettings",
    "ShowExchangeRate",
    "StepUp",
    "StopLink",
    "TakeBankNotice",
    "AdvanceTestClock",
    "CancelSubscription",
    "IssuePayerPage",
    "ListCycles",
    "MakeSubscription",
    "PauseSubscription",
    "RenewCycleLink",
    "ResumeSubscription",
    "SetSubscriptionPrice",
    "SetUnpaidPolicy",
    "ShowReceipt",
    "ShowSubscription",
    "UndoCancellation",
    "VoidReceipt",
    "WaiveCycle",
];

/// Every operation is done at least once, but for those that the caller may not do and those that other tests do.
/// There is nothing that the owner may not do.
fn assert_all_done(who: Who, answered: &Answered) {
    let (mut done, mut missed) = (0, BTreeMap::new());
    for name in BY_OTHER_TESTS.iter().chain(&BY_NO_BANK) {
        assert!(api::endpoints().iter().any(|one| one.name == *name), "there is no {name}");
    }
    for one in api::endpoints() {
        let statuses = answered.get(one.name).cloned().unwrap_or_default();
        let is_refused = !statuses.is_empty() && statuses.iter().all(|it| [401, 403].contains(it));
        let is_forbidden = who != Who::Owner && is_refused;
        let is_elsewhere = BY_OTHER_TESTS.contains(&one.name) || BY_NO_BANK.contains(&one.name);
        if statuses.contains(&200) {
            done += 1;
        } else if !is_forbidden && !is_elsewhere {
            missed.insert(one.name, statuses);
        }
    }
    assert!(missed.is_empty(), "{who:?} has not done these, but heard: {missed:?}");
    assert!(done >= who.does_at_least(), "{who:?} did {done} operations");
}

/// Holds a service to its document, asked by that caller.
///
/// # Panics
/// Where an answer is not as the document says.
pub(crate) fn hold(who: Who) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(async {
        let app = Setup::on(Engine::Sqlite).seeded(7).in_internet(nowhere()).start().await;
        let cast = Cast::on(&app, who).await;
        let asking = Asking::prepare(&app, who, &cast).await;
        let mut answered = Answered::new();
        for run in &RUNS {
            let mut command = asking.command(run);
            let running = tokio::task::spawn_blocking(move || command.output().expect(MISSING));
            let output = app.clock().flow(running).await.unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{who:?}, {}: {said}", run.name);
            asking.hear(run, &mut answered);
        }
        assert_all_done(who, &answered);
        app.clock().flow(app.settle()).await;
    });
}

/// No name leads anywhere: what schemathesis makes up must reach nobody.
fn nowhere() -> egress::Internet {
    let names: egress::Names = Arc::new(|_| Box::pin(std::future::ready(Ok(Vec::new()))));
    egress::Internet { names: Some(names), roots: None }
}

/// Facts that the runs of one caller share.
struct Asking {
    who: Who,
    service: SocketAddr,
    credential: Option<String>,
    folder: PathBuf,
}

impl Asking {
    /// Writes the document that it asks by into a folder of the caller's.
    async fn prepare(app: &TestApp, who: Who, cast: &Cast) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contract");
        let folder = folder.join(format!("{who:?}").to_ascii_lowercase());
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        let nobody = app.nobody();
        let mut document = nobody.get("/openapi.json").await.json();
        fs::write(folder.join("schemathesis.toml"), settings(&document)).unwrap();
        point_at_what_is_there(&mut document, &cast.ids);
        fs::write(folder.join("openapi.json"), document.to_string()).unwrap();
        fs::write(folder.join(PICTURES), pictures()).unwrap();
        Self { who, service: nobody.address(), credential: cast.credential.clone(), folder }
    }

    fn report(&self, run: &Run) -> PathBuf {
        self.folder.join(format!("{}.har", run.name))
    }

    /// Takes in what the run was answered.
    fn hear(&self, run: &Run, answered: &mut Answered) {
        let report: Value = serde_json::from_slice(&fs::read(self.report(run)).unwrap()).unwrap();
        let endpoints = api::endpoints();
        for exchange in report["log"]["entries"].as_array().unwrap() {
            let uri: Uri = exchange["request"]["url"].as_str().unwrap().parse().unwrap();
            let method = exchange["request"]["method"].as_str().unwrap();
            let is_it = |one: &&Endpoint| one.method == method && fits(uri.path(), one.path);
            // Of a word and a parameter in the same place, the word is meant.
            let fitting = endpoints.iter().filter(is_it);
            if let Some(one) = fitting.min_by_key(|one| one.path.matches('{').count()) {
                let status = exchange["response"]["status"].as_u64().unwrap();
                answered.entry(one.name).or_default().insert(status);
            }
        }
    }

    fn command(&self, run: &Run) -> Command {
        let mut command = Command::new(program());
        command.current_dir(&self.folder).env("SCHEMATHESIS_HOOKS", PICTURES);
        command.args(["run", "openapi.json", "--url", &format!("http://{}", self.service)]);
        command.args(["--continue-on-failure", "--no-color"]);
        command.args(["--warnings", "off", "--request-timeout", "60", "--report", "har"]);
        command.arg("--report-har-path").arg(self.report(run));
        let (is_long, part) = (is_long(), part());
        let (seed, examples) = if is_long { (part, EXAMPLES_IN_A_LONG_RUN) } else { (1, EXAMPLES) };
        command.args(["--seed", &seed.to_string(), "--max-examples", &examples.to_string()]);
        command.args(["--generation-database", "none"]);
        // Who asks is said in the header alone.
        command.args(["--generation-with-security-parameters", "false"]);
        // The bounds of every field, one after the other, are many requests: of one caller for each commit.
        let turn = usize::try_from(part).unwrap_or_default() % Who::ALL.len();
        if !is_long {
            let is_its_turn = Who::ALL[turn] == self.who;
            let phases = if is_its_turn { "examples,coverage,fuzzing" } else { "examples,fuzzing" };
            command.args(["--phases", phases]);
        }
        if let Some(credential) = &self.credential {
            command.args(["--header", &format!("Authorization: Bearer {credential}")]);
        }
        command.args(run.operations);
        command
    }
}

/// Tells whether a path matches that template.
fn fits(path: &str, template: &str) -> bool {
    let (path, template) = (path.split('/'), template.split('/'));
    path.clone().count() == template.clone().count()
        && path.zip(template).all(|(part, wanted)| wanted.starts_with('{') || part == wanted)
}

fn program() -> PathBuf {
    PathBuf::from(env::var_os(PROGRAMS_VARIABLE).expect(MISSING)).join("schemathesis")
}

fn is_long() -> bool {
    env::var_os(LONG_VARIABLE).is_some()
}

#[expect(clippy::disallowed_methods, reason = "which part is taken is said from outside")]
fn part() -> u32 {
    env::var(PART_VARIABLE).ok().and_then(|part| part.parse().ok()).unwrap_or_default()
}

/// Writes the Python file that shows the program how pictures are made: it knows of none by itself.
fn pictures() -> String {
    let [kind, others @ ..] = MEDIA_TYPES;
    let picture = BASE64.encode(&png(16, 16, |_, _| RED));
    format!(
        "import base64\nimport schemathesis\nfrom hypothesis import strategies\n\
         picture = strategies.just(base64.b64decode('{picture}'))\n\
         schemathesis.openapi.media_type('{kind}', picture, aliases={others:?})\n"
    )
}

/// Makes requests name existing things, or anything else of that form. Otherwise most would be about nothing.
fn point_at_what_is_there(document: &mut Value, ids: &Ids) {
    for operation in document["paths"].as_object_mut().unwrap().values_mut() {
        for method in operation.as_object_mut().unwrap().values_mut() {
            for asked in ["parameters", "requestBody"] {
                if let Some(asked) = method.get_mut(asked) {
                    point(asked, ids);
                }
            }
        }
    }
    // The bodies that operations take, by what these are called.
    for (name, shape) in document["components"]["schemas"].as_object_mut().unwrap() {
        if name.ends_with("Request") {
            point(shape, ids);
        }
    }
}

fn point(value: &mut Value, ids: &Ids) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| point(field, ids));
            let pattern = fields.get("pattern").and_then(Value::as_str).unwrap_or_default();
            let prefix = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix(ID_PATTERN));
            if let Some(there) = prefix.and_then(|prefix| ids.get(prefix)) {
                let any = fields.clone();
                *value = json!({ "anyOf": [{ "enum": there }, any], "example": there[0] });
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point(item, ids)),
        // These two are in examples.
        Value::String(text) if text == "VE_BAN_EMP_V2" => "BANK_TEST".clone_into(text),
        Value::String(text) => {
            let there = text.split_once('_').and_then(|(prefix, _)| ids.get(prefix));
            if let Some(id) = there.map(|there| &there[0]).filter(|id| id.len() == text.len()) {
                id.clone_into(text);
            }
        }
        _ => {}
    }
}
