//! The way out for the notices of simulated banks: plain HTTP to an address that the operator gave,
//! one connection for each notice.

use std::time::Duration;

use anyhow::{Context, bail};
use axum::body::Body;
use bank_sim::Poster;
use bank_sim::runtime::{Notice, Posted, Posting};
use http_body_util::{BodyExt, Limited};
use hyper::Request;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// How long a notice may take, with its answer.
const TIME_MAX: Duration = Duration::from_secs(10);

/// The longest answer that is read, in bytes.
const ANSWER_LEN_MAX: usize = 8 * 1024;

/// Posts by the network.
#[derive(Clone, Copy, Debug)]
pub struct HttpPoster;

impl Poster for HttpPoster {
    #[expect(clippy::disallowed_methods, reason = "the network does not follow a simulated clock")]
    fn post(&self, notice: Notice) -> Posting {
        Box::pin(async move {
            match tokio::time::timeout(TIME_MAX, post(notice)).await {
                Ok(posted) => posted.map_err(|error| format!("{error:#}")),
                Err(_) => Err(format!("no answer within {} seconds", TIME_MAX.as_secs())),
            }
        })
    }
}

async fn post(notice: Notice) -> anyhow::Result<Posted> {
    let uri: hyper::Uri = notice.url.parse().context("the address")?;
    if uri.scheme_str() != Some("http") {
        bail!("the address does not begin with http://");
    }
    let host = uri.host().context("the address has no host")?;
    // An IPv6 address stands in brackets there, and nowhere else.
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(80);
    let stream = TcpStream::connect((name, port)).await.context("no connection")?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;

    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut secret = HeaderValue::from_str(notice.secret.expose()).context("the secret")?;
    secret.set_sensitive(true);
    let request = Request::post(path)
        .header(HOST, uri.authority().map_or(host, |authority| authority.as_str()))
        .header(CONTENT_TYPE, "application/json")
        .header(notice.header, secret)
        .body(Body::from(notice.body))?;
    let answer = async {
        let response = sender.send_request(request).await.context("no answer")?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), ANSWER_LEN_MAX).collect().await;
        let body = body.map_err(|error| anyhow::anyhow!("the answer: {error}"))?.to_bytes();
        Ok(Posted { status, body: String::from_utf8_lossy(&body).into_owned() })
    };
    tokio::pin!(answer);
    tokio::select! {
        posted = &mut answer => posted,
        // It ends first where the other side has closed it; what was answered is still there.
        _ = connection => answer.await,
    }
}
