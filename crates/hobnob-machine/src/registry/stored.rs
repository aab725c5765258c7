//! The contents of a key that was read: values with types, and the names of the keys below.

use hobnob_policy::{RegistryValue, ValueName};

/// One key, without the contents of the keys below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyContents {
    /// The values, in the order of the system.
    pub values: Vec<NamedValue>,
    /// The names of the keys right below, in the order of the system.
    pub keys: Vec<String>,
    /// Whether texts and names are exact.
    pub fidelity: ReadFidelity,
}

/// A value with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedValue {
    /// Its name, or the marker of the value without a name.
    pub name: ValueName,
    /// Its type and its content.
    pub data: StoredData,
}

/// The data of a value; only some types can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredData {
    /// Data of a type that can be written too.
    Known(RegistryValue),
    /// Data of any other type, or data that does not match its type.
    Other {
        /// The name of the type, or its number as `0x…`.
        type_name: String,
        /// The bytes; `None` if `reg` printed them in an unreadable form.
        bytes: Option<Vec<u8>>,
    },
}

/// How exactly the result matches the stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFidelity {
    /// Every character and every byte is exact.
    Exact,
    /// As `reg query` prints it: in the code page of a console, which replaces most letters beyond
    /// ASCII by similar ones, and with line breaks that look like the end of a value.
    Printed,
}
