//! The mark that replaces a redacted value.
//!
//! The scanner and the anonymiser write it, and rules recognise it, so no mark is redacted again.

use crate::kind::FindingKind;

/// The prefix of every mark; the label of the kind and `]` follow.
pub(crate) const REDACTION_PREFIX: &str = "[redacted: ";

/// Appends the mark for a value of this kind.
pub(crate) fn push_redaction(out: &mut String, kind: FindingKind) {
    out.push_str(REDACTION_PREFIX);
    out.push_str(kind.label());
    out.push(']');
}
