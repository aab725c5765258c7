//! What a grant says about files with several hard links.

/// Whether the content of a file with several names may be read: one may be outside the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardLinks {
    /// Such files are listed, but neither read nor searched.
    Refused,
    /// Such files are read like all others.
    Allowed,
}
