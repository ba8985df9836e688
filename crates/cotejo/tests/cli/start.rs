//! The README's first command: what the build needs is there or is named, and what it runs is the service.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::{Data, text};

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const ROOT: u32 = 0;
const ANYBODY: u32 = 1000;

fn script() -> PathBuf {
    Path::new(HERE).join("../../start")
}

/// The command where these programs are all that there is, each of which says how it was called.
fn start(data: &Data, script: &Path, programs: &[&str], user: u32) -> Command {
    let folder = data.path().join("programs");
    fs::create_dir_all(&folder).unwrap();
    for real in ["dirname", "readlink"] {
        symlink(Path::new("/usr/bin").join(real), folder.join(real)).unwrap();
    }
    for program in programs.iter().chain(&["id"]) {
        let stand_in = Path::new(HERE).join("tests/cli/start/program.sh");
        symlink(stand_in, folder.join(program)).unwrap();
    }
    let mut command = Command::new("/bin/sh");
    command.arg(script).arg("--help").env_clear().env("PATH", folder);
    command.env("USER_ID", user.to_string()).env("CC_STATUS", "0");
    command
}

fn printed(mut command: Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{}", text(&stderr));
    text(&stdout)
}

fn refused(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
    text(&output.stderr)
}

const SERVED: &str = "cargo run --release -- serve --help\n";

#[test]
fn the_service_is_built_and_started() {
    let data = Data::new();
    assert_eq!(printed(start(&data, &script(), &["cc", "make", "cargo"], ANYBODY)), SERVED);
}

#[test]
fn it_is_built_where_the_project_is_however_it_is_called() {
    let data = Data::new();
    let elsewhere = data.path().join("else where");
    fs::create_dir_all(elsewhere.join("bin")).unwrap();
    symlink(script(), elsewhere.join("bin/start")).unwrap();
    let mut command = start(&data, Path::new("bin/start"), &["cc", "make", "cargo"], ANYBODY);
    command.current_dir(&elsewhere).env("CDPATH", data.path()).env("SAYS_WHERE", "1");
    let project = fs::canonicalize(Path::new(HERE).join("../..")).unwrap();
    assert_eq!(printed(command), format!("{}\n{SERVED}", project.display()));
}

#[test]
fn what_the_build_lacks_is_installed_by_root() {
    for programs in [["make", "cargo", "apt-get"], ["cc", "cargo", "apt-get"]] {
        let calls = printed(start(&Data::new(), &script(), &programs, ROOT));
        let install = "apt-get install --quiet --yes --no-install-recommends gcc libc6-dev make\n";
        assert!(calls.contains(install) && calls.ends_with(SERVED), "{calls}");
    }
}

#[test]
fn what_the_build_lacks_is_named_to_anybody_else() {
    let data = Data::new();
    let mut without_headers = start(&data, &script(), &["cc", "make", "cargo"], ANYBODY);
    without_headers.env("CC_STATUS", "1");
    let message = refused(without_headers);
    assert!(message.contains("apt-get update && apt-get install gcc libc6-dev make"), "{message}");
    let data = Data::new();
    let message = refused(start(&data, &script(), &["cc", "make", "apt-get"], ROOT));
    assert!(message.contains("install Rust first"), "{message}");
}
