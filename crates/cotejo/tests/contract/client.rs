//! A client that openapi-typescript makes of the document: it compiles strictly, and walks the journey of the guide.

use std::env;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use testkit::{Engine, Setup, run};

use crate::shop::Shop;

/// Variable with the folder in which `cargo xtask test` has put the packages of npm.
const MODULES_VARIABLE: &str = "TEST_CONTRACT_MODULES";

const MISSING: &str = "this test needs Node.js and packages of npm: `cargo xtask test` brings them, and \
                       `cargo xtask test -p cotejo --test contract` runs these tests alone";

#[test]
fn a_typed_client_of_the_document_compiles_and_walks_the_guides_journey() {
    run(Engine::Sqlite, async |setup: Setup| {
        let files = ["client.ts", "tsconfig.json", "package.json"];
        let shop = Shop::open(setup, "client", &files).await;
        let modules = env::var_os(MODULES_VARIABLE).expect(MISSING);
        symlink(modules, shop.folder.join("node_modules")).unwrap();
        let generator = ["openapi-typescript/bin/cli.js", "openapi.json", "--output", "api.d.ts"];
        let compiler = ["typescript/bin/tsc", "--project", "."];
        let mut walk = Command::new("node");
        walk.arg("built/client.js");
        for program in [package(&generator), package(&compiler), walk] {
            shop.run(program, MISSING).await;
        }
        shop.close().await;
    });
}

/// A program of a package, with these arguments.
fn package(words: &[&str]) -> Command {
    let mut command = Command::new("node");
    command.arg(Path::new("node_modules").join(words[0])).args(&words[1..]);
    command
}
