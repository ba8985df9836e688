//! HTTP as a caller that may hang up at any moment sees it: a socket, and what came over it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than any answer may take, so that a test fails instead of hanging.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A whole answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// The code of a refusal; nothing for a success.
    pub(crate) fn code(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }
}

/// A page, as a browser without a script has it.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    /// Where it says to look, or that the answer is shown again.
    pub(crate) location: Option<String>,
    /// The cookies that it sets, as a request sends them.
    pub(crate) cookies: String,
    pub(crate) text: String,
}

/// A connection that is kept open between calls.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn to(addr: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(addr)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a request; `secret` is a key, a session, or nothing.
    pub(crate) fn send(
        &mut self,
        target: (&str, &str),
        secret: &str,
        body: Option<&Value>,
    ) -> io::Result<()> {
        let body = body.map_or_else(String::new, ToString::to_string);
        let shown = match secret {
            "" => String::new(),
            secret => format!("authorization: Bearer {secret}\r\n"),
        };
        self.write(target, &format!("{shown}content-type: application/json\r\n"), &body)
    }

    /// Sends the head of a request and waits until the server has let it in and wants its body.
    ///
    /// # Panics
    /// Where it answers anything else.
    pub(crate) fn begin(&mut self, (method, path): (&str, &str), secret: &str, body: &str) {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: cotejo\r\nauthorization: Bearer {secret}\r\n\
             content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
            body.len(),
        );
        self.stream.get_mut().write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        while !answer.ends_with("\r\n\r\n") {
            assert_ne!(self.stream.read_line(&mut answer).unwrap(), 0, "{answer}");
        }
        assert!(answer.starts_with("HTTP/1.1 100 "), "{answer}");
    }

    /// Sends the body of a request whose head was sent.
    pub(crate) fn finish(&mut self, body: &str) -> io::Result<Answer> {
        self.stream.get_mut().write_all(body.as_bytes())?;
        self.hear()
    }

    fn write(&mut self, (method, path): (&str, &str), headers: &str, body: &str) -> io::Result<()> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: cotejo\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len(),
        );
        self.stream.get_mut().write_all(request.as_bytes())
    }

    /// Reads an answer to its last byte: only then was it received.
    pub(crate) fn hear(&mut self) -> io::Result<Answer> {
        self.hear_whole().map(|(_, answer)| answer)
    }

    /// The same, and the head in lower case.
    pub(crate) fn hear_whole(&mut self) -> io::Result<(String, Answer)> {
        let (status, head, body) = self.read()?;
        let body = serde_json::from_slice(&body).map_err(|_| broken("an answer without JSON"))?;
        Ok((head.to_ascii_lowercase(), Answer { status, body }))
    }

    /// The status, the head in which it stands, and the body.
    fn read(&mut self) -> io::Result<(u16, String, Vec<u8>)> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let length = header(&head, "content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.ok_or_else(|| broken("an answer without a length"))?];
        self.stream.read_exact(&mut body)?;
        Ok((status.ok_or_else(|| broken("an answer without a status"))?, head, body))
    }

    /// Opens a page, or sends the form of one.
    pub(crate) fn browse(&mut self, path: &str, form: Option<&str>) -> io::Result<Page> {
        self.request_page(path, "", form)?;
        self.hear_page()
    }

    /// Asks for a page with these headers, or for anything else, or sends the form of a page.
    pub(crate) fn request_page(
        &mut self,
        path: &str,
        headers: &str,
        form: Option<&str>,
    ) -> io::Result<()> {
        let form_type = "content-type: application/x-www-form-urlencoded\r\n";
        match form {
            None => self.write(("GET", path), headers, ""),
            Some(fields) => self.write(("POST", path), &format!("{headers}{form_type}"), fields),
        }
    }

    /// Reads a page to its last byte.
    pub(crate) fn hear_page(&mut self) -> io::Result<Page> {
        let (status, head, body) = self.read()?;
        let text = String::from_utf8(body).map_err(|_| broken("a page without text"))?;
        let here = text.split("data-here=\"").nth(1).and_then(|rest| rest.split('"').next());
        let location = header(&head, "location").or(here).map(ToOwned::to_owned);
        let set = head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
        let pairs: Vec<&str> = set.filter_map(|line| line.split(';').next()).collect();
        Ok(Page { status, location, cookies: pairs.join("; "), text })
    }

    /// Asks and reads the answer.
    pub(crate) fn call(
        &mut self,
        target: (&str, &str),
        secret: &str,
        body: Option<&Value>,
    ) -> io::Result<Answer> {
        self.send(target, secret, body)?;
        self.hear()
    }

    /// Asks with an `Idempotency-Key`, by which the same request is known again, and reads the answer.
    pub(crate) fn call_once(
        &mut self,
        target: (&str, &str),
        secret: &str,
        key: &str,
        body: &Value,
    ) -> io::Result<Answer> {
        let headers = format!(
            "authorization: Bearer {secret}\r\nidempotency-key: {key}\r\n\
             content-type: application/json\r\n"
        );
        self.write(target, &headers, &body.to_string())?;
        self.hear()
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The value of that header.
fn header<'a>(head: &'a str, wanted: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case(wanted).then(|| value.trim())
    })
}

/// Asks on a connection of its own.
///
/// # Panics
/// Where no answer comes.
#[track_caller]
pub(crate) fn ask(
    addr: SocketAddr,
    target: (&str, &str),
    secret: &str,
    body: Option<&Value>,
) -> Answer {
    let answer =
        Connection::to(addr).and_then(|mut connection| connection.call(target, secret, body));
    answer.unwrap_or_else(|error| panic!("{target:?}: {error}"))
}
