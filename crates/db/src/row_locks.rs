//! Which rows a statement locks, by its text. In which order they are locked is for the transaction.

/// Locks that a statement takes on rows that are there. A row that it inserts is nobody else's yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locks {
    /// None.
    Nothing,
    /// Rows of this table.
    Table(&'static str),
}

/// Returns the locks of a statement of this text.
pub(crate) const fn locks(text: &'static str) -> Locks {
    if is_at(text.as_bytes(), 0, "insert into ") {
        return if find(text, " do update ").is_some() {
            named("insert into ".len(), text)
        } else {
            Locks::Nothing
        };
    }
    if is_at(text.as_bytes(), 0, "update ") {
        return named("update ".len(), text);
    }
    if is_at(text.as_bytes(), 0, "delete from ") {
        return named("delete from ".len(), text);
    }
    let mut strength = 0;
    while strength < STRENGTHS.len() {
        if find(text, STRENGTHS[strength]).is_some()
            && let Some(from) = find(text, " from ")
        {
            return named(from + " from ".len(), text);
        }
        strength += 1;
    }
    Locks::Nothing
}

/// Words by which a `select` locks rows.
const STRENGTHS: [&str; 4] = [" for update", " for no key update", " for share", " for key share"];

/// The table that is named at that place.
const fn named(at: usize, text: &'static str) -> Locks {
    let (bytes, mut end) = (text.as_bytes(), at);
    while end < bytes.len() && (bytes[end].is_ascii_alphanumeric() || bytes[end] == b'_') {
        end += 1;
    }
    let (before_end, _) = text.split_at(end);
    let (_, name) = before_end.split_at(at);
    Locks::Table(name)
}

/// Returns the place where `words` first stand in the text.
const fn find(text: &str, words: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        if is_at(text.as_bytes(), at, words) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Tells whether `words` stand in the text at that place.
const fn is_at(text: &[u8], at: usize, words: &str) -> bool {
    let (words, mut len) = (words.as_bytes(), 0);
    while len < words.len() && at + len < text.len() && text[at + len] == words[len] {
        len += 1;
    }
    len == words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_locked_is_read_from_the_text() {
        for (text, locked) in [
            ("select a from due where owner_id = $1", Locks::Nothing),
            ("select a from due where owner_id = $1 for update skip locked", Locks::Table("due")),
            (
                "select a from webhook_secrets where owner_id = $1 for key share",
                Locks::Table("webhook_secrets"),
            ),
            ("select a from owners where owner_id = $1 for no key update", Locks::Table("owners")),
            ("insert into notices (owner_id) values ($1)", Locks::Nothing),
            ("insert into due (a) values ($1) on conflict do nothing", Locks::Nothing),
            (
                "insert into notices (a) values ($1) on conflict (a) do update set a = 1",
                Locks::Table("notices"),
            ),
            (
                "update webhook_deliveries set step = 0 where owner_id = $1",
                Locks::Table("webhook_deliveries"),
            ),
            ("delete from due where owner_id = $1", Locks::Table("due")),
            ("update due_days set a = 1 where owner_id = $1", Locks::Table("due_days")),
            ("begin", Locks::Nothing),
        ] {
            assert_eq!(locks(text), locked, "{text}");
        }
    }
}
