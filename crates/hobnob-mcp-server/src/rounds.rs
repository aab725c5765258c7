//! How often a call may ask back.

use hobnob_mcp_engine::{CallError, Questions, Refusable};

/// Questions of a callee that wants to hear of refusals are mostly those of a server behind it,
/// which asks one after the other while its call stays open; some ask a model again and again.
const HELD: usize = 1000;

/// The rounds that are left.
#[derive(Debug)]
pub(crate) struct Rounds {
    plain: usize,
    held: usize,
}

impl Rounds {
    /// That many of the usual kind.
    pub(crate) fn new(plain: usize) -> Self {
        Self { plain, held: HELD }
    }

    /// Takes one for these questions; fails if none is left.
    pub(crate) fn take(&mut self, questions: &Questions) -> Result<(), CallError> {
        let left = match questions.refusable {
            Refusable::No => &mut self.plain,
            Refusable::Yes => &mut self.held,
        };
        match left.checked_sub(1) {
            Some(fewer) => {
                *left = fewer;
                Ok(())
            }
            None => {
                tracing::error!("a call asked back too many times");
                Err(CallError::Internal)
            }
        }
    }
}
