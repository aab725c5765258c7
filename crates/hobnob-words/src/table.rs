//! A hash for short words of tables that are part of the program. Nobody else chooses what is in
//! them, so it need not withstand anybody, and every word of every text is looked up.

use std::hash::{BuildHasherDefault, Hasher};

/// For tables of words.
pub(crate) type FastHash = BuildHasherDefault<Fnv>;

/// The hash of Fowler, Noll and Vo (1a, 64 bits).
#[derive(Debug)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
