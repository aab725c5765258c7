//! The opening handshake of a WebSocket, and the response that accepts it (RFC 6455, 4.2).

use crate::server::answers;
use crate::server::reply::{RefusalReply, ReplyBody};
use crate::server::single_header::{SingleHeader, single_header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

/// RFC 6455, 1.3: appended to the key, so that only a WebSocket server gives this answer.
const ACCEPT_GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const VERSION: &str = "13";
/// The length of a decoded key, in bytes.
const KEY_BYTES: usize = 16;

/// The response that switches protocols, or the one that says why not.
pub(super) fn accept(headers: &HeaderMap) -> Result<Response<ReplyBody>, RefusalReply> {
    if !names(headers, &CONNECTION, "upgrade") || !names(headers, &UPGRADE, "websocket") {
        return Err(Box::new(needs_upgrade("this path is a WebSocket; connect to it with ws://")));
    }
    match single_header(headers, &SEC_WEBSOCKET_VERSION) {
        SingleHeader::Once(version) if version.as_bytes() == VERSION.as_bytes() => {}
        _ => return Err(Box::new(needs_upgrade("only version 13 of WebSocket is spoken here"))),
    }
    let SingleHeader::Once(key) = single_header(headers, &SEC_WEBSOCKET_KEY) else {
        return Err(Box::new(bad_key()));
    };
    if !STANDARD.decode(key.as_bytes()).is_ok_and(|key| key.len() == KEY_BYTES) {
        return Err(Box::new(bad_key()));
    }
    let accept =
        HeaderValue::from_str(&accept_key(key.as_bytes())).map_err(|_| Box::new(bad_key()))?;
    let mut response = answers::bare(StatusCode::SWITCHING_PROTOCOLS);
    let fields = response.headers_mut();
    fields.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    fields.insert(UPGRADE, HeaderValue::from_static("websocket"));
    fields.insert(SEC_WEBSOCKET_ACCEPT, accept);
    Ok(response)
}

/// Whether a header contains this word, in any case.
fn names(headers: &HeaderMap, header: &HeaderName, word: &str) -> bool {
    let texts = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).any(|it| it.trim().eq_ignore_ascii_case(word))
}

fn accept_key(key: &[u8]) -> String {
    let mut digest = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    digest.update(key);
    digest.update(ACCEPT_GUID);
    STANDARD.encode(digest.finish().as_ref())
}

fn needs_upgrade(message: &'static str) -> Response<ReplyBody> {
    let mut response = answers::problem(StatusCode::UPGRADE_REQUIRED, message);
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
    response
}

fn bad_key() -> Response<ReplyBody> {
    answers::problem(
        StatusCode::BAD_REQUEST,
        "Sec-WebSocket-Key must be there once: 16 bytes in base64",
    )
}

#[cfg(test)]
mod tests {
    use super::accept_key;

    /// The example of RFC 6455, 1.3.
    #[test]
    fn the_key_of_the_rfc_is_accepted_as_the_rfc_says() {
        assert_eq!(accept_key(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
