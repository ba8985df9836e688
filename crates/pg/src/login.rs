//! How a session begins: who we are, the proof of it, and what the server says before it is ready.

use std::io;

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{
    ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};
use postgres_protocol::message::{backend, frontend};
use tokio_postgres::config::ChannelBinding as Binding;

use crate::cancel::CancelKey;
use crate::config::Config;
use crate::error::Error;
use crate::messages::{Message, Messages, take_i32, take_text};
use crate::pipeline::otherwise;

/// The ways to prove who we are that a server may ask for, by the protocol's numbers.
const OK: i32 = 0;
const CLEARTEXT_PASSWORD: i32 = 3;
const MD5_PASSWORD: i32 = 5;
const SASL: i32 = 10;
const SASL_CONTINUE: i32 = 11;
const SASL_FINAL: i32 = 12;

const NOT_BOUND: &str = "the server does not do channel binding, which is asked for";

/// Logs in with what `config` says, and waits until the server is ready. Answers what cancels a statement, if the
/// server said it.
pub(crate) fn log_in(messages: &mut Messages, config: &Config) -> Result<Option<CancelKey>, Error> {
    let settings = config.settings();
    let user = settings.get_user().unwrap_or_default();
    let mut params = vec![("client_encoding", "UTF8"), ("user", user)];
    params.extend(settings.get_dbname().map(|name| ("database", name)));
    params.extend(settings.get_options().map(|options| ("options", options)));
    params.extend(settings.get_application_name().map(|name| ("application_name", name)));
    frontend::startup_message(params, &mut messages.outbox)?;
    messages.send()?;
    let login =
        Login { user, password: settings.get_password(), binding: settings.get_channel_binding() };
    login.authenticate(messages)?;
    let mut key = None;
    loop {
        let Message { tag, mut body } = messages.next()?;
        match tag {
            backend::BACKEND_KEY_DATA_TAG => {
                key =
                    Some(CancelKey { process: take_i32(&mut body)?, secret: take_i32(&mut body)? });
            }
            backend::READY_FOR_QUERY_TAG => return Ok(key),
            tag => return Err(otherwise(tag, body)),
        }
    }
}

/// Parameters of a login: who we are, and how strict.
struct Login<'c> {
    user: &'c str,
    password: Option<&'c [u8]>,
    binding: Binding,
}

impl Login<'_> {
    fn authenticate(&self, messages: &mut Messages) -> Result<(), Error> {
        let mut is_bound = false;
        loop {
            let (way, body) = demand(messages)?;
            if way != SASL && self.binding == Binding::Require && !is_bound {
                return Err(refused(NOT_BOUND));
            }
            match way {
                OK => return Ok(()),
                CLEARTEXT_PASSWORD => {
                    frontend::password_message(self.password()?, &mut messages.outbox)?;
                }
                MD5_PASSWORD => {
                    let salt = body.try_into().map_err(|_| refused("salt of another length"))?;
                    let hash = md5_hash(self.user.as_bytes(), self.password()?, salt);
                    frontend::password_message(hash.as_bytes(), &mut messages.outbox)?;
                }
                SASL => {
                    is_bound = self.scram(messages, &body)?;
                    continue;
                }
                _ => {
                    return Err(refused("the server asks for a kind of login that we do not have"));
                }
            }
            messages.send()?;
        }
    }

    fn password(&self) -> Result<&[u8], Error> {
        self.password.ok_or_else(|| refused("the server asks for a password"))
    }

    /// SCRAM-SHA-256, by which neither side learns anything from the other that proves who we are. Answers whether
    /// the proof was bound to the server's certificate.
    fn scram(&self, messages: &mut Messages, offered: &[u8]) -> Result<bool, Error> {
        let password = self.password()?;
        let hash = match self.binding {
            Binding::Disable => None,
            _ => messages.socket.channel_binding(),
        };
        let offers = |wanted: &str| {
            let mut rest = offered;
            std::iter::from_fn(|| take_text(&mut rest).ok()).any(|name| name == wanted.as_bytes())
        };
        let (mechanism, binding, is_bound) = match hash {
            Some(hash) if offers(SCRAM_SHA_256_PLUS) => {
                (SCRAM_SHA_256_PLUS, ChannelBinding::tls_server_end_point(hash), true)
            }
            _ if self.binding == Binding::Require => return Err(refused(NOT_BOUND)),
            _ if !offers(SCRAM_SHA_256) => {
                return Err(refused("the server does not offer SCRAM-SHA-256"));
            }
            // A server that can, and whose offer was taken out on the way, refuses who says this.
            Some(_) => (SCRAM_SHA_256, ChannelBinding::unrequested(), false),
            None => (SCRAM_SHA_256, ChannelBinding::unsupported(), false),
        };
        let mut scram = ScramSha256::new(password, binding);
        frontend::sasl_initial_response(mechanism, scram.message(), &mut messages.outbox)?;
        messages.send()?;
        let first = expect(messages, SASL_CONTINUE)?;
        scram.update(&first).map_err(|_| refused("SCRAM went wrong"))?;
        frontend::sasl_response(scram.message(), &mut messages.outbox)?;
        messages.send()?;
        let last = expect(messages, SASL_FINAL)?;
        let finished = scram.finish(&last);
        finished.map_err(|_| refused("the server does not know the password itself"))?;
        Ok(is_bound)
    }
}

fn expect(messages: &mut Messages, way: i32) -> Result<Vec<u8>, Error> {
    match demand(messages)? {
        (demanded, body) if demanded == way => Ok(body),
        _ => Err(refused("SCRAM went wrong")),
    }
}

/// Reads what the server wants next: the way, and what it says with it.
fn demand(messages: &mut Messages) -> Result<(i32, Vec<u8>), Error> {
    let Message { tag, mut body } = messages.next()?;
    if tag != backend::AUTHENTICATION_TAG {
        return Err(otherwise(tag, body));
    }
    let way = take_i32(&mut body)?;
    Ok((way, body.to_vec()))
}

fn refused(why: &'static str) -> Error {
    Error::Lost(io::Error::new(io::ErrorKind::PermissionDenied, why))
}
