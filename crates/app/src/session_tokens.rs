//! Session tokens and refresh tokens: JWTs signed with Ed25519.
//!
//! A token says which session it belongs to and nothing that a request is decided by: the session's
//! row is looked at every time, so that an end takes effect at once. A refresh token also says its
//! turn, and is the same text whenever the same key makes it: signatures of Ed25519 hold no chance.
//!
//! Tokens name the key that signed them. After a rotation the former key still checks what it may have
//! signed, for as long as that lasts, and signs nothing.

use std::fmt;
use std::time::Duration;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use domain::ids::{OwnerId, SessionId};
use domain::secret::{SecretBytes, SecretText};
use domain::session::{IDLE_MAX, TOKEN_LIFETIME};
use domain::time::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest text that is looked at as a token; what is issued here is far shorter.
const TOKEN_LEN_MAX: usize = 1_024;

/// Kind of person who signed in, as a token says it. The session's row decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// The owner.
    Owner,
    /// An employee of the owner.
    Employee,
    /// A person of a client of the owner.
    Client,
}

impl Person {
    const ALL: [Self; 3] = [Self::Owner, Self::Employee, Self::Client];

    /// The word that tokens and callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Employee => "employee",
            Self::Client => "client",
        }
    }
}

/// Value of `kind` in a refresh token, where a session token has the person's kind, so that neither is taken for the
/// other.
const KIND_REFRESH: &str = "refresh";

/// For whom every token is: this service and nobody else who might know the key.
const AUDIENCE: &str = "cotejo";

/// How many bytes of the hash of a public key name it.
const KEY_NAME_LEN: usize = 6;

/// A signing key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signing key of session tokens cannot be used")]
pub struct InvalidSigningKey;

/// Which session a token belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionClaim {
    /// Whose session it is.
    pub owner: OwnerId,
    /// The session.
    pub session: SessionId,
}

/// Signs and checks session tokens.
pub struct SessionTokens {
    signing: EncodingKey,
    /// The current key first, then the former one, if there is any.
    checking: Vec<CheckingKey>,
    validation: Validation,
    refresh_validation: Validation,
}

/// Key that tokens are checked with.
struct CheckingKey {
    name: String,
    key: DecodingKey,
    /// When it was rotated away.
    retired_at: Option<Timestamp>,
}

impl CheckingKey {
    fn of(pkcs8: &SecretBytes, retired_at: Option<Timestamp>) -> Result<Self, InvalidSigningKey> {
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8.expose()).map_err(|_| InvalidSigningKey)?;
        let public = pair.public_key().as_ref();
        let hash: [u8; 32] = Sha256::digest(public).into();
        let name = hash.iter().take(KEY_NAME_LEN).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { name, key: DecodingKey::from_ed_der(public), retired_at })
    }

    /// Tells whether a token that this key may have signed, and that lasts so long, can still be good.
    fn is_good(&self, lifetime: Duration, now: Timestamp) -> bool {
        self.retired_at.is_none_or(|retired_at| now < retired_at.plus(lifetime))
    }
}

/// The claims on the wire.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    sub: String,
    sid: String,
    /// Absent in tokens of former versions.
    #[serde(default)]
    aud: String,
    kind: String,
    iat: i64,
    exp: i64,
}

/// The claims of a refresh token. When it ends, the session's row says.
#[derive(Debug, Serialize, Deserialize)]
struct RefreshClaims {
    sub: String,
    sid: String,
    #[serde(default)]
    aud: String,
    kind: String,
    turn: i64,
}

