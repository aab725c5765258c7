//! One answer of a model while it comes: its pieces go to whoever watches, its blocks are collected.
//!
//! What must stay true: what is collected is bounded, and is only used once the answer is complete.

use hobnob_llm::{
    ModelBlock, ModelCompletion, ModelEvent, ModelStream, ProviderError, ReplyCollector,
    StopReason, TokenUsage, ToolUse,
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

/// Why there is no whole answer, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The provider says that the request is longer than the model takes.
    #[error("{0}")]
    TooLong(String),
    /// Nothing that less of the conversation would change.
    #[error("{0}")]
    Failed(String),
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

    /// Whether the model said nothing and wants nothing. Providers refuse a conversation with an empty
    /// turn in it.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls().is_empty()
    }

    /// An error for who cannot use an empty answer.
    pub fn not_empty(self) -> Result<Self, AnswerError> {
        if self.is_empty() {
            let why = stop_word(&self.completion.stop);
            let words = format!("the model answered without any text (it stopped with `{why}`)");
            return Err(AnswerError::Failed(words));
        }
        Ok(self)
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
    counted: Option<TokenUsage>,
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
        Self { stream, limits, text, bytes: 0, calls: 0, counted: None, reply }
    }

    /// What the model has said so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What an answer that goes on no further has taken: as the provider has counted until here, and
    /// estimated where it has not. Nothing if nothing has come.
    pub fn taken(&self, prompt_tokens: u64) -> Option<TokenUsage> {
        if self.bytes == 0 && self.counted.is_none() {
            return None;
        }
        let estimated = TokenUsage { input: prompt_tokens, ..TokenUsage::default() };
        let counted = self.counted.unwrap_or(estimated);
        Some(TokenUsage { output: counted.output.max(about_tokens(self.bytes)), ..counted })
    }

    /// The next part. Not to be called after the last.
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

/// The tokens of so many bytes, as far as they can be known before a provider has counted.
pub(crate) fn about_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes / 4).unwrap_or(u64::MAX)
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
