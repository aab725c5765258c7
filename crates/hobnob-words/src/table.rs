//! A fast hash for compiled-in tables of short words. Their contents are fixed, so it need not
//! resist hash flooding, and every word of every text is looked up.

use std::hash::{BuildHasherDefault, Hasher};

/// The hash builder of these tables.
pub(crate) type FastHash = BuildHasherDefault<Fnv>;

/// The 64-bit FNV-1a hash.
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
