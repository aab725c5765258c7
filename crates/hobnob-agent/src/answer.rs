//! One answer of a model while it comes: its pieces go to whoever watches, its blocks are collected.
//!
//! What must stay true: what is collected is bounded, and is only used once the answer is complete.

use hobnob_llm::{
    ModelBlock, ModelCompletion, ModelEvent, ModelStream, ReplyCollector, StopReason, ToolUse,
};

/// How much one answer may have.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLimits {
    /// Bytes of text, thinking and arguments together.
    pub bytes: usize,
    /// How many calls of tools.
    pub calls: usize,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { bytes: 4 << 20, calls: 64 }
    }
}

/// An answer that is complete.
#[derive(Debug)]
pub struct ModelAnswer {
    /// What the model said.
    pub text: String,
    /// Everything that the model has to see again: text, thinking and calls, in order.
    pub blocks: Vec<ModelBlock>,
    /// How the answer ended, and what it took.
    pub completion: ModelCompletion,
}

impl ModelAnswer {
    /// The calls that the model waits for; none if it has said everything.
    pub fn calls(&self) -> Vec<ToolUse> {
        let calls = self.blocks.iter().filter_map(|block| match block {
            ModelBlock::ToolUse(call) => Some(call.clone()),
            ModelBlock::Text(_)
            | ModelBlock::Image(_)
            | ModelBlock::ToolResult(_)
            | ModelBlock::Thinking(_) => None,
        });
        calls.collect()
    }
}

/// An answer on its way. Dropping it closes the provider's connection.
#[derive(Debug)]
pub struct AnswerReceiver {
    stream: ModelStream,
    limits: AnswerLimits,
    text: String,
    bytes: usize,
    calls: usize,
    reply: ReplyCollector,
}

/// What has come of an answer.
#[derive(Debug)]
pub enum AnswerPart {
    /// The next event, which is not the last.
    Event(ModelEvent),
    /// The whole answer, at its end.
    Complete(ModelAnswer),
}

impl AnswerReceiver {
    /// Receives what this stream brings, within these limits.
    pub fn new(stream: ModelStream, limits: AnswerLimits) -> Self {
        let (text, reply) = (String::new(), ReplyCollector::default());
        Self { stream, limits, text, bytes: 0, calls: 0, reply }
    }

    /// What the model has said so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The next part. The error says in words why there is no answer. Not to be called after the last.
    pub async fn next(&mut self) -> Result<AnswerPart, String> {
        let next = self.stream.next().await.ok_or("the answer ended without a word")?;
        let next = next.map_err(|error| error.to_string())?;
        self.reply.push(&next);
        match &next {
            ModelEvent::Text(piece) => {
                self.text.push_str(piece);
                self.bytes += piece.len();
            }
            ModelEvent::Thinking(piece) => self.bytes += piece.len(),
            ModelEvent::ToolUse(call) => {
                self.bytes += call.input.as_str().len();
                self.calls += 1;
            }
            ModelEvent::Started { .. } | ModelEvent::ThinkingEnded(_) | ModelEvent::Usage(_) => {}
            ModelEvent::Finished(completion) => {
                let blocks = std::mem::take(&mut self.reply).into_message().blocks;
                let (text, completion) = (std::mem::take(&mut self.text), completion.clone());
                return finished(ModelAnswer { text, blocks, completion })
                    .map(AnswerPart::Complete);
            }
        }
        let AnswerLimits { bytes, calls } = self.limits;
        if bytes < self.bytes {
            return Err(format!("the answer has more than {bytes} bytes"));
        }
        if calls < self.calls {
            return Err(format!("the model asks for more than {calls} tools at once"));
        }
        Ok(AnswerPart::Event(next))
    }
}

fn finished(answer: ModelAnswer) -> Result<ModelAnswer, String> {
    if answer.text.trim().is_empty() && answer.calls().is_empty() {
        // Providers refuse a conversation with an empty turn in it.
        let why = stop_word(&answer.completion.stop);
        return Err(format!("the model answered without any text (it stopped with `{why}`)"));
    }
    Ok(answer)
}

/// Why a model wrote no more, as a word on the wire.
pub fn stop_word(stop: &StopReason) -> &str {
    match stop {
        StopReason::End => "end",
        StopReason::ToolUse => "tool_use",
        StopReason::Length => "length",
        StopReason::StopText => "stop_text",
        StopReason::Refusal => "refusal",
        StopReason::Other(word) => word,
    }
}
