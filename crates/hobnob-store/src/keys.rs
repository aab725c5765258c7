//! The port of random keys that all processes on one store share.
//!
//! The binary asks for the key that seals what clients carry between rounds, so that a round may
//! end in another process than it began in. A key never changes once it is there.

use crate::StoreFuture;
use crate::error::StoreError;

/// Random keys, each under the name that its first user chose.
pub trait KeyRepository: Send + Sync + 'static {
    /// Returns the key of this name. Stores `fresh` as that key first if there is none: of several
    /// processes that do so at once, all get the same one.
    fn get_or_create(
        &self,
        name: &'static str,
        fresh: Vec<u8>,
    ) -> StoreFuture<'_, Result<Vec<u8>, StoreError>>;
}
