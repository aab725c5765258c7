//! Why one attempt failed, and whether another one may succeed.
//!
//! An attempt returns it, and the exchange decides by it whether to retry.

use std::time::Duration;

use crate::dialect::StreamFault;
use crate::error::ProviderError;

/// Why an attempt did not deliver the whole answer.
#[derive(Debug)]
pub(super) enum AttemptFailure {
    /// The next attempt may succeed. The exchange makes it only if no event was delivered.
    Transient { error: ProviderError, retry_after: Option<Duration> },
    /// The next attempt would fail too.
    Permanent(ProviderError),
    /// The reader has dropped the stream.
    ReaderGone,
}

/// A stream that broke off may be complete the next time; a malformed one stays malformed.
impl From<StreamFault> for AttemptFailure {
    fn from(fault: StreamFault) -> Self {
        let passes = match &fault {
            StreamFault::Reported(fault) => fault.is_transient(),
            StreamFault::Cut(_) => true,
            StreamFault::Garbled(_) => false,
        };
        let error = fault.into_error();
        if passes { Self::Transient { error, retry_after: None } } else { Self::Permanent(error) }
    }
}
