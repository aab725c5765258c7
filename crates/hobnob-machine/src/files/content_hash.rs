//! Computes the digest of a file's content, with which a caller says which version it has read.

use hobnob_policy::ContentHash;
use ring::digest::{Context, Digest, SHA256, digest};

/// The digest of bytes that are in memory.
pub fn content_hash(bytes: &[u8]) -> ContentHash {
    hash_from(&digest(&SHA256, bytes))
}

/// A digest of bytes that come in pieces.
pub(crate) struct Hashing(Context);

impl Hashing {
    pub(crate) fn new() -> Self {
        Self(Context::new(&SHA256))
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn end(self) -> ContentHash {
        hash_from(&self.0.finish())
    }
}

fn hash_from(digest: &Digest) -> ContentHash {
    let mut hash = [0; 32];
    // A digest of SHA-256 always has 32 bytes.
    hash.copy_from_slice(digest.as_ref());
    ContentHash::new(hash)
}
