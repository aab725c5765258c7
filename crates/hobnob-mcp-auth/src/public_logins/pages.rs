//! The pages of logins below a public address: one asks its visitor for a proof of identity, the
//! other receives the authorization server's callback.
//!
//! A listener serves them without a token. What must stay true: no page repeats text of a request,
//! and a login that has ended or is another browser's looks like one that does not exist.

use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{OpenRequest, OpenRoutes, ReplyBody};
use http::header::{ORIGIN, REFERRER_POLICY, SET_COOKIE};
use http::{HeaderValue, Method, Request, Response, StatusCode};

use super::{CALLBACK, LOGIN_PATH, MAX_ATTEMPTS, PublicLogins};
use crate::authorization_server::form::Form;
use crate::authorization_server::plain_text::plain_text;
use crate::authorization_server::secrets::{has_digest, secret_digest};
use crate::authorization_server::sessions::cookie;
use crate::encoding::random_text;
use crate::secret::SecretText;
use crate::web_page::{escape_html, web_page};

/// The lifetime of the cookie that binds a login to its browser, in seconds: that of a login.
const COOKIE_SECONDS: u64 = 10 * 60;
/// The longest name that is shown, in characters.
const MAX_SHOWN: usize = 200;

const GONE: &str = "There is no such login, or it is over. Go back to your client and try again.";
const OTHER_BROWSER: &str = "This browser has not begun this login, so nothing was done. Only log in on \
                             pages that your own client has shown you.";
const NOT_YOU: &str = "This does not prove that the login is yours.";
const DONE: &str = "Your answer has arrived. You can close this page and go back to your client.";
const REFUSED: &str = "You are not logged in. Go back to your client.";

impl OpenRoutes for PublicLogins {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        request.path.starts_with(LOGIN_PATH)
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        Box::pin(async move {
            let id = request.uri().path().strip_prefix(LOGIN_PATH).unwrap_or_default();
            let page = match (request.method(), id) {
                (&Method::GET, CALLBACK) => self.take_answer(&request),
                (&Method::GET, id) => self.ask(id, None),
                (&Method::POST, id) => self.confirm(id, &request, from).await,
                (_, _) => notice(StatusCode::METHOD_NOT_ALLOWED, GONE),
            };
            page.map(ReplyBody::full)
        })
    }
}

impl PublicLogins {
    /// The page that asks its visitor for a proof of identity.
    fn ask(&self, id: &str, problem: Option<&str>) -> Response<Bytes> {
        let open = self.open.lock();
        let Some(login) = open.get(id) else { return notice(StatusCode::NOT_FOUND, GONE) };
        let shown = |text: &str| escape_html(&plain_text(text, MAX_SHOWN));
        let status = if problem.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
        let problem = problem
            .map(|it| format!("<p class=\"warning\" role=\"alert\">{}</p>", escape_html(it)));
        let body = format!(
            "{problem}<p>A client of yours wants to use <b>{server}</b> through this hub. The login \
             will belong to <b>{principal}</b>, and nobody else uses it.</p>\
             <p class=\"warning\">Go on only if your own client has just asked you to. If somebody \
             sent you this address, close the page.</p>\
             <form method=\"post\"><label for=\"proof\">Your token for this hub, or your password \
             here</label><input id=\"proof\" name=\"proof\" type=\"password\" required \
             autocomplete=\"current-password\"><button>Go on to {host}</button></form>",
            problem = problem.unwrap_or_default(),
            server = shown(&login.server),
            principal = shown(login.principal.as_str()),
            host = shown(login.page.host_str().unwrap_or_default()),
        );
        let mut response = web_page(status, "Who are you?", &body, "");
        // With `no-referrer`, browsers would send the form with the origin `null`.
        response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        response
    }

