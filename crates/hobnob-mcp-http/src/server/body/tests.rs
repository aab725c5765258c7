//! Bodies that arrive slowly, with a paused clock that only they advance.

use super::{BodyError, read};
use crate::server::budget::BodyBudget;
use crate::server::limits::HttpLimits;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Interval, interval};

/// Sends blocks of the same size at regular intervals.
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
    // The whole body may take 30 seconds and one more for each 100 bytes announced.
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
        let outcome = read(body, &limits, &BodyBudget::new(&limits)).await;
        let seconds = began.elapsed().as_secs();
        let found = match outcome {
            Ok(body) => {
                assert_eq!(body.bytes.len(), size, "{name}");
                Ok(seconds)
            }
            Err(BodyError::Stalled { .. }) => Err(seconds),
            Err(other) => panic!("{name}: {other}"),
        };
        assert_eq!(found, expected, "{name}");
    }
}

/// A body waits its turn to reserve room for all of its bytes, and keeps it while it is used.
#[tokio::test(start_paused = true)]
async fn large_bodies_wait_for_room_and_small_ones_do_not() {
    let limits = HttpLimits {
        body: 100 << 10,
        bodies_total: 150 << 10,
        body_wait: Duration::from_secs(10),
        ..HttpLimits::default()
    };
    let budget = BodyBudget::new(&limits);
    let body = |block: usize, size: usize, announced: bool| Drip {
        ticks: interval(Duration::from_nanos(1)),
        block,
        left: size,
        announced,
    };
    let (large, small) = (100 << 10, 10 << 10);
    let first = read(body(small, large, true), &limits, &budget).await.expect("the first fits");
    assert!(first.reservation.is_some());
    for announced in [true, false] {
        let began = Instant::now();
        let crowded = read(body(small, large, announced), &limits, &budget).await;
        assert!(matches!(crowded, Err(BodyError::BudgetExhausted { .. })), "{crowded:?}");
        assert_eq!(began.elapsed().as_secs(), 10);
        let one_block = read(body(small, small, announced), &limits, &budget).await;
        assert!(one_block.expect("it takes no room").reservation.is_none());
    }
    let waiting = read(body(small, large, true), &limits, &budget);
    let free = async {
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(first);
    };
    let (second, ()) = tokio::join!(waiting, free);
    assert_eq!(second.expect("there is room now").bytes.len(), large);
}
