//! What is recorded of a folder when it is granted, beside its path.
//!
//! The command that grants it writes this down, and the effect compares it with what it opened.

/// What a folder was when it was granted. Another folder at its path is not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootIdentity {
    /// On file systems that record when something was created. The number of the device is left
    /// out, since it may change when the machine starts.
    Born {
        /// The number of the folder in its file system.
        inode: u64,
        /// When it was created: seconds since 1970.
        seconds: i64,
        /// The part of a second.
        nanoseconds: u32,
    },
    /// On all other file systems.
    Device {
        /// The number of the folder in its file system.
        inode: u64,
        /// The number of the file system.
        device: u64,
    },
}

/// What happens to files that have more than one name, of which some may lie elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardLinks {
    /// Their contents are neither read nor changed.
    Refused,
    /// They are treated like all others.
    Allowed,
}
