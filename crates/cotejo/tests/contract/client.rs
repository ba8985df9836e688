//! A client that openapi-typescript makes of the document: it compiles strictly, and walks the journey of the guide.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{Engine, Setup, run};

/// Variable with the folder in which `cargo xtask test` has put the packages of npm.
const MODULES_VARIABLE: &str = "TEST_CONTRACT_MODULES";

const MISSING: &str = "this test needs Node.js and packages of npm: `cargo xtask test` brings them, and \
                       `cargo xtask test -p cotejo --test contract` runs these tests alone";

#[test]
fn a_typed_client_of_the_document_compiles_and_walks_the_guides_journey() {
    run(Engine::Sqlite, async |setup: Setup| {
        let app = setup.seeded(7).start().await;
        let owner = app.owner().await;
        let folder = folder();
        let document = owner.get("/openapi.json").await.json();
        fs::write(folder.join("openapi.json"), document.to_string()).unwrap();
        let generator = ["openapi-typescript/bin/cli.js", "openapi.json", "--output", "api.d.ts"];
        let compiler = ["typescript/bin/tsc", "--project", "."];
        let mut walk = node(&folder);
        walk.arg("built/client.js").env("SERVICE", format!("http://{}", owner.address()));
        walk.env("EMAIL", &owner.email).env("PASSWORD", &owner.password);
        for command in [package(&folder, &generator), package(&folder, &compiler), walk] {
            let running = tokio::task::spawn_blocking(move || go(command));
            app.clock().flow(running).await.unwrap();
        }
        app.clock().flow(app.settle()).await;
    });
}

/// A folder with the program, and the packages that it imports.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contract/client");
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract");
    for file in ["client.ts", "tsconfig.json", "package.json"] {
        fs::copy(sources.join(file), folder.join(file)).unwrap();
    }
    symlink(env::var_os(MODULES_VARIABLE).expect(MISSING), folder.join("node_modules")).unwrap();
    folder
}

fn node(folder: &Path) -> Command {
    let mut command = Command::new("node");
    command.current_dir(folder);
    command
}

/// A program of a package, with these arguments.
fn package(folder: &Path, words: &[&str]) -> Command {
    let mut command = node(folder);
    command.arg(Path::new("node_modules").join(words[0])).args(&words[1..]);
    command
}

fn go(mut command: Command) {
    let output = command.output().expect(MISSING);
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
}
