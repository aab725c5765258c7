//! What a grant says about files that have several names.

/// Whether the content of a file with several names may be read: one of them may be outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardLinks {
    /// Such files are listed, but neither read nor searched.
    Refused,
    /// They are read like all others.
    Allowed,
}
