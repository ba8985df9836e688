//! A shop that is written against a client which a program of others makes of the document: it walks the journey of the
//! guide against a service.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{Owner, Setup, TestApp};

/// The service, its owner, and the folder in which the shop is made.
pub(crate) struct Shop {
    app: TestApp,
    owner: Owner,
    /// What the programs are started in: it has the shop's files, and the document as the service has it.
    pub(crate) folder: PathBuf,
}

impl Shop {
    /// One of that name, of these files beside the tests.
    pub(crate) async fn open(setup: Setup, name: &str, files: &[&str]) -> Self {
        let app = setup.seeded(7).start().await;
        let owner = app.owner().await;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contract").join(name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract");
        for file in files {
            fs::copy(sources.join(file), folder.join(file)).unwrap();
        }
        let document = owner.get("/openapi.json").await.json();
        fs::write(folder.join("openapi.json"), document.to_string()).unwrap();
        Self { app, owner, folder }
    }

    /// Runs a program in the folder, which is told of the service and of its owner.
    ///
    /// # Panics
    /// Where it is not there, which `missing` explains, or fails.
    pub(crate) async fn run(&self, mut program: Command, missing: &'static str) {
        program.current_dir(&self.folder);
        program.env("SERVICE", format!("http://{}", self.owner.address()));
        program.env("EMAIL", &self.owner.email).env("PASSWORD", &self.owner.password);
        let run = move || {
            let output = program.output().expect(missing);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(output.status.success(), "{program:?}: {said}");
        };
        self.app.clock().flow(tokio::task::spawn_blocking(run)).await.unwrap();
    }

    /// Ends when the service has nothing left to do.
    pub(crate) async fn close(self) {
        self.app.clock().flow(self.app.settle()).await;
    }
}
