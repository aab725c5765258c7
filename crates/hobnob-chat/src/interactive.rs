//! The loop of an interactive chat: reads a line, runs it as a `/` command or asks the model, until the
//! person leaves. Keys that are pressed meanwhile become the next lines.
//!
//! What must stay true: Ctrl-C ends the turn and everything that it started, and the conversation
//! goes on; a second Ctrl-C leaves. A signal that ends the process leaves the terminal as it was.

use super::commands::{AfterCommand, run_command};
use super::completion::ChatWords;
use super::conversing::Conversing;
use super::editor::{ChatEditor, TypedInput};
use super::open::OpenChat;
use super::screen::{PROMPT, Screen};
use super::server_warnings::ServerWarnings;
use super::typed_ahead::TypedAhead;
use hobnob_config::Places;
use hobnob_mcp_client::ListKind;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::Hub;
use hobnob_terminal::render;
use hobnob_terminal::signals::Signals;
use hobnob_terminal::terminal::Terminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Name of the history file in the state folder.
const HISTORY_FILE: &str = "chat-history";

/// How long after Ctrl-C on an empty line a second Ctrl-C leaves.
const LEAVE_WINDOW: Duration = Duration::from_secs(2);

/// Runs the chat until the person leaves.
pub async fn converse(
    open: OpenChat,
    hub: &Hub,
    places: &Places,
    terminal: &Arc<Terminal>,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    let words = ChatWords::new(&places.project);
    let screen = Arc::new(Screen::new(terminal.spinner.clone(), &places.project));
    let history = places.state_dir.join(HISTORY_FILE);
    let editor = ChatEditor::open(&history, words.clone(), Arc::clone(&screen))?;
    let ahead = TypedAhead::default();
    let keyboard = &terminal.keyboard;
    let mut chat = Conversing { open, hub, places, signals, ahead, screen, keyboard };
    chat.greet()?;
    let done = talk(&mut chat, &editor, &words).await;
    chat.open.end().await;
    done
}

async fn talk(
    chat: &mut Conversing<'_>,
    editor: &ChatEditor,
    words: &ChatWords,
) -> anyhow::Result<()> {
    let (mut interrupted, mut warnings) = (None::<Instant>, ServerWarnings::default());
    loop {
        let typed = match next_line(chat, editor)? {
            Some(line) => TypedInput::Text(line),
            None => {
                keeping_keys(chat, async |chat| {
                    refresh_completion(chat, words).await;
                    warnings.warn(chat.hub).await;
                })
                .await;
                // The window begins at the prompt: no second Ctrl-C can come before it.
                interrupted = interrupted.map(|_| Instant::now());
                read_line(chat, editor).await?
            }
        };
        let text = match typed {
            TypedInput::Ahead => continue,
            TypedInput::End => return Ok(()),
            TypedInput::Interrupted if leaves(interrupted, Instant::now()) => return Ok(()),
            TypedInput::Interrupted => {
                interrupted = Some(Instant::now());
                render::note("press Ctrl-C again to leave");
                continue;
            }
            TypedInput::Text(text) => text,
        };
        interrupted = None;
        match text.trim().strip_prefix('/') {
            None if text.trim().is_empty() => {}
            Some(command) => {
                let done = keeping_keys(chat, async |chat| run_command(chat, command).await);
                if done.await? == AfterCommand::Leave {
                    return Ok(());
                }
            }
            None => keeping_keys(chat, async |chat| chat.say(text).await).await?,
        }
    }
}

async fn read_line(chat: &mut Conversing<'_>, editor: &ChatEditor) -> anyhow::Result<TypedInput> {
    let reading = editor.read(chat.keyboard, &chat.ahead);
    tokio::select! {
        typed = reading => typed,
        () = chat.signals.terminated() => Err(terminated()),
    }
}

/// The next line that was typed while an answer came, shown as if it were typed now.
fn next_line(chat: &Conversing<'_>, editor: &ChatEditor) -> anyhow::Result<Option<String>> {
    if chat.signals.is_terminated() {
        return Err(terminated());
    }
    let line = chat.ahead.next_line();
    if let Some(line) = &line {
        render::text(&format!("{PROMPT}{}\n", render::safe(line)))?;
        editor.remember(line);
    }
    Ok(line)
}

/// Does some work, and keeps what is typed meanwhile for the next line.
async fn keeping_keys<'a, T>(
    chat: &mut Conversing<'a>,
    work: impl AsyncFnOnce(&mut Conversing<'a>) -> T,
) -> T {
    let keyboard = chat.keyboard;
    let (ahead, screen) = (chat.ahead.clone(), Arc::clone(&chat.screen));
    let typed = Arc::new(move |keys: &[u8]| screen.show_draft(ahead.push_keys(keys)));
    let done = tokio::select! {
        done = work(chat) => done,
        never = keyboard.watch_keys(typed) => match never {},
    };
    chat.screen.show_draft(String::new());
    done
}

/// Whether Ctrl-C on an empty line leaves; `before` is the last press, if nothing came after it.
fn leaves(before: Option<Instant>, now: Instant) -> bool {
    before.is_some_and(|before| now.duration_since(before) <= LEAVE_WINDOW)
}

fn terminated() -> anyhow::Error {
    Ended::silently(Code::Interrupted).into()
}

/// Updates the editor's completion to what servers offer now.
async fn refresh_completion(chat: &Conversing<'_>, words: &ChatWords) {
    let keys = async |list| {
        let read = chat.hub.keys(list).await;
        read.inspect_err(|error| tracing::debug!("no completion: {error:#}")).unwrap_or_default()
    };
    let servers = chat.hub.names().servers().to_vec();
    words.set(keys(ListKind::Prompts).await, keys(ListKind::Resources).await, servers);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_ctrl_c_leaves_only_soon_after_the_first() {
        let first = Instant::now();
        let after = |time| leaves(Some(first), first + time);
        assert!(!leaves(None, first));
        assert!(after(Duration::ZERO) && after(LEAVE_WINDOW));
        assert!(!after(LEAVE_WINDOW + Duration::from_millis(1)));
    }
}
