//! Notes: state, two tools, a template, a prompt and a question, on standard input and output.

use hobnob_mcp::{
    Context, Elicited, Kit, ResourceSpec, Server, Structured, ToolError, serve_stdio,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct Notes(Mutex<BTreeMap<String, String>>);

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
    words: u32,
}

#[derive(Serialize, JsonSchema)]
struct Count {
    /// How many notes there are now.
    count: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Whether to delete it.
    confirmed: bool,
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self, name: &str) -> Result<String, ToolError> {
        let text = self.lock().get(name).cloned();
        text.ok_or_else(|| ToolError::failed(format!("there is no note {name}")))
    }
}

async fn add(note: NewNote, context: Context<Notes>) -> Structured<Count> {
    let mut notes = context.state().lock();
    notes.insert(note.name, note.text);
    Structured(Count { count: notes.len() })
}

async fn delete(note: NoteName, context: Context<Notes>) -> Result<&'static str, ToolError> {
    context.state().text(&note.name)?;
    let question = format!("Delete {}?", note.name);
    match context.elicit_outcome("confirm", &question)? {
        Elicited::Accepted(Confirmation { confirmed: true }) => {}
        _ => return Ok("kept"),
    }
    context.state().lock().remove(&note.name);
    Ok("deleted")
}

async fn read(note: NoteName, context: Context<Notes>) -> Option<String> {
    context.state().lock().get(&note.name).cloned()
}

async fn summarize(summary: Summary, context: Context<Notes>) -> Result<String, ToolError> {
    let text = context.state().text(&summary.name)?;
    Ok(format!("Summarize in at most {} words: {text}", summary.words))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let note = ResourceSpec::new("note").description("A note by its name").mime_type("text/plain");
    let kit = Kit::plain("notes")
        .with_state(Notes::default())
        .asks::<Confirmation>()
        .tool("add", "Adds a note under a name", add)
        .tool("delete", "Deletes a note, if the user agrees", delete)
        .template("notes://{name}", note, read)
        .prompt("summarize", "Asks for a summary of a note", summarize);
    let server = Server::builder("notes", "1.0.0").kit(kit).build()?;
    serve_stdio(&server).await?;
    Ok(())
}
