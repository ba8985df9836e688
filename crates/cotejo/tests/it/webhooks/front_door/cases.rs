//! What hostile receivers do, and what the log says of each.

mod http2;

use std::io::{Read, Write};
use std::net::TcpStream;

use testkit::certificates::Shown;
use testkit::receiver::Receiver;
use testkit::scripted::{Play, Scripted};
use tokio::sync::watch;

/// A receiver, and what comes of sending it something.
pub(super) struct Case {
    /// What it does, in words.
    pub(super) what: &'static str,
    does: Does,
    pub(super) end: End,
}

/// Behaviour of the receiver.
#[derive(Clone)]
enum Does {
    /// That, once it was asked.
    Plain(Play),
    /// That over TLS.
    Secured(Shown, Play),
    /// Those frames of HTTP/2, once it was sent something.
    InHttp2(Vec<u8>),
    /// That instead of agreeing on encryption, once it was greeted; and then nothing more.
    Instead(&'static [u8]),
    /// That, and hangs up.
    InsteadAndEnds(&'static [u8]),
}

/// Outcome of the case.
pub(super) enum End {
    /// One of these codes, with its words.
    Trouble(Vec<(&'static str, &'static str)>),
    /// What it poured was cut off, and it has received what it was sent.
    Cut,
    /// Nothing is wrong with it.
    Delivered,
}

const OUT_OF_TIME_WAITING: (&str, &str) =
    ("timeout_waiting", "se acabó el tiempo esperando la respuesta");
const OUT_OF_TIME_READING: (&str, &str) =
    ("timeout_reading", "se acabó el tiempo leyendo la respuesta");
const OUT_OF_TIME_SECURING: (&str, &str) =
    ("timeout_securing", "se acabó el tiempo acordando el cifrado");
const TOO_LONG: (&str, &str) =
    ("head_too_long", "las cabeceras de la respuesta son demasiado largas");
const FLOODED: (&str, &str) = ("flooded", "llegó mucho más de lo que ocupa una respuesta");
const RESET: (&str, &str) = ("reset", "la conexión terminó antes que la respuesta");
const MALFORMED: (&str, &str) = ("malformed", "la respuesta no es HTTP");
const NO_TLS: (&str, &str) = ("tls", "no se pudo acordar un cifrado (TLS)");
const UNTRUSTED: (&str, &str) = (
    "certificate_untrusted",
    "el certificado no es de confianza: revise que la cadena esté completa",
);
const EXPIRED: (&str, &str) = ("certificate_expired", "el certificado está vencido o aún no vale");
const OTHER_HOST: (&str, &str) = ("certificate_other_host", "el certificado es de otro nombre");

fn head(rest: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{rest}\r\n").into_bytes()
}

fn case(what: &'static str, does: Does, end: (&'static str, &'static str)) -> Case {
    Case { what, does, end: End::Trouble(vec![end]) }
}

/// Lists the receivers that would hold on for ever.
pub(super) fn until_the_deadline() -> Vec<Case> {
    let stall = |bytes: &[u8]| Play::Stall(bytes.to_vec());
    let drip = [head("content-length: 100\r\n"), b"drip".to_vec()].concat();
    let chunks = [head("transfer-encoding: chunked\r\n"), b"1\r\nd\r\n".to_vec()].concat();
    // Whether the head has been read by the time that the deadline comes is chance.
    let begun = |what, does| Case {
        what,
        does,
        end: End::Trouble(vec![OUT_OF_TIME_WAITING, OUT_OF_TIME_READING]),
    };
    vec![
        case("never answers", Does::Plain(Play::Silence), OUT_OF_TIME_WAITING),
        case("drips its head", Does::Plain(stall(b"HTTP/1.1 200 OK\r\nx-s")), OUT_OF_TIME_WAITING),
        case(
            "says that it is at it",
            Does::Plain(stall(b"HTTP/1.1 102 Processing\r\n\r\n")),
            OUT_OF_TIME_WAITING,
        ),
        begun("drips its body", Does::Plain(Play::Stall(drip.clone()))),
        begun("drips chunks", Does::Plain(Play::Stall(chunks))),
        case("begins no TLS", Does::Instead(b""), OUT_OF_TIME_SECURING),
        case("drips its TLS", Does::Instead(&[22]), OUT_OF_TIME_SECURING),
        case("has TLS under way", Does::Instead(&[22, 3, 3, 0, 100, 2]), OUT_OF_TIME_SECURING),
        case("is silent in TLS", Does::Secured(Shown::Good, Play::Silence), OUT_OF_TIME_WAITING),
        case("is silent in HTTP/2", Does::InHttp2(http2::settings()), OUT_OF_TIME_WAITING),
        begun("drips in TLS", Does::Secured(Shown::Good, Play::Stall(drip))),
    ]
}

/// Lists the receivers that end before the deadline, or are ended.
pub(super) fn without_it() -> Vec<Case> {
    let mut all = floods();
    all.extend(endings());
    all.extend(certificates());
    all
}

/// Lists the receivers that pour.
fn floods() -> Vec<Case> {
    let endless = |first: Vec<u8>, again: Vec<u8>| Does::Plain(Play::Endless(first, again));
    let interim = |status: &str| {
        format!("HTTP/1.1 {status} -\r\nx: {}\r\n\r\n", "y".repeat(2_000)).into_bytes()
    };
    let cut = |what, does| Case { what, does, end: End::Cut };
    let long = || head("content-length: 999999999999\r\n");
    let bomb = head("content-encoding: gzip\r\ncontent-length: 999999999\r\n");
    let packed = [&[0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3][..], &[0; 990]].concat();
    let x = || vec![b'x'; 1_000];
    vec![
        case("pours 100", endless(Vec::new(), interim("100")), FLOODED),
        case("pours 102", endless(Vec::new(), interim("102")), FLOODED),
        case("pours 103", endless(Vec::new(), interim("103")), FLOODED),
        case(
            "has no end of headers",
            endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"a: b\r\n".repeat(99)),
            TOO_LONG,
        ),
        case(
            "has a header without an end",
            endless(b"HTTP/1.1 200 OK\r\na: ".to_vec(), x()),
            TOO_LONG,
        ),
        case(
            "has a huge header",
            Does::Plain(Play::Stall(head(&format!("a: {}\r\n", "b".repeat(200_000))))),
            TOO_LONG,
        ),
        case("has a long head in HTTP/2", Does::InHttp2(http2::head(10)), TOO_LONG),
        case("has a huge head in HTTP/2", Does::InHttp2(http2::head(40)), TOO_LONG),
        case("has a head without measure in HTTP/2", Does::InHttp2(http2::head(200)), TOO_LONG),
        cut("has a body without an end", endless(head(""), x())),
        cut("says how long its endless body is", endless(long(), x())),
        cut(
            "pours chunks",
            endless(head("transfer-encoding: chunked\r\n"), b"5\r\nxxxxx\r\n".to_vec()),
        ),
        cut("pours a compressed bomb", endless(bomb, packed)),
        cut("pours in TLS", Does::Secured(Shown::Good, Play::Endless(long(), x()))),
    ]
}

/// Lists the receivers that hang up.
fn endings() -> Vec<Case> {
    let begun = || [head("content-length: 9\r\n"), b"begun".to_vec()].concat();
    vec![
        case("closes at once", Does::Plain(Play::Bytes(Vec::new())), RESET),
        case("closes in its head", Does::Plain(Play::Bytes(b"HTTP/1.1 2".to_vec())), RESET),
        case("closes in its body", Does::Plain(Play::Bytes(begun())), RESET),
        case("resets at once", Does::Plain(Play::Reset(Vec::new())), RESET),
        case("resets in its body", Does::Plain(Play::Reset(begun())), RESET),
        case("resets in TLS", Does::Secured(Shown::Good, Play::Reset(begun())), RESET),
        case("resets in HTTP/2", Does::InHttp2(http2::reset()), RESET),
        case(
            "is a server of mail",
            Does::Plain(Play::Bytes(b"220 mail ready\r\n\r\n".to_vec())),
            MALFORMED,
        ),
        case("hangs up on TLS", Does::InsteadAndEnds(b""), NO_TLS),
        case(
            "has no TLS",
            Does::InsteadAndEnds(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"),
            NO_TLS,
        ),
    ]
}

/// Lists the receivers with a bad certificate, and one with a good one, so that it is known what the others lack.
fn certificates() -> Vec<Case> {
    let showing = |shown| Does::Secured(shown, Play::Answer(204, Vec::new()));
    vec![
        Case { what: "is who it says", does: showing(Shown::Good), end: End::Delivered },
        case("vouches for itself", showing(Shown::SignedByItself), UNTRUSTED),
        case("has another's name", showing(Shown::OfAnotherHost), OTHER_HOST),
        case("shows what has expired", showing(Shown::Expired), EXPIRED),
    ]
}

/// A receiver that is there.
pub(super) enum Place {
    Asked(Receiver),
    Greeted(Scripted, watch::Receiver<usize>),
}

impl Place {
    pub(super) fn of(case: &Case) -> Self {
        match case.does.clone() {
            Does::Plain(play) => Self::Asked(Receiver::answering(move |_| play.clone())),
            Does::Secured(shown, play) => {
                Self::Asked(Receiver::secured(shown, move |_| play.clone()))
            }
            Does::InHttp2(frames) => Self::in_http2(frames),
            Does::Instead(said) => Self::greeted(said, false),
            Does::InsteadAndEnds(said) => Self::greeted(said, true),
        }
    }

    /// A receiver that says that when it is greeted, and waits for the other side to hang up.
    fn greeted(said: &'static [u8], does_end: bool) -> Self {
        let (counter, greetings) = watch::channel(0);
        let server = Scripted::speaking(move |stream| {
            let mut stream: &TcpStream = stream;
            // The beginning of a greeting: encryption is being agreed on.
            drop(stream.read_exact(&mut [0; 5]));
            drop(stream.write_all(said));
            counter.send_modify(|count| *count += 1);
            if !does_end {
                drop(stream.read_to_end(&mut Vec::new()));
            }
        });
        Self::Greeted(server, greetings)
    }

    /// A receiver that speaks HTTP/2, says that when it was sent something, and waits.
    fn in_http2(frames: Vec<u8>) -> Self {
        let (counter, greetings) = watch::channel(0);
        let server = Scripted::speaking_in_tls(Shown::Good, b"h2", move |wire| {
            if !http2::receive_webhook(wire) {
                return;
            }
            counter.send_modify(|count| *count += 1);
            drop(wire.write_all(&frames).and_then(|()| wire.flush()));
            drop(wire.read_to_end(&mut Vec::new()));
        });
        Self::Greeted(server, greetings)
    }

    pub(super) fn url(&self) -> String {
        match self {
            Self::Asked(receiver) => receiver.url(),
            Self::Greeted(server, _) => format!("{}/hook", server.base_url()),
        }
    }

    /// Waits until it was sent something, or greeted.
    pub(super) async fn is_reached(&self) {
        self.is_reached_by(1).await;
    }

    /// The same for so many.
    pub(super) async fn is_reached_by(&self, count: usize) {
        match self {
            Self::Asked(receiver) => drop(receiver.received(count).await),
            Self::Greeted(_, greetings) => {
                let mut greetings = greetings.clone();
                greetings.wait_for(|greetings| *greetings >= count).await.unwrap();
            }
        }
    }

    pub(super) fn connections(&self) -> usize {
        match self {
            Self::Asked(receiver) => receiver.connections(),
            Self::Greeted(server, _) => server.connections(),
        }
    }

    /// How many connections have not ended.
    pub(super) fn open(&self) -> usize {
        match self {
            Self::Asked(receiver) => receiver.open(),
            Self::Greeted(server, _) => server.open(),
        }
    }
}
