//! The consent page and the person's decision: `GET` and `POST /oauth/authorize`.
//!
//! What must stay true: the person sees the page and decides for every request, a decision counts
//! only if it comes from that page, and it counts once.

use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use http::header::SET_COOKIE;
use http::{HeaderValue, Request, Response, StatusCode};

use super::authorize_request::{AcceptedRequest, RequestProblem, validate};
use super::consent_page::{PageState, consent_page, problem_page};
use super::events::AuthorizationEvent;
use super::failure::ServerFailure;
use super::form::{Form, is_from_own_page};
use super::grants::granted;
use super::parts::ServerParts;
use super::password_check::{PasswordCheck, check_password};
use super::record_store::{Committed, RecordKind, StoredChange};
use super::records::{LoadedRecord, RecordOwner, RequestBody, TerminalCodeBody, insertion, load};
use super::responses::{OAuthRefusal, redirect};
use super::secrets::{
    has_digest, new_secret, new_terminal_code, plain_terminal_code, secret_digest,
};
use super::sessions::{BrowserSession, create_session, session_of};
use super::token::posted_form;
use crate::secret::SecretText;

/// How many requests may wait for a decision at a time.
const MAX_REQUESTS: usize = 2000;
const DENIED: OAuthRefusal = OAuthRefusal::new("access_denied", "the request was denied");
const OTHER_PROFILE: OAuthRefusal =
    OAuthRefusal::new("access_denied", "this user may not use what the resource shows");
const NO_SCOPE_LEFT: OAuthRefusal =
    OAuthRefusal::new("invalid_scope", "the role of this user allows none of these scopes");
const GONE: &str = "this page is too old, or its login has been decided already";

pub(super) async fn show(
    parts: &ServerParts,
    request: &Request<Bytes>,
    from: ClientId,
) -> Result<Response<Bytes>, ServerFailure> {
    let problem = |status, why| Ok(problem_page(&parts.settings, status, why));
    if parts.throttles.requests_from.attempt(from.origin(), parts.now()).is_err() {
        let why = "too many logins were begun from this address; try again in a few minutes";
        return problem(StatusCode::TOO_MANY_REQUESTS, why);
    }
    let accepted = match validate(parts, request.uri().query().unwrap_or_default(), from).await? {
        Ok(accepted) => accepted,
        Err(RequestProblem::Untrusted(why)) => return problem(StatusCode::BAD_REQUEST, why),
        Err(RequestProblem::Refused { redirect, state, refusal }) => {
            return Ok(refused(parts, &redirect, state.as_deref(), refusal));
        }
    };
    if parts.is_full(RecordKind::Request, MAX_REQUESTS).await? {
        let why = "too many logins wait for a decision; try again in a few minutes";
        return problem(StatusCode::SERVICE_UNAVAILABLE, why);
    }
    let session = session_of(parts, request.headers()).await?;
    let (id, form_token) = (new_secret("")?, new_secret("")?);
    let body = begin(parts, accepted, session.as_ref(), (&id, &form_token)).await?;
    let state = PageState {
        request_id: id.expose(),
        form_token: form_token.expose(),
        logged_in: session.as_ref(),
        problem: None,
    };
    Ok(consent_page(&parts.settings, &body, state))
}

/// Stores a request until the person has decided.
async fn begin(
    parts: &ServerParts,
    accepted: AcceptedRequest,
    session: Option<&BrowserSession>,
    (id, form_token): (&SecretText, &SecretText),
) -> Result<RequestBody, ServerFailure> {
    let AcceptedRequest { client, redirect, state, challenge, resource, scopes } = accepted;
    let valid_until = parts.now() + parts.settings.lifetimes.request;
    let terminal_code = new_terminal_code()?;
    let body = RequestBody {
        client_id: client.id,
        client_name: client.name,
        client_host: client.host,
        redirect,
        state,
        challenge,
        resource,
        scopes,
        form_token: secret_digest(form_token.expose()),
        terminal_code: terminal_code.as_str().into(),
        session: session.map(|it| it.key.clone()),
        approved_by: None,
        valid_until,
    };
    let owner = RecordOwner { expires_at: Some(valid_until), ..RecordOwner::default() };
    let key = secret_digest(id.expose());
    let code_key = secret_digest(&plain_terminal_code(&terminal_code));
    let changes = vec![
        insertion(&key, owner, &body)?,
        insertion(&code_key, owner, &TerminalCodeBody { request: key.clone() })?,
    ];
    match parts.commit(changes).await? {
        Committed::Done => Ok(body),
        // The same code, out of 25 billion, was generated twice; the person may try again.
        Committed::Conflict => Err(ServerFailure::new(&"a code for the terminal was made twice")),
    }
}

