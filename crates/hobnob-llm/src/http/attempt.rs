//! One attempt: sends the request, and reads the answer to its end or to the first fault.
//!
//! The exchange repeats attempts as its retry policy allows. What must stay true: every wait has a
//! timeout, and every read has a size limit; an answer that is cut off is an error, never an end.

use hobnob_web_client::describe_error;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response};
use tokio::time::timeout;

use super::delivery::Delivery;
use super::failure::AttemptFailure;
use super::options::ProviderOptions;
use super::refusal::{not_a_stream, refusal};
use crate::dialect::{DecoderOptions, Framing, StreamDecoder, StreamFault};
use crate::error::{ProviderError, WaitPhase};
use crate::event::ModelEvent;

/// An encoded request, which is the same in every attempt.
pub(super) struct PreparedRequest<'a> {
    pub(super) http: &'a Client,
    pub(super) options: &'a ProviderOptions,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) decoding: DecoderOptions,
}

impl PreparedRequest<'_> {
    /// Sends the request once, and delivers the events as they arrive.
    pub(super) async fn attempt(&self, delivery: &mut Delivery) -> Result<(), AttemptFailure> {
        let (limits, timeouts) = (&self.options.limits, &self.options.timeouts);
        let mut response = self.send().await?;
        if !response.status().is_success() {
            return Err(refusal(response, limits.error_bytes, timeouts.silence).await);
        }
        let framing = self.options.dialect.framing();
        let other =
            not_a_stream(&mut response, framing, limits.error_bytes, timeouts.silence).await;
        match other {
            Some(fault) => Err(fault.into()),
            None => self.read(response, delivery).await,
        }
    }

    async fn send(&self) -> Result<Response, AttemptFailure> {
        let accept = match self.options.dialect.framing() {
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
        };
        let request = self
            .http
            .post(self.options.url.clone())
            .headers(self.headers.clone())
            .header(ACCEPT, accept)
            .header(CONTENT_TYPE, "application/json")
            .body(self.body.clone());
        let limit = self.options.timeouts.first_byte;
        match timeout(limit, request.send()).await {
            Ok(sent) => sent.map_err(unreachable),
            Err(_) => {
                let phase = WaitPhase::FirstByte;
                Err(AttemptFailure::Permanent(ProviderError::Late { phase, limit }))
            }
        }
    }

    async fn read(
        &self,
        mut response: Response,
        delivery: &mut Delivery,
    ) -> Result<(), AttemptFailure> {
        let mut decoder = StreamDecoder::new(self.options.dialect, &self.decoding);
        let mut room = self.options.limits.answer_bytes;
        while !decoder.is_finished() {
            let chunk = self.chunk(&mut response).await;
            let mut events = Vec::new();
            let read = match chunk? {
                Some(Ok(chunk)) if room < chunk.len() => Err(self.too_long()),
                Some(Ok(chunk)) => {
                    room -= chunk.len();
                    decoder.push(&chunk, &mut events)
                }
                Some(Err(fault)) => Err(fault),
                None => decoder.end(&mut events),
            };
            deliver(events, delivery).await?;
            read?;
        }
        Ok(())
    }

    /// Reads the next bytes; `None` at the end of the body. A lost connection is a stream fault.
    async fn chunk(
        &self,
        response: &mut Response,
    ) -> Result<Option<Result<Vec<u8>, StreamFault>>, AttemptFailure> {
        let limit = self.options.timeouts.silence;
        match timeout(limit, response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk.map(|bytes| Ok(bytes.to_vec()))),
            Ok(Err(error)) => Ok(Some(Err(StreamFault::Cut(describe_error(error))))),
            Err(_) => {
                let phase = WaitPhase::Silence;
                Err(AttemptFailure::Permanent(ProviderError::Late { phase, limit }))
            }
        }
    }

    fn too_long(&self) -> StreamFault {
        let limit = self.options.limits.answer_bytes;
        StreamFault::garbled(format!("it is larger than {limit} bytes"))
    }
}

async fn deliver(events: Vec<ModelEvent>, delivery: &mut Delivery) -> Result<(), AttemptFailure> {
    for event in events {
        delivery.send(event).await.map_err(|_| AttemptFailure::ReaderGone)?;
    }
    Ok(())
}

fn unreachable(error: reqwest::Error) -> AttemptFailure {
    if error.is_builder() {
        return AttemptFailure::Permanent(ProviderError::Settings(describe_error(error)));
    }
    let error = ProviderError::Unavailable { reason: describe_error(error), retry_after: None };
    AttemptFailure::Transient { error, retry_after: None }
}
