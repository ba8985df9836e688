//! Programs that are measured: started, watched from outside, and stopped.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and waits by it")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio::runtime::Runtime;

use super::client::Client;
use super::echo::Answers;
use super::requests::get;
pub(super) use crate::process::cpu_seconds;

/// How long a start may take.
const START_MAX: Duration = Duration::from_secs(20);

/// A running program that listens.
pub(super) struct Service {
    child: Child,
    pub(super) addr: SocketAddr,
    /// From the start of the process to its first answer, in milliseconds.
    pub(super) start_ms: f64,
}

impl Service {
    /// Starts the real service on a data folder, its log in a file there, with these variables
    /// besides.
    pub(super) fn cotejo(
        program: &Path,
        data: &Path,
        database: Option<&str>,
        settings: &[(&str, String)],
    ) -> Result<Self> {
        let addr = free()?;
        let mut command = Command::new(program);
        command.args(["serve", "--json", "--listen", &addr.to_string(), "--data"]).arg(data);
        // All payers of a load come from one address.
        command.env("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0");
        if let Some(url) = database {
            command.env("COTEJO_DATABASE", url);
        }
        command.envs(settings.iter().map(|(name, value)| (name, value)));
        Self::start(command, addr, "/health/live", &log_of(data))
    }

    /// Starts the simulated banks, what they say in a file beside that folder.
    pub(super) fn banks(program: &Path, folder: &Path) -> Result<Self> {
        let addr = free()?;
        let mut command = Command::new(program);
        command.args(["banks", "--listen", &addr.to_string()]);
        Self::start(command, addr, "/admin/calls", &log_of(&folder.join("banks")))
    }

    /// Starts a program, and waits until it answers.
    fn start(mut command: Command, addr: SocketAddr, path: &str, log: &Path) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?);
        let begun = Instant::now();
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        while !answers(addr, path) {
            if begun.elapsed() > START_MAX || child.try_wait()?.is_some() {
                let log = fs::read_to_string(log).unwrap_or_default();
                drop(child.kill());
                bail!("it does not start:\n{log}");
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Self { child, addr, start_ms: begun.elapsed().as_secs_f64() * 1e3 })
    }

    /// Starts the echo, which is to give these answers.
    pub(super) fn echo(answers: &Answers) -> Result<Self> {
        let begun = Instant::now();
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("echo").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().context("the echo's input")?;
        writeln!(input, "{}", serde_json::to_string(answers)?)?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("the echo's output")?).read_line(&mut line)?;
        let addr = line.trim().parse().context("the echo's address")?;
        Ok(Self { child, addr, start_ms: begun.elapsed().as_secs_f64() * 1e3 })
    }

    /// The process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its resident memory in megabytes.
    pub(super) fn memory_mb(&self) -> Result<f64> {
        memory_mb(self.child.id(), "VmRSS:")
    }

    /// Asks it to stop, and waits until it has.
    pub(super) fn stop(mut self) -> Result<()> {
        let pid = self.child.id().to_string();
        crate::process::run(Command::new("kill").args(["-TERM", &pid]))?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Where it has stopped already, there is nothing to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A process's memory in megabytes, as the kernel has it under that name.
pub(super) fn memory_mb(process: u32, name: &str) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()).context("/proc/PID/status")?;
    Ok(kib.parse::<f64>()? * 1024.0 / 1e6)
}

/// Returns the path of the service's log for a data folder.
pub(super) fn log_of(data: &Path) -> PathBuf {
    data.with_extension("log")
}

/// Asks one thing after another on one connection.
pub(super) struct Asker {
    runtime: Runtime,
    client: Client,
}

impl Asker {
    pub(super) fn connect(addr: SocketAddr) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let client = runtime.block_on(Client::connect(addr))?;
        Ok(Self { runtime, client })
    }

    /// The body of the answer to a request, where it succeeds.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<String> {
        let answer = self.runtime.block_on(self.client.call(request))?;
        let body = String::from_utf8_lossy(answer.body).into_owned();
        if answer.status != 200 {
            bail!("{} {body}", answer.status);
        }
        Ok(body)
    }

    /// Sends a request, and checks that it is refused.
    pub(super) fn refusal(&mut self, request: &[u8]) -> Result<()> {
        let answer = self.runtime.block_on(self.client.call(request))?;
        ensure!((400..500).contains(&answer.status), "{} and no refusal", answer.status);
        Ok(())
    }

    /// The cookie that the answer to a request sets, as a browser shows it.
    pub(super) fn cookie(&mut self, request: &[u8]) -> Result<String> {
        let answer = self.runtime.block_on(self.client.call(request))?;
        let head = String::from_utf8_lossy(answer.head);
        let set = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let set = set.with_context(|| format!("{} and no cookie", answer.status))?;
        Ok(set.split(';').next().unwrap_or_default().to_owned())
    }
}

/// One request on a connection of its own; its body, where it succeeds.
pub(super) fn ask(addr: SocketAddr, request: &[u8]) -> Result<String> {
    Asker::connect(addr)?.ask(request)
}

fn answers(addr: SocketAddr, path: &str) -> bool {
    let mut request = Vec::new();
    get(&mut request, path, None);
    ask(addr, &request).is_ok()
}

/// An address that nobody listens at.
fn free() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
