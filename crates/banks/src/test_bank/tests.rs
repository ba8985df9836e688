//! The magic references.

use super::*;

#[test]
fn the_last_digits_decide() {
    assert_eq!(magic("67890"), Magic::Found);
    assert_eq!(magic("1167890"), Magic::Found);
    assert_eq!(magic("99910004"), Magic::Slow);
    assert_eq!(magic("123456"), Magic::NotFound);
    assert_eq!(magic("7890"), Magic::NotFound);
}
