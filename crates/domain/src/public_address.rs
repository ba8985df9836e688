//! Addresses of pages that anybody sees who has them: the ids of an owner and of something of it, one behind the other.
//!
//! The owner is named, so that nothing else has to lead to the row. What nobody can guess is the other id.

use std::fmt::{self, Display};
use std::str::FromStr;

/// How many characters an id has without its prefix.
pub(crate) const ID_LEN: usize = 26;

/// Text that is not an address of the kind asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not two ids of an address")]
pub struct InvalidAddress;

/// Writes both ids without the parts that show their kinds.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    owner: &impl Display,
    page: &impl Display,
) -> fmt::Result {
    f.write_str(&digits(owner))?;
    f.write_str(&digits(page))
}

/// Reads two ids that stand one behind the other, given the prefixes of their kinds.
///
/// # Errors
/// The text is not that: it has no other form, so that an address has one spelling.
pub(crate) fn parse<A: FromStr, B: FromStr>(
    text: &str,
    (of_owner, of_page): (&str, &str),
) -> Result<(A, B), InvalidAddress> {
    if !text.is_ascii() || text.len() != 2 * ID_LEN {
        return Err(InvalidAddress);
    }
    let (owner, page) = text.split_at(ID_LEN);
    let owner = format!("{of_owner}_{owner}").parse().map_err(|_| InvalidAddress)?;
    let page = format!("{of_page}_{page}").parse().map_err(|_| InvalidAddress)?;
    Ok((owner, page))
}

/// An id without the part that shows its kind.
pub(crate) fn digits(id: &impl Display) -> String {
    let text = id.to_string();
    text.rsplit('_').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fmt::Debug;

    use super::*;

    /// Holds that an address reads back from its own text, and from no other.
    pub(crate) fn check_spelling<A>(address: A)
    where
        A: Copy + Debug + Display + FromStr<Err = InvalidAddress> + PartialEq,
    {
        let text = address.to_string();
        assert_eq!((text.len(), text.parse::<A>()), (2 * ID_LEN, Ok(address)));
        let (owner, page) = text.split_at(ID_LEN);
        for other in [
            String::new(),
            "ñ".to_owned(),
            "ñ".repeat(ID_LEN),
            text.get(1..).unwrap().to_owned(),
            format!("{text}0"),
            text.to_uppercase(),
            // More than the bits of an id, a letter that no digit is, and the parts that show the kinds.
            format!("{owner}{}", "z".repeat(ID_LEN)),
            format!("{}u", text.get(..text.len() - 1).unwrap()),
            format!("own_{owner}_{page}"),
        ] {
            assert_eq!(other.parse::<A>(), Err(InvalidAddress), "{other}");
        }
    }
}