/// Takes the person's decision from the posted form.
pub(super) async fn decide(
    parts: &ServerParts,
    request: &Request<Bytes>,
    from: ClientId,
) -> Result<Response<Bytes>, ServerFailure> {
    let problem = |why| Ok(problem_page(&parts.settings, StatusCode::BAD_REQUEST, why));
    if !is_from_own_page(request.headers(), parts.settings.issuer()) {
        return problem("the decision did not come from the page of this server");
    }
    let Some(form) = posted_form(request) else { return problem("the form is damaged") };
    let (Some(id), Some(form_token)) = (form.get("request"), form.get("form_token")) else {
        return problem("the form is not complete");
    };
    let pending = load::<RequestBody>(&*parts.store, &secret_digest(id)).await?;
    let pending = pending.filter(|it| parts.now() < it.body.valid_until);
    let Some(pending) = pending else { return problem(GONE) };
    if !has_digest(form_token, &pending.body.form_token) {
        return problem("the form is not the one of this login");
    }
    let session = session_of(parts, request.headers()).await?;
    // A page that was shown to another browser, or before this one logged in, needs the password.
    let session = session.filter(|it| pending.body.session.as_ref() == Some(&it.key));
    let decision = match form.get("decision") {
        Some("deny") => return deny(parts, &pending, DENIED, from).await,
        Some("continue") => approved_in_terminal(&pending),
        Some("allow") => by_password(parts, &form, &pending, session.as_ref(), from).await?,
        Some(_) | None => return problem("the form does not say what was decided"),
    };
    match decision {
        Ok((user, new_session)) => allow(parts, &pending, &user, new_session, from).await,
        Err(why) => {
            let logged_in = session.as_ref();
            let state = PageState { request_id: id, form_token, logged_in, problem: Some(&why) };
            Ok(consent_page(&parts.settings, &pending.body, state))
        }
    }
}

/// Whether the server remembers the browser's login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewSession {
    Begin,
    Leave,
}

type Decided = Result<(Box<str>, NewSession), String>;

fn approved_in_terminal(pending: &LoadedRecord<RequestBody>) -> Decided {
    match &pending.body.approved_by {
        // The person at the browser proved no identity, so the browser is not remembered.
        Some(user) => Ok((user.clone(), NewSession::Leave)),
        None => Err("this login has not been approved in the terminal yet".into()),
    }
}

async fn by_password(
    parts: &ServerParts,
    form: &Form,
    pending: &LoadedRecord<RequestBody>,
    session: Option<&BrowserSession>,
    from: ClientId,
) -> Result<Decided, ServerFailure> {
    let named = form.get("user");
    if let (None, Some(session)) = (named, session) {
        return Ok(Ok((session.user.clone(), NewSession::Leave)));
    }
    let (Some(user), Some(password)) = (named, form.get("password")) else {
        return Ok(Err("enter your user name and your password".into()));
    };
    let given = (user, SecretText::new(password));
    Ok(match check_password(parts, given, from, &pending.body.client_id).await? {
        PasswordCheck::Right => Ok((user.into(), NewSession::Begin)),
        PasswordCheck::Wrong => Err("there is no such user, or the password is wrong".into()),
        PasswordCheck::TooOften(seconds) => {
            let minutes = seconds.div_ceil(60);
            Err(format!("too many attempts: try again in {minutes} minutes"))
        }
    })
}

async fn allow(
    parts: &ServerParts,
    pending: &LoadedRecord<RequestBody>,
    user: &str,
    new_session: NewSession,
    from: ClientId,
) -> Result<Response<Bytes>, ServerFailure> {
    let Some(access) = parts.users.access(user).await? else {
        return Ok(problem_page(&parts.settings, StatusCode::BAD_REQUEST, GONE));
    };
    if !access.may_use(parts.settings.profile(&pending.body.resource)) {
        return deny(parts, pending, OTHER_PROFILE, from).await;
    }
    let scopes = access.cut(&pending.body.scopes);
    if scopes.is_empty() && !pending.body.scopes.is_empty() {
        return deny(parts, pending, NO_SCOPE_LEFT, from).await;
    }
    let (code, mut changes) = granted(parts, &pending.body, user, scopes)?;
    changes.push(pending.removed());
    let cookie = match new_session {
        NewSession::Begin => create_session(parts, user)?.map(|(change, cookie)| {
            changes.push(change);
            cookie
        }),
        NewSession::Leave => None,
    };
    if parts.commit(changes).await? == Committed::Conflict {
        return Ok(problem_page(&parts.settings, StatusCode::BAD_REQUEST, GONE));
    }
    let RequestBody { redirect: place, state, client_id, .. } = &pending.body;
    parts
        .tell(from, AuthorizationEvent::Approved { user: user.into(), client: client_id.clone() })
        .await;
    let answer = [("code", code.expose())].into_iter();
    let answer = answer.chain(state.as_deref().map(|state| ("state", state)));
    let mut response = redirect(place, answer.chain([("iss", parts.settings.issuer())]));
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

async fn deny(
    parts: &ServerParts,
    pending: &LoadedRecord<RequestBody>,
    refusal: OAuthRefusal,
    from: ClientId,
) -> Result<Response<Bytes>, ServerFailure> {
    let changes: Vec<StoredChange> = vec![pending.removed()];
    if parts.commit(changes).await? == Committed::Conflict {
        return Ok(problem_page(&parts.settings, StatusCode::BAD_REQUEST, GONE));
    }
    let RequestBody { redirect, state, client_id, .. } = &pending.body;
    parts.tell(from, AuthorizationEvent::Denied { client: client_id.clone() }).await;
    Ok(refused(parts, redirect, state.as_deref(), refusal))
}

fn refused(
    parts: &ServerParts,
    place: &str,
    state: Option<&str>,
    refusal: OAuthRefusal,
) -> Response<Bytes> {
    let answer = [("error", refusal.code), ("error_description", refusal.description)];
    let answer = answer.into_iter().chain(state.map(|state| ("state", state)));
    redirect(place, answer.chain([("iss", parts.settings.issuer())]))
}
