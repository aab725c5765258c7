//! Language models behind one streaming trait: a [`Provider`] takes a [`ModelRequest`] and gives
//! back a [`ModelStream`] of [`ModelEvent`]s; dropping the stream closes the connection.
//!
//! The modules come in reading order: requests and events, the wire formats of the providers
//! (`dialect`, pure), keys, the exchange over HTTP, and settings. Services and the terminal use
//! this crate; it knows nothing of trees, sessions or the settings file.

mod budget;
mod error;
mod event;
mod price;
mod reply;
mod request;
mod stream;
mod tool;
mod usage;

mod dialect;

mod key;

mod model;
mod provider;

mod http;

mod settings;

mod facts;

mod directory;
mod found;

pub use budget::{BudgetShare, TokenBudget};
pub use dialect::ProviderDialect;
pub use directory::{ModelDirectory, ResolvedModel};
pub use error::{ProviderError, WaitPhase};
pub use event::{ModelCompletion, ModelEvent, StopReason};
pub use facts::facts_date;
pub use found::{FoundProvider, FoundProviders, find_providers};
pub use http::{HttpProvider, ProviderLimits, ProviderOptions, ProviderProbe, ProviderTimeouts};
pub use key::{KeySource, ProviderKey};
pub use model::{ModelCapability, ModelInfo, ThinkingStyle};
pub use price::{ModelCost, ModelPrices, TokenPrices};
pub use provider::Provider;
pub use reply::ReplyCollector;
pub use request::{
    CacheHints, CacheLifetime, CachePoint, ModelBlock, ModelImage, ModelMessage, ModelRequest,
    ModelRole, ThinkingBlock, ThinkingEffort, ThinkingWish, ToolOutcome, ToolResultBlock,
};
pub use settings::{
    KeySettings, KeyringSettings, LongPromptSettings, ModelSettings, PriceSettings,
    ProviderSettings, SettingProblem,
};
pub use stream::{ModelEventSender, ModelStream};
pub use tool::{BadToolDefinition, ModelTool, ToolInput, ToolUse};
pub use usage::TokenUsage;
