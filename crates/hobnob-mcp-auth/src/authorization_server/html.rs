//! Pages for people: texts made safe, one look, and headers that keep others out of them.
//!
//! The authorization endpoint answers with them. What must stay true: nothing that came from outside
//! gets into a page unescaped, no page runs a script, and none can be framed.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::header::{X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use ring::digest::{SHA256, digest};

use crate::encoding::base64;

#[cfg(test)]
mod tests;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;\
padding:0 1rem;color:#1a1a1a;background:#fff}h1{font-size:1.4rem}dl{display:grid;\
grid-template-columns:auto 1fr;gap:.3rem 1rem}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}\
label{display:block;margin:.8rem 0 .2rem}input{font:inherit;padding:.4rem;width:100%;\
box-sizing:border-box}button{font:inherit;padding:.5rem 1.2rem;margin:1rem .6rem 0 0}\
.warning{border-left:.3rem solid #b00020;padding:.2rem .8rem;background:#fdecee}\
code{background:#f2f2f2;padding:.1rem .3rem}hr{margin:2rem 0;border:0;border-top:1px solid #ccc}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}dt{color:#aaa}\
code{background:#333}.warning{background:#3a1a1e}}";

/// A text as it stands in a page or in an attribute between double quotes.
pub(crate) fn escape(text: &str) -> String {
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

/// A text of somebody who may want to mislead: one line, of a bounded length, without characters that
/// are not seen or that turn others around.
pub(crate) fn plain_text(text: &str, limit: usize) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}')
    };
    let seen: String =
        text.chars().filter(|c| c.is_whitespace() || !hidden(*c)).take(limit).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A page with this title and this body, which is HTML already. Its forms may lead to `form_action`
/// besides the page's own origin.
pub(crate) fn page(
    status: StatusCode,
    title: &str,
    body: &str,
    form_action: &str,
) -> Response<Bytes> {
    let title = escape(title);
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head>\
         <body><h1>{title}</h1>{body}</body></html>"
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
    // A redirect that was accepted has only visible characters, so this cannot fail; without the rest
    // of the policy nothing may be loaded or posted at all.
    let strict = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    let policy = HeaderValue::try_from(policy.trim_end()).unwrap_or(strict);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    harden(&mut response);
    response
}

/// The headers of every answer to a browser, redirects too.
pub(super) fn harden(response: &mut Response<Bytes>) {
    let headers = response.headers_mut();
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
