//! The text that replaces a value.
//!
//! The scanner writes it, and rules recognise it, so that no replacement is found again.

/// Every replacement begins with this, followed by the label of the kind and `]`.
pub(crate) const REDACTION_PREFIX: &str = "[redacted: ";
