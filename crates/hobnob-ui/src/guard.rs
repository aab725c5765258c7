//! Decides from the head of a request whether the hub's own page sent it, and for which session.
//!
//! `page_routes` calls it for every request, after the listener has checked `Host`. What must stay
//! true: browsers share cookies between the ports of a host, so a cookie alone proves nothing about
//! the page that sent it.

use crate::refusal::PageRefusal;
use crate::sessions::{PageSession, PageSessions};
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::is_json;
use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use std::sync::Arc;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const CSRF: HeaderName = HeaderName::from_static("x-hobnob-csrf");

/// How a listener carries requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageConnection {
    /// As they are, so only browsers on this machine may use the page.
    Plain,
    /// Encrypted, so browsers on other machines may use the page, too.
    Tls,
    /// As they are from this machine; those from elsewhere come through a proxy that encrypts them.
    BehindTls,
}

impl PageConnection {
    /// How the browser of a request sees the connection.
    pub(crate) fn seen_by(self, from: ClientId) -> BrowserConnection {
        match self {
            Self::Plain => BrowserConnection::Plain,
            Self::Tls => BrowserConnection::Encrypted,
            Self::BehindTls if from.is_local() => BrowserConnection::Plain,
            Self::BehindTls => BrowserConnection::Encrypted,
        }
    }
}

/// The connection as a browser sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BrowserConnection {
    Plain,
    Encrypted,
}

impl BrowserConnection {
    fn scheme(self) -> &'static str {
        match self {
            Self::Plain => "http",
            Self::Encrypted => "https",
        }
    }
}

/// The cookie of a hub: its name has the hub's instance, since cookies ignore ports.
#[derive(Debug)]
pub(crate) struct PageCookie {
    name: Box<str>,
    attributes: &'static str,
}

impl PageCookie {
    pub(crate) fn new(instance: &str, connection: BrowserConnection) -> Self {
        let instance: String = instance.chars().filter(char::is_ascii_alphanumeric).collect();
        match connection {
            BrowserConnection::Plain => Self {
                name: format!("hobnob-ui-{instance}").into(),
                attributes: "Path=/ui; HttpOnly; SameSite=Strict",
            },
            // The prefix makes browsers insist on the path and on encryption.
            BrowserConnection::Encrypted => Self {
                name: format!("__Host-hobnob-ui-{instance}").into(),
                attributes: "Path=/; Secure; HttpOnly; SameSite=Strict",
            },
        }
    }

    /// The header that gives a browser its session.
    pub(crate) fn set(&self, value: &str) -> Option<HeaderValue> {
        let mut header =
            HeaderValue::try_from(format!("{}={value}; {}", self.name, self.attributes)).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// The header that takes it back.
    pub(crate) fn unset(&self) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("{}=; Max-Age=0; {}", self.name, self.attributes)).ok()
    }

    /// The session of a request. A page at another port may have planted a cookie of the same name,
    /// so each of them is tried. Two sessions are none: one of them is planted, and its person would
    /// act in the name of another.
    fn session(&self, headers: &HeaderMap, sessions: &PageSessions) -> Option<Arc<PageSession>> {
        let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = values.flat_map(|value| value.split(';'));
        let named = pairs.filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == &*self.name).then_some(value)
        });
        let mut found = named.filter_map(|value| sessions.find(value));
        let session = found.next()?;
        found.all(|other| Arc::ptr_eq(&other, &session)).then_some(session)
    }
}

/// The head of a request, as far as the guard reads it.
#[derive(Clone, Copy)]
pub(crate) struct PageRequestHead<'a> {
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) from: ClientId,
    pub(crate) connection: BrowserConnection,
}

impl PageRequestHead<'_> {
    fn is_change(&self) -> bool {
        // Only these two methods are ever answered; what is neither is treated as a change.
        *self.method != Method::GET
    }

    /// Refuses requests that the hub's own page in a permitted browser does not send.
    pub(crate) fn check_sender(&self) -> Result<(), PageRefusal> {
        if self.connection == BrowserConnection::Plain && !self.from.is_local() {
            return Err(PageRefusal::Elsewhere);
        }
        match single(self.headers, &FETCH_SITE) {
            Found::Absent => {}
            Found::Once("same-origin") => {}
            // A person opened the address. No page sends this with another method.
            Found::Once("none") if !self.is_change() => {}
            Found::Once(_) | Found::Unclear => return Err(PageRefusal::FetchSite),
        }
        match single(self.headers, &ORIGIN) {
            Found::Absent if !self.is_change() => {}
            Found::Once(origin) if self.is_own(origin) => {}
            Found::Absent | Found::Once(_) | Found::Unclear => return Err(PageRefusal::Origin),
        }
        // Without this header's value a form could send the request.
        if self.is_change() && !is_json(self.headers) {
            return Err(PageRefusal::ContentType);
        }
        Ok(())
    }

    /// Whether an origin is that of the page at the host that the request names, which the listener
    /// knows to be its own.
    fn is_own(&self, origin: &str) -> bool {
        let Found::Once(host) = single(self.headers, &HOST) else { return false };
        let own = origin.split_once("://");
        own.is_some_and(|(scheme, authority)| {
            scheme == self.connection.scheme() && authority.eq_ignore_ascii_case(host)
        })
    }

    /// The session of the request, if it also carries that session's token where it must.
    pub(crate) fn session(
        &self,
        cookie: &PageCookie,
        sessions: &PageSessions,
    ) -> Result<Arc<PageSession>, PageRefusal> {
        let session = cookie.session(self.headers, sessions).ok_or(PageRefusal::NoSession)?;
        let token = match single(self.headers, &CSRF) {
            Found::Once(token) => token,
            Found::Absent | Found::Unclear => "",
        };
        match !self.is_change() || session.has_csrf(token) {
            true => Ok(session),
            false => Err(PageRefusal::Csrf),
        }
    }
}

/// A header that may occur once.
enum Found<'a> {
    Absent,
    Once(&'a str),
    /// Repeated, or not text: readers could disagree about it.
    Unclear,
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Found<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Found::Absent,
        (Some(value), None) => value.to_str().map_or(Found::Unclear, Found::Once),
        (Some(_), Some(_)) => Found::Unclear,
    }
}
