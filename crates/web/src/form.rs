//! A form that a browser sends, as it was read.

use app::{Act, Slot};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use domain::access::{Caller, Guarded};
use domain::ids::ActorId;
use domain::second_factor::Proof;
use domain::secret::SecretText;
use domain::session_cookie::FormToken;
use domain::typed::seen;
use sha2::{Digest, Sha256};

use crate::form_fields::{
    FORM_TOKEN, OF_PROOF, ONCE, SIGNED_IN_ANEW, STEP_UP_CODE, STEP_UP_PASSWORD, is_secret,
};
use crate::query::find_in;

/// The largest form that is looked at; ours have a few short fields, and carry what these showed.
pub(crate) const FORM_LEN_MAX: usize = 32 * 1024;

/// Fields that say who sends a form and by which way, and nothing of what it asks for, as those of a proof are.
const NOT_ASKED_FOR: [&str; 3] = [FORM_TOKEN, ONCE, SIGNED_IN_ANEW];

/// A form that was read whole.
#[derive(Clone)]
pub struct FormBody {
    text: String,
    /// The field of a file that came with it. The file itself is not here, and is never sent back.
    file: Option<String>,
}

/// Shows nothing of what was typed.
impl std::fmt::Debug for FormBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FormBody").field(&self.text.len()).finish()
    }
}

impl FormBody {
    /// A form as it was sent, without a file.
    pub(crate) fn sent(text: String) -> Self {
        Self { text, file: None }
    }

    /// A form of these fields, and with a file in the field of that name.
    pub(crate) fn of_parts(pairs: &[(String, String)], file: Option<String>) -> Self {
        let pairs =
            pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        Self { text: pairs.collect::<Vec<_>>().join("&"), file }
    }

    /// The field of the file that came with it: a person who sends the form again has to choose the file again.
    #[must_use]
    pub fn file_field(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The text that was typed into the field of that name, as far as it can be seen, trimmed; empty where it is not there.
    #[must_use]
    pub fn field(&self, name: &str) -> String {
        seen(&find_in(&self.text, name).unwrap_or_default()).into_owned()
    }

    /// Everything that was chosen in the field of that name, as by boxes that are ticked; nothing that is empty.
    #[must_use]
    pub fn fields(&self, name: &str) -> Vec<String> {
        let pairs = self.pairs().into_iter().filter(|(key, _)| key == name);
        pairs
            .map(|(_, value)| seen(&value).into_owned())
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// Tells whether the form has a field of that name, empty or not.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        find_in(&self.text, name).is_some() || self.file_field() == Some(name)
    }

    /// Every field as it was typed, in the form's order.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        crate::query::pairs_of(&self.text)
    }

    /// Returns the place where the answer to a form is kept that must not be taken twice. Such a form carries a text of
    /// its page, each time that this is loaded another one; nothing where it carries none. It is the same form whatever
    /// session sends it, and whether or not a code is shown with it.
    #[must_use]
    pub fn slot<O: Guarded>(&self, act: &Act<O>) -> Option<Slot> {
        let once = self.field(ONCE);
        (!once.is_empty()).then(|| Slot {
            caller: act.actor().to_bytes(),
            operation: O::NAME,
            key_hash: Sha256::new().chain_update("form:").chain_update(once).finalize().into(),
            body_hash: self.hash_of_asked(),
        })
    }

    /// Answers whether the page of the form was made for that caller, so that sent again it is the same form and is not done
    /// twice. One that carries no [`once`] is made for nobody.
    #[must_use]
    pub fn is_made_for(&self, caller: &Caller) -> bool {
        let text = self.field(ONCE);
        let random = text.split_at_checked(2 * ONCE_LEN).map(|(random, _)| random.as_bytes());
        let random = random.and_then(|random| HEXLOWER_PERMISSIVE.decode(random).ok());
        let random: Option<[u8; ONCE_LEN]> = random.and_then(|random| random.try_into().ok());
        random.is_some_and(|random| once(random, caller) == text)
    }

