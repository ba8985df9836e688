//! Channel binding by `tls-server-end-point` (RFC 5929): the hash of the certificate that the server showed goes
//! into the proof of the password, so that an attacker in between with another certificate cannot use it.

use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// The tags of DER that lead to a certificate's signature algorithm.
const SEQUENCE: u8 = 0x30;
const OBJECT_IDENTIFIER: u8 = 0x06;

/// How a certificate is hashed.
#[derive(Clone, Copy)]
enum Hash {
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// Signature algorithms by their object identifiers, with the hash function of each. Where that is MD5 or SHA-1,
/// SHA-256 stands in for it. Algorithms without one, such as Ed25519, have no channel binding of this type.
const ALGORITHMS: [(&[u8], Hash); 11] = [
    // RSA PKCS #1 with MD5, SHA-1, SHA-256, SHA-384, SHA-512 and SHA-224.
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0c], Hash::Sha384),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0d], Hash::Sha512),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0e], Hash::Sha224),
    // ECDSA with SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512.
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x01], Hash::Sha224),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03], Hash::Sha384),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04], Hash::Sha512),
];

/// The channel binding data of a connection on which the server showed this certificate (DER), if its signature
/// algorithm has any.
pub(crate) fn tls_server_end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let algorithm = signature_algorithm(certificate)?;
    let (_, hash) = ALGORITHMS.iter().find(|(known, _)| *known == algorithm)?;
    Some(match hash {
        Hash::Sha224 => Sha224::digest(certificate).to_vec(),
        Hash::Sha256 => Sha256::digest(certificate).to_vec(),
        Hash::Sha384 => Sha384::digest(certificate).to_vec(),
        Hash::Sha512 => Sha512::digest(certificate).to_vec(),
    })
}

/// The object identifier: `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signature }`, the
/// algorithm being a sequence that begins with it.
fn signature_algorithm(certificate: &[u8]) -> Option<&[u8]> {
    let mut rest = certificate;
    let mut parts = element(&mut rest, SEQUENCE)?;
    element(&mut parts, SEQUENCE)?;
    let mut algorithm = element(&mut parts, SEQUENCE)?;
    element(&mut algorithm, OBJECT_IDENTIFIER)
}

/// Takes the next element, which must have that tag; answers its contents.
fn element<'d>(der: &mut &'d [u8], tag: u8) -> Option<&'d [u8]> {
    let (&[found, first], rest) = der.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        // A length of its own, or the number of bytes that say it.
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    *der = rest;
    (found == tag).then_some(contents)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A certificate as far as it matters: something signed, the algorithm, and no signature.
    fn certificate(algorithm: &[u8]) -> Vec<u8> {
        let element = |tag, contents: &[u8]| {
            let length = u16::try_from(contents.len()).unwrap().to_be_bytes();
            [&[tag, 0x82], length.as_slice(), contents].concat()
        };
        let signed = element(SEQUENCE, &[7; 300]);
        let algorithm = element(SEQUENCE, &element(OBJECT_IDENTIFIER, algorithm));
        element(SEQUENCE, &[signed, algorithm].concat())
    }

    #[test]
    fn the_hash_is_the_signatures_but_for_the_broken_ones() {
        let lengths = [32, 32, 32, 48, 64, 28, 32, 28, 32, 48, 64];
        for ((algorithm, _), length) in ALGORITHMS.iter().zip(lengths) {
            let data = tls_server_end_point(&certificate(algorithm)).unwrap();
            assert_eq!(data.len(), length, "{algorithm:02x?}");
        }
        let sha1 = certificate(ALGORITHMS[1].0);
        assert_eq!(tls_server_end_point(&sha1).unwrap(), Sha256::digest(&sha1).to_vec());
    }

    #[test]
    fn an_algorithm_without_a_hash_function_has_no_binding() {
        const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
        const RSA_PSS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a];
        for algorithm in [ED25519, RSA_PSS] {
            assert_eq!(tls_server_end_point(&certificate(algorithm)), None);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_a_server_shows_is_read_past_its_end(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            cut in 0..300_usize,
        ) {
            tls_server_end_point(&bytes);
            let whole = certificate(ALGORITHMS[2].0);
            prop_assert_eq!(tls_server_end_point(&whole[..cut]), None);
        }
    }
}
