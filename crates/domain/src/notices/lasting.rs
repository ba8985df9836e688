//! Notices of what outlives the session that did it: a stolen session or a person who leaves could do so, too. Each is
//! told apart by the line of the audit trail that says who did it.

use super::{Kind, Notice, host};
use crate::ids::{ActorId, AuditId, ClientId, EmployeeId, KeyId, OwnerId};
use crate::rates::{OwnRate, Rate};
use crate::time::{CaracasDate, Timestamp};

/// In Spanish and in English.
type Texts = (&'static str, &'static str);

/// The place of something that is not there, in a subject.
const NOTHING: &str = "-";

/// Kind of a lasting thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lasting {
    /// Somebody got the text of an API key, by issuing or rotating it.
    KeyIssued,
    /// Somebody saw the secret that the owner's webhooks are signed with.
    WebhookSecretSeen,
    /// The secret that webhooks are signed with is another, the owner's or a client's.
    WebhookSecretRotated,
    /// The address of the owner's events is another.
    ReceiverChanged,
    /// The owner's own rate of a currency is another.
    OwnRateChanged,
    /// A person can sign in from now on.
    PersonAdmitted,
    /// A person signed in by a browser and from a network that were not known.
    UnknownSignIn,
    /// A key that opens nothing any more is still in use.
    FormerKeyUsed,
}

impl Lasting {
    /// The word that stores keep and callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KeyIssued => "key_issued",
            Self::WebhookSecretSeen => "webhook_secret_seen",
            Self::WebhookSecretRotated => "webhook_secret_rotated",
            Self::ReceiverChanged => "receiver_changed",
            Self::OwnRateChanged => "own_rate_changed",
            Self::PersonAdmitted => "person_admitted",
            Self::UnknownSignIn => "unknown_sign_in",
            Self::FormerKeyUsed => "former_key_used",
        }
    }

    /// Returns the path of the page where it is undone; for a person, of the operation.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::KeyIssued | Self::FormerKeyUsed => "/app/keys",
            Self::WebhookSecretSeen | Self::WebhookSecretRotated | Self::ReceiverChanged => {
                "/app/webhooks/setup"
            }
            Self::OwnRateChanged => "/app/rates",
            Self::PersonAdmitted => "/v1/employees",
            Self::UnknownSignIn => "/app/sessions",
        }
    }

    /// Returns what people read of a subject: without the id that it begins with, where it begins with one and goes on.
    #[must_use]
    pub(super) fn shown(self, subject: &str) -> &str {
        match (self, subject.split_once(' ')) {
            (Self::ReceiverChanged | Self::OwnRateChanged, _) | (_, None) => subject,
            (_, Some((_, shown))) => shown,
        }
    }

    pub(super) const fn title(self) -> Texts {
        match self {
            Self::KeyIssued => ("Se emitió una llave de API", "An API key was issued"),
            Self::WebhookSecretSeen => {
                ("Alguien vio el secreto de sus webhooks", "Someone viewed your webhook secret")
            }
            Self::WebhookSecretRotated => {
                ("Se cambió un secreto de webhooks", "A webhook secret was rotated")
            }
            Self::ReceiverChanged => (
                "Cambió la dirección que recibe sus eventos",
                "The address that receives your events changed",
            ),
            Self::OwnRateChanged => ("Cambió su tasa propia", "Your custom rate changed"),
            Self::PersonAdmitted => (
                "Una persona ya puede entrar a su cuenta",
                "A person can now sign in to your account",
            ),
            Self::UnknownSignIn => (
                "Alguien entró desde un lugar que no se conocía",
                "Someone signed in from an unknown place",
            ),
            Self::FormerKeyUsed => (
                "Se sigue usando una llave que ya no vale",
                "An API key that no longer works is in use",
            ),
        }
    }

    pub(super) const fn text(self) -> Texts {
        match self {
            Self::KeyIssued => KEY_ISSUED,
            Self::WebhookSecretSeen => WEBHOOK_SECRET_SEEN,
            Self::WebhookSecretRotated => WEBHOOK_SECRET_ROTATED,
            Self::ReceiverChanged => RECEIVER_CHANGED,
            Self::OwnRateChanged => OWN_RATE_CHANGED,
            Self::PersonAdmitted => PERSON_ADMITTED,
            Self::UnknownSignIn => UNKNOWN_SIGN_IN,
            Self::FormerKeyUsed => FORMER_KEY_USED,
        }
    }
}

const KEY_ISSUED: Texts = (
    "Alguien creó la llave {subject}, o le puso un texto nuevo. Quien tenga el texto actúa por usted sin entrar. En la llave \
     dice quién fue y desde dónde. Si no lo reconoce, revóquela.",
    "Someone created the API key {subject}, or gave it a new text. Anyone with that text acts for you without signing \
     in. The key's page shows who did it and from where. If you do not recognise this, revoke the key.",
);

