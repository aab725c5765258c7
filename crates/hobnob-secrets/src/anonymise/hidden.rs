//! Everything in a text that callers must not see, in order: the secrets found by the scanner, and
//! personal data in the text between them. The anonymiser calls it.
//!
//! What must stay true: no find overlaps another one, or the token or mark of an earlier pass.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::scanner::Scanner;
use crate::scope::ScanScope;

use super::find::find_personal;
use super::known::NameFinder;
use super::token::{PersonalKind, first_token};

/// What is hidden, which decides the replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenKind {
    /// Replaced by a token that can be compared and revealed.
    Personal(PersonalKind),
    /// Replaced by a mark with the kind only, since secrets need not be told apart.
    Secret(FindingKind),
}

impl HiddenKind {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Personal(kind) => kind.as_str(),
            Self::Secret(kind) => kind.label(),
        }
    }
}

/// Calls `each` for everything that must be hidden, in order and without overlaps.
pub(super) fn find_hidden(
    text: &str,
    names: &NameFinder,
    mut each: impl FnMut(Range<usize>, HiddenKind),
) {
    let mut from = 0;
    for secret in Scanner::new(ScanScope::logs()).matches(text) {
        if first_token(&text[secret.range.clone()]).is_some() {
            continue;
        }
        find_personal(text, from..secret.range.start, names, |find| {
            each(find.at, HiddenKind::Personal(find.kind));
        });
        from = secret.range.end;
        each(secret.range, HiddenKind::Secret(secret.kind));
    }
    find_personal(text, from..text.len(), names, |find| {
        each(find.at, HiddenKind::Personal(find.kind));
    });
}
