//! Closes a connection whose client may still be sending. Closing at once would reset it, and a
//! reset destroys the response before the client reads it. Called after a refusal, by connections
//! and by the accept loop's overflow responses.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::server::client_stream::ClientStream;

/// The longest time a client has to read the last bytes and close its side.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// Limit on the bytes that are discarded meanwhile.
const MAX_DISCARDED: usize = 4 * 1024 * 1024;

/// Writes the last bytes and closes our side, then discards what still arrives, until the client
/// closes its side, or the time or the limit on bytes runs out.
pub(crate) async fn linger(mut stream: ClientStream, last_word: &[u8]) {
    let discard = async {
        let mut left = MAX_DISCARDED;
        let mut scrap = vec![0_u8; 16 * 1024];
        stream.write_all(last_word).await?;
        stream.shutdown().await?;
        loop {
            let count = stream.read(&mut scrap).await?;
            if count == 0 || left < count {
                return std::io::Result::Ok(());
            }
            left -= count;
        }
    };
    // Every outcome is the same here: the connection is closed.
    let _outcome = tokio::time::timeout(LINGER_TIMEOUT, discard).await;
}
