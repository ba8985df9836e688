//! The place of a token, which nobody comes to: this bank gives none.

use std::sync::Arc;

use bank::{Getting, Obtaining, Token, Tokens};

#[derive(Debug)]
pub(super) struct NoTokens;

impl Tokens for NoTokens {
    fn current(&self, _: Obtaining) -> Getting<'_> {
        unreachable!("a token that this bank does not give")
    }

    fn renew(&self, _: &Token, _: Obtaining) -> Getting<'_> {
        unreachable!("a token that this bank does not give")
    }

    fn share(&self) -> Arc<dyn Tokens> {
        unreachable!("a token that this bank does not give")
    }
}
