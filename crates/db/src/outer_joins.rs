//! Parameters in the conditions of outer joins, read from a statement's text.
//!
//! A comparison with null makes such a condition false before the statement is planned. With it goes the owner in it, by
//! which a distributed server knows that the tables are in one place, and it refuses the statement. So a value that
//! nobody has is bound there, and [`Tx`](crate::tx::Tx) refuses null in debug builds.

use crate::columns::{find, starts};

/// Words that open an outer join.
const OPENINGS: [&[u8]; 3] = [b" left join ", b" right join ", b" full join "];

/// Words that end a condition. Those of the next outer join end with one of them.
const ENDINGS: [&[u8]; 8] = [
    b" join ",
    b" where ",
    b" group by ",
    b" having ",
    b" order by ",
    b" limit ",
    b" union ",
    b" for ",
];

/// Returns the numbers of the parameters that stand in the condition of an outer join, each as a bit.
pub(crate) const fn params(text: &str) -> u64 {
    let text = text.as_bytes();
    let (mut at, mut found) = (0, 0);
    while at < text.len() {
        if text[at] == b' '
            && has_one_of(text, at, &OPENINGS)
            && let Some(on) = find(text, at, b" on ")
        {
            found |= of_condition(text, on + b" on ".len());
        }
        at += 1;
    }
    found
}

/// The parameters of the condition that begins there.
const fn of_condition(text: &[u8], mut at: usize) -> u64 {
    let (mut depth, mut quoted, mut found) = (0, false, 0);
    while at < text.len() {
        match text[at] {
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' | b',' if depth == 0 => return found,
            b' ' if depth == 0 && has_one_of(text, at, &ENDINGS) => return found,
            b')' => depth -= 1,
            b'$' => found |= 1 << number(text, at + 1),
            _ => {}
        }
        at += 1;
    }
    found
}

/// The number that stands there.
const fn number(text: &[u8], mut at: usize) -> u8 {
    let mut number = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        number = number * 10 + (text[at] - b'0');
        at += 1;
    }
    number
}

const fn has_one_of(text: &[u8], at: usize, words: &[&[u8]]) -> bool {
    let mut word = 0;
    while word < words.len() {
        if starts(text, at, words[word]) {
            return true;
        }
        word += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<u8> {
        (1..64).filter(|number| (params(text) >> number) & 1 == 1).collect()
    }

    #[test]
    fn the_parameters_of_an_outer_joins_condition_are_found() {
        let one = "select a from b left join c on c.d = $1 and c.e = $12 where b.d = $2 limit $3";
        assert_eq!(numbers(one), [1, 12]);
        let two = "select a from b left join c on c.d = $2 left join e on e.d = $3 order by $4";
        assert_eq!(numbers(two), [2, 3]);
        assert_eq!(
            numbers("select a from b right join c on c.d in ($1, $2), e where f = $3"),
            [1, 2]
        );
    }

    #[test]
    fn conditions_in_parentheses_end_with_them() {
        let inner = "select a from (select b from c left join d on d.e = $1) f where f.g = $2";
        assert_eq!(numbers(inner), [1]);
        let lateral =
            "select a from b left join lateral (select c from d where d.e = $1) f on f.g = $2";
        assert_eq!(numbers(lateral), [2]);
        let nested =
            "select a from b left join c on c.d = (select e from f where g = $1) where h = $2";
        assert_eq!(numbers(nested), [1]);
    }

    #[test]
    fn other_conditions_do_not_count() {
        let inner =
            "select a from b join c on c.d = $1 left join e on e.d = b.d join f on f.d = $2";
        assert_eq!(numbers(inner), [0_u8; 0]);
        assert_eq!(
            numbers("select a from b left join c on c.d = ' $1 ' where c.e = $1"),
            [0_u8; 0]
        );
        assert_eq!(numbers("update a set b = $1 where c = $2"), [0_u8; 0]);
    }
}
