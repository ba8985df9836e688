//! The admin socket: how commands reach a server that has the database file to itself. One line of
//! JSON in, one out, between processes of one user.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use app::App;
use app::admin::Operator;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use crate::admin::{CommandOutcome, Reply, Request, perform};

/// The longest line that is read: the rates of a file, of which each may be some hundred bytes.
const LINE_LEN_MAX: u64 = 4 * 1024 * 1024;

/// How long one conversation may take, on either side.
const CONVERSATION_TIMEOUT: Duration = Duration::from_secs(30);

/// How long is waited after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// A command was sent to a server, and its answer did not arrive.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the server's answer was lost: look whether it was done before you repeat it")]
pub(crate) struct AnswerLost;

/// The server's side.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    listener: UnixListener,
    path: PathBuf,
    /// The user whose processes are served.
    user: u32,
}

impl AdminSocket {
    /// Listens at `path`. The caller has the folder's lock, so that what lies there is left
    /// over.
    pub(crate) fn bind(path: &Path) -> anyhow::Result<Self> {
        let problem = || format!("the admin socket {} cannot be made", path.display());
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(problem);
            }
            _ => {}
        }
        let listener = UnixListener::bind(path).with_context(problem)?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).with_context(problem)?;
        let user = std::fs::metadata(path).with_context(problem)?.uid();
        Ok(Self { listener, path: path.to_owned(), user })
    }

    /// Answers until it is asked to stop, one conversation at a time.
    pub(crate) async fn run(self, app: Arc<App>, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            let result = match accepted {
                Ok((stream, _)) => limited(self.converse(stream, &app)).await,
                Err(error) => {
                    app.clock.sleep(PAUSE).await;
                    Err(error.into())
                }
            };
            if let Err(error) = result {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "a command on the admin socket failed"
                );
            }
        }
        drop(std::fs::remove_file(&self.path));
    }

    async fn converse(&self, mut stream: UnixStream, app: &App) -> anyhow::Result<()> {
        // The socket's mode says so too, but there is a moment before it is set.
        if stream.peer_cred()?.uid() != self.user {
            bail!("refused a process of another user");
        }
        let line = read_line(&mut stream).await?;
        let reply = match serde_json::from_str::<Request>(&line) {
            Ok(request) => perform(&Operator::of(app), request).await.into(),
            Err(error) => Reply::Refused(format!("the server does not know this command: {error}")),
        };
        write_line(&mut stream, &reply).await
    }
}

/// The command's side: asks the server at `path`, if one listens. Where it does not answer, the
/// error is an [`AnswerLost`].
pub(crate) async fn ask(path: &Path, request: &Request) -> anyhow::Result<Option<CommandOutcome>> {
    let mut stream = match UnixStream::connect(path).await {
        Ok(stream) => stream,
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) =>
        {
            return Ok(None);
        }
        Err(error) => {
            return Err(error).with_context(|| format!("the admin socket {}", path.display()));
        }
    };
    let conversation = async {
        write_line(&mut stream, request).await?;
        let line = read_line(&mut stream).await?;
        serde_json::from_str::<Reply>(&line).context("the server's answer")
    };
    let reply = limited(conversation).await.context(AnswerLost)?;
    reply.into_result().map(Some)
}

async fn read_line(stream: &mut UnixStream) -> anyhow::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(LINE_LEN_MAX)).read_line(&mut line).await?;
    if line.ends_with('\n') {
        Ok(line)
    } else {
        bail!("the connection ended early, or the line is too long")
    }
}

async fn write_line(stream: &mut UnixStream, value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line).await?;
    stream.flush().await?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "between two processes, the system's time counts")]
async fn limited<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::time::timeout(CONVERSATION_TIMEOUT, work)
        .await
        .context("the other side took too long")?
}
