//! Decodes the bytes of one answer: splits them into payloads, which the dialect decodes.
//!
//! An attempt pushes each chunk as it arrives. What must stay true: the events do not depend on the
//! boundaries of the chunks; no event follows `Finished`; invalid UTF-8 and unpaired surrogates
//! become U+FFFD, so that they do not end an answer.

use std::borrow::Cow;

use hobnob_mcp_transport::{Line, LineFramer};
use hobnob_web_client::sse::{Decoder, Event};

use super::fault::StreamFault;
use super::frame::{DecoderOptions, FrameDecoder};
use super::kind::{Framing, ProviderDialect};
use super::surrogates::replace_unpaired;
use crate::event::ModelEvent;

/// Decodes one answer; every answer needs a new decoder.
pub(crate) struct StreamDecoder {
    splitter: PayloadSplitter,
    frames: Box<dyn FrameDecoder>,
    frame_bytes: usize,
    finished: bool,
}

/// Splits the bytes into payloads.
enum PayloadSplitter {
    Events(Decoder),
    Lines(LineFramer),
}

impl StreamDecoder {
    pub(crate) fn new(dialect: ProviderDialect, options: &DecoderOptions) -> Self {
        let frame_bytes = options.frame_bytes;
        let splitter = match dialect.framing() {
            Framing::Events => PayloadSplitter::Events(Decoder::new(frame_bytes)),
            Framing::Lines => PayloadSplitter::Lines(LineFramer::new(frame_bytes)),
        };
        Self { splitter, frames: dialect.decoder(options), frame_bytes, finished: false }
    }

    /// Whether the answer is complete.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Decodes the next bytes, and appends the events that they complete, up to the first fault.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        match &mut self.splitter {
            PayloadSplitter::Events(decoder) => {
                let mut complete = Vec::new();
                decoder.push(bytes, &mut complete);
                let outgrown = decoder.has_outgrown();
                for event in complete {
                    self.take_event(&event, events)?;
                }
                if outgrown && !self.finished { Err(self.too_large()) } else { Ok(()) }
            }
            PayloadSplitter::Lines(framer) => {
                let mut complete = Vec::new();
                framer.push(bytes, &mut complete);
                self.take_lines(complete, events)
            }
        }
    }

    /// Called at the end of the bytes. An incomplete answer is an error.
    pub(crate) fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        if let PayloadSplitter::Lines(framer) = &mut self.splitter {
            let mut rest = Vec::new();
            framer.finish(&mut rest);
            // A last line that is cut off is not JSON, and the cause is the end of the connection.
            match self.take_lines(rest, events) {
                Err(StreamFault::Garbled(_)) => return Err(super::frame::cut()),
                taken => taken?,
            }
        }
        if self.finished {
            return Ok(());
        }
        self.frames.end(events)?;
        self.finished = true;
        Ok(())
    }

    fn take_event(
        &mut self,
        event: &Event,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        if event.oversized.is_some() && !self.finished {
            return Err(self.too_large());
        }
        self.take_payload(&event.data, events)
    }

    fn take_lines(
        &mut self,
        lines: Vec<Line>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        for line in lines {
            match line {
                Line::Text(text) => self.take_payload(&text, events)?,
                Line::TooLong { .. } if self.finished => {}
                Line::TooLong { .. } => return Err(self.too_large()),
            }
        }
        Ok(())
    }

    fn take_payload(
        &mut self,
        payload: &[u8],
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        if self.finished || payload.is_empty() {
            return Ok(());
        }
        let before = events.len();
        let text = String::from_utf8_lossy(payload);
        let repaired = replace_unpaired(&text);
        if matches!((&text, &repaired), (Cow::Owned(_), _) | (_, Cow::Owned(_))) {
            tracing::debug!("broken characters of a model's answer were replaced by U+FFFD");
        }
        self.frames.frame(&repaired, events)?;
        self.finished =
            events[before..].iter().any(|event| matches!(event, ModelEvent::Finished(_)));
        Ok(())
    }

    fn too_large(&self) -> StreamFault {
        StreamFault::garbled(format!("an event is larger than {} bytes", self.frame_bytes))
    }
}
