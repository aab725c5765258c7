//! Why one try did not bring the whole answer, and whether another one may.
//!
//! A try says so, and the exchange decides by it.

use std::time::Duration;

use crate::dialect::StreamFault;
use crate::error::ProviderError;

/// Why a try did not bring the whole answer.
#[derive(Debug)]
pub(super) enum TryFailure {
    /// The next one may, if nothing was delivered.
    Passing { error: ProviderError, retry_after: Option<Duration> },
    /// The next one would not either.
    Lasting(ProviderError),
    /// Nobody reads the answer any more.
    ReaderGone,
}

/// A stream that broke off may be whole the next time; one that cannot be read will not.
impl From<StreamFault> for TryFailure {
    fn from(fault: StreamFault) -> Self {
        let passes = match &fault {
            StreamFault::Reported(fault) => fault.may_pass(),
            StreamFault::Cut(_) => true,
            StreamFault::Garbled(_) => false,
        };
        let error = fault.into_error();
        if passes { Self::Passing { error, retry_after: None } } else { Self::Lasting(error) }
    }
}
