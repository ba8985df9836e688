//! A small HTTP client: one keep-alive connection, one request at a time. It reads just enough of
//! an answer to know its status and its end, so that the load costs little beside what it loads.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest answer that is read.
const ANSWER_MAX: usize = 64 * 1024;

/// A connection.
pub(super) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer as it came.
pub(super) struct Answer<'a> {
    pub(super) status: u16,
    /// The status line and the headers.
    pub(super) head: &'a [u8],
    pub(super) body: &'a [u8],
}

impl Client {
    pub(super) async fn connect(to: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(to).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096) })
    }

    /// Sends a request and waits for the whole answer.
    pub(super) async fn call(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if let Some((status, body, end)) = parse(&self.buffer)?
                && self.buffer.len() >= end
            {
                let (head, rest) = self.buffer.split_at(body);
                let body = rest.get(..end - body).unwrap_or_default();
                return Ok(Answer { status, head, body });
            }
            if self.buffer.len() > ANSWER_MAX {
                bail!("an answer of more than {ANSWER_MAX} bytes");
            }
        }
    }
}

/// The status of an answer, where its body begins, and where it ends; `None` while the head is not
/// there yet.
fn parse(bytes: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(bytes.get(..end).unwrap_or_default())?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status = status.context("an answer without a status")?.parse()?;
    let mut len = None;
    for line in lines {
        let (name, value) = line.split_once(':').context("a header without a colon")?;
        if name.eq_ignore_ascii_case("content-length") {
            len = Some(value.trim().parse::<usize>()?);
        }
    }
    let len = len.context("an answer that does not say how long it is")?;
    Ok(Some((status, end + 4, end + 4 + len)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_it_says() {
        let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nx: y\r\n\r\n{}";
        assert_eq!(parse(answer).unwrap(), Some((404, answer.len() - 2, answer.len())));
        assert_eq!(parse(b"HTTP/1.1 200 OK\r\n").unwrap(), None);
        assert!(parse(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
