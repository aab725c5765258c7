//! `/clear`, `/compact`, `/save`, `/resume`, `/branch`: the conversation itself.

use super::super::chat_sessions::{ListedChat, SessionChoice};
use super::super::conversing::Conversing;
use hobnob_agent::{Speaker, said_by};
use hobnob_store::trees::{NodeContent, NodeId, TreeNode};
use hobnob_terminal::render::{self, Cell, Table, one_line};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use tokio_util::sync::CancellationToken;

/// Characters of a question that a list shows.
const MAX_QUESTION_CHARS: usize = 70;

pub(super) async fn clear(chat: &mut Conversing<'_>) -> anyhow::Result<()> {
    chat.switch(&SessionChoice::New).await?;
    render::line("a new conversation; the old one stays: /resume")
}

pub(super) async fn compact(chat: &mut Conversing<'_>, keep: &str) -> anyhow::Result<()> {
    let keep = Some(keep).filter(|keep| !keep.is_empty());
    let view = chat.view();
    let cancel = CancellationToken::new();
    let made = tokio::select! {
        made = chat.open.agent.summarise(keep, &view, &cancel) => made?,
        () = chat.signals.next() => Err("interrupted".to_owned()),
    };
    if let Err(why) = made {
        render::error(&format!("no summary was made: {why}"));
    }
    Ok(())
}

pub(super) async fn save(chat: &mut Conversing<'_>, file: &str) -> anyhow::Result<()> {
    if file.is_empty() {
        render::error("name the file: /save notes.md");
        return Ok(());
    }
    let mut text = String::new();
    for (speaker, said) in said_by(&chat.whole_path().await?) {
        let who = match speaker {
            Speaker::System => "Instructions",
            Speaker::Summary => "Summary",
            Speaker::Person => "You",
            Speaker::Assistant | Speaker::Caller => "Assistant",
            Speaker::Tool => "Tool",
        };
        let _fits = writeln!(text, "## {who}\n\n{said}\n");
    }
    let path = chat.places.project.join(file);
    let opened = OpenOptions::new().write(true).create_new(true).open(&path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => render::line(&format!("written to {}", path.display())),
        Err(error) => {
            render::error(&format!("{}: {error}", path.display()));
            Ok(())
        }
    }
}

pub(super) async fn resume(chat: &mut Conversing<'_>, wanted: &str) -> anyhow::Result<()> {
    let listed = chat.listed_chats().await?;
    if wanted.is_empty() {
        return list(&listed);
    }
    let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let name = match number.and_then(|at| listed.get(at)) {
        Some(chosen) => chosen.session.name.to_string(),
        None => wanted.to_owned(),
    };
    if let Err(error) = chat.switch(&SessionChoice::Existing(name.clone())).await {
        render::error(&format!("{error:#}; /resume lists your chats"));
        return Ok(());
    }
    render::line(&format!("going on with {name}"))?;
    chat.show_last_turns();
    Ok(())
}

fn list(chats: &[ListedChat]) -> anyhow::Result<()> {
    if chats.is_empty() {
        return render::line("there are no earlier chats of this project");
    }
    let mut table = Table::new(&["", "FIRST QUESTION", "LAST USED", "QUESTIONS", "NAME"]);
    for (at, ListedChat { session, first, questions }) in chats.iter().enumerate() {
        let first: String = one_line(first.lines().next().unwrap_or_default());
        let first: String = first.chars().take(MAX_QUESTION_CHARS).collect();
        let used = Timestamp::from_millisecond(session.updated.millis()).unwrap_or_default();
        let used = render::relative(&used.to_string());
        let (number, name) = ((at + 1).to_string(), session.name.to_string());
        table.row([number, first, used, questions.to_string(), name].map(Cell::from));
    }
    render::text(&table.to_text())?;
    render::line("/resume NUMBER goes on with one")
}

pub(super) async fn branch(chat: &mut Conversing<'_>, number: &str) -> anyhow::Result<()> {
    let questions: Vec<(NodeId, String)> =
        chat.open.agent.conversation().path().iter().filter_map(question).collect();
    if number.is_empty() {
        for (at, (_, text)) in questions.iter().enumerate() {
            let text: String = one_line(text).chars().take(MAX_QUESTION_CHARS).collect();
            render::line(&format!("  {}  {text}", at + 1))?;
        }
        return render::line("/branch NUMBER goes back before that question");
    }
    let at = number.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
    let Some((parent, text)) = at.and_then(|at| questions.get(at)).cloned() else {
        render::error(&format!(
            "there is no question `{number}`: choose one of 1 to {}",
            questions.len()
        ));
        return Ok(());
    };
    chat.open.agent.move_to(parent).await?;
    // The person can edit the question and send it again.
    chat.ahead.back_to_draft(Some(text));
    render::line("back before that question; what came after it stays in the tree")
}

/// A question of the person, and the node before it.
fn question(node: &TreeNode) -> Option<(NodeId, String)> {
    match &node.content {
        NodeContent::Text { role, text } if role == "user" => {
            Some((node.shape.parent.clone()?, text.clone()))
        }
        _ => None,
    }
}
