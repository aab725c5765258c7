//! Reads a request body within its limits. Handlers call [`read_body`] after the guard has accepted
//! the request. The usual body, which hyper delivers in one piece, is passed on without a copy and
//! without a timer.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Instant;

use crate::server::body_error::BodyError;
use crate::server::budget::{BodyBudget, BodyReservation};
use crate::server::limits::HttpLimits;

#[cfg(test)]
mod tests;

/// How much memory is allocated at once for a body in several pieces. A client may announce the
/// largest size and send nothing, so the announcement alone must not cost memory.
const FIRST_RESERVATION: usize = 256 * 1024;

/// What bodies are read from: hyper's body, and a simulated one in tests.
trait Source: Body<Data = Bytes, Error = hyper::Error> + Unpin {}

impl<B: Body<Data = Bytes, Error = hyper::Error> + Unpin> Source for B {}

/// The time a body may still take. The clock is read when a block is first not ready at once.
struct Pace {
    idle: Duration,
    whole: Duration,
    began: Option<Instant>,
}

impl Pace {
    fn new(size: &SizeHint, limits: &HttpLimits) -> Self {
        // A chunked body announces no size and may be as large as the limit.
        let size = size.exact().unwrap_or(limits.body as u64);
        let rate = limits.body_rate.max(1) as u64;
        let transfer = Duration::from_millis(size.saturating_mul(1000) / rate);
        let idle = limits.body_idle;
        Self { idle, whole: idle.saturating_add(transfer), began: None }
    }

    /// The longest wait for the next block.
    fn wait(&mut self) -> Duration {
        let began = *self.began.get_or_insert_with(Instant::now);
        self.idle.min(self.whole.saturating_sub(began.elapsed()))
    }
}

/// Reads the whole body, counting its bytes as they arrive.
///
/// A `Content-Length` over the limit is refused before anything is read, and so before a client
/// that sent `Expect: 100-continue` is asked to go on. A body that does not come in one block is
/// read only once the budget has room for all of it.
pub async fn read_body(
    body: Incoming,
    limits: &HttpLimits,
    budget: &BodyBudget,
) -> Result<ReadBody, BodyError> {
    read(body, limits, budget).await
}

/// A body, and its share of the budget.
#[derive(Debug)]
pub struct ReadBody {
    /// The whole body, without a copy if it came in one block.
    pub bytes: Bytes,
    /// Keep this as long as the body's contents are in memory; `None` if it came in one block.
    pub reservation: Option<BodyReservation>,
}

impl From<Bytes> for ReadBody {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, reservation: None }
    }
}

async fn read<B: Source>(
    mut body: B,
    limits: &HttpLimits,
    budget: &BodyBudget,
) -> Result<ReadBody, BodyError> {
    let limit = limits.body;
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::TooLarge { limit });
    }
    let mut pace = Pace::new(&body.size_hint(), limits);
    let Some(first) = next_block(&mut body, &mut pace).await? else {
        return Ok(Bytes::new().into());
    };
    if first.len() > limit {
        return Err(BodyError::TooLarge { limit });
    }
    if body.is_end_stream() {
        return Ok(first.into());
    }
    let rest = body.size_hint().exact().filter(|rest| *rest > 0);
    let mut reservation = None;
    if let Some(rest) = rest {
        let size = first.len() + usize::try_from(rest).unwrap_or(limit);
        reservation = Some(Box::pin(reserve(budget, size, &mut pace)).await?);
    }
    // A chunked body says only afterwards that its first block was its last.
    let Some(second) = next_block(&mut body, &mut pace).await? else {
        return Ok(ReadBody { bytes: first, reservation });
    };
    if reservation.is_none() {
        // The body may become as large as the limit.
        reservation = Some(Box::pin(reserve(budget, limit, &mut pace)).await?);
    }
    let bytes = collect_rest(body, limit, pace, first, second).await?;
    Ok(ReadBody { bytes, reservation })
}

/// Waits for the budget; this time does not count against the sender.
async fn reserve(
    budget: &BodyBudget,
    bytes: usize,
    pace: &mut Pace,
) -> Result<BodyReservation, BodyError> {
    let asked = Instant::now();
    let reservation = budget.reserve(bytes).await?;
    if let Some(began) = &mut pace.began {
        *began += asked.elapsed();
    }
    Ok(reservation)
}

/// Collects a body of more than one block, which is uncommon: the blocks are copied together.
async fn collect_rest<B: Source>(
    mut body: B,
    limit: usize,
    mut pace: Pace,
    first: Bytes,
    second: Bytes,
) -> Result<Bytes, BodyError> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(limit);
    let received = first.len() + second.len();
    let mut whole = BytesMut::with_capacity(received + announced.min(FIRST_RESERVATION));
    whole.extend_from_slice(&first);
    drop(first);
    let mut next = Some(second);
    while let Some(block) = next {
        if whole.len() + block.len() > limit {
            return Err(BodyError::TooLarge { limit });
        }
        whole.extend_from_slice(&block);
        if body.is_end_stream() {
            break;
        }
        next = next_block(&mut body, &mut pace).await?;
    }
    Ok(whole.freeze())
}

/// The next block of data, or `None` at the end. Trailers mean nothing here and are skipped.
async fn next_block<B: Source>(body: &mut B, pace: &mut Pace) -> Result<Option<Bytes>, BodyError> {
    loop {
        let at_once = poll_fn(|cx| match Pin::new(&mut *body).poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(Some(frame)),
            Poll::Pending => Poll::Ready(None),
        })
        .await;
        let frame = match at_once {
            Some(frame) => frame,
            None => late_frame(body, pace.wait()).await?,
        };
        match frame.transpose().map_err(BodyError::Broken)?.map(Frame::into_data) {
            None => return Ok(None),
            Some(Ok(block)) => return Ok(Some(block)),
            Some(Err(_trailers)) => {}
        }
    }
}

type MaybeFrame = Option<Result<Frame<Bytes>, hyper::Error>>;

/// Waits for a frame that was not ready at once. The timer is boxed, so that the many requests
/// which never wait do not carry its size in their futures.
async fn late_frame<B: Source>(body: &mut B, wait: Duration) -> Result<MaybeFrame, BodyError> {
    let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx));
    let waited = Box::pin(tokio::time::timeout(wait, frame)).await;
    waited.map_err(|_| BodyError::Stalled { waited: wait })
}
