//! Ends event streams when the token they were opened with ends.
//!
//! The site wraps every stream of a request with a token. A stream without a natural end closes
//! when the token expires or is revoked; a call that began in time is cut off only by revocation.

use crate::server::authentication::{Authentication, IdentityRefusal};
use crate::server::gate::BearerToken;
use crate::server::reply::{EventSource, ReplyBody};
use bytes::Bytes;
use hobnob_mcp_engine::BoxFuture;
use http::Response;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::sleep;

/// How long a stream may outlive its token. The token is checked more often if the stream's
/// keep-alive interval is shorter.
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(5);

/// Marks a response whose stream has no natural end although it belongs to one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Endless;

/// The token of a request, in case the response outlasts the check.
pub(crate) struct PresentedToken<'a> {
    pub(crate) authentication: &'a Arc<dyn Authentication>,
    pub(crate) token: BearerToken,
    pub(crate) prefix: &'a str,
    /// How often the token is checked again.
    pub(crate) every: Duration,
}

impl PresentedToken<'_> {
    /// Begins to watch whether the token stays valid.
    pub(crate) fn watch(self) -> WatchedToken {
        self.watch_for(KeptRights::Any)
    }

    /// Begins to watch whether the token stays valid and allows every request.
    pub(crate) fn watch_for_all(self) -> WatchedToken {
        self.watch_for(KeptRights::All)
    }

    fn watch_for(self, rights: KeptRights) -> WatchedToken {
        let authentication = Arc::clone(self.authentication);
        let (token, every) = (self.token, self.every);
        WatchedToken { authentication, token, prefix: self.prefix.into(), every, rights }
    }
}

/// What the token must still allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptRights {
    /// Anything: each request is checked by itself.
    Any,
    /// Every request, as when a connection was opened whose requests are not checked.
    All,
}

/// A token that is checked periodically.
pub(crate) struct WatchedToken {
    authentication: Arc<dyn Authentication>,
    token: BearerToken,
    prefix: Box<str>,
    every: Duration,
    rights: KeptRights,
}

impl WatchedToken {
    /// Ready when the token has ended, and says how.
    pub(crate) async fn ended(self) -> IdentityRefusal {
        loop {
            sleep(self.every).await;
            let token = self.token.expose();
            let identity = match self.authentication.recall(token, &self.prefix) {
                Some(identity) => Ok(identity),
                None => self.authentication.verify(token, &self.prefix).await,
            };
            match identity {
                Ok(identity)
                    if self.rights == KeptRights::All
                        && identity.check_all(&self.prefix).is_err() =>
                {
                    return IdentityRefusal::Invalid;
                }
                Ok(_) | Err(IdentityRefusal::Unavailable) => {}
                Err(IdentityRefusal::Expired) => return IdentityRefusal::Expired,
                Err(_) => return IdentityRefusal::Invalid,
            }
        }
    }
}

/// The same response; if it is a stream, it ends with the token.
pub(crate) fn watch(
    response: Response<ReplyBody>,
    token: PresentedToken<'_>,
) -> Response<ReplyBody> {
    let endless = response.extensions().get::<Endless>().is_some();
    response.map(|body| match body {
        ReplyBody::Empty | ReplyBody::Full(_) => body,
        ReplyBody::Standing(source) => {
            ReplyBody::standing(WatchedEvents::new(source, token.watch(), Until::End))
        }
        ReplyBody::Stream(source) => {
            let until = if endless { Until::End } else { Until::Revocation };
            ReplyBody::stream(WatchedEvents::new(source, token.watch(), until))
        }
    })
}

/// What ends a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Expiry or revocation of its token.
    End,
    /// Only revocation of its token.
    Revocation,
}

struct WatchedEvents {
    source: Pin<Box<dyn EventSource>>,
    ended: Option<BoxFuture<'static, IdentityRefusal>>,
    until: Until,
}

impl WatchedEvents {
    fn new(source: Pin<Box<dyn EventSource>>, token: WatchedToken, until: Until) -> Self {
        Self { source, ended: Some(Box::pin(token.ended())), until }
    }
}

impl EventSource for WatchedEvents {
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if let Some(ended) = &mut this.ended
            && let Poll::Ready(how) = ended.as_mut().poll(context)
        {
            this.ended = None;
            if how == IdentityRefusal::Invalid || this.until == Until::End {
                return Poll::Ready(None);
            }
        }
        this.source.as_mut().poll_next(context)
    }
}
