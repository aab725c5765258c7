//! A key of a Windows registry: the hive and the names below it.
//!
//! Hives have a short and a long spelling, and case does not matter. Only ASCII letters are folded:
//! versions of Windows disagree about the case of other letters, so these must match exactly.

use std::fmt;

/// Longest name of a key, in characters.
const MAX_NAME_CHARS: usize = 255;
/// Maximum number of names that a key may have below its hive.
const MAX_NAMES: usize = 512;

/// The root of a tree of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hive {
    /// `HKCR`: which program opens what.
    ClassesRoot,
    /// `HKCU`: settings of the user who runs Hobnob.
    CurrentUser,
    /// `HKLM`: settings of the machine.
    LocalMachine,
    /// `HKU`: settings of all users.
    Users,
    /// `HKCC`: the hardware in use.
    CurrentConfig,
}

/// Each hive with its long and its short name.
const HIVES: [(Hive, &str, &str); 5] = [
    (Hive::ClassesRoot, "HKEY_CLASSES_ROOT", "HKCR"),
    (Hive::CurrentUser, "HKEY_CURRENT_USER", "HKCU"),
    (Hive::LocalMachine, "HKEY_LOCAL_MACHINE", "HKLM"),
    (Hive::Users, "HKEY_USERS", "HKU"),
    (Hive::CurrentConfig, "HKEY_CURRENT_CONFIG", "HKCC"),
];

impl Hive {
    /// The short name, which every program of the system understands.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClassesRoot => "HKCR",
            Self::CurrentUser => "HKCU",
            Self::LocalMachine => "HKLM",
            Self::Users => "HKU",
            Self::CurrentConfig => "HKCC",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let named = |(_, long, short): &&(Self, &str, &str)| {
            word.eq_ignore_ascii_case(long) || word.eq_ignore_ascii_case(short)
        };
        HIVES.iter().find(named).map(|(hive, _, _)| *hive)
    }
}

/// Which view of the registry: it has one for 32-bit and one for 64-bit programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyView {
    /// The view of the system's own programs.
    Native,
    /// The view of 32-bit programs.
    Bits32,
    /// The view of 64-bit programs.
    Bits64,
}

/// A parsed key. None of its names is empty or contains a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryKey {
    hive: Hive,
    names: Vec<Box<str>>,
}

/// Why a text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRegistryKey {
    /// It does not begin with a hive. Keys of other machines do not either.
    #[error("a key begins with HKLM, HKCU, HKCR, HKU or HKCC, and its names are separated by `\\`")]
    Hive,
    /// A name is empty, too long, or not a name.
    #[error("a name in the key is empty, too long, or has spaces around it or control characters")]
    Name,
}

impl RegistryKey {
    /// Reads a key such as `HKCU\Software\Example`.
    ///
    /// # Errors
    /// When the hive is unknown, or a name could be read in more than one way.
    pub fn parse(text: &str) -> Result<Self, BadRegistryKey> {
        let mut parts = text.split('\\');
        let hive = parts.next().and_then(Hive::parse).ok_or(BadRegistryKey::Hive)?;
        let names: Vec<Box<str>> = parts.map(Into::into).collect();
        let bad = |name: &str| {
            name.trim() != name
                || name.is_empty()
                || MAX_NAME_CHARS < name.chars().count()
                || name.contains(char::is_control)
        };
        match MAX_NAMES < names.len() || names.iter().any(|name| bad(name)) {
            true => Err(BadRegistryKey::Name),
            false => Ok(Self { hive, names }),
        }
    }

    /// The hive that the key is in.
    #[must_use]
    pub fn hive(&self) -> Hive {
        self.hive
    }

    /// Whether it is a hive itself.
    #[must_use]
    pub fn is_hive(&self) -> bool {
        self.names.is_empty()
    }

    /// The names below the hive, from the top down.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Whether this key is `key` or below it. Whole names are compared.
    #[must_use]
    pub fn is_within(&self, key: &Self) -> bool {
        self.hive == key.hive
            && key.names.len() <= self.names.len()
            && self.names().zip(key.names()).all(|(one, other)| one.eq_ignore_ascii_case(other))
    }
}

impl fmt::Display for RegistryKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.hive.as_str())?;
        self.names.iter().try_for_each(|name| write!(out, "\\{name}"))
    }
}
