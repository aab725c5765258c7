//! Notes: state, two tools, a template, a prompt and a question, on standard input and output.

use hobnob_mcp::types::form::FormSchema;
use hobnob_mcp::types::form_field::BooleanSchema;
use hobnob_mcp::{
    Context, ElicitParams, Kit, KitError, Prompt, PromptArgument, ResourceContents,
    ResourceTemplate, Server, Structured, ToolError, ToolSpec, serve_stdio,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Default)]
struct Notes(Arc<Mutex<BTreeMap<String, String>>>);

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

#[derive(Serialize, JsonSchema)]
struct Count {
    /// How many notes there are now.
    count: usize,
}

#[derive(Deserialize)]
struct Confirmation {
    confirmed: bool,
}

impl Notes {
    fn text(&self, name: &str) -> Result<String, ToolError> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes
            .get(name)
            .cloned()
            .ok_or_else(|| ToolError::failed(format!("there is no note {name}")))
    }
}

fn kit(notes: Notes) -> Result<Kit, KitError> {
    let (adding, deleting, reading, prompting) =
        (notes.clone(), notes.clone(), notes.clone(), notes);
    Kit::plain("notes")
        .tool(
            ToolSpec::new("add", "Adds a note under a name").output::<Count>(),
            move |note: NewNote, _: Context| {
                let notes = adding.clone();
                async move {
                    let mut notes = notes.0.lock().unwrap_or_else(PoisonError::into_inner);
                    notes.insert(note.name, note.text);
                    Ok(Structured(Count { count: notes.len() }))
                }
            },
        )?
        .tool(
            ToolSpec::new("delete", "Deletes a note, if the user agrees"),
            move |NoteName { name }: NoteName, context: Context| {
                let notes = deleting.clone();
                async move {
                    notes.text(&name)?;
                    let form = FormSchema::new().required("confirmed", BooleanSchema::default());
                    let question = ElicitParams::form(format!("Delete {name}?"), form);
                    let answer: Option<Confirmation> =
                        context.elicit("confirm", question)?.form()?;
                    if !answer.is_some_and(|answer| answer.confirmed) {
                        return Ok("kept");
                    }
                    notes.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
                    Ok("deleted")
                }
            },
        )?
        .template(ResourceTemplate::new("notes://{name}", "note"), move |matched, _| {
            let notes = reading.clone();
            async move {
                let text = notes.text(matched.get("name"));
                let text = text.map_err(|_| ToolError::no_resource(matched.uri.as_str()))?;
                Ok(ResourceContents::text(&matched.uri, "text/plain", text))
            }
        })?
        .prompt(
            Prompt::new("summarize")
                .with_description("Asks for a summary of a note")
                .with_argument(
                    PromptArgument::required("name").with_description("The name of the note"),
                )
                .with_argument(
                    PromptArgument::required("words").with_description("At most this many words"),
                ),
            move |given, _| {
                let notes = prompting.clone();
                async move {
                    let name = given.get("name").map_or("", String::as_str);
                    let words: u32 = given.get("words").map_or("", String::as_str).parse()?;
                    Ok(format!("Summarize in at most {words} words: {}", notes.text(name)?))
                }
            },
        )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("notes", "1.0.0").kit(kit(Notes::default())?).build()?;
    serve_stdio(&server).await?;
    Ok(())
}
