//! Event streams that end when the token they were opened with does.
//!
//! The site wraps every stream of a request with a token. A stream without a natural end closes when the
//! token expires or is revoked; the answer of a call that was begun in time is only lost to a revocation.

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

/// The longest time that a stream goes on after its token has ended. Streams whose signs of life come
/// more often are looked after as often.
pub(crate) const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// Marks a response whose stream has no natural end although it belongs to one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Endless;

/// The token of a request, in case that it is answered with something that lasts.
pub(crate) struct PresentedToken<'a> {
    pub(crate) authentication: &'a Arc<dyn Authentication>,
    pub(crate) token: BearerToken,
    pub(crate) prefix: &'a str,
    /// How often it is looked at again.
    pub(crate) every: Duration,
}

impl PresentedToken<'_> {
    /// Begins to watch it.
    pub(crate) fn watch(self) -> WatchedToken {
        self.watch_for(KeptRights::Any)
    }

    /// Begins to watch it, and whether it still lets its bearer send everything.
    pub(crate) fn watch_for_all(self) -> WatchedToken {
        self.watch_for(KeptRights::All)
    }

    fn watch_for(self, rights: KeptRights) -> WatchedToken {
        let authentication = Arc::clone(self.authentication);
        let (token, every) = (self.token, self.every);
        WatchedToken { authentication, token, prefix: self.prefix.into(), every, rights }
    }
}

/// What a token must go on to allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptRights {
    /// Whatever it allows now: each request is checked by itself.
    Any,
    /// Everything, as when a connection was opened whose requests are not checked.
    All,
}

/// A token that goes on being checked.
pub(crate) struct WatchedToken {
    authentication: Arc<dyn Authentication>,
    token: BearerToken,
    prefix: Box<str>,
    every: Duration,
    rights: KeptRights,
}

impl WatchedToken {
    /// Ready when the token has ended, and how.
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
    /// Whatever ends its token.
    End,
    /// Only what takes back that the token ever counted.
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
