//! Why an attempt to deliver came to nothing, as a closed list that stores keep by its codes and
//! people read in their own words.

use std::fmt;

use crate::language::Language;

/// Why an attempt came to nothing. None of it repeats an address or anything that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The address is none that can be called.
    InvalidUrl,
    /// The address leads to where no receiver may be.
    Forbidden(Zone),
    /// The port is one that other protocols than HTTP are spoken at.
    ForbiddenPort,
    /// The name leads nowhere.
    UnknownName,
    /// Nobody listens there, or the way there is broken.
    Unreachable,
    /// No encryption could be agreed on: what listens there speaks none, or none that is safe.
    Tls,
    /// The certificate does not show who it is.
    Certificate(Flaw),
    /// This machine trusts no certificates at all, so that nobody can be distinguished from an impostor.
    NoTrust,
    /// The deadline came while this was going on.
    Timeout(Phase),
    /// What came back is not HTTP.
    Malformed,
    /// The head of the answer is longer than is read.
    HeadTooLong,
    /// Far more was poured out than any answer needs.
    Flooded,
    /// The connection ended before the answer did.
    Reset,
    /// The answer was a redirect, which is not followed.
    Redirected,
    /// The answer was 410: nobody wants to be notified any more.
    Gone,
    /// The answer had any other status than success.
    Refused,
}

/// Zone in which no receiver may be, because only this machine or its network could reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Zone {
    /// This machine.
    Loopback,
    /// A private network (RFC 1918, RFC 4193).
    Private,
    /// The same wire, where clouds keep what machines may know of themselves (RFC 3927, RFC 4291).
    LinkLocal,
    /// An address known to answer a cloud's machines about themselves.
    Metadata,
    /// Shared by the customers of a carrier (RFC 6598).
    Shared,
    /// Many machines at once.
    Multicast,
    /// A tunnel whose other end cannot be known (6to4, Teredo).
    Tunnel,
    /// Set aside by the registries for documents, tests or nothing yet (RFC 6890).
    Reserved,
    /// A network that the operator has closed to webhooks.
    Closed,
}

/// Defect of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It is not good any more, or not yet.
    Expired,
    /// It is another host's.
    OtherHost,
    /// Nobody who is trusted vouches for it, as where it is signed by itself.
    Untrusted,
}

/// Part of an exchange that was going on when a deadline came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The name was looked up.
    Resolving,
    /// A connection was made.
    Connecting,
    /// Encryption was agreed on.
    Securing,
    /// The beginning of the answer was waited for.
    Waiting,
    /// The answer was read.
    Reading,
}

impl Phase {
    /// Every phase, in the order in which they come.
    pub const ALL: [Self; 5] =
        [Self::Resolving, Self::Connecting, Self::Securing, Self::Waiting, Self::Reading];

    /// The word that callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resolving => "resolving",
            Self::Connecting => "connecting",
            Self::Securing => "securing",
            Self::Waiting => "waiting",
            Self::Reading => "reading",
        }
    }

    /// Its place among them.
    pub(super) const fn place(self) -> usize {
        match self {
            Self::Resolving => 0,
            Self::Connecting => 1,
            Self::Securing => 2,
            Self::Waiting => 3,
            Self::Reading => 4,
        }
    }
}

impl Trouble {
    /// Every one of them.
    pub const ALL: [Self; 30] = [
        Self::InvalidUrl,
        Self::Forbidden(Zone::Loopback),
        Self::Forbidden(Zone::Private),
        Self::Forbidden(Zone::LinkLocal),
        Self::Forbidden(Zone::Metadata),
        Self::Forbidden(Zone::Shared),
        Self::Forbidden(Zone::Multicast),
        Self::Forbidden(Zone::Tunnel),
        Self::Forbidden(Zone::Reserved),
        Self::Forbidden(Zone::Closed),
        Self::ForbiddenPort,
        Self::UnknownName,
        Self::Unreachable,
        Self::Tls,
        Self::Certificate(Flaw::Expired),
        Self::Certificate(Flaw::OtherHost),
        Self::Certificate(Flaw::Untrusted),
        Self::NoTrust,
        Self::Timeout(Phase::Resolving),
        Self::Timeout(Phase::Connecting),
        Self::Timeout(Phase::Securing),
        Self::Timeout(Phase::Waiting),
        Self::Timeout(Phase::Reading),
        Self::Malformed,
        Self::HeadTooLong,
        Self::Flooded,
        Self::Reset,
        Self::Redirected,
        Self::Gone,
        Self::Refused,
    ];