const WEBHOOK_SECRET_SEEN: Texts = (
    "Alguien vio el secreto con que se firman sus webhooks ({subject}). Quien lo tenga puede inventar pagos ante su \
     servidor. Si no lo reconoce, cambie el secreto y póngalo en su servidor.",
    "Someone viewed the secret that signs your webhooks ({subject}). Anyone who has it can fake payments to your server. \
     If you do not recognise this, rotate the secret and put the new one on your server.",
);

const WEBHOOK_SECRET_ROTATED: Texts = (
    "Alguien cambió el secreto con que se firman los webhooks, el suyo o el de un cliente ({subject}). El servidor que tenga \
     el de antes rechazará avisos de pago. Si no lo reconoce, cámbielo otra vez y póngalo en ese servidor.",
    "Someone rotated the secret that signs webhooks, yours or a client's ({subject}). A server with the previous secret \
     will reject payment events. If you do not recognise this, rotate it again and put it on that server.",
);

const RECEIVER_CHANGED: Texts = (
    "Alguien cambió la dirección a la que llegan los eventos de su cuenta ({subject}). Si no lo reconoce, ponga otra vez la \
     suya: quien la cambió recibe lo que era para usted.",
    "Someone changed the address that receives your account's events ({subject}). If you do not recognise this, set \
     yours again: whoever changed it receives what was meant for you.",
);

const OWN_RATE_CHANGED: Texts = (
    "Alguien cambió su tasa propia ({subject}). Sus enlaces en esa moneda se pagan a esa tasa. Si no lo reconoce, diga la \
     buena; lo que ya se mostró a un pagador se respeta.",
    "Someone changed your custom rate ({subject}). Your links in that currency are paid at that rate. If you do not \
     recognise this, set the correct rate. Amounts already shown to a payer are honoured.",
);

const PERSON_ADMITTED: Texts = (
    "{subject} aceptó una invitación y ya puede entrar, a su cuenta o por un cliente suyo. Si no conoce a esa persona, quítela; \
     la auditoría dice quién la invitó.",
    "{subject} accepted an invitation and can now sign in, to your account or for one of your clients. If you do not know \
     this person, remove them. The audit trail shows who invited them.",
);

const UNKNOWN_SIGN_IN: Texts = (
    "Alguien entró con la contraseña de {subject}, desde un navegador y una red que no se conocían. Si no fue esa persona, \
     termine la sesión, cambie la contraseña y active el segundo factor.",
    "Someone signed in with the password of {subject}, by a browser and from a network that were not known. If it was not \
     that person, end the session, change the password and set up two-step verification.",
);

const FORMER_KEY_USED: Texts = (
    "Hoy alguien llamó con una llave que ya no vale, o con el texto que tenía antes de rotarla: {subject}. No abrió nada. Si es un \
     sistema suyo, póngale la llave nueva; si no, alguien la tiene y la está probando.",
    "Today someone called with an API key that no longer works, or with its text from before it was rotated: {subject}. It \
     opened nothing. If it is your own system, give it the new key. If not, someone has the old one and is trying it.",
);

impl Notice {
    /// Somebody got a text of that key: each time is a notice of its own, for the line of the audit trail.
    #[must_use]
    pub fn key_issued(key: KeyId, name: &str, line: AuditId) -> Self {
        Self::lasting(Lasting::KeyIssued, format!("{key} {name}"), line.to_string())
    }

    /// That key or person saw the owner's webhook secret, from that address: one notice for it and a day of Caracas.
    #[must_use]
    pub fn webhook_secret_seen(
        (owner, by): (OwnerId, ActorId),
        from: Option<&str>,
        now: Timestamp,
    ) -> Self {
        let by = match (by.employee(), by.key(owner)) {
            (Some(employee), _) => employee.to_string(),
            (None, Some(key)) => key.to_string(),
            (None, None) => owner.to_string(),
        };
        let slot = format!("{by} {}", CaracasDate::of(now));
        let subject = format!("{by} {}", from.unwrap_or(NOTHING));
        Self::lasting(Lasting::WebhookSecretSeen, subject, slot)
    }

    /// The owner's webhook secret is another.
    #[must_use]
    pub fn webhook_secret_rotated(owner: OwnerId, line: AuditId) -> Self {
        Self::lasting(Lasting::WebhookSecretRotated, owner.to_string(), line.to_string())
    }

    /// That client's webhook secret is another, or its first.
    #[must_use]
    pub fn client_secret_rotated(client: ClientId, name: &str, line: AuditId) -> Self {
        let subject = format!("{client} {name}");
        Self::lasting(Lasting::WebhookSecretRotated, subject, line.to_string())
    }

