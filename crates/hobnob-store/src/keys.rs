//! The port of random keys that all processes on one store share.
//!
//! The binary asks for the key that seals the state clients carry between rounds, so that a round
//! may end in another process than it began in. A stored key never changes.

use crate::StoreFuture;
use crate::error::StoreError;

/// Random keys, each under a name.
pub trait KeyRepository: Send + Sync + 'static {
    /// Returns the key of this name, storing `fresh` as that key if there is none. If several
    /// processes do so at once, all get the same key.
    fn get_or_create(
        &self,
        name: &'static str,
        fresh: Vec<u8>,
    ) -> StoreFuture<'_, Result<Vec<u8>, StoreError>>;
}
