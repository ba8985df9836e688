//! A client that openapi-python-client makes of the document: nothing of it is left out, and it walks the journey of the
//! guide by objects of its classes.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use domain::logo::MEDIA_TYPES;
use serde_json::{Map, json};
use testkit::{Engine, Setup, run};

use crate::shop::Shop;

/// Variable with the folder in which `cargo xtask test` has put the programs of PyPI.
const PROGRAMS_VARIABLE: &str = "TEST_CONTRACT_PROGRAMS";

const MISSING: &str = "this test needs packages of PyPI: `cargo xtask test` installs them, and \
                       `cargo xtask test -p cotejo --test contract` runs these tests alone";

/// File with the generator's settings.
const SETTINGS: &str = "settings.json";

#[test]
fn a_python_client_of_the_document_has_all_of_it_and_walks_the_guides_journey() {
    run(Engine::Sqlite, async |setup: Setup| {
        let shop = Shop::open(setup, "python", &["client.py"]).await;
        fs::write(shop.folder.join(SETTINGS), settings()).unwrap();
        let mut generator = program("openapi-python-client");
        // It warns of what it leaves out.
        generator.args(["generate", "--fail-on-warning", "--meta", "none", "--config", SETTINGS]);
        generator.args(["--path", "openapi.json", "--output-path", "shop_client"]);
        let mut walk = program("python");
        walk.arg("client.py");
        for program in [generator, walk] {
            shop.run(program, MISSING).await;
        }
        shop.close().await;
    });
}

/// The generator's settings: what it made is not formatted, and it is told that pictures are bytes.
fn settings() -> String {
    let pictures = MEDIA_TYPES.map(|kind| (kind.to_owned(), json!("application/octet-stream")));
    let overrides = Map::from_iter(pictures);
    json!({ "post_hooks": [], "content_type_overrides": overrides }).to_string()
}

fn program(name: &str) -> Command {
    let programs = PathBuf::from(env::var_os(PROGRAMS_VARIABLE).expect(MISSING));
    Command::new(programs.join(name))
}
