//! `chat`: one question to the model of a session, and its answer as it comes.
//!
//! The question is in the tree, on the disk, before the model is asked. The answer is put behind it
//! when it is complete, in one step with the head that moves to it. An answer that fails or is
//! cancelled leaves the question as a leaf and the head where it was.

use super::answer::{Answer, receive, stop_word};
use super::chat_settings::ChatSettings;
use super::history::for_model;
use super::service::PresentedChats;
use crate::stream_result::StreamResult;
use hobnob_llm::{CacheHints, CacheLifetime, CachePoint, ModelRequest, ResolvedModel};
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_server::toolbox::{Context, ToolError, ToolReply};
use hobnob_store::model_sessions::{AnswerPlace, ModelSession, StoredAnswer};
use hobnob_store::trees::{NewNode, NodeContent, NodeId, NodeRef, TreeNode, TreeRef};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Chat {
    /// Name of the session
    name: String,
    /// What to say to the model
    prompt: String,
}

pub(super) async fn chat(
    arguments: Chat,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let prompt = chats.prompt(arguments.prompt)?;
    let name = chats.name(&arguments.name)?;
    let _active = chats.enter(&context, &name)?;
    let session = chats.find(&context, name).await?;
    let model = chats.resolve(session.model.as_deref())?;
    let model_id = format!("{}/{}", model.provider.name(), model.model.id);
    let access = PresentedChats::access(&context);
    let mut path = chats.path(&access, &session, &session.head).await?;

    let question = chats.ask(&context, &session, prompt).await?;
    let place = AnswerPlace {
        session: session.name.clone(),
        tree: session.tree.clone(),
        head: session.head.clone(),
        below: question.shape.id.clone(),
    };
    path.push(question);
    let mut result = StreamResult::default();
    let start = StreamEvent::start()
        .with("session", session.name.as_str())
        .with("model", &model_id)
        .with("node_id", place.below.as_str());
    result.emit(&context, start).await;

    let stream = model.provider.chat(request(&model, &session, &path));
    let question = place.below.clone();
    let last = match receive(stream, &context, &mut result).await {
        Ok(answer) => match chats.store(&context, place, &answer, &model_id).await {
            Ok(stored) => completion(&session, &stored, &answer, &model_id),
            // What came is still the caller's, though it is not stored.
            Err(ToolError::Failed(why)) => failure(&why, &question),
            Err(other) => return Err(other),
        },
        Err(why) => failure(&why, &question),
    };
    result.emit(&context, last).await;
    Ok(result.into_reply())
}

impl PresentedChats {
    /// Puts the question behind the session's head. It is on the disk when this returns.
    async fn ask(
        &self,
        context: &Context<Self>,
        session: &ModelSession,
        text: String,
    ) -> Result<TreeNode, ToolError> {
        let (tree, head) = (TreeRef::Id(session.tree.clone()), NodeRef::Id(session.head.clone()));
        let content = NodeContent::Text { role: "user".into(), text };
        let question = vec![NewNode { content, metadata: None }];
        let access = Self::access(context);
        let made = self.trees().append_nodes(access, tree, head, question).await;
        let made = made.map_err(|error| self.tree_refused(error))?;
        made.into_iter().next().ok_or_else(|| self.invalid("no node was added"))
    }

    /// Puts a complete answer behind its question, with credentials in it masked.
    async fn store(
        &self,
        context: &Context<Self>,
        place: AnswerPlace,
        answer: &Answer,
        model_id: &str,
    ) -> Result<StoredAnswer, ToolError> {
        let scanner = self.service.parts().scanner;
        let text = scanner.map_or_else(|| answer.text.clone(), |it| it.redact(&answer.text).0);
        let metadata = json!({
            "model": model_id,
            "stop_reason": stop_word(&answer.completion.stop),
            "usage": answer.completion.usage,
            "cost_usd": answer.completion.cost,
        });
        let node = NewNode {
            content: NodeContent::Text { role: "assistant".into(), text },
            metadata: Some(metadata.to_string()),
        };
        let stored = self.sessions().add_answer(Self::access(context), place, node).await;
        stored.map_err(|error| self.refused(error))
    }
}

fn request(model: &ResolvedModel, session: &ModelSession, path: &[TreeNode]) -> ModelRequest {
    let history = for_model(path);
    // The next question has all of this in front of it.
    let last = CachePoint::Message(history.turns.len().saturating_sub(1));
    let mut request = ModelRequest::new(model.model.id.clone(), history.turns);
    request.system = history.system.map(String::into_boxed_str);
    request.cache = CacheHints {
        points: vec![CachePoint::System, last],
        lifetime: CacheLifetime::Short,
        key: Some(session.tree.as_str().into()),
    };
    ChatSettings::read(session.settings.as_deref()).apply(&mut request);
    request
}

fn completion(
    session: &ModelSession,
    stored: &StoredAnswer,
    answer: &Answer,
    model_id: &str,
) -> StreamEvent {
    let event = StreamEvent::complete()
        .with("session", session.name.as_str())
        .with("head", stored.head.as_str())
        .with("node_id", stored.node.shape.id.as_str())
        .with("model", model_id)
        .with("stop_reason", stop_word(&answer.completion.stop));
    let event = match &answer.completion.usage {
        Some(usage) => event.with("usage", usage),
        None => event,
    };
    match &answer.completion.cost {
        Some(cost) => event.with("cost_usd", cost),
        None => event,
    }
}

fn failure(why: &str, question: &NodeId) -> StreamEvent {
    StreamEvent::error(&format!(
        "{why}; your prompt is node {question}, and the session goes on from its head as before"
    ))
}
