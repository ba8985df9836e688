//! Messages to the server that travel together, and their answers.

use std::future::poll_fn;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::future::maybe_done;
use futures_util::pin_mut;
use tokio_postgres::{Client, Error, Statement};

use super::values::{self, Param};
use crate::value::{Row, Value};

/// What is sent to the server.
pub(super) enum Message<'m> {
    /// A command without parameters: begin, commit, roll back.
    Command(&'m str),
    /// A statement of which only the number of rows matters.
    Write(Statement, &'m [Value]),
    /// A statement whose rows are wanted.
    Read(Statement, &'m [Value]),
    /// A statement to prepare.
    Prepare(&'static str),
}

/// What the server answers.
pub(super) enum Answer {
    Done,
    Written(u64),
    Rows(Vec<Row>),
    Prepared(Statement),
}

/// Sends the messages in order and waits once for all answers. Sending stops at the first message
/// that is answered before anything was sent of it, such as one whose parameters do not fit, so
/// that nothing that follows it takes effect: there are fewer answers than messages then.
pub(super) async fn exchange(
    client: &Client,
    messages: Vec<Message<'_>>,
) -> Vec<Result<Answer, Error>> {
    let mut flights = Vec::with_capacity(messages.len());
    for message in messages {
        let mut flight = Box::pin(maybe_done(send(client, message)));
        // The driver writes a message out when its future is first polled.
        let answered_at_once =
            poll_fn(|context| Poll::Ready(flight.as_mut().poll(context).is_ready())).await;
        flights.push(flight);
        if answered_at_once {
            break;
        }
    }
    let mut answers = Vec::with_capacity(flights.len());
    for mut flight in flights {
        flight.as_mut().await;
        answers.extend(flight.as_mut().take_output());
    }
    answers
}

async fn send(client: &Client, message: Message<'_>) -> Result<Answer, Error> {
    match message {
        Message::Command(text) => client.batch_execute(text).await.map(|()| Answer::Done),
        Message::Prepare(text) => client.prepare(text).await.map(Answer::Prepared),
        Message::Write(statement, params) => {
            client.execute_raw(&statement, params.iter().map(Param)).await.map(Answer::Written)
        }
        Message::Read(statement, params) => {
            let answer = client.query_raw(&statement, params.iter().map(Param)).await?;
            pin_mut!(answer);
            let mut rows = Vec::new();
            while let Some(row) = answer.next().await {
                rows.push(values::read(&row?)?);
            }
            Ok(Answer::Rows(rows))
        }
    }
}
