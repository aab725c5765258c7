//! Bytes to events, for one answer: payloads are cut from the bytes, and the dialect reads them.
//!
//! The exchange pushes each chunk as it arrives. What must stay true: the events do not depend on
//! how the bytes were cut into chunks; nothing is told after `Finished`; bytes that are not UTF-8
//! and halves of surrogate pairs become U+FFFD, so that one of them does not end an answer.

use std::borrow::Cow;

use hobnob_mcp_transport::{Line, LineFramer};
use hobnob_web_client::sse::{Decoder, Event};

use super::fault::StreamFault;
use super::frame::{DecoderOptions, FrameDecoder};
use super::kind::{Framing, ProviderDialect};
use super::surrogates::mend;
use crate::event::ModelEvent;

/// Reads one answer; each needs a new one.
pub(crate) struct StreamDecoder {
    cutter: Cutter,
    frames: Box<dyn FrameDecoder>,
    frame_bytes: usize,
    finished: bool,
}

/// Cuts bytes into payloads.
enum Cutter {
    Events(Decoder),
    Lines(LineFramer),
}

impl StreamDecoder {
    pub(crate) fn new(dialect: ProviderDialect, options: &DecoderOptions) -> Self {
        let frame_bytes = options.frame_bytes;
        let cutter = match dialect.framing() {
            Framing::Events => Cutter::Events(Decoder::new(frame_bytes)),
            Framing::Lines => Cutter::Lines(LineFramer::new(frame_bytes)),
        };
        Self { cutter, frames: dialect.decoder(options), frame_bytes, finished: false }
    }

    /// Whether the answer is complete.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Takes the next bytes and appends the events that they complete, up to the fault if there is
    /// one.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        match &mut self.cutter {
            Cutter::Events(decoder) => {
                let mut complete = Vec::new();
                decoder.push(bytes, &mut complete);
                let outgrown = decoder.has_outgrown();
                for event in complete {
                    self.take_event(&event, events)?;
                }
                if outgrown && !self.finished { Err(self.too_large()) } else { Ok(()) }
            }
            Cutter::Lines(framer) => {
                let mut complete = Vec::new();
                framer.push(bytes, &mut complete);
                self.take_lines(complete, events)
            }
        }
    }

    /// The bytes are over. An answer that is not complete is an error.
    pub(crate) fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        if let Cutter::Lines(framer) = &mut self.cutter {
            let mut rest = Vec::new();
            framer.finish(&mut rest);
            // The end of a line that was cut is not JSON, which the connection's end explains.
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
        let mended = mend(&text);
        if matches!((&text, &mended), (Cow::Owned(_), _) | (_, Cow::Owned(_))) {
            tracing::debug!("broken characters of a model's answer were replaced by U+FFFD");
        }
        self.frames.frame(&mended, events)?;
        self.finished =
            events[before..].iter().any(|event| matches!(event, ModelEvent::Finished(_)));
        Ok(())
    }

    fn too_large(&self) -> StreamFault {
        StreamFault::garbled(format!("an event is larger than {} bytes", self.frame_bytes))
    }
}
