//! The agent loop: a person asks, a model answers, and the agent calls the tools that the model
//! requests, until the model has finished. The conversation is a path in a tree.
//!
//! The modules come in reading order: stored turns and how a model sees them again (`stored_turns`,
//! `history`, `conversation`), the rules of a turn (`turn`, pure), the agent that carries them out
//! and summarises long conversations (`agent`), and sub-agents. Terminals, one-shot commands and
//! services use this crate; it knows no protocol, no screen and no settings file.

mod chat_totals;
mod effective_call;
mod history;
mod model_names;
mod stored_turns;
mod tool_images;
mod tool_text;

mod conversation;
mod conversation_path;

mod turn;

mod agent_event;
mod agent_tools;
mod answer;
mod hooks;
mod model_request;
mod summary;

mod agent;

mod sub_agents;

pub use agent::{Agent, AgentParts, AskOptions, TurnReport};
pub use agent_event::{AgentEvent, AgentView};
pub use agent_tools::{AgentTools, CallScope, ToolReport};
pub use answer::{AnswerError, AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer, stop_word};
pub use chat_totals::{ChatTotals, SharedTotals};
pub use conversation::{BranchPoint, Conversation, ConversationError};
pub use conversation_path::PathError;
pub use effective_call::{CALL_TOOL, EffectiveCall};
pub use history::{ChatHistory, PastCalls, SUMMARY_ROLE, Speaker, as_texts, for_model, said_by};
pub use hooks::{AgentHooks, HookVerdict, NoHooks};
pub use model_names::{MAX_MODEL_TOOL_NAME, model_tool_name};
pub use model_request::model_request;
pub use stored_turns::{
    TOOL_ROLE, ToolTurn, answer_node, interrupted_node, masked, result_node, stored_blocks,
};
pub use sub_agents::SubAgents;
pub use summary::context_tokens;
pub use tool_images::{picture_of, picture_words, read_images};
pub use tool_text::{bounded, read_result};
pub use turn::{MAX_REPEATS, TurnEnd, TurnLimit, TurnLimits, TurnProgress, TurnStep};
