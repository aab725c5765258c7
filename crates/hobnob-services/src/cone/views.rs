//! The wire form of sessions and models. Absent values are left out; lists are always lists.
//!
//! The order of the fields is the order on the wire.

use super::chat_settings::ChatSettings;
use crate::time_text::time_text;
use hobnob_llm::{ModelCapability, ModelDirectory, ModelInfo, ThinkingStyle, facts_date};
use hobnob_store::model_sessions::ModelSession;
use serde::Serialize;
use serde_json::value::RawValue;

/// A session without its conversation.
#[derive(Debug, Serialize)]
pub(super) struct ShownChatSession<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<ChatSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
    tree_id: &'a str,
    head: &'a str,
    created_at: String,
    updated_at: String,
}

impl<'a> ShownChatSession<'a> {
    pub(super) fn of(session: &'a ModelSession) -> Self {
        Self {
            name: session.name.as_str(),
            model_id: session.model.as_deref(),
            system_prompt: session.system_prompt.as_deref(),
            settings: session.settings.as_deref().map(|text| ChatSettings::read(Some(text))),
            metadata: session.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            tree_id: session.tree.as_str(),
            head: session.head.as_str(),
            created_at: time_text(session.created),
            updated_at: time_text(session.updated),
        }
    }
}

/// A session that was deleted, and the tree that it left behind.
#[derive(Debug, Serialize)]
pub(super) struct DeletedSession<'a> {
    pub(super) name: &'a str,
    pub(super) tree_id: &'a str,
    pub(super) deleted: bool,
}

/// The models to choose from.
#[derive(Debug, Serialize)]
pub(super) struct ShownRegistry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a str>,
    /// The providers; each may offer more models than the known ones.
    providers: Vec<&'a str>,
    models: Vec<ShownModel>,
    /// The date of the known models' sizes and prices.
    known_as_of: &'static str,
}

impl<'a> ShownRegistry<'a> {
    pub(super) fn of(models: &'a ModelDirectory, default: Option<&'a str>) -> Self {
        Self {
            default,
            providers: models.provider_names().collect(),
            models: models.models().iter().map(|(name, info)| ShownModel::of(name, info)).collect(),
            known_as_of: facts_date(),
        }
    }
}

#[derive(Debug, Serialize)]
struct ShownModel {
    /// The name by which `create` takes the model.
    model_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingStyle>,
    capabilities: Vec<ModelCapability>,
    /// Whether prices are known, so that answers report a cost.
    priced: bool,
}

impl ShownModel {
    fn of(provider: &str, info: &ModelInfo) -> Self {
        Self {
            model_id: format!("{provider}/{}", info.id),
            context_tokens: info.context,
            max_output_tokens: info.max_output,
            thinking: info.thinking,
            capabilities: info.capabilities.clone(),
            priced: info.prices.is_some(),
        }
    }
}
