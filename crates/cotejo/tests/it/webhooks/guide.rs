//! The receiver of the guide, run as it stands there.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use domain::webhooks::{DeliveryState, Trouble};
use testkit::{Setup, both_engines};

use super::{secret, write};

/// The receiver, in a process of its own.
struct Python {
    child: Child,
    told: BufReader<ChildStdout>,
    folder: PathBuf,
    url: String,
}

impl Python {
    /// Starts it with that secret, where this machine has Python.
    fn start(secret: &str) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/webhooks.md");
        let guide = std::fs::read_to_string(guide).unwrap();
        let code = guide.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
        let folder =
            std::env::temp_dir().join(format!("cotejo-py-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = folder.join("receptor.py");
        std::fs::write(&script, code).unwrap();
        let started = Command::new("python3")
            .arg(&script)
            .arg("0")
            .env("WEBHOOK_SECRET", secret)
            .env("VISTOS", folder.join("vistos.sqlite"))
            .stdout(Stdio::piped())
            .spawn();
        let mut child = match started {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            started => started.unwrap(),
        };
        let mut told = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("escuchando en ").unwrap();
        Some(Self { child, told, folder, url: format!("http://127.0.0.1:{port}/hook") })
    }

    /// Ends it, and answers what it has said since it began to listen.
    fn end(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut said = String::new();
        self.told.read_to_string(&mut said).unwrap();
        std::fs::remove_dir_all(&self.folder).unwrap();
        said
    }
}

both_engines! {
    async fn the_receiver_of_the_guide_believes_us_and_nobody_else(setup: Setup) {
        // It looks at the age of what it hears, so that time must be the wall's.
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let Some(right) = Python::start(&secret(&owner).await) else { return };
        // Twice, as after an answer that was lost: it delivers once.
        for _ in 0..2 {
            let (delivery, attempts) = write(&app, &owner, &right.url).await.ended(&app).await;
            assert_eq!(delivery.state, DeliveryState::Delivered);
            assert_eq!(attempts[0].status, Some(204));
        }
        assert_eq!(right.end(), "paid link_00000000000000000000000001 0012345678\n");

        let wrong = Python::start("another secret").unwrap();
        let (delivery, attempts) = write(&app, &owner, &wrong.url).await.tried(&app, 1).await;
        assert_eq!(delivery.trouble, Some(Trouble::Refused));
        assert_eq!((attempts[0].status, wrong.end().as_str()), (Some(401), ""));
    }
}
