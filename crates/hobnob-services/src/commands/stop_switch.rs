//! The switch that ends one command from elsewhere, with the reason: a caller, a client that went, a
//! grant that was taken back, time.

use std::sync::OnceLock;
use tokio_util::sync::CancellationToken;

/// Why a command did not run to its own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// It ran longer than it may.
    Timeout,
    /// Its caller stopped it.
    Asked,
    /// The client that started it has gone.
    ClientGone,
    /// Nobody asked for it for so long that its client must have gone.
    Forgotten,
    /// A person took back what granted it.
    Revoked,
    /// Hobnob itself ends, with all that it runs.
    Closing,
}

/// How a command is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopManner {
    /// It is told to end, and killed if it has not after a second.
    Politely,
    /// It is killed, with everything it started.
    AtOnce,
}

impl StopCause {
    pub(crate) fn manner(self) -> StopManner {
        match self {
            Self::Timeout | Self::Asked | Self::Forgotten => StopManner::Politely,
            Self::ClientGone | Self::Revoked | Self::Closing => StopManner::AtOnce,
        }
    }

    /// The word by which results name the reason.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Asked => "stopped",
            Self::ClientGone => "client_gone",
            Self::Forgotten => "not_asked_for",
            Self::Revoked => "revoked",
            Self::Closing => "closing",
        }
    }
}

/// Ends one command. The first reason counts.
#[derive(Debug, Default)]
pub(crate) struct StopSwitch {
    cause: OnceLock<StopCause>,
    token: CancellationToken,
}

impl StopSwitch {
    /// Ends the command, unless something else has already.
    pub(crate) fn stop(&self, cause: StopCause) {
        // Whoever was first has said why.
        let _ = self.cause.set(cause);
        self.token.cancel();
    }

    /// Waits until somebody ends the command.
    pub(crate) async fn stopped(&self) -> StopCause {
        self.token.cancelled().await;
        self.cause.get().copied().unwrap_or(StopCause::Closing)
    }
}
