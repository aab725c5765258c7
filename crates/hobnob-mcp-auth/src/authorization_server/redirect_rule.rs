//! Redirect rules: which redirects a client may register, and which of them a request means.
//!
//! Registration, client documents and the authorization endpoint call this. What must stay true:
//! redirects are compared as exact strings, and only the port of a loopback redirect is free.

use reqwest::Url;

#[cfg(test)]
mod tests;

/// Redirects with a private scheme. Only known apps are accepted, since any program on a machine
/// can claim a scheme.
const KNOWN_APPS: &[&str] = &["cursor://anysphere.cursor-mcp/oauth/callback"];

/// The longest redirect that is accepted, in bytes.
const MAX_REDIRECT: usize = 2048;

/// Names of the user's own machine, in their only accepted spelling.
const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// Whether a client may register this redirect.
pub(super) fn is_acceptable(redirect: &str) -> bool {
    if MAX_REDIRECT < redirect.len() || !redirect.bytes().all(|b| b.is_ascii_graphic()) {
        return false;
    }
    if redirect.contains(['#', '\\', '"', '<', '>', '\'']) {
        return false;
    }
    KNOWN_APPS.contains(&redirect) || loopback(redirect).is_some() || is_web(redirect)
}

/// Whether a request for `asked` means the registered `redirect`.
pub(super) fn means(asked: &str, redirect: &str) -> bool {
    if asked == redirect {
        return is_acceptable(asked);
    }
    // RFC 8252, 7.3: a native client gets its port from the system when it starts to listen.
    match (loopback(asked), loopback(redirect)) {
        (Some(asked_place), Some(place)) => asked_place == place && is_acceptable(asked),
        (_, _) => false,
    }
}

/// Whether the answer goes to the browser's own machine, where any program could listen.
pub(super) fn is_loopback_redirect(redirect: &str) -> bool {
    loopback(redirect).is_some()
}

/// The host of a redirect, as people are shown it.
pub(super) fn shown_host(redirect: &str) -> &str {
    let rest = redirect.split_once("://").map_or(redirect, |(_, rest)| rest);
    &rest[..rest.find(['/', '?']).unwrap_or(rest.len())]
}

/// The source that a page's `form-action` policy must allow so that its form may lead there.
pub(super) fn policy_source(redirect: &str) -> String {
    let (scheme, _) = redirect.split_once("://").unwrap_or((redirect, ""));
    match (scheme, shown_host(redirect)) {
        // The grammar of the policy has no IPv6 addresses.
        ("http", host) if host.starts_with('[') => "http:".into(),
        ("http" | "https", host) => format!("{scheme}://{host}"),
        (_, _) => format!("{scheme}:"),
    }
}

/// Host and path of an http redirect to this machine, without its port.
fn loopback(redirect: &str) -> Option<(&str, &str)> {
    let rest = redirect.strip_prefix("http://")?;
    let host = LOOPBACK_HOSTS.into_iter().find(|host| rest.starts_with(host))?;
    let rest = &rest[host.len()..];
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (port, path) = rest.split_at(end);
    let digits = match port.strip_prefix(':') {
        Some(digits) => digits,
        None if port.is_empty() => return Some((host, path)),
        None => return None,
    };
    let is_port = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_port && digits.parse::<u16>().is_ok()).then_some((host, path))
}

fn is_web(redirect: &str) -> bool {
    // Accept only what a browser would not rewrite: no user info, no host in another spelling.
    let Ok(url) = Url::parse(redirect) else { return false };
    let host = shown_host(redirect);
    let plain = url.host_str().is_some_and(|name| match url.port() {
        Some(port) => host == format!("{name}:{port}"),
        None => host == name,
    });
    redirect.starts_with("https://")
        && plain
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none()
}
