//! Notes: state, two tools, a template, a prompt and a question, on standard input and output.

use hobnob_mcp::{Context, Kit, ResourceSpec, Server, Structured, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

type Notes = parking_lot::Mutex<BTreeMap<String, String>>;

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

fn text(notes: &Notes, name: &str) -> Result<String, ToolError> {
    let missing = || ToolError::failed(format!("there is no note {name}"));
    notes.lock().get(name).cloned().ok_or_else(missing)
}

async fn add(note: NewNote, context: Context<Notes>) -> Structured<Count> {
    let mut notes = context.state().lock();
    notes.insert(note.name, note.text);
    Structured(Count { count: notes.len() })
}

async fn delete(note: NoteName, context: Context<Notes>) -> Result<&'static str, ToolError> {
    text(context.state(), &note.name)?;
    if !context.confirm("confirm", &format!("Delete {}?", note.name))? {
        return Ok("kept");
    }
    context.state().lock().remove(&note.name);
    Ok("deleted")
}

async fn read(note: NoteName, context: Context<Notes>) -> Option<String> {
    context.state().lock().get(&note.name).cloned()
}

async fn summarize(summary: Summary, context: Context<Notes>) -> Result<String, ToolError> {
    let text = text(context.state(), &summary.name)?;
    Ok(format!("Summarize in at most {} words: {text}", summary.words))
}

fn main() -> std::io::Result<()> {
    let notes = Kit::plain("notes")
        .with_state(Notes::default())
        .tool("add", "Adds a note under a name", add)
        .tool("delete", "Deletes a note, if the user agrees", delete)
        .template("notes://{name}", ResourceSpec::text("note", "A note by its name"), read)
        .prompt("summarize", "Asks for a summary of a note", summarize);
    Server::of(notes).run_stdio()
}
