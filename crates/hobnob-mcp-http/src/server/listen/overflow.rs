//! The response to a connection that is not served: 503 or 403, then a clean close. Spawned by the
//! accept loop, a few at a time; needs no handler and no HTTP machinery.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::client_stream::ClientStream;
use crate::server::linger::linger;

/// How many refusals may be under way at one time. Beyond them connections are dropped without a
/// response, so that a flood cannot make refusing the expensive part.
pub(super) const MAX_AT_ONCE: usize = 64;

/// How long a refused client has to send its request, and to read the response.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// The response to a connection beyond the limit.
pub(super) const TOO_MANY: &str = "HTTP/1.1 503 Service Unavailable\r\n\
    retry-after: 1\r\n\
    connection: close\r\n\
    content-type: application/json\r\n\
    content-length: 111\r\n\
    \r\n\
    {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"too many connections; close some or try again in a second\"}}";

/// The response to a program of another user.
pub(super) const OTHER_USER: &str = "HTTP/1.1 403 Forbidden\r\n\
    connection: close\r\n\
    content-type: application/json\r\n\
    content-length: 159\r\n\
    \r\n\
    {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"this address serves only programs of the user who runs it; ask that user for an address that takes tokens\"}}";

/// Waits for the first bytes of the request, responds and closes.
pub(super) async fn refuse(mut stream: TcpStream, answer: &'static str) {
    // Clients with connection pools take a response that comes before their request for a broken
    // connection, so wait for the first bytes of the request.
    let mut scrap = [0_u8; 1024];
    let _asked = timeout(REFUSAL_TIMEOUT, stream.read(&mut scrap)).await;
    if let Ok(Ok(())) = timeout(REFUSAL_TIMEOUT, stream.write_all(answer.as_bytes())).await {
        linger(ClientStream::Plain(stream), b"").await;
    }
}

#[cfg(test)]
mod tests {
    use super::{OTHER_USER, TOO_MANY};

    #[test]
    fn the_announced_length_is_the_length() {
        for answer in [TOO_MANY, OTHER_USER] {
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.ends_with(&format!("content-length: {}", body.len())), "{}", body.len());
        }
    }
}
