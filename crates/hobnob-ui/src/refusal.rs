//! Requests to the page that its guard refuses, for the audit log of the hub.
//!
//! What must stay true: a report contains no secret and no part of one.

use http::StatusCode;
use std::net::IpAddr;

/// A request that was refused.
#[derive(Debug, Clone, Copy)]
pub struct RefusedPageRequest<'a> {
    /// The address it came from.
    pub address: Option<IpAddr>,
    /// The page that sent it, as it names itself; hostile text.
    pub origin: Option<&'a str>,
    /// The principal of its session, if a principal has signed in.
    pub principal: Option<&'a str>,
    /// Why it was refused.
    pub why: PageRefusal,
}

/// Why a request to the page was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageRefusal {
    /// It comes from another machine, and the listener does not encrypt.
    Elsewhere,
    /// Another page sent it, or none that says so.
    Origin,
    /// The browser says that another site caused it.
    FetchSite,
    /// A form may send it without asking.
    ContentType,
    /// No session of this hub has its cookie.
    NoSession,
    /// It does not carry the token of its session.
    Csrf,
    /// Its link was used, has expired or never existed.
    Link,
    /// The token of its session has expired or was revoked.
    TokenEnded,
    /// Only the owner may do this, and another principal has signed in.
    OwnerOnly,
}

impl PageRefusal {
    /// The name of the refusal in the audit log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Elsewhere => "page/elsewhere",
            Self::Origin => "page/origin",
            Self::FetchSite => "page/fetch-site",
            Self::ContentType => "page/content-type",
            Self::NoSession => "page/session",
            Self::Csrf => "page/csrf",
            Self::Link => "page/link",
            Self::TokenEnded => "page/token",
            Self::OwnerOnly => "page/owner-only",
        }
    }

    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::NoSession | Self::TokenEnded => StatusCode::UNAUTHORIZED,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            _ => StatusCode::FORBIDDEN,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Elsewhere => {
                "the page of this hub is only for browsers on its own machine; open it there, or \
                 give the listener a certificate"
            }
            Self::Origin | Self::FetchSite => {
                "the request comes from another page; open this hub's own page with `hobnob ui`"
            }
            Self::ContentType => "the request is not application/json; send JSON",
            Self::NoSession => "the session of this page has ended; run `hobnob ui` again",
            Self::Csrf => "the request lacks the token of its session; load the page again",
            Self::Link => {
                "the link was used already, has expired or is wrong; run `hobnob ui` for a new one"
            }
            Self::TokenEnded => "your token has expired or was revoked; sign in with another one",
            Self::OwnerOnly => {
                "only the owner of this hub may see or do this; ask them, or use what is yours"
            }
        }
    }
}
