//! The routes of the page at one listener: each request passes the guard, then goes to its answer.
//!
//! The listener calls them after its own check of `Host`. What must stay true: nothing below
//! `/ui/api` but the opening of a session, and no stream, is answered without a session, and a
//! principal's session gets no answer of a route that is the owner's.

use crate::answers::{PageProblem, PageResponse, secured, wrong_method};
use crate::api::session::Opening;
use crate::api::{self, SessionRequest};
use crate::guard::{BrowserConnection, PageConnection, PageCookie, PageRequestHead};
use crate::page::HubPage;
use crate::refusal::{PageRefusal, RefusedPageRequest};
use crate::routes::{PageRoute, RouteUsers, is_of_page, max_body};
use crate::sessions::{PageSession, SessionHolder};
use crate::user_sign_in::{UserLogin, UserSignIn};
use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{
    Identity, IdentityRefusal, OpenRequest, OpenRoutes, ReplyBody, TokenBearer, TokenDenied,
    TokenGate,
};
use http::header::ORIGIN;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use std::sync::Arc;

/// Who opens the page at a listener.
#[derive(Debug, Clone)]
pub enum PageVisitors {
    /// The owner, with a link.
    Owner,
    /// The owner on the hub's own machine, and every principal with a token that counts at the
    /// listener; users also with their names and passwords, if the listener knows users.
    Bearers(Option<Arc<dyn UserSignIn>>),
}

/// The routes of a page for one listener.
pub fn page_routes(
    page: &Arc<HubPage>,
    connection: PageConnection,
    visitors: PageVisitors,
) -> Arc<dyn OpenRoutes> {
    let cookie = |seen| PageCookie::new(&page.options.facts.instance, seen);
    let plain = cookie(BrowserConnection::Plain);
    let encrypted = cookie(BrowserConnection::Encrypted);
    Arc::new(PageRoutes { page: Arc::clone(page), connection, visitors, plain, encrypted })
}

/// The page at one listener.
#[derive(Debug)]
struct PageRoutes {
    page: Arc<HubPage>,
    connection: PageConnection,
    visitors: PageVisitors,
    /// The cookies of browsers by how they see the connection.
    plain: PageCookie,
    encrypted: PageCookie,
}

/// A request whose sender is a page of this hub.
#[derive(Clone, Copy)]
struct CheckedRequest<'a> {
    request: &'a Request<Bytes>,
    from: ClientId,
    cookie: &'a PageCookie,
}

/// Why a request has no answer of its own.
enum Turned {
    /// The guard refuses it, and from which principal it came if that is known.
    Refused(PageRefusal, Option<Box<str>>),
    /// It cannot be answered.
    Problem(PageProblem),
    /// Its path has other methods.
    WrongMethod(&'static str),
}

impl From<PageRefusal> for Turned {
    fn from(why: PageRefusal) -> Self {
        Self::Refused(why, None)
    }
}

impl From<PageProblem> for Turned {
    fn from(problem: PageProblem) -> Self {
        Self::Problem(problem)
    }
}

impl PageRoutes {
    async fn answer_page(&self, request: Request<Bytes>, from: ClientId) -> PageResponse {
        let answered = self.admit(&request, from).await;
        secured(match answered {
            Ok(answer) => answer,
            Err(Turned::Problem(problem)) => problem.into_answer(),
            Err(Turned::WrongMethod(allowed)) => wrong_method(allowed),
            Err(Turned::Refused(why, principal)) => {
                self.report(request.headers(), from, why, principal.as_deref());
                let is_unknown = matches!(why, PageRefusal::NoSession | PageRefusal::TokenEnded);
                let problem = match self.sign_in_ways() {
                    ways if is_unknown && !ways.is_empty() => {
                        PageProblem::sign_in_first(why.text(), ways)
                    }
                    _ => PageProblem::new(why.status(), why.text()),
                };
                problem.into_answer()
            }
        })
    }

    async fn admit(
        &self,
        request: &Request<Bytes>,
        from: ClientId,
    ) -> Result<PageResponse, Turned> {
        let (method, headers) = (request.method(), request.headers());
        let connection = self.connection.seen_by(from);
        let head = PageRequestHead { method, headers, from, connection };
        head.check_sender()?;
        let route = PageRoute::of(request.uri().path());
        let route = route.ok_or_else(|| PageProblem::not_found("the page has no such path"))?;
        if !route.allows(method) {
            return Err(Turned::WrongMethod(route.allowed()));
        }
        if route.max_body() < request.body().len() {
            let text = "the request is too large for this path";
            return Err(PageProblem::new(StatusCode::PAYLOAD_TOO_LARGE, text).into());
        }
        if let PageRoute::Asset(asset) = route {
            return Ok(asset.answer(headers));
        }
        if self.page.options.stop.is_cancelled() {
            return Err(PageProblem::stopping().into());
        }
        let cookie = match connection {
            BrowserConnection::Plain => &self.plain,
            BrowserConnection::Encrypted => &self.encrypted,
        };
        let checked = CheckedRequest { request, from, cookie };
        if (&route, method) == (&PageRoute::Session, &Method::POST) {
            return self.open_session(checked).await;
        }
        let session = head.session(cookie, &self.page.sessions)?;
        self.answer_session(route, checked, session).await
    }