    /// The hash of all that the form asks for. A page that gives a form back may order its fields otherwise, but for
    /// those of one name.
    fn hash_of_asked(&self) -> [u8; 32] {
        let mut pairs = self.pairs();
        let is_aside = |name: &str| NOT_ASKED_FOR.contains(&name) || OF_PROOF.contains(&name);
        pairs.retain(|(name, _)| !is_aside(name));
        pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut hash = Sha256::new();
        for text in pairs.iter().flat_map(|(name, value)| [name, value]) {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        hash.finalize().into()
    }

    /// The secrets that were typed, as a form of their own; nothing where there are none. What shows that the person is
    /// there is none of them.
    pub(crate) fn secrets(&self) -> Option<SecretText> {
        let pairs = self.pairs().into_iter();
        let pairs = pairs.filter(|(name, value)| {
            is_secret(name) && !value.is_empty() && !OF_PROOF.contains(&name.as_str())
        });
        let secrets: Vec<_> = pairs.collect();
        (!secrets.is_empty()).then(|| SecretText::new(Self::of_parts(&secrets, None).text))
    }

    /// The form with the fields of another one besides.
    pub(crate) fn with(self, more: &SecretText) -> Self {
        let text = match self.text.is_empty() {
            true => more.expose().to_owned(),
            false => format!("{}&{}", self.text, more.expose()),
        };
        Self { text, ..self }
    }

    /// The text that was typed into the field of that name, as it was typed: a password may begin or end with spaces.
    #[must_use]
    pub fn secret(&self, name: &str) -> SecretText {
        SecretText::new(find_in(&self.text, name).unwrap_or_default())
    }
}

/// How many bytes of chance make a form another one than all others.
pub const ONCE_LEN: usize = 16;

/// Makes the text by which a form is known that must not be taken twice. It says for whom its page was made, so that a press
/// of somebody else is not taken for one that may be repeated.
#[must_use]
pub fn once(random: [u8; ONCE_LEN], caller: &Caller) -> String {
    let actor = caller.actor().map(ActorId::to_bytes).unwrap_or_default();
    let hash = Sha256::new().chain_update("once:").chain_update(random).chain_update(actor);
    let hash: [u8; 32] = hash.finalize().into();
    HEXLOWER.encode(&random) + &HEXLOWER.encode(hash.first_chunk::<8>().map_or(&[], |hash| hash))
}

/// A form that was not taken, or not to its end: it can be sent again.
#[derive(Clone, Debug)]
pub struct Again {
    /// What was typed.
    pub form: FormBody,
    /// What the form carries; nothing where nobody has signed in.
    pub form_token: Option<FormToken>,
    /// What its person is asked for, where its operation asks for a proof.
    pub asked: AskedProof,
    /// Whether a code or a password was shown as that proof and was wrong.
    pub is_proof_wrong: bool,
    /// Its secrets, sealed for the session that sends them, where it may wait for a proof.
    pub held: Option<String>,
    /// Says whether it must not be done twice and its page was made for who sent it ([`FormBody::is_made_for`]).
    pub is_repeatable: bool,
}

/// Proof that a person can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedProof {
    /// A code of its second factor.
    Code,
    /// The password, of a person without one.
    Password,
}

impl AskedProof {
    /// The one that follows on the latest of a session.
    pub(crate) const fn after(proof: Proof) -> Self {
        match proof {
            Proof::Password(_) => Self::Password,
            Proof::NotAsked | Proof::Missing | Proof::Given(_) => Self::Code,
        }
    }

    /// Name of its field.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Code => STEP_UP_CODE,
            Self::Password => STEP_UP_PASSWORD,
        }
    }
}

/// A text as it stands in a form.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push_str(&data_encoding::HEXUPPER.encode(&[byte]));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> FormBody {
        FormBody { text: text.to_owned(), file: None }
    }

    #[test]
    fn fields_are_decoded_and_trimmed() {
        let typed = form("reference=+12%2034+&phone=&seen=5");
        assert_eq!(typed.field("reference"), "12 34");
        assert_eq!((typed.field("phone"), typed.field("other")), (String::new(), String::new()));
        assert_eq!(format!("{typed:?}"), "FormBody(33)");
        assert_eq!(typed.secret("reference").expose(), " 12 34 ");
        let several = form("a=1&b=x&a=+2+&a=");
        assert_eq!(several.fields("a"), ["1", "2"]);
        assert_eq!(several.pairs().len(), 4);
    }

    #[test]
    fn a_form_is_the_same_by_every_sender_and_in_every_order() {
        let hash = |text: &str| form(text).hash_of_asked();
        let first = hash("form_token=1&once=2&name=caja&password=p&permissions=a&permissions=b");
        for same in [
            "form_token=9&once=2&name=caja&permissions=a&permissions=b&password=p",
            "name=caja&password=p&permissions=a&permissions=b&once=2&step_up_code=123456&again=yes",
            "step_up_password=q&name=caja&permissions=a&permissions=b&step_up_held=x&password=p",
        ] {
            assert_eq!(hash(same), first, "{same}");
        }
        for other in [
            "name=caja&password=p&permissions=b&permissions=a",
            "name=caja2&password=p&permissions=a&permissions=b",
            "name=caja&password=p&permissions=a",
            "name=cajapassword&=p&permissions=a&permissions=b",
        ] {
            assert_ne!(hash(other), first, "{other}");
        }
    }

    #[test]
    fn secrets_are_taken_apart_and_put_together_again() {
        let typed = form("name=caja&password=+p%26&secret=&metadata-PIN=7&step_up_code=123456");
        let secrets = typed.secrets().unwrap();
        assert_eq!(form(secrets.expose()).secret("password").expose(), " p&");
        let rest = form("name=caja&step_up_held=x").with(&secrets);
        assert_eq!((rest.field("name"), rest.field("metadata-PIN")), ("caja".into(), "7".into()));
        assert!(!rest.has("step_up_code") && !rest.has("secret"));
        assert_eq!(form("").with(&secrets).pairs().len(), 2);
        assert!(form("name=caja&step_up_password=q").secrets().is_none());
    }

    #[test]
    fn a_form_of_parts_reads_as_it_was_typed_and_says_which_file_it_had() {
        let pairs = [("a", " ñ&=%+ "), ("b", "")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let form = FormBody::of_parts(&pairs, Some("logo".to_owned()));
        assert_eq!(form.pairs(), pairs);
        assert!(form.has("b") && form.has("logo") && !form.has("c"));
        assert_eq!((form.file_field(), form.field("logo")), (Some("logo"), String::new()));
    }
}
