//! Logs the owner in to a server and out of it from the page, as `hobnob login` and `hobnob logout`
//! do.
//!
//! `server_changes` calls it. What must stay true: no token is ever shown; the page gets only an
//! address that is encrypted or on this machine, and the person opens it.

use hobnob_config::{Places, ServerName, Servers, process_environment};
use hobnob_gateway::{
    BegunLogin, Gateway, RestartError, forget_start_failure, oauth_builder, why_no_login,
};
use hobnob_mcp_auth::{FileGrantStore, LogoutOutcome, OAuthAuthorizer};
use hobnob_mcp_engine::Principal;
use hobnob_ui::{LoginProgress, NotDone, StartedLogin};
use std::sync::Arc;
use std::time::Duration;

/// How long one request waits for the end of a login; the page then asks again.
const PROGRESS_WAIT: Duration = Duration::from_secs(20);

/// The hosts whose pages need no encryption.
const THIS_MACHINE: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

pub(super) async fn begin(
    gateway: &Gateway,
    places: &Places,
    server: &str,
) -> Result<StartedLogin, NotDone> {
    // The server may have been added a moment ago.
    gateway.read_again();
    let begun = gateway.owner_controls().begin_login(server).await;
    let page = match begun.map_err(|error| not_done(server, error))? {
        BegunLogin::Page(page) => page,
        BegunLogin::NotNeeded => {
            use_login(gateway, places, server).await;
            return Ok(StartedLogin { page: None });
        }
    };
    match is_safe(&page) {
        true => Ok(StartedLogin { page: Some(page) }),
        false => {
            let why = "the page for the login is neither encrypted nor on this machine, so it is \
                       not opened";
            Err(NotDone::Failed(format!("server `{server}`: {why}")))
        }
    }
}

pub(super) async fn progress(
    gateway: &Gateway,
    places: &Places,
    server: &str,
) -> Result<LoginProgress, NotDone> {
    let controls = gateway.owner_controls();
    let outcome = tokio::time::timeout(PROGRESS_WAIT, controls.login_outcome(server)).await;
    let Ok(outcome) = outcome else { return Ok(LoginProgress::Waiting) };
    Ok(match outcome.map_err(|error| not_done(server, error))? {
        None => LoginProgress::None,
        Some(Err(why)) => LoginProgress::Failed { why },
        Some(Ok(())) => {
            use_login(gateway, places, server).await;
            LoginProgress::Done
        }
    })
}

pub(super) async fn log_out(
    gateway: &Gateway,
    places: &Places,
    server: &str,
) -> Result<String, NotDone> {
    let authorizer = authorizer(places, server)?;
    let outcome = authorizer.log_out().await;
    // The hub must not keep using the token in its memory. That the server then wants a login is
    // no failure of the logout.
    drop(gateway.restart(server, &Principal::anonymous()).await);
    let outcome =
        outcome.map_err(|error| NotDone::Failed(format!("server `{server}`: {error}")))?;
    Ok(match outcome {
        LogoutOutcome::NotLoggedIn => format!("you were not logged in to {server}"),
        LogoutOutcome::Revoked => format!("logged out of {server}"),
        LogoutOutcome::Forgotten => format!(
            "logged out of {server}; its authorization server ends no logins, so a copy of the \
             token would be good until its time is over"
        ),
        LogoutOutcome::NotRevoked(why) => format!(
            "logged out of {server} on this machine, but its authorization server did not end the \
             login: {why}"
        ),
    })
}

/// Has the hub use a new login at once. A failure is in the status of the server.
async fn use_login(gateway: &Gateway, places: &Places, server: &str) {
    let servers = Servers::load(places, &process_environment);
    if let Some(configured) = servers.get(server) {
        forget_start_failure(places, configured);
    }
    drop(gateway.restart(server, &Principal::anonymous()).await);
}

fn authorizer(places: &Places, server: &str) -> Result<Arc<OAuthAuthorizer>, NotDone> {
    let failed = |why: String| NotDone::Failed(format!("server `{server}` {why}"));
    let name = ServerName::parse(server).map_err(|_| NotDone::Unknown)?;
    let servers = Servers::load(places, &process_environment);
    let configured = servers.get(name.as_str()).ok_or(NotDone::Unknown)?;
    let spec = configured.state.as_ref();
    let spec = spec.map_err(|problem| NotDone::Failed(problem.to_string()))?;
    let store = Arc::new(FileGrantStore::new(places.logins()));
    let builder = oauth_builder(spec, &Principal::anonymous(), &store);
    let builder = builder.map_err(|error| failed(format!("has no login: {error}")))?;
    Ok(builder.ok_or_else(|| failed(why_no_login(spec).to_owned()))?.build())
}

/// Whether a browser may be sent there.
fn is_safe(page: &str) -> bool {
    let Ok(page) = page.parse::<http::Uri>() else { return false };
    match page.scheme_str() {
        Some("https") => true,
        // Before an `@`, the name of a user may look like this machine; the host is behind it.
        Some("http") => page.host().is_some_and(|host| THIS_MACHINE.contains(&host)),
        _ => false,
    }
}

fn not_done(server: &str, error: RestartError) -> NotDone {
    match error {
        RestartError::Unknown(_) => NotDone::Unknown,
        RestartError::Unavailable(why) => NotDone::Failed(format!("server `{server}`: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn a_login_page_is_encrypted_or_on_this_machine() {
        for page in
            ["https://h/a", "http://127.0.0.1:4000/a", "http://localhost/", "http://[::1]:1/"]
        {
            assert!(is_safe(page), "{page}");
        }
        let ports = ["http://localhost:1@h/", "http://127.0.0.1:80@h/a", "http://[::1]:1@h/"];
        let others =
            ["http://h/", "http://127.0.0.1.h/", "http://localhost@h/", "javascript:x", ""];
        for page in ports.into_iter().chain(others) {
            assert!(!is_safe(page), "{page}");
        }
    }
}
