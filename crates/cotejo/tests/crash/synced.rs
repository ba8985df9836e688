//! SIGKILL keeps what the kernel has in its cache, so that a server which forgot to sync would pass
//! every other test here. So the system calls are looked at: whatever was written to the log before
//! an answer was on the disk before that answer began.
//!
//! Looking from inside, through a VFS of SQLite's that counts, would need unsafe code, and would
//! not see the socket.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testkit::Engine;

use crate::cast::{Owner, ok};
use crate::patience::until;
use crate::program::{PROGRAM, Site};

/// How many verifications are traced, one after the other.
const ANSWERS: usize = 20;

const SOON: Duration = Duration::from_secs(20);

/// A system call: when it began and ended in microseconds, and what strace wrote about it.
struct Call {
    begun: u64,
    ended: u64,
    text: String,
}

/// Reads a line such as `1763640000.000001 fdatasync(9</data/cotejo.sqlite-wal>) = 0 <0.000123>`.
fn call(line: &str) -> Option<Call> {
    let (begun, rest) = line.split_once(' ')?;
    let (text, took) = rest.rsplit_once(" <")?;
    let begun = micros(begun)?;
    Some(Call { begun, ended: begun + micros(took.strip_suffix('>')?)?, text: text.to_owned() })
}

fn micros(seconds: &str) -> Option<u64> {
    let (whole, fraction) = seconds.split_once('.')?;
    let whole: u64 = whole.parse().ok()?;
    (fraction.len() == 6).then_some(whole * 1_000_000 + fraction.parse::<u64>().ok()?)
}

/// Every call of every thread, one file each, in the order in which they began.
fn calls(folder: &Path) -> Vec<Call> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let text = files.map(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned());
    let mut calls: Vec<Call> =
        text.flat_map(|text| text.lines().filter_map(call).collect::<Vec<_>>()).collect();
    calls.sort_by_key(|call| call.begun);
    calls
}

fn is_log(call: &Call, name: &str) -> bool {
    call.text.starts_with(name) && call.text.contains("cotejo.sqlite-wal>")
}

/// When each answer began.
fn answers(calls: &[Call]) -> Vec<u64> {
    let is_answer = |call: &&Call| call.text.contains("HTTP/1.1 200 OK");
    calls.iter().filter(is_answer).map(|call| call.begun).collect()
}

/// The answers that came before what was written for them was on the disk. Nothing but them goes on
/// at the time, so that whatever was written since the last answer was written for the next.
fn unsynced(calls: &[Call]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut before = 0;
    for answered in answers(calls) {
        let mut written = calls.iter().filter(|call| is_log(call, "pwrite64"));
        let last = written.rfind(|call| before < call.begun && call.begun < answered);
        let mut synced =
            calls.iter().filter(|call| is_log(call, "fdatasync") || is_log(call, "fsync"));
        match last {
            None => wrong.push(format!("{answered}: nothing was written for it")),
            Some(last) => {
                let covers = |sync: &Call| sync.begun >= last.ended && sync.ended <= answered;
                if !synced.any(covers) {
                    wrong.push(format!("{answered}: not synced since {}", last.ended));
                }
            }
        }
        before = answered;
    }
    wrong
}

#[test]
fn every_answer_follows_a_sync() {
    let strace = Command::new("strace").arg("--version").output();
    assert!(
        strace.is_ok_and(|output| output.status.success()),
        "this test needs strace: install Debian's package `strace`, or run the tests by \
         `cargo xtask test` as root, which installs it",
    );
    let site = Site::on(Engine::Sqlite);
    let owner = Owner::make(&site, "ana", 100);
    let folder = site.folder().join("trace");
    fs::create_dir_all(&folder).unwrap();

    let mut traced = Command::new("strace");
    // Detached, so that the process that was started, and is killed at the end, is the server.
    traced.args(["-D", "-ff", "-y", "-ttt", "-T"]);
    traced.args(["-s", "64", "-e"]);
    traced.arg("trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg");
    traced.arg("-o").arg(folder.join("thread")).arg(PROGRAM);
    let node = site.launch_by(traced, "a").wait();
    for number in 0..ANSWERS {
        let answer = ok(owner.verify(node.addr, &owner.keys[0], &format!("{}67890", 100 + number)));
        assert_eq!(answer["data"]["is_new"], true);
    }
    until(SOON, "the trace", || answers(&calls(&folder)).len() == ANSWERS);
    node.kill();

    let wrong = unsynced(&calls(&folder));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_line_of_the_trace_is_read() {
    let line = "1763640000.000001 fdatasync(9</data/cotejo.sqlite-wal>) = 0 <0.000123>";
    let call = call(line).unwrap();
    assert_eq!((call.begun, call.ended), (1_763_640_000_000_001, 1_763_640_000_000_124));
    assert!(is_log(&call, "fdatasync") && !is_log(&call, "pwrite64"));
}

#[test]
fn an_answer_before_its_sync_is_noticed() {
    let (log, answer) = ("9</data/cotejo.sqlite-wal>", "\"HTTP/1.1 200 OK\\r\\n\"");
    let trace = |syncs: [&str; 2]| {
        let lines = [
            format!("1.000000 pwrite64({log}, ...) = 1048 <0.000010>"),
            format!("{} fdatasync({log}) = 0 <0.000100>", syncs[0]),
            format!("1.000300 writev(11<socket:[1]>, [{{iov_base={answer}}}]) = 17 <0.000010>"),
            format!("1.000400 pwrite64({log}, ...) = 1048 <0.000010>"),
            format!("{} fdatasync({log}) = 0 <0.000100>", syncs[1]),
            format!("1.000700 writev(11<socket:[1]>, [{{iov_base={answer}}}]) = 17 <0.000010>"),
        ];
        unsynced(&lines.iter().map(|line| call(line).unwrap()).collect::<Vec<_>>())
    };
    assert!(trace(["1.000020", "1.000420"]).is_empty());
    // Begun in time and ended too late; not begun; begun before everything was written.
    assert_eq!(trace(["1.000250", "1.000420"]), ["1000300: not synced since 1000010"]);
    assert_eq!(trace(["1.000020", "1.000710"]), ["1000700: not synced since 1000410"]);
    assert_eq!(trace(["1.000020", "1.000405"]), ["1000700: not synced since 1000410"]);
}
