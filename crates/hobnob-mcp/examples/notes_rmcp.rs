//! Notes: state, two tools, a template, a prompt and a question, with rmcp on standard input and output.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    ErrorData, Implementation, ListResourceTemplatesResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ResourceTemplate, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::{ElicitationError, RequestContext};
use rmcp::{
    Json, RoleServer, ServerHandler, ServiceExt, elicit_safe, prompt, prompt_handler,
    prompt_router, tool, tool_handler, tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default)]
struct Notes(Arc<parking_lot::Mutex<BTreeMap<String, String>>>);

#[derive(Deserialize, JsonSchema)]
struct NewNote {
    /// The name of the note.
    name: String,
    /// The text of the note.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct NoteName {
    /// The name of the note.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Summary {
    /// The name of the note.
    name: String,
    /// At most this many words.
    words: String,
}

#[derive(Serialize, JsonSchema)]
struct Count {
    /// How many notes there are now.
    count: usize,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Confirmation {
    /// Whether to delete it.
    confirmed: bool,
}

elicit_safe!(Confirmation);

impl Notes {
    fn text(&self, name: &str) -> Result<String, String> {
        let notes = self.0.lock();
        notes.get(name).cloned().ok_or_else(|| format!("there is no note {name}"))
    }
}

#[tool_router]
impl Notes {
    /// Adds a note under a name
    #[tool]
    async fn add(&self, Parameters(note): Parameters<NewNote>) -> Result<Json<Count>, String> {
        let mut notes = self.0.lock();
        notes.insert(note.name, note.text);
        Ok(Json(Count { count: notes.len() }))
    }

    /// Deletes a note, if the user agrees
    #[tool]
    async fn delete(
        &self,
        Parameters(NoteName { name }): Parameters<NoteName>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, String> {
        self.text(&name)?;
        let question = format!("Delete {name}?");
        match context.peer.elicit::<Confirmation>(question).await {
            Ok(Some(Confirmation { confirmed: true })) => {}
            Ok(_) | Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => {
                return Ok("kept".into());
            }
            Err(error) => return Err(error.to_string()),
        }
        self.0.lock().remove(&name);
        Ok("deleted".into())
    }
}

#[prompt_router]
impl Notes {
    /// Asks for a summary of a note
    #[prompt]
    async fn summarize(
        &self,
        Parameters(Summary { name, words }): Parameters<Summary>,
    ) -> Result<Vec<PromptMessage>, ErrorData> {
        let invalid = |error: String| ErrorData::invalid_params(error, None);
        let words: u32 = words.parse().map_err(|_| invalid("words is no number".into()))?;
        let text = self.text(&name).map_err(invalid)?;
        let message = format!("Summarize in at most {words} words: {text}");
        Ok(vec![PromptMessage::new_text(Role::User, message)])
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("notes", "1.0.0"))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let note = ResourceTemplate::new("notes://{name}", "note")
            .with_description("A note by its name")
            .with_mime_type("text/plain");
        Ok(ListResourceTemplatesResult::with_all_items(vec![note]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let missing = |error: String| ErrorData::resource_not_found(error, None);
        let name = request.uri.strip_prefix("notes://").unwrap_or_default();
        let text = self.text(name).map_err(missing)?;
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri.clone())]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Notes::default().serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
