//! Simulated banks as a process of their own, `cotejo banks`.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running simulator, killed where a test does not stop it.
pub struct BankProcess {
    child: Child,
    out: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl BankProcess {
    /// Starts the simulator of that program, listening there, and waits until it does.
    ///
    /// # Panics
    /// Where it does not start.
    #[must_use]
    pub fn start(program: &str, listen: SocketAddr, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.arg("banks").arg("--listen").arg(listen.to_string()).args(arguments);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        // From here on it is killed, however the test ends.
        let mut banks = Self { child, out, address: listen };
        let line = banks.line().expect("a first line");
        let address = line.split_whitespace().last().and_then(|url| url.strip_prefix("http://"));
        banks.address = address.and_then(|address| address.parse().ok()).expect(&line);
        banks
    }

    /// Returns the address that it listens at.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next line that it prints, if there is another.
    ///
    /// # Panics
    /// Where its output cannot be read.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.out.read_line(&mut line).expect("its output");
        (read > 0).then_some(line)
    }

    /// Asks it to end, and answers its exit code and what else it printed.
    ///
    /// # Panics
    /// Where it cannot be asked.
    pub fn stop(mut self) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status().expect("a signal");
        assert!(asked.success());
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("its output");
        (self.child.wait().expect("its end").code(), rest)
    }
}

impl Drop for BankProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl fmt::Debug for BankProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BankProcess").field("address", &self.address).finish_non_exhaustive()
    }
}
