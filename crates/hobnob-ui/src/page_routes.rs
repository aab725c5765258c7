//! The routes of the page at one listener: each request passes the guard, then goes to its answer.
//!
//! The listener calls them after its own check of `Host`. What must stay true: nothing below
//! `/ui/api` but the opening of a session, and no stream, is answered without a session.

use crate::answers::{PageProblem, PageResponse, secured, wrong_method};
use crate::api::{self, SessionRequest};
use crate::guard::{PageConnection, PageCookie, PageRequestHead};
use crate::page::HubPage;
use crate::refusal::{PageRefusal, RefusedPageRequest};
use crate::routes::{PageRoute, is_of_page, max_body};
use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{OpenRequest, OpenRoutes, ReplyBody};
use http::header::ORIGIN;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use std::sync::Arc;

/// The routes of a page for one listener.
pub fn page_routes(page: &Arc<HubPage>, connection: PageConnection) -> Arc<dyn OpenRoutes> {
    let cookie = PageCookie::new(&page.options.facts.instance, connection);
    Arc::new(PageRoutes { page: Arc::clone(page), connection, cookie })
}

/// The page at one listener.
#[derive(Debug)]
struct PageRoutes {
    page: Arc<HubPage>,
    connection: PageConnection,
    cookie: PageCookie,
}

/// Why a request has no answer of its own.
enum Turned {
    /// The guard refuses it.
    Refused(PageRefusal),
    /// It cannot be answered.
    Problem(PageProblem),
    /// Its path has other methods.
    WrongMethod(&'static str),
}

impl From<PageRefusal> for Turned {
    fn from(why: PageRefusal) -> Self {
        Self::Refused(why)
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
            Err(Turned::Refused(why)) => {
                self.report(request.headers(), from, why);
                PageProblem::new(why.status(), why.text()).into_answer()
            }
        })
    }

    async fn admit(
        &self,
        request: &Request<Bytes>,
        from: ClientId,
    ) -> Result<PageResponse, Turned> {
        let (method, headers, connection) = (request.method(), request.headers(), self.connection);
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
        if (&route, method) == (&PageRoute::Session, &Method::POST) {
            return self.open_session(request.body());
        }
        let session = head.session(&self.cookie, &self.page.sessions)?;
        self.page.touch();
        let request = SessionRequest { page: &self.page, session, request, from };
        match route {
            PageRoute::SessionEnd => {
                let unset = self.cookie.unset();
                Ok(api::session::end(&request, unset))
            }
            route => Ok(api::answer(route, request).await?),
        }
    }

    /// Opens the owner's session for a link.
    fn open_session(&self, body: &Bytes) -> Result<PageResponse, Turned> {
        let token = api::session::link_of(body)?;
        if !self.page.links.redeem(&token) {
            return Err(PageRefusal::Link.into());
        }
        self.page.touch();
        let set = |value: &str| self.cookie.set(value);
        Ok(api::session::open(&self.page, set)?)
    }

    fn report(&self, headers: &HeaderMap, from: ClientId, why: PageRefusal) {
        let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
        self.page.report(&RefusedPageRequest { address: from.address(), origin, why });
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
