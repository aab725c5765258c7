//! A chat with somebody at the terminal: a line is read, a turn is taken, until they leave.
//!
//! What must stay true: Ctrl-C ends the turn and everything that it started, and the conversation goes
//! on; a second one leaves. Whoever ends the process finds the terminal as it was.

use super::commands::{AfterCommand, run_command};
use super::completion::ChatWords;
use super::conversing::Conversing;
use super::editor::{ChatEditor, TypedInput};
use super::open::OpenChat;
use super::screen::Screen;
use super::server_warnings::ServerWarnings;
use hobnob_config::Places;
use hobnob_mcp_client::ListKind;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::Hub;
use hobnob_terminal::render;
use hobnob_terminal::signals::Signals;
use hobnob_terminal::terminal::Terminal;
use std::sync::Arc;

/// The file with what was typed, in the state folder.
const HISTORY: &str = "chat-history";

/// Talks until the person leaves.
pub async fn converse(
    open: OpenChat,
    hub: &Hub,
    places: &Places,
    terminal: &Arc<Terminal>,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    let words = ChatWords::new(&places.project);
    let editor = ChatEditor::open(&places.state_dir.join(HISTORY), words.clone())?;
    let screen = Arc::new(Screen::new(Arc::clone(terminal), &places.project));
    let mut chat = Conversing { open, hub, places, signals, begun: String::new(), screen };
    chat.greet()?;
    let done = talk(&mut chat, &editor, &words, terminal).await;
    chat.open.end().await;
    done
}

async fn talk(
    chat: &mut Conversing<'_>,
    editor: &ChatEditor,
    words: &ChatWords,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let (mut interrupted, mut warnings) = (false, ServerWarnings::default());
    loop {
        refresh(chat, words).await;
        warnings.tell(chat.hub).await;
        let reading = editor.read(terminal, std::mem::take(&mut chat.begun));
        let typed = tokio::select! {
            typed = reading => typed?,
            () = chat.signals.terminated() => return Err(Ended::silently(Code::Interrupted).into()),
        };
        match typed {
            TypedInput::End => return Ok(()),
            TypedInput::Interrupted if interrupted => return Ok(()),
            TypedInput::Interrupted => {
                interrupted = true;
                render::note("press Ctrl-C again to leave");
                continue;
            }
            TypedInput::Text(text) if text.trim().is_empty() => {}
            TypedInput::Text(text) => match text.trim().strip_prefix('/') {
                Some(command) => {
                    if run_command(chat, command).await? == AfterCommand::Leave {
                        return Ok(());
                    }
                }
                None => chat.say(text).await?,
            },
        }
        interrupted = false;
    }
}

/// What the editor completes, as servers offer it now.
async fn refresh(chat: &Conversing<'_>, words: &ChatWords) {
    let keys = async |list| match chat.hub.list(list).await {
        Ok(entries) => entries.into_iter().map(|entry| entry.key).collect(),
        Err(error) => {
            tracing::debug!("no completion: {error:#}");
            Vec::new()
        }
    };
    let servers = chat.hub.names().servers().to_vec();
    words.set(keys(ListKind::Prompts).await, keys(ListKind::Resources).await, servers);
}