    /// The code that stores keep. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidUrl => "invalid_url",
            Self::Forbidden(Zone::Loopback) => "forbidden_loopback",
            Self::Forbidden(Zone::Private) => "forbidden_private",
            Self::Forbidden(Zone::LinkLocal) => "forbidden_link_local",
            Self::Forbidden(Zone::Metadata) => "forbidden_metadata",
            Self::Forbidden(Zone::Shared) => "forbidden_shared",
            Self::Forbidden(Zone::Multicast) => "forbidden_multicast",
            Self::Forbidden(Zone::Tunnel) => "forbidden_tunnel",
            Self::Forbidden(Zone::Reserved) => "forbidden_reserved",
            Self::Forbidden(Zone::Closed) => "forbidden_by_operator",
            Self::ForbiddenPort => "forbidden_port",
            Self::UnknownName => "unknown_name",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::Certificate(Flaw::Expired) => "certificate_expired",
            Self::Certificate(Flaw::OtherHost) => "certificate_other_host",
            Self::Certificate(Flaw::Untrusted) => "certificate_untrusted",
            Self::NoTrust => "no_trust",
            Self::Timeout(Phase::Resolving) => "timeout_resolving",
            Self::Timeout(Phase::Connecting) => "timeout_connecting",
            Self::Timeout(Phase::Securing) => "timeout_securing",
            Self::Timeout(Phase::Waiting) => "timeout_waiting",
            Self::Timeout(Phase::Reading) => "timeout_reading",
            Self::Malformed => "malformed",
            Self::HeadTooLong => "head_too_long",
            Self::Flooded => "flooded",
            Self::Reset => "reset",
            Self::Redirected => "redirected",
            Self::Gone => "gone",
            Self::Refused => "refused",
        }
    }

    /// The one of that code.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trouble| trouble.as_str() == code)
    }

    /// Returns the text about it that people read.
    #[must_use]
    pub const fn text(self, language: Language) -> &'static str {
        let (es, en) = self.texts();
        match language {
            Language::Es => es,
            Language::En => en,
        }
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::InvalidUrl => (
                "la dirección no se puede llamar: http o https, y un nombre o una IP en su forma usual",
                "the address cannot be called: http or https, and a name or an IP in its usual form",
            ),
            Self::Forbidden(zone) => zone.texts(),
            Self::ForbiddenPort => (
                "el puerto es de otro servicio, como el correo, y no de una página",
                "the port is another service's, such as mail, and no web server's",
            ),
            Self::UnknownName => ("el nombre no existe", "the name leads nowhere"),
            Self::Unreachable => ("nadie atiende en esa dirección", "nobody listens there"),
            Self::Tls => {
                ("no se pudo acordar un cifrado (TLS)", "no encryption (TLS) could be agreed on")
            }
            Self::Certificate(flaw) => flaw.texts(),
            Self::NoTrust => (
                "este servidor no tiene certificados de confianza",
                "this server trusts no certificates",
            ),
            Self::Timeout(phase) => phase.texts(),
            Self::Malformed => ("la respuesta no es HTTP", "the answer is not HTTP"),
            Self::HeadTooLong => (
                "las cabeceras de la respuesta son demasiado largas",
                "the headers of the answer are too long",
            ),
            Self::Flooded => (
                "llegó mucho más de lo que ocupa una respuesta",
                "far more came than an answer takes",
            ),
            Self::Reset => (
                "la conexión terminó antes que la respuesta",
                "the connection ended before the answer did",
            ),
            Self::Redirected => (
                "la respuesta fue una redirección, que no se sigue",
                "the answer was a redirect, which is not followed",
            ),
            Self::Gone => {
                ("la respuesta fue 410: no se intenta más", "the answer was 410: no more attempts")
            }
            Self::Refused => {
                ("la respuesta no fue de éxito (2xx)", "the answer was no success (2xx)")
            }
        }
    }
}

impl Zone {
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Loopback => (
                "la dirección lleva a este mismo servidor",
                "the address leads to this very machine",
            ),
            Self::Private => {
                ("la dirección lleva a una red privada", "the address leads to a private network")
            }
            Self::LinkLocal => (
                "la dirección lleva a la red local del servidor",
                "the address leads to the server's own wire",
            ),
            Self::Metadata => (
                "la dirección lleva a los datos internos de la nube",
                "the address leads to a cloud's metadata",
            ),
            Self::Shared => (
                "la dirección lleva a la red interna de un operador",
                "the address leads into a carrier's network",
            ),
            Self::Multicast => (
                "la dirección lleva a muchas máquinas a la vez",
                "the address leads to many machines at once",
            ),
            Self::Tunnel => (
                "la dirección lleva a un túnel (6to4 o Teredo)",
                "the address leads into a tunnel (6to4 or Teredo)",
            ),
            Self::Reserved => (
                "la dirección está reservada y no es de internet",
                "the address is reserved and not on the internet",
            ),
            Self::Closed => (
                "quien opera este servicio no permite esa dirección",
                "the operator of this service does not allow that address",
            ),
        }
    }
}

impl Flaw {
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Expired => (
                "el certificado está vencido o aún no vale",
                "the certificate has expired or is not good yet",
            ),
            Self::OtherHost => {
                ("el certificado es de otro nombre", "the certificate is for another name")
            }
            Self::Untrusted => (
                "el certificado no es de confianza: revise que la cadena esté completa",
                "the certificate is not trusted: check that its chain is complete",
            ),
        }
    }
}

impl Phase {
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Resolving => {
                ("se acabó el tiempo buscando el nombre", "out of time looking up the name")
            }
            Self::Connecting => ("se acabó el tiempo conectando", "out of time connecting"),
            Self::Securing => {
                ("se acabó el tiempo acordando el cifrado", "out of time agreeing on encryption")
            }
            Self::Waiting => {
                ("se acabó el tiempo esperando la respuesta", "out of time waiting for the answer")
            }
            Self::Reading => {
                ("se acabó el tiempo leyendo la respuesta", "out of time reading the answer")
            }
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(Language::En))
    }
}

impl std::error::Error for Trouble {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_reads_back_and_every_text_is_its_own() {
        let mut texts = HashSet::new();
        for trouble in Trouble::ALL {
            assert_eq!(Trouble::parse(trouble.as_str()), Some(trouble));
            for language in Language::ALL {
                assert!(texts.insert(trouble.text(language)), "{trouble:?}");
            }
        }
        assert_eq!(Trouble::parse("nothing"), None);
    }
}
