//! The switch that ends one command from elsewhere, with the reason: its caller, a client that
//! disconnected, a revoked grant, or time.

use std::sync::OnceLock;
use tokio_util::sync::CancellationToken;

/// Why a command did not run to its own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// It ran for longer than its time limit.
    Timeout,
    /// Its caller stopped it.
    Asked,
    /// The client that started it disconnected.
    ClientGone,
    /// Its caller has not asked for it for so long that the client must be gone.
    Forgotten,
    /// A person revoked the grant that permitted it.
    Revoked,
    /// Hobnob is shutting down.
    Closing,
}

/// How a command is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopManner {
    /// It is asked to exit, and killed if it still runs after a second.
    Politely,
    /// Its whole process tree is killed at once.
    AtOnce,
}

impl StopCause {
    pub(crate) fn manner(self) -> StopManner {
        match self {
            Self::Timeout | Self::Asked | Self::Forgotten => StopManner::Politely,
            Self::ClientGone | Self::Revoked | Self::Closing => StopManner::AtOnce,
        }
    }

    /// The word for the reason in results.
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

/// Ends one command. The first reason wins.
#[derive(Debug, Default)]
pub(crate) struct StopSwitch {
    cause: OnceLock<StopCause>,
    token: CancellationToken,
}

impl StopSwitch {
    /// Ends the command, unless it was ended before.
    pub(crate) fn stop(&self, cause: StopCause) {
        // The first reason stays.
        let _ = self.cause.set(cause);
        self.token.cancel();
    }

    /// Waits until the command is to end, and returns the reason.
    pub(crate) async fn stopped(&self) -> StopCause {
        self.token.cancelled().await;
        self.cause.get().copied().unwrap_or(StopCause::Closing)
    }
}
