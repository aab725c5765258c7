//! The normaliser of SentencePiece, `nmt_nfkc`: a double-array trie (Darts-clone) that maps byte
//! sequences to replacements, read from the model file; spaces become `▁`.
//!
//! `tokenizer` calls it. No lookup leaves the tables, even if they are damaged.

#[cfg(test)]
mod tests;

/// What SentencePiece writes instead of a space: `▁`, also before the first word.
pub(super) const SPACE: &str = "\u{2581}";

/// Replacements of characters and sequences of characters.
#[derive(Default)]
pub(super) struct Normalizer {
    /// The units of the double array.
    units: Vec<u32>,
    /// The replacements, each ended by a zero byte.
    replacements: Vec<u8>,
}

impl Normalizer {
    /// Reads a precompiled character map: the size of the trie in bytes, the trie, the
    /// replacements. `None` if it is cut off.
    pub(super) fn read(charsmap: &[u8]) -> Option<Self> {
        let (size, rest) = charsmap.split_first_chunk::<4>()?;
        let size = usize::try_from(u32::from_le_bytes(*size)).ok()?;
        let (trie, replacements) = rest.split_at_checked(size)?;
        let units = trie.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let is_whole = trie.len().is_multiple_of(4) && replacements.last() == Some(&0);
        is_whole.then(|| Self { units, replacements: replacements.to_vec() })
    }

    /// The text with every sequence replaced, `▁` for spaces and before the first word, and without
    /// spaces at its ends or in a row. Empty if nothing is left.
    pub(super) fn normalize(&self, text: &str) -> String {
        let mut normal = Vec::with_capacity(text.len() + SPACE.len());
        let mut after_space = true;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (mut replacement, length) = self.prefix(rest);
            rest = &rest[length..];
            while after_space && let Some(trimmed) = replacement.strip_prefix(b" ") {
                replacement = trimmed;
            }
            for byte in replacement {
                if normal.is_empty() {
                    normal.extend_from_slice(SPACE.as_bytes());
                }
                match byte {
                    b' ' => normal.extend_from_slice(SPACE.as_bytes()),
                    other => normal.push(*other),
                }
            }
            after_space = replacement.last().map_or(after_space, |last| *last == b' ');
        }
        while normal.ends_with(SPACE.as_bytes()) {
            normal.truncate(normal.len() - SPACE.len());
        }
        String::from_utf8_lossy(&normal).into_owned()
    }

    /// The replacement of the longest sequence at the start of a text that is not empty, or its
    /// first character, and how many bytes it replaces.
    fn prefix<'a>(&'a self, text: &'a [u8]) -> (&'a [u8], usize) {
        let found = self.longest(text).and_then(|(value, length)| {
            let replacement = self.replacements.get(value..)?;
            let end = replacement.iter().position(|byte| *byte == 0)?;
            Some((&replacement[..end], length))
        });
        found.unwrap_or_else(|| {
            // Continuation bytes of UTF-8 begin with the bits 10.
            let later = text.iter().skip(1).take_while(|byte| **byte & 0xC0 == 0x80).count();
            (&text[..=later], 1 + later)
        })
    }

    /// The value of the longest key that the text begins with, and its length.
    fn longest(&self, text: &[u8]) -> Option<(usize, usize)> {
        let mut found = None;
        let mut place = offset(*self.units.first()?);
        for (at, byte) in text.iter().enumerate() {
            place ^= u32::from(*byte);
            let Some(unit) = self.unit(place).filter(|unit| unit & LABEL == u32::from(*byte))
            else {
                break;
            };
            place ^= offset(unit);
            if unit & HAS_LEAF != 0
                && let Some(leaf) = self.unit(place)
            {
                found = Some(((leaf & VALUE) as usize, at + 1));
            }
        }
        found
    }

    fn unit(&self, place: u32) -> Option<u32> {
        self.units.get(place as usize).copied()
    }
}

/// The label of a unit; the highest bit tells leaves from inner units.
const LABEL: u32 = 0x8000_00FF;
/// Whether a key ends at a unit.
const HAS_LEAF: u32 = 0x100;
/// The value of a leaf.
const VALUE: u32 = 0x7FFF_FFFF;

/// The distance from a unit to its children.
fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & 0x200) >> 6)
}
