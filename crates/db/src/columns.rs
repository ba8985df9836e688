//! The names of a statement's columns, read from its text. So a row is read by name, with no help of either engine.

/// How many columns a statement may answer.
const COLUMNS_MAX: usize = 48;

/// Places of the names of a statement's columns in its text. A column without one, such as `count(*)`, is empty.
#[derive(Debug)]
pub(crate) struct Columns {
    bounds: [(u16, u16); COLUMNS_MAX],
    count: usize,
}

impl Columns {
    /// The columns that the statement answers: those behind its outermost `select`, the first one of a union, or behind
    /// `returning`. A column is called what follows its `as`, or else the column that it is.
    pub(crate) const fn of(text: &str) -> Self {
        let text = text.as_bytes();
        let mut columns = Self { bounds: [(0, 0); COLUMNS_MAX], count: 0 };
        let is_select = starts(text, 0, b"select ") || starts(text, 0, b"with ");
        let opening: &[u8] = if is_select { b"select " } else { b" returning " };
        let Some(start) = find(text, 0, opening) else { return columns };
        let mut start = start + opening.len();
        if starts(text, start, b"distinct ") {
            start += b"distinct ".len();
        }
        let end = match find(text, start, b" from ") {
            Some(end) if is_select => end,
            _ => text.len(),
        };
        loop {
            let comma = match find(text, start, b",") {
                Some(comma) if comma < end => comma,
                _ => end,
            };
            assert!(columns.count < COLUMNS_MAX, "a statement has too many columns");
            columns.bounds[columns.count] = name(text, start, comma);
            columns.count += 1;
            if comma == end {
                return columns;
            }
            start = comma + 1;
        }
    }

    /// Which of them has that name in `text`, which they were read from.
    pub(crate) fn place_of(&self, name: &str, text: &str) -> Option<usize> {
        let is_called = |&(start, end): &(u16, u16)| {
            // Most names differ in how long they are.
            let (start, end) = (usize::from(start), usize::from(end));
            end - start == name.len() && text.get(start..end) == Some(name)
        };
        self.bounds[..self.count].iter().position(is_called)
    }

    /// Their names in `text`, which they were read from.
    pub(crate) fn names<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let bounds = self.bounds[..self.count].iter();
        bounds.map(|&(start, end)| text.get(usize::from(start)..usize::from(end)).unwrap_or(""))
    }
}

/// The bounds of the name of the column that stands there.
const fn name(text: &[u8], start: usize, end: usize) -> (u16, u16) {
    let mut first = end;
    while first > start && is_of_name(text[first - 1]) {
        first -= 1;
    }
    // Behind an alias of a table, behind ` as `, or alone; else it is the end of an expression.
    let is_column = {
        let mut at = first;
        if at > start && text[at - 1] == b'.' {
            at -= 1;
            while at > start && is_of_name(text[at - 1]) {
                at -= 1;
            }
        }
        while at > start && text[at - 1] == b' ' {
            at -= 1;
        }
        at == start
    };
    let is_alias = first >= start + 4 && starts(text, first - 4, b" as ");
    if is_column || is_alias { (short(first), short(end)) } else { (0, 0) }
}

const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

const fn short(place: usize) -> u16 {
    assert!(place <= u16::MAX as usize, "a statement is too long");
    place as u16
}

/// Returns the place where `word` stands first from `at` on, outside parentheses and quotes.
pub(crate) const fn find(text: &[u8], mut at: usize, word: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    while at < text.len() {
        if depth == 0 && !quoted && starts(text, at, word) {
            return Some(at);
        }
        match text[at] {
            b'\'' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Tells whether `word` stands in the text at that place.
pub(crate) const fn starts(text: &[u8], at: usize, word: &[u8]) -> bool {
    if text.len() < at + word.len() {
        return false;
    }
    let mut place = 0;
    while place < word.len() {
        if text[at + place] != word[place] {
            return false;
        }
        place += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        Columns::of(text).names(text).collect()
    }

    #[test]
    fn a_column_is_called_what_it_is_or_what_follows_as() {
        assert_eq!(names("select id, p.amount from payments p where id = $1"), ["id", "amount"]);
        assert_eq!(names("select v.id as verification_id from v"), ["verification_id"]);
        assert_eq!(names("select distinct owner_id from keys"), ["owner_id"]);
        assert_eq!(
            names("select count(*) as total, max(a, b) as latest from k"),
            ["total", "latest"]
        );
        assert_eq!(names("select 1 as one"), ["one"]);
    }

    #[test]
    fn a_column_is_found_by_its_name() {
        let text = "select id, amount, name as title, total from payments";
        let place_of = |name| Columns::of(text).place_of(name, text);
        assert_eq!(["id", "title", "total"].map(place_of), [Some(0), Some(2), Some(3)]);
        assert_eq!(["name", "i", "", "amounts"].map(place_of), [None; 4]);
    }

    #[test]
    fn an_expression_without_a_name_has_none() {
        assert_eq!(names("select count(*), 1 + a, 'x, y', a from k"), ["", "", "", "a"]);
    }

    #[test]
    fn what_stands_in_parentheses_and_quotes_is_of_the_column() {
        let nested = "select coalesce((select a, b from c), ', from ') as first, d from e";
        assert_eq!(names(nested), ["first", "d"]);
        let case = "select case when a in (1, 2) then b else c end as chosen from e";
        assert_eq!(names(case), ["chosen"]);
    }

    #[test]
    fn of_a_union_the_first_counts_and_of_a_with_what_it_ends_with() {
        assert_eq!(names("select a as b from c union all select d from e"), ["b"]);
        assert_eq!(names("with x as (select a from b) select c, x.d from x"), ["c", "d"]);
    }

    #[test]
    fn a_write_answers_what_it_returns() {
        assert_eq!(names("update keys set a = $1 where b = $2 returning a, b as c"), ["a", "c"]);
        let insert = "insert into a (b) select c from d where e = $1 returning f";
        assert_eq!(names(insert), ["f"]);
        assert!(names("delete from keys where a = $1").is_empty());
    }
}