    /// The address of the owner's events is another: of both the hosts alone are said.
    #[must_use]
    pub fn receiver_changed((former, new): (Option<&str>, Option<&str>), line: AuditId) -> Self {
        let shown = |url: Option<&str>| url.map_or_else(|| NOTHING.to_owned(), host);
        let subject = format!("{} → {}", shown(former), shown(new));
        Self::lasting(Lasting::ReceiverChanged, subject, line.to_string())
    }

    /// The owner says another rate, where the one `before` served: by how much is in the subject.
    #[must_use]
    pub fn own_rate_changed(before: Option<Rate>, rate: &OwnRate, line: AuditId) -> Self {
        let shown =
            |rate: Option<Rate>| rate.map_or_else(|| NOTHING.to_owned(), |it| it.to_string());
        let by =
            before.zip(rate.rate).map(|(before, new)| format!(" ({})", difference(before, new)));
        let subject = format!(
            "{} {}: {} → {}{}",
            rate.currency.as_str(),
            rate.value_date,
            shown(before),
            shown(rate.rate),
            by.unwrap_or_default(),
        );
        Self::lasting(Lasting::OwnRateChanged, subject, line.to_string())
    }

    /// That person accepted an invitation.
    #[must_use]
    pub fn person_admitted(person: EmployeeId, name: &str, line: AuditId) -> Self {
        Self::lasting(Lasting::PersonAdmitted, format!("{person} {name}"), line.to_string())
    }

    /// A person signed in by neither a browser nor a network that is known.
    #[must_use]
    pub fn unknown_sign_in((person, name): (&str, &str), from: &str, line: AuditId) -> Self {
        let subject = format!("{person} {name} ({from})");
        Self::lasting(Lasting::UnknownSignIn, subject, line.to_string())
    }

    /// Somebody showed that key, which opens nothing any more: one notice for a key and day of Caracas.
    #[must_use]
    pub fn former_key_used(key: &str, name: &str, from: Option<&str>, now: Timestamp) -> Self {
        let subject = format!("{key} {name} ({})", from.unwrap_or(NOTHING));
        let slot = format!("{key} {}", CaracasDate::of(now));
        Self::lasting(Lasting::FormerKeyUsed, subject, slot)
    }

    const fn lasting(lasting: Lasting, subject: String, slot: String) -> Self {
        Self::of(Kind::Lasting(lasting), subject, slot)
    }
}

/// By how many hundredths a rate differs from the one before, with two decimals and a sign: `+8.89 %`.
fn difference(before: Rate, new: Rate) -> String {
    let (before, new) = (i128::from(before.units()), i128::from(new.units()));
    // Rates are above zero and at most 16 digits long, so that nothing overflows.
    let parts = ((new - before) * 10_000).checked_div(before).unwrap_or_default();
    let sign = if parts < 0 { '-' } else { '+' };
    let parts = parts.unsigned_abs();
    format!("{sign}{}.{:02} %", parts / 100, parts % 100)
}

impl Kind {
    /// Returns what people read of a subject.
    #[must_use]
    pub fn shown(self, subject: &str) -> &str {
        match self {
            Self::Lasting(lasting) => lasting.shown(subject),
            _ => subject,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    const LINE: AuditId = AuditId::from_bytes([1; 16]);

    fn rate(text: &str) -> Rate {
        Rate::parse(text).unwrap()
    }

    #[test]
    fn a_change_of_a_rate_says_by_how_much() {
        for (before, new, expected) in [
            ("872.40", "950", "+8.89 %"),
            ("950", "872.40", "-8.16 %"),
            ("100", "100", "+0.00 %"),
            ("0.00000001", "10000000", "+99999999999999900.00 %"),
        ] {
            assert_eq!(difference(rate(before), rate(new)), expected);
        }
    }

    #[test]
    fn people_read_the_name_and_not_the_id() {
        let key = KeyId::from_bytes([2; 16]);
        let notice = Notice::key_issued(key, "caja dos", LINE);
        assert_eq!(notice.subject, format!("{key} caja dos"));
        let text = notice.kind.text(&notice.subject, None, Language::Es);
        assert!(text.contains("la llave caja dos, o") && !text.contains("key_"), "{text}");
        let hosts = (Some("https://a.example/x?k=1"), None);
        let notice = Notice::receiver_changed(hosts, LINE);
        assert_eq!(notice.kind.shown(&notice.subject), "a.example → -");
    }

    #[test]
    fn a_former_key_is_reported_once_a_day_of_caracas() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let slot = |text| Notice::former_key_used("key_1", "caja", None, at(text)).slot;
        assert_eq!(slot("2026-11-20T04:00:00Z"), slot("2026-11-21T03:59:59Z"));
        assert_ne!(slot("2026-11-20T03:59:59Z"), slot("2026-11-20T04:00:00Z"));
    }
}
