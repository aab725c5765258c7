//! The text that replaces a value.
//!
//! The scanner and the anonymiser write it, and rules recognise it, so that no replacement is found again.

use crate::kind::FindingKind;

/// Every replacement begins with this, followed by the label of the kind and `]`.
pub(crate) const REDACTION_PREFIX: &str = "[redacted: ";

/// Appends what stands in the place of a value of this kind.
pub(crate) fn push_redaction(out: &mut String, kind: FindingKind) {
    out.push_str(REDACTION_PREFIX);
    out.push_str(kind.label());
    out.push(']');
}
