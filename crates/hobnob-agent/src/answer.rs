//! Receives one answer of a model: returns its events one by one, and collects its blocks.
//!
//! What must stay true: collected blocks are bounded, and used only after a complete answer.

use hobnob_llm::{
    ModelBlock, ModelCompletion, ModelEvent, ModelStream, ProviderError, ReplyCollector,
    StopReason, TokenUsage, ToolUse,
};

/// The limits of one answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLimits {
    /// Bytes of text, thinking and arguments together.
    pub bytes: usize,
    /// The number of tool calls.
    pub calls: usize,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { bytes: 4 << 20, calls: 64 }
    }
}

/// Why there is no complete answer, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The provider says that the request exceeds the model's context.
    #[error("{0}")]
    TooLong(String),
    /// Any other error, which a shorter conversation would not prevent.
    #[error("{0}")]
    Failed(String),
}

/// An answer that is complete.
#[derive(Debug)]
pub struct ModelAnswer {
    /// What the model said.
    pub text: String,
    /// Everything that the model must see again: text, thinking and calls, in order.
    pub blocks: Vec<ModelBlock>,
    /// How the answer ended, and what it used.
    pub completion: ModelCompletion,
}

impl ModelAnswer {
    /// The calls that the model waits for; empty if it has finished.
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

    /// Whether the answer has neither text nor calls. Providers refuse a conversation with an empty
    /// turn in it.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls().is_empty()
    }

    /// Returns an error for an empty answer, for callers that cannot use one.
    pub fn not_empty(self) -> Result<Self, AnswerError> {
        if self.is_empty() {
            let why = stop_word(&self.completion.stop);
            let words = format!("the model answered without any text (it stopped with `{why}`)");
            return Err(AnswerError::Failed(words));
        }
        Ok(self)
    }
}

/// An answer that is still arriving. Dropping it closes the provider's connection.
#[derive(Debug)]
pub struct AnswerReceiver {
    stream: ModelStream,
    limits: AnswerLimits,
    text: String,
    bytes: usize,
    calls: usize,
    counted: Option<TokenUsage>,
    reply: ReplyCollector,
}

/// A part of an answer.
#[derive(Debug)]
pub enum AnswerPart {
    /// The next event, which is not the last.
    Event(ModelEvent),
    /// The whole answer, at its end.
    Complete(ModelAnswer),
}

impl AnswerReceiver {
    /// Receives the answer of this stream within these limits.
    pub fn new(stream: ModelStream, limits: AnswerLimits) -> Self {
        let (text, reply) = (String::new(), ReplyCollector::default());
        Self { stream, limits, text, bytes: 0, calls: 0, counted: None, reply }
    }

    /// What the model has said so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The usage of an answer that is abandoned here: the provider's counts so far, and estimates
    /// for what it has not counted. `None` if nothing has arrived.
    pub fn taken(&self, prompt_tokens: u64) -> Option<TokenUsage> {
        if self.bytes == 0 && self.counted.is_none() {
            return None;
        }
        let estimated = TokenUsage { input: prompt_tokens, ..TokenUsage::default() };
        let counted = self.counted.unwrap_or(estimated);
        Some(TokenUsage { output: counted.output.max(estimated_tokens(self.bytes)), ..counted })
    }

    /// Receives the next part. Must not be called after the last one.
    pub async fn next(&mut self) -> Result<AnswerPart, AnswerError> {
        let ended = || AnswerError::Failed("the answer ended without a word".into());
        let next = self.stream.next().await.ok_or_else(ended)?.map_err(|error| match error {
            ProviderError::TooLong(_) => AnswerError::TooLong(error.to_string()),
            error => AnswerError::Failed(error.to_string()),
        })?;
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
            ModelEvent::Usage(usage) => self.counted = Some(*usage),
            ModelEvent::Retrying { .. }
            | ModelEvent::Started { .. }
            | ModelEvent::ThinkingEnded(_) => {}
            ModelEvent::Finished(completion) => {
                let blocks = std::mem::take(&mut self.reply).into_message().blocks;
                let (text, completion) = (std::mem::take(&mut self.text), completion.clone());
                return Ok(AnswerPart::Complete(ModelAnswer { text, blocks, completion }));
            }
        }
        let AnswerLimits { bytes, calls } = self.limits;
        if bytes < self.bytes {
            return Err(AnswerError::Failed(format!("the answer has more than {bytes} bytes")));
        }
        if calls < self.calls {
            let words = format!("the model asks for more than {calls} tools at once");
            return Err(AnswerError::Failed(words));
        }
        Ok(AnswerPart::Event(next))
    }
}

/// Estimates the tokens of a text from its bytes, until a provider has counted them.
pub(crate) fn estimated_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes / 4).unwrap_or(u64::MAX)
}

/// The stop reason as a word for JSON.
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
