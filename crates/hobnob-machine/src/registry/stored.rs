//! What a key holds, as it was read: values with their types, and the names of the keys below.

use hobnob_policy::{RegistryValue, ValueName};

/// One key, without what is inside of the keys below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyContents {
    /// In the order in which the system has them.
    pub values: Vec<NamedValue>,
    /// The names of the keys right below, in the order of the system.
    pub keys: Vec<String>,
    /// How far texts and names can be trusted.
    pub fidelity: ReadFidelity,
}

/// A value with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedValue {
    /// Its name, or that it is the one without.
    pub name: ValueName,
    /// Its type and its content.
    pub data: StoredData,
}

/// What a value holds, as far as its type is one of those that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredData {
    /// A type that can be written too.
    Known(RegistryValue),
    /// Any other type, or data that does not fit its type.
    Other {
        /// The name of the type, or its number as `0x…`.
        type_name: String,
        /// The bytes; none where only something unreadable was printed.
        bytes: Option<Vec<u8>>,
    },
}

/// How far what was read is what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFidelity {
    /// Every character and every byte.
    Exact,
    /// As `reg query` prints it: in the code page of a console, which has few letters beyond ASCII
    /// and replaces others by similar ones, and with line breaks that look like the end of a value.
    Printed,
}