impl SessionTokens {
    /// Uses the Ed25519 key pair of this PKCS#8 document.
    ///
    /// # Errors
    /// [`InvalidSigningKey`] where it holds no such key pair.
    pub fn from_pkcs8(pkcs8: &SecretBytes) -> Result<Self, InvalidSigningKey> {
        let checking = vec![CheckingKey::of(pkcs8, None)?];
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "sub"]);
        // The library would ask the system's clock; `check` compares with its argument instead.
        validation.validate_exp = false;
        let mut refresh_validation = validation.clone();
        refresh_validation.set_required_spec_claims(&["sub"]);
        Ok(Self {
            signing: EncodingKey::from_ed_der(pkcs8.expose()),
            checking,
            validation,
            refresh_validation,
        })
    }

    /// The same, which also takes what the key of this document signed before it was rotated away.
    ///
    /// # Errors
    /// [`InvalidSigningKey`] where it holds no key pair.
    pub fn with_former(
        mut self,
        pkcs8: &SecretBytes,
        retired_at: Timestamp,
    ) -> Result<Self, InvalidSigningKey> {
        self.checking.push(CheckingKey::of(pkcs8, Some(retired_at))?);
        Ok(self)
    }

    /// Returns the name of the key that signs.
    #[must_use]
    pub fn key_name(&self) -> &str {
        self.checking.first().map_or("", |key| &key.name)
    }

    /// A new key pair as a PKCS#8 document.
    ///
    /// # Errors
    /// [`InvalidSigningKey`] where the system gives no randomness.
    pub fn generate() -> Result<SecretBytes, InvalidSigningKey> {
        let pair = Ed25519KeyPair::generate().map_err(|_| InvalidSigningKey)?;
        let document = pair.to_pkcs8().map_err(|_| InvalidSigningKey)?;
        Ok(SecretBytes::new(document.as_ref().to_vec()))
    }

    /// A token for that session of such a person until `ends_at`, and when it ends by its own account.
    ///
    /// # Errors
    /// A fault of the signing library.
    pub fn issue(
        &self,
        (claim, person): (SessionClaim, Person),
        now: Timestamp,
        ends_at: Timestamp,
    ) -> Result<(SecretText, Timestamp), jsonwebtoken::errors::Error> {
        // The claim counts in whole seconds, so what the caller receives does too.
        let expires_at = Timestamp::from_micros(ends_at.as_seconds() * 1_000_000);
        let claims = Claims {
            sub: claim.owner.to_string(),
            sid: claim.session.to_string(),
            aud: AUDIENCE.to_owned(),
            kind: person.as_str().to_owned(),
            iat: now.as_seconds(),
            exp: expires_at.as_seconds(),
        };
        Ok((self.sign(&claims)?, expires_at))
    }

    /// The refresh token of that turn of the session: the same text every time.
    ///
    /// # Errors
    /// A fault of the signing library.
    pub fn issue_refresh(
        &self,
        claim: SessionClaim,
        turn: i64,
    ) -> Result<SecretText, jsonwebtoken::errors::Error> {
        let kind = KIND_REFRESH.to_owned();
        let (sub, sid) = (claim.owner.to_string(), claim.session.to_string());
        let aud = AUDIENCE.to_owned();
        self.sign(&RefreshClaims { sub, sid, aud, kind, turn })
    }

    fn sign(&self, claims: &impl Serialize) -> Result<SecretText, jsonwebtoken::errors::Error> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.key_name().to_owned());
        jsonwebtoken::encode(&header, claims, &self.signing).map(SecretText::new)
    }

    /// The session that `token` belongs to, if it was signed here and has not ended at `now`.
    #[must_use]
    pub fn check(&self, token: &str, now: Timestamp) -> Option<SessionClaim> {
        let claims: Claims = self.open(token, &self.validation, TOKEN_LIFETIME, now)?;
        let in_time = now.as_seconds() < claims.exp;
        if !in_time || Person::ALL.iter().all(|person| person.as_str() != claims.kind) {
            return None;
        }
        Some(SessionClaim { owner: claims.sub.parse().ok()?, session: claims.sid.parse().ok()? })
    }

    /// The session and the turn that a refresh token belongs to, if it was signed here. By a former key only
    /// until every session that it signed for and that nobody went on with is over.
    #[must_use]
    pub fn check_refresh(&self, token: &str, now: Timestamp) -> Option<(SessionClaim, i64)> {
        let claims: RefreshClaims = self.open(token, &self.refresh_validation, IDLE_MAX, now)?;
        if claims.kind != KIND_REFRESH {
            return None;
        }
        let (owner, session) = (claims.sub.parse().ok()?, claims.sid.parse().ok()?);
        Some((SessionClaim { owner, session }, claims.turn))
    }

    fn open<T: DeserializeOwned>(
        &self,
        token: &str,
        validation: &Validation,
        lifetime: Duration,
        now: Timestamp,
    ) -> Option<T> {
        if token.len() > TOKEN_LEN_MAX {
            return None;
        }
        // Tokens of former versions name no key.
        let named = jsonwebtoken::decode_header(token).ok()?.kid;
        let is_meant = |key: &&CheckingKey| named.as_ref().is_none_or(|name| *name == key.name);
        let keys = self.checking.iter().filter(is_meant).filter(|key| key.is_good(lifetime, now));
        let opened = keys.map(|key| jsonwebtoken::decode(token, &key.key, validation));
        opened.flatten().next().map(|token| token.claims)
    }
}