    /// Checks the visitor's proof of identity, and sends them on to the authorization server.
    async fn confirm(&self, id: &str, request: &Request<Bytes>, from: ClientId) -> Response<Bytes> {
        // Otherwise attackers could make a victim's browser post their proof, and get its login.
        let from_page = request.headers().get(ORIGIN).map(HeaderValue::as_bytes);
        if from_page != Some(self.origin.as_str().as_bytes()) {
            return notice(StatusCode::FORBIDDEN, OTHER_BROWSER);
        }
        let form = std::str::from_utf8(request.body()).ok().and_then(Form::parse);
        let proof = form.as_ref().and_then(|form| form.get("proof"));
        let principal = {
            let mut open = self.open.lock();
            let Some(login) = open.get_mut(id) else { return notice(StatusCode::NOT_FOUND, GONE) };
            login.attempts = login.attempts.saturating_add(1);
            if MAX_ATTEMPTS < login.attempts {
                // Dropping the login makes the waiting caller fail with `LoginAbandoned`.
                open.remove(id);
                return notice(StatusCode::NOT_FOUND, GONE);
            }
            login.principal.clone()
        };
        let proved = match proof {
            Some(proof) => self.proof.proves(&principal, SecretText::new(proof), from).await,
            None => false,
        };
        if !proved {
            tracing::warn!("somebody did not prove that a login to a server is theirs");
            return self.ask(id, Some(NOT_YOU));
        }
        self.go_on(id)
    }

    /// Binds the login to this browser with a cookie, and leads on to the authorization server.
    fn go_on(&self, id: &str) -> Response<Bytes> {
        let Ok(secret) = random_text() else {
            return notice(StatusCode::SERVICE_UNAVAILABLE, GONE);
        };
        let mut open = self.open.lock();
        let Some(login) = open.get_mut(id) else { return notice(StatusCode::NOT_FOUND, GONE) };
        login.browser = Some(secret_digest(&secret));
        let rest = match self.is_encrypted() {
            true => "Path=/; Secure",
            false => "Path=/upstream-login/",
        };
        let cookie = format!(
            "{}={secret}; {rest}; HttpOnly; SameSite=Lax; Max-Age={COOKIE_SECONDS}",
            self.cookie_name(id)
        );
        let Ok(cookie) = HeaderValue::try_from(cookie) else {
            return notice(StatusCode::INTERNAL_SERVER_ERROR, GONE);
        };
        // Not a redirect: browsers apply `form-action` to every further hop of one, and
        // authorization servers often send people on to another host.
        let place = escape_html(login.page.as_str());
        let body = format!(
            "<meta http-equiv=\"refresh\" content=\"0;url={place}\">\
             <p>On to the <a href=\"{place}\">page of the login</a>.</p>"
        );
        let mut response = web_page(StatusCode::OK, "Login", &body, "");
        response.headers_mut().insert(SET_COOKIE, cookie);
        response
    }

    /// Receives the authorization server's callback, which must come from the bound browser.
    fn take_answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let query = request.uri().query().unwrap_or_default();
        let Some(form) = Form::parse(query) else { return notice(StatusCode::NOT_FOUND, GONE) };
        let Some(state) = form.get("state") else { return notice(StatusCode::NOT_FOUND, GONE) };
        let mut open = self.open.lock();
        let found = open.iter().find(|(_, login)| *login.state == *state);
        let Some((id, login)) = found else { return notice(StatusCode::NOT_FOUND, GONE) };
        let carried = cookie(request.headers(), &self.cookie_name(id));
        let same = match (carried, &login.browser) {
            (Some(carried), Some(kept)) => has_digest(carried, kept),
            (_, _) => false,
        };
        if !same {
            tracing::warn!("the answer of a login came by another browser");
            return notice(StatusCode::FORBIDDEN, OTHER_BROWSER);
        }
        let id = id.clone();
        let Some(login) = open.remove(&id) else { return notice(StatusCode::NOT_FOUND, GONE) };
        match login.answer.send(format!("{}?{query}", self.redirect())) {
            Ok(()) if form.get("code").is_none() => notice(StatusCode::OK, REFUSED),
            Ok(()) => notice(StatusCode::OK, DONE),
            Err(_) => notice(StatusCode::NOT_FOUND, GONE),
        }
    }

    fn is_encrypted(&self) -> bool {
        self.origin.as_str().starts_with("https:")
    }

    /// Each login has its own cookie, so that two logins in one browser do not disturb each other.
    fn cookie_name(&self, id: &str) -> String {
        let head = if self.is_encrypted() { "__Host-" } else { "" };
        let tail: String = id.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        format!("{head}hobnob-login-{tail}")
    }
}

/// A page with one sentence and no link.
fn notice(status: StatusCode, text: &str) -> Response<Bytes> {
    web_page(status, "Login", &format!("<p>{}</p>", escape_html(text)), "")
}