    /// Answers a request of a session, if its holder may use the route.
    async fn answer_session(
        &self,
        route: PageRoute,
        checked: CheckedRequest<'_>,
        session: Arc<PageSession>,
    ) -> Result<PageResponse, Turned> {
        let CheckedRequest { request, from, cookie } = checked;
        let identity = match &session.holder {
            SessionHolder::Owner => {
                self.check_place_of_owner(from)?;
                self.page.touch();
                None
            }
            SessionHolder::Principal(page) => {
                let identity = self.identity(&session, page.bearer.identity().await)?;
                let counted = page.bearer.count(request.body().len());
                counted.map_err(PageProblem::too_often)?;
                if route.users() == RouteUsers::Owner {
                    let principal = page.principal().as_str().into();
                    return Err(Turned::Refused(PageRefusal::OwnerOnly, Some(principal)));
                }
                Some(identity)
            }
        };
        let sign_in = self.sign_in_ways();
        let request =
            SessionRequest { page: &self.page, session, identity, request, from, sign_in };
        match route {
            PageRoute::SessionEnd => Ok(api::session::end(&request, cookie.unset()).await),
            route => Ok(api::answer(route, request).await?),
        }
    }

    /// What a principal's token allows now. A session whose token counts no more ends.
    fn identity(
        &self,
        session: &Arc<PageSession>,
        checked: Result<Arc<dyn Identity>, IdentityRefusal>,
    ) -> Result<Arc<dyn Identity>, Turned> {
        checked.map_err(|why| match why {
            IdentityRefusal::Unavailable => PageProblem::unchecked_token().into(),
            _ => {
                self.page.sessions.end(session);
                let principal = session.principal().as_str().into();
                Turned::Refused(PageRefusal::TokenEnded, Some(principal))
            }
        })
    }

    /// Where others sign in, the owner's rights stay on the hub's own machine.
    fn check_place_of_owner(&self, from: ClientId) -> Result<(), PageRefusal> {
        match matches!(self.visitors, PageVisitors::Bearers(_)) && !from.is_local() {
            true => Err(PageRefusal::Elsewhere),
            false => Ok(()),
        }
    }

    /// How principals sign in here, the usual way first.
    fn sign_in_ways(&self) -> &'static [&'static str] {
        match &self.visitors {
            PageVisitors::Owner => &[],
            PageVisitors::Bearers(None) => &["token"],
            PageVisitors::Bearers(Some(_)) => &["password", "token"],
        }
    }

    /// Opens the owner's session for a link, or a principal's for a token or a password.
    async fn open_session(&self, checked: CheckedRequest<'_>) -> Result<PageResponse, Turned> {
        let CheckedRequest { request, from, cookie } = checked;
        let set = |value: &str| cookie.set(value);
        let (bearer, login) = match (api::session::opening(request.body())?, &self.visitors) {
            (Opening::Link(link), _) => {
                self.check_place_of_owner(from)?;
                if !self.page.links.redeem(&link) {
                    return Err(PageRefusal::Link.into());
                }
                self.page.touch();
                return Ok(api::session::open_for_owner(&self.page, set, self.sign_in_ways())?);
            }
            (Opening::Token(token), PageVisitors::Bearers(_)) => {
                (self.admit_token(request, from, token.trim()).await?, None)
            }
            (Opening::User { name, password }, PageVisitors::Bearers(Some(users))) => {
                let signed_in = users.sign_in(&name, password, from).await;
                let token = signed_in.map_err(PageProblem::not_signed_in)?;
                let bearer = self.admit_token(request, from, &token).await?;
                (bearer, Some(UserLogin { users: Arc::clone(users), token }))
            }
            (Opening::Token(_) | Opening::User { .. }, _) => {
                return Err(PageProblem::no_sign_in().into());
            }
        };
        let opened = self.page.sign_in(bearer, login, from.address()).await;
        Ok(api::session::signed_in(&self.page, opened, set, self.sign_in_ways())?)
    }

    /// The bearer of a token that counts at this listener.
    async fn admit_token(
        &self,
        request: &Request<Bytes>,
        from: ClientId,
        token: &str,
    ) -> Result<TokenBearer, PageProblem> {
        let gate = request.extensions().get::<TokenGate>().ok_or_else(PageProblem::no_sign_in)?;
        let prefixes = self.page.view_prefixes();
        let prefixes: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        // The gate reports what it refuses.
        gate.admit(token, &prefixes, from).await.map_err(|why| match why {
            TokenDenied::TooMany(seconds) => PageProblem::too_many_tokens(seconds),
            TokenDenied::Refused(IdentityRefusal::Unavailable) => PageProblem::unchecked_token(),
            TokenDenied::Refused(_) => PageProblem::bad_token(),
        })
    }

    fn report(
        &self,
        headers: &HeaderMap,
        from: ClientId,
        why: PageRefusal,
        principal: Option<&str>,
    ) {
        let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
        let address = from.address();
        self.page.report(&RefusedPageRequest { address, origin, principal, why });
    }
}

impl OpenRoutes for PageRoutes {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        is_of_page(request.path)
    }

    fn max_body(&self, request: OpenRequest<'_>) -> usize {
        max_body(request.path)
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        Box::pin(self.answer_page(request, from))
    }
}
