//! The operations on a key of a registry, and the values it can hold.

use std::fmt;

use crate::grants::file_root::RootAccess;

/// One operation on one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOperation {
    /// Reads one value, or all of them.
    Read {
        /// The name of the value; without one, all values.
        value: Option<ValueName>,
    },
    /// Lists the names of the keys right below this one.
    List,
    /// Sets one value, and makes the key if it is missing.
    Write {
        /// The name of the value that is set, which need not exist yet.
        name: ValueName,
        /// The new value and its type.
        value: RegistryValue,
    },
    /// Deletes one value of the key.
    DeleteValue {
        /// The name of the deleted value.
        name: ValueName,
    },
    /// Deletes the key and all keys below it.
    DeleteKey,
}

/// The name of a value: every key can also hold one value without a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ValueName {
    /// The value without a name; `reg` calls it `/ve`.
    Default,
    /// A value with this name.
    Named(String),
}

/// A value with its type.
#[derive(Clone, PartialEq, Eq)]
pub enum RegistryValue {
    /// `REG_SZ`, a plain text.
    Text(String),
    /// `REG_EXPAND_SZ`, a text with variables in it.
    ExpandableText(String),
    /// `REG_MULTI_SZ`, a list of texts.
    Texts(Vec<String>),
    /// `REG_DWORD`, a number of 32 bits.
    Number32(u32),
    /// `REG_QWORD`, a number of 64 bits.
    Number64(u64),
    /// `REG_BINARY`, bytes of any meaning.
    Bytes(Vec<u8>),
}

impl RegistryValue {
    /// The type as the system names it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "REG_SZ",
            Self::ExpandableText(_) => "REG_EXPAND_SZ",
            Self::Texts(_) => "REG_MULTI_SZ",
            Self::Number32(_) => "REG_DWORD",
            Self::Number64(_) => "REG_QWORD",
            Self::Bytes(_) => "REG_BINARY",
        }
    }

    /// Whether a text of it has a NUL, after which a program would see nothing.
    fn has_nul(&self) -> bool {
        match self {
            Self::Text(text) | Self::ExpandableText(text) => text.contains('\0'),
            Self::Texts(texts) => texts.iter().any(|text| text.contains('\0')),
            Self::Number32(_) | Self::Number64(_) | Self::Bytes(_) => false,
        }
    }
}

/// A value may be a secret: only its type is printed.
impl fmt::Debug for RegistryValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.type_name())
    }
}

impl KeyOperation {
    /// The access that the operation needs at its key.
    #[must_use]
    pub fn needed_access(&self) -> RootAccess {
        match self {
            Self::Read { .. } | Self::List => RootAccess::Read,
            Self::Write { .. } | Self::DeleteValue { .. } | Self::DeleteKey => RootAccess::Write,
        }
    }

    /// Why no program can receive this operation, if none can.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let name = match self {
            Self::Read { value } => value.as_ref(),
            Self::Write { name, .. } | Self::DeleteValue { name } => Some(name),
            Self::List | Self::DeleteKey => None,
        };
        let bad_name = match name {
            Some(ValueName::Named(name)) => name.is_empty() || name.contains(char::is_control),
            Some(ValueName::Default) | None => false,
        };
        let bad_value = matches!(self, Self::Write { value, .. } if value.has_nul());
        match (bad_name, bad_value) {
            (true, _) => Some("the name of the value is empty, or has control characters in it"),
            (_, true) => Some("the value has a NUL in it"),
            (false, false) => None,
        }
    }
}
