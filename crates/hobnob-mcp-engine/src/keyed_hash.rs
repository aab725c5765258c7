//! A cheap hash with a key per process, for table keys that clients choose.
//!
//! It keeps tables small and fast; no secret may depend on it.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

/// The random key keeps clients from computing collisions. A stronger hash would gain nothing: a
/// client that wants to be counted with another one can simply use its name.
pub(crate) fn keyed_hash(value: impl Hash) -> u64 {
    static KEY: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    let mut hasher = MultiplyHasher(*KEY);
    value.hash(&mut hasher);
    hasher.finish()
}

struct MultiplyHasher(u64);

impl Hasher for MultiplyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.write_u64(u64::from_le_bytes(last));
    }

    fn write_u64(&mut self, word: u64) {
        // Mixes both halves of the product, so every bit of the input counts.
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        let [high, low] = [product >> 64, product].map(|half| half as u64);
        self.0 = high ^ low.rotate_left(32);
    }
}