impl fmt::Debug for SessionTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionTokens")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_500_000);

    fn tokens() -> SessionTokens {
        SessionTokens::from_pkcs8(&SessionTokens::generate().unwrap()).unwrap()
    }

    const LIFETIME: Duration = Duration::from_secs(900);

    fn issue(tokens: &SessionTokens) -> (SecretText, Timestamp) {
        tokens.issue((claim(), Person::Owner), NOW, NOW.plus(LIFETIME)).unwrap()
    }

    fn claim() -> SessionClaim {
        SessionClaim {
            owner: OwnerId::from_bytes([1; 16]),
            session: SessionId::from_bytes([2; 16]),
        }
    }

    #[test]
    fn a_token_opens_its_session_until_it_ends() {
        let tokens = tokens();
        let (token, expires_at) = issue(&tokens);
        assert_eq!(expires_at.since(NOW), LIFETIME - Duration::from_micros(500_000));
        let last = expires_at.minus(Duration::from_micros(1));
        assert_eq!(tokens.check(token.expose(), NOW), Some(claim()));
        assert_eq!(tokens.check(token.expose(), last), Some(claim()));
        assert_eq!(tokens.check(token.expose(), expires_at), None);
        for person in [Person::Employee, Person::Client] {
            let (token, _) = tokens.issue((claim(), person), NOW, NOW.plus(LIFETIME)).unwrap();
            assert_eq!(tokens.check(token.expose(), NOW), Some(claim()));
        }
    }

    #[test]
    fn another_key_or_another_byte_opens_nothing() {
        let (signer, other) = (tokens(), tokens());
        let (token, _) = issue(&signer);
        assert_eq!(other.check(token.expose(), NOW), None);
        let parts: Vec<&str> = token.expose().split('.').collect();
        for at in 0..3 {
            let mut changed: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            changed[at].insert(3, 'A');
            assert_eq!(signer.check(&changed.join("."), NOW), None);
        }
        for text in ["", ".", "..", "a.b.c", &"x".repeat(5_000)] {
            assert_eq!(signer.check(text, NOW), None);
        }
    }

    #[test]
    fn other_algorithms_are_refused() {
        let tokens = tokens();
        let claims = Claims {
            sub: claim().owner.to_string(),
            sid: claim().session.to_string(),
            aud: AUDIENCE.to_owned(),
            kind: Person::Owner.as_str().to_owned(),
            iat: NOW.as_seconds(),
            exp: NOW.as_seconds() + 60,
        };
        let secret = EncodingKey::from_secret(b"secret");
        let forged = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &secret);
        assert_eq!(tokens.check(&forged.unwrap(), NOW), None);
        // {"alg":"none"} with an empty signature.
        let (token, _) = issue(&tokens);
        let body = token.expose().split('.').nth(1).unwrap();
        assert_eq!(tokens.check(&format!("eyJhbGciOiJub25lIn0.{body}."), NOW), None);
    }

    #[test]
    fn a_refresh_token_is_one_text_for_each_turn_and_no_session_token() {
        let tokens = tokens();
        let refresh = |turn| tokens.issue_refresh(claim(), turn).unwrap();
        assert_eq!(refresh(7), refresh(7));
        assert_ne!(refresh(7), refresh(8));
        assert_eq!(tokens.check_refresh(refresh(7).expose(), NOW), Some((claim(), 7)));
        assert_eq!(tokens.check(refresh(7).expose(), NOW), None);
        assert_eq!(tokens.check_refresh(issue(&tokens).0.expose(), NOW), None);
        let other = self::tokens();
        assert_eq!(other.check_refresh(refresh(7).expose(), NOW), None);
    }

    #[test]
    fn a_former_key_checks_what_it_may_have_signed_and_signs_nothing() {
        let former_key = SessionTokens::generate().unwrap();
        let former = SessionTokens::from_pkcs8(&former_key).unwrap();
        let last = NOW.minus(Duration::from_secs(1));
        let (token, _) = former.issue((claim(), Person::Owner), last, last.plus(LIFETIME)).unwrap();
        let refresh = former.issue_refresh(claim(), 7).unwrap();
        // A holder of the key signs what lasts longer than anything it has signed here.
        let (long, _) = former.issue((claim(), Person::Owner), last, last.plus(IDLE_MAX)).unwrap();
        let tokens = tokens().with_former(&former_key, NOW).unwrap();
        assert_ne!(tokens.key_name(), former.key_name());
        assert_eq!(former.check(issue(&tokens).0.expose(), NOW), None);
        let before = |lifetime| NOW.plus(lifetime).minus(Duration::from_micros(1));
        assert_eq!(tokens.check(token.expose(), NOW), Some(claim()));
        assert_eq!(tokens.check(long.expose(), before(TOKEN_LIFETIME)), Some(claim()));
        assert_eq!(tokens.check(long.expose(), NOW.plus(TOKEN_LIFETIME)), None);
        let opened = tokens.check_refresh(refresh.expose(), before(IDLE_MAX));
        assert_eq!(opened, Some((claim(), 7)));
        assert_eq!(tokens.check_refresh(refresh.expose(), NOW.plus(IDLE_MAX)), None);
    }

    #[test]
    fn tokens_without_the_name_of_a_key_and_for_nobody_are_still_good() {
        let key = SessionTokens::generate().unwrap();
        let tokens = SessionTokens::from_pkcs8(&key).unwrap();
        let signed = |aud: Option<&str>| {
            let mut claims = serde_json::json!({
                "sub": claim().owner.to_string(), "sid": claim().session.to_string(),
                "kind": "owner", "iat": NOW.as_seconds(), "exp": NOW.as_seconds() + 60,
            });
            if let Some(aud) = aud {
                claims["aud"] = aud.into();
            }
            let key = EncodingKey::from_ed_der(key.expose());
            jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), &claims, &key).unwrap()
        };
        assert_eq!(tokens.check(&signed(None), NOW), Some(claim()));
        assert_eq!(tokens.check(&signed(Some("cotejo")), NOW), Some(claim()));
        assert_eq!(tokens.check(&signed(Some("another")), NOW), None);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = SecretBytes::new(vec![1, 2, 3]);
        assert_eq!(SessionTokens::from_pkcs8(&key).unwrap_err(), InvalidSigningKey);
    }
}
