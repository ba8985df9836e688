//! How a session begins: who we are, the proof of it, and what the server says before it is ready.

use std::io;

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::{backend, frontend};
use tokio_postgres::Config;

use super::exchange::{Trouble, otherwise};
use super::frames::{Frame, Frames, take_i32, take_text};

/// The ways to prove who we are that a server may ask for, by the protocol's numbers.
const OK: i32 = 0;
const CLEARTEXT_PASSWORD: i32 = 3;
const MD5_PASSWORD: i32 = 5;
const SASL: i32 = 10;
const SASL_CONTINUE: i32 = 11;
const SASL_FINAL: i32 = 12;

/// Logs in with what `config` says, and waits until the server is ready.
pub(super) fn log_in(frames: &mut Frames, config: &Config) -> Result<(), Trouble> {
    let user = config.get_user().unwrap_or_default();
    let mut params = vec![("client_encoding", "UTF8"), ("user", user)];
    params.extend(config.get_dbname().map(|name| ("database", name)));
    params.extend(config.get_options().map(|options| ("options", options)));
    params.extend(config.get_application_name().map(|name| ("application_name", name)));
    frontend::startup_message(params, &mut frames.outbox)?;
    frames.send()?;
    authenticate(frames, user, config.get_password())?;
    loop {
        let Frame { tag, body } = frames.next()?;
        match tag {
            backend::BACKEND_KEY_DATA_TAG => {}
            backend::READY_FOR_QUERY_TAG => return Ok(()),
            tag => return Err(otherwise(tag, body)),
        }
    }
}

fn authenticate(frames: &mut Frames, user: &str, password: Option<&[u8]>) -> Result<(), Trouble> {
    let password = || password.ok_or_else(|| refused("the server asks for a password"));
    loop {
        let (way, body) = demand(frames)?;
        match way {
            OK => return Ok(()),
            CLEARTEXT_PASSWORD => frontend::password_message(password()?, &mut frames.outbox)?,
            MD5_PASSWORD => {
                let salt = body.try_into().map_err(|_| refused("salt of another length"))?;
                let hash = md5_hash(user.as_bytes(), password()?, salt);
                frontend::password_message(hash.as_bytes(), &mut frames.outbox)?;
            }
            SASL => {
                scram(frames, &body, password()?)?;
                continue;
            }
            _ => return Err(refused("the server wants to know us in a way that we do not have")),
        }
        frames.send()?;
    }
}

/// SCRAM-SHA-256, by which neither side learns anything from the other that proves who we are.
fn scram(frames: &mut Frames, offered: &[u8], password: &[u8]) -> Result<(), Trouble> {
    let mut offered = offered;
    let mut is_offered = false;
    while let Ok(name) = take_text(&mut offered) {
        is_offered |= name == SCRAM_SHA_256.as_bytes();
    }
    if !is_offered {
        return Err(refused("the server does not offer SCRAM-SHA-256"));
    }
    let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
    frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut frames.outbox)?;
    frames.send()?;
    scram.update(&expect(frames, SASL_CONTINUE)?).map_err(|_| refused("SCRAM went wrong"))?;
    frontend::sasl_response(scram.message(), &mut frames.outbox)?;
    frames.send()?;
    let last = expect(frames, SASL_FINAL)?;
    scram.finish(&last).map_err(|_| refused("the server does not know the password itself"))
}

fn expect(frames: &mut Frames, way: i32) -> Result<Vec<u8>, Trouble> {
    match demand(frames)? {
        (demanded, body) if demanded == way => Ok(body),
        _ => Err(refused("SCRAM went wrong")),
    }
}

/// What the server wants next: the way, and what it says with it.
fn demand(frames: &mut Frames) -> Result<(i32, Vec<u8>), Trouble> {
    let Frame { tag, mut body } = frames.next()?;
    if tag != backend::AUTHENTICATION_TAG {
        return Err(otherwise(tag, body));
    }
    let way = take_i32(&mut body)?;
    Ok((way, body.to_vec()))
}

fn refused(why: &'static str) -> Trouble {
    Trouble::Lost(io::Error::new(io::ErrorKind::PermissionDenied, why))
}
