//! The README's first command: what the build needs is there or is named, and what it runs is the service.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{Data, text};

/// Runs the command where these programs are all that there is, each of which says how it was called.
fn start(data: &Data, programs: &[&str], user: u32) -> Output {
    let folder = data.path().join("programs");
    fs::create_dir_all(&folder).unwrap();
    symlink("/usr/bin/dirname", folder.join("dirname")).unwrap();
    let write = |name: &str, script: String| {
        let path = folder.join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    };
    write("id", format!("#!/bin/sh\necho {user}\n"));
    for program in programs {
        write(program, format!("#!/bin/sh\necho {program} \"$@\"\n"));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../start");
    Command::new("/bin/sh").arg(script).arg("--help").env("PATH", folder).output().unwrap()
}

#[test]
fn the_service_is_built_and_started() {
    let output = start(&Data::new(), &["cc", "make", "cargo"], 1000);
    assert_eq!(text(&output.stdout), "cargo run --release -- serve --help\n");
}

#[test]
fn what_the_build_lacks_is_installed_or_named() {
    let output = start(&Data::new(), &["cc", "cargo", "apt-get"], 0);
    let calls = text(&output.stdout);
    assert!(
        calls
            .contains("apt-get install --quiet --yes --no-install-recommends gcc libc6-dev make\n"),
        "{calls}"
    );
    assert!(calls.ends_with("cargo run --release -- serve --help\n"), "{calls}");
    let output = start(&Data::new(), &["make", "cargo"], 1000);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("apt-get install gcc"), "{}", text(&output.stderr));
}
