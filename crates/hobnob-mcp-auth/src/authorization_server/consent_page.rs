//! The consent page: which client asks, where the answer goes, what it would be allowed to do.
//!
//! The authorization endpoint shows it for every request. What must stay true: the client's own
//! words are marked as such, and the hosts, which a client cannot make up, are always shown.

use bytes::Bytes;
use http::{Response, StatusCode};

use super::records::RequestBody;
use super::redirect_rule::{is_loopback_redirect, policy_source, shown_host};
use super::sessions::BrowserSession;
use super::settings::AuthorizationServerSettings;
use super::user_access::UserRole;
use crate::web_page::{escape_html, web_page};

/// What the page needs besides the request itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageState<'a> {
    /// The request's id and the token of its form, which only this page knows.
    pub(super) request_id: &'a str,
    pub(super) form_token: &'a str,
    /// The user who has logged in with this browser.
    pub(super) logged_in: Option<&'a BrowserSession>,
    /// What was wrong with the last attempt.
    pub(super) problem: Option<&'a str>,
}

/// The page that asks the person at the browser.
pub(super) fn consent_page(
    settings: &AuthorizationServerSettings,
    request: &RequestBody,
    state: PageState<'_>,
) -> Response<Bytes> {
    let status = if state.problem.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
    let problem = state
        .problem
        .map(|problem| format!("<p class=\"warning\" role=\"alert\">{}</p>", escape_html(problem)));
    let body = format!(
        "{problem}{facts}{warning}{login}{terminal}",
        problem = problem.unwrap_or_default(),
        facts = facts(settings, request, state),
        warning = warning(request),
        login = login_form(state),
        terminal = terminal_form(settings, request, state),
    );
    let title = format!("Let a client use {}?", settings.name);
    web_page(status, &title, &body, &policy_source(&request.redirect))
}

/// Shows the person why the request was refused. Nothing leads away from this page.
pub(super) fn problem_page(
    settings: &AuthorizationServerSettings,
    status: StatusCode,
    why: &str,
) -> Response<Bytes> {
    let body = format!(
        "<p class=\"warning\">{}.</p><p>Nothing was allowed. Go back to the client and begin again; \
         if this page comes again, the client or its settings are at fault.</p>",
        escape_html(why)
    );
    web_page(status, &format!("{} cannot go on with this login", settings.name), &body, "")
}

fn facts(
    settings: &AuthorizationServerSettings,
    request: &RequestBody,
    state: PageState<'_>,
) -> String {
    let name = match &*request.client_name {
        "" => "nothing".to_owned(),
        name => format!("“{}”", escape_html(name)),
    };
    let identity = match &request.client_host {
        Some(host) => format!("a document of <strong>{}</strong>", escape_html(host)),
        None => {
            "no document: the client registered itself, and its name is not verified".to_owned()
        }
    };
    let scopes: String = request
        .scopes
        .split_whitespace()
        .map(|name| {
            let meaning = settings.offer(name).map_or("", |offer| &*offer.meaning);
            let part =
                name.rsplit_once(':').map(|(part, _)| format!(" (only {})", escape_html(part)));
            let part = part.unwrap_or_default();
            let limit = role_limit(name, state);
            format!(
                "<li><code>{}</code> {}{part}{limit}</li>",
                escape_html(name),
                escape_html(meaning)
            )
        })
        .collect();
    let scopes = match scopes.as_str() {
        "" => "<li>everything that your account may do</li>",
        some => some,
    };
    format!(
        "<dl><dt>The client calls itself</dt><dd>{name}</dd>\
         <dt>Described by</dt><dd>{identity}</dd>\
         <dt>The answer goes to</dt><dd><strong>{redirect}</strong></dd>\
         <dt>It wants to use</dt><dd>{resource}</dd></dl>\
         <h2>It would be allowed to</h2><ul>{scopes}</ul>",
        redirect = escape_html(shown_host(&request.redirect)),
        resource = escape_html(&request.resource),
    )
}

/// Says which users may not have a scope. It stays listed: another user may log in on this page.
fn role_limit(scope: &str, state: PageState<'_>) -> String {
    match state.logged_in {
        _ if UserRole::Member.may_have(scope) => String::new(),
        Some(session) if session.role.may_have(scope) => String::new(),
        Some(session) => format!(" (not for {}, who is no admin)", escape_html(&session.user)),
        None => " (only for users with the role admin)".to_owned(),
    }
}

fn warning(request: &RequestBody) -> &'static str {
    match is_loopback_redirect(&request.redirect) {
        true => {
            "<p class=\"warning\">The answer goes to a program on this computer. Any program here can \
             claim to be this client: go on only if you have just started the login yourself.</p>"
        }
        false => "<p>Go on only if you have just started the login yourself.</p>",
    }
}

fn hidden(state: PageState<'_>) -> String {
    format!(
        "<input type=\"hidden\" name=\"request\" value=\"{}\">\
         <input type=\"hidden\" name=\"form_token\" value=\"{}\">",
        escape_html(state.request_id),
        escape_html(state.form_token)
    )
}

fn login_form(state: PageState<'_>) -> String {
    let hidden = hidden(state);
    let fields = |required: &str| {
        format!(
            "<label for=\"user\">User</label><input id=\"user\" name=\"user\" \
             autocomplete=\"username\" autocapitalize=\"none\" spellcheck=\"false\" {required}>\
             <label for=\"password\">Password</label><input id=\"password\" name=\"password\" \
             type=\"password\" autocomplete=\"current-password\" {required}>"
        )
    };
    let buttons = "<button name=\"decision\" value=\"allow\">Allow</button>\
                   <button class=\"quiet\" name=\"decision\" value=\"deny\" formnovalidate>Deny</button>";
    let form = |inside: &str| {
        format!(
            "<form method=\"post\" action=\"/oauth/authorize\">{hidden}{inside}{buttons}</form>"
        )
    };
    match state.logged_in {
        Some(session) => {
            let user = escape_html(&session.user);
            let who = format!("<p>You are logged in as <strong>{user}</strong>.</p>");
            let other = format!(
                "<details><summary>Log in with another account</summary>{}</details>",
                form(&fields("required"))
            );
            format!("{}{other}", form(&who))
        }
        None => form(&fields("required")),
    }
}

fn terminal_form(
    settings: &AuthorizationServerSettings,
    request: &RequestBody,
    state: PageState<'_>,
) -> String {
    let Some(command) = &settings.terminal_command else { return String::new() };
    format!(
        "<h2>Or agree without a password</h2><p>On the computer where {name} runs, enter</p>\
         <pre><code>{command} {code}</code></pre>\
         <form method=\"post\" action=\"/oauth/authorize\">{hidden}\
         <button class=\"quiet\" name=\"decision\" value=\"continue\">Continue</button></form>",
        name = escape_html(&settings.name),
        command = escape_html(command),
        code = escape_html(&request.terminal_code),
        hidden = hidden(state),
    )
}
