//! Objects whose keys are data, not fields: form fields, questions, settings, extensions.
//!
//! Order is kept, because clients show fields and ask questions in it. There are few entries, so a
//! lookup is a linear search. A duplicate key is refused: two readers could take different values.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Values by name, in the order of insertion or of arrival on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries<T>(Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    /// An object without entries, `{}` on the wire.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value under this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether there is a value under this name.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Puts a value under this name: at the end, or in place of the value that is there already.
    pub fn insert(&mut self, name: impl Into<String>, value: T) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// All entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Takes an entry out and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<T> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(place).1)
    }

    /// Keeps the entries for which `fits` returns true.
    pub fn retain(&mut self, mut fits: impl FnMut(&str, &T) -> bool) {
        self.0.retain(|(name, value)| fits(name, value));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> IntoIterator for Entries<T> {
    type Item = (String, T);
    type IntoIter = std::vec::IntoIter<(String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T, N: Into<String>> FromIterator<(N, T)> for Entries<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(entries: I) -> Self {
        let mut all = Self::new();
        for (name, value) in entries {
            all.insert(name, value);
        }
        all
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader(PhantomData))
    }
}

struct Reader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
    type Value = Entries<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        refuse_duplicates(&entries)?;
        Ok(Entries(entries))
    }
}

/// Refuses duplicate names, in one pass with a hash set: a peer may send very many names.
fn refuse_duplicates<T, E: Error>(entries: &[(String, T)]) -> Result<(), E> {
    let mut seen = HashSet::with_capacity(entries.len());
    match entries.iter().find(|(name, _)| !seen.insert(name.as_str())) {
        Some((name, _)) => Err(E::custom(format_args!("duplicate key `{name}`"))),
        None => Ok(()),
    }
}
