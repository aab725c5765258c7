//! Bodies that arrive slowly, under a clock that only they move.

use super::{BodyError, read};
use crate::server::limits::HttpLimits;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Interval, interval};

/// Sends a block of the same size again and again.
struct Drip {
    ticks: Interval,
    block: usize,
    left: usize,
    announced: bool,
}

impl Body for Drip {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        ready!(self.ticks.poll_tick(context));
        let length = self.block.min(self.left);
        self.left -= length;
        Poll::Ready(Some(Ok(Frame::data(vec![b'a'; length].into()))))
    }

    fn size_hint(&self) -> SizeHint {
        if self.announced { SizeHint::with_exact(self.left as u64) } else { SizeHint::default() }
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_must_arrive_at_a_certain_rate() {
    let limits = HttpLimits {
        body: 10_000,
        body_idle: Duration::from_secs(30),
        body_rate: 100,
        ..HttpLimits::default()
    };
    // The whole may take 30 seconds and one for each 100 bytes announced.
    let cases = [
        ("a byte every ten seconds", 10, 1, 1000, true, Err(40)),
        ("the same in chunks", 10, 1, 1000, false, Err(130)),
        ("slower than the rate, but short", 10, 250, 1000, true, Ok(30)),
        ("at the rate, for longer than any silence may be", 10, 1000, 10_000, true, Ok(90)),
        ("silence", 31, 500, 1000, true, Err(30)),
        ("at once", 0, 1, 1000, true, Ok(0)),
    ];
    for (name, seconds, block, size, announced, expected) in cases {
        let every = Duration::from_secs(seconds).max(Duration::from_nanos(1));
        let body = Drip { ticks: interval(every), block, left: size, announced };
        let began = Instant::now();
        let outcome = read(body, &limits).await;
        let seconds = began.elapsed().as_secs();
        let found = match outcome {
            Ok(body) => {
                assert_eq!(body.len(), size, "{name}");
                Ok(seconds)
            }
            Err(BodyError::Stalled { .. }) => Err(seconds),
            Err(other) => panic!("{name}: {other}"),
        };
        assert_eq!(found, expected, "{name}");
    }
}
