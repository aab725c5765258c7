//! The frame of all pages for people: their look, escaping, and security headers.
//!
//! The pages of logins, of consent and of a hub's front door use it. What must stay true: text from
//! outside gets into a page only escaped, no page runs a script or loads anything, and none can be
//! framed.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::header::{X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use ring::digest::{SHA256, digest};

use crate::encoding::base64;

#[cfg(test)]
mod tests;

/// The only style sheet. Each page's policy contains its digest, so that no other is applied.
const STYLE: &str = include_str!("web_page/style.css");

/// Escapes a text for the content of a page, or for an attribute in double quotes.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A page with this title and this body, which must be HTML already. Its forms may lead to
/// `form_action` besides the page's own origin.
pub fn web_page(status: StatusCode, title: &str, body: &str, form_action: &str) -> Response<Bytes> {
    let title = escape_html(title);
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>{STYLE}</style></head>\
         <body><main><h1>{title}</h1>{body}</main></body></html>"
    );
    let style = base64(digest(&SHA256, STYLE.as_bytes()).as_ref());
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self' {form_action}; \
         frame-ancestors 'none'; base-uri 'none'"
    );
    let mut response = Response::new(Bytes::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(CONTENT_TYPE, html);
    // This cannot fail, since accepted redirects have only visible characters. With the fallback
    // policy the page may load nothing at all, not even its style sheet.
    let strict = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    let policy = HeaderValue::try_from(policy.trim_end()).unwrap_or(strict);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    harden(&mut response);
    response
}

/// Adds the security headers of every answer to a browser, redirects included.
pub(crate) fn harden(response: &mut Response<Bytes>) {
    let headers = response.headers_mut();
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
