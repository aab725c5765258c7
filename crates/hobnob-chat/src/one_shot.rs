//! `hobnob chat -p`: one question, its answer, the end. For scripts.
//!
//! What must stay true: standard output has the answer and nothing else, or one JSON object per
//! line; a signal ends the turn, and with it everything that it started.

use super::json_view::{JsonView, end_words};
use super::open::OpenChat;
use super::run_turn::run_turn;
use super::server_warnings::ServerWarnings;
use super::text_view::{self, TextView};
use hobnob_agent::{AgentView, ChatTotals, TurnEnd, TurnReport};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::Hub;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::signals::Signals;
use hobnob_terminal::terminal::Terminal;
use serde_json::json;
use std::sync::Arc;

/// Asks once and prints the answer.
pub async fn run_once(
    mut chat: OpenChat,
    question: String,
    output: Output,
    hub: &Hub,
    terminal: &Arc<Terminal>,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    let view: Arc<dyn AgentView> = match output {
        Output::Json => Arc::new(JsonView),
        Output::People => Arc::new(TextView(terminal.spinner.clone())),
    };
    let question = match chat.prepare(question, &view).await {
        Ok(question) => question,
        Err(why) => {
            chat.end().await;
            return Err(Ended::new(Code::Denied, why).into());
        }
    };
    let report = run_turn(&mut chat.agent, question, &view, signals).await?;
    terminal.spinner.clear();
    // A server that could not be used may explain the answer.
    ServerWarnings::default().warn(hub).await;
    chat.warn_of_tools();
    chat.end().await;
    let session = chat.agent.conversation().session().map(|it| it.name.to_string());
    match output {
        Output::Json => print_result(&report, session.as_deref(), &chat.agent.totals())?,
        Output::People => text_view::print(&report.text)?,
    }
    ended(&report.end)
}

fn print_result(
    report: &TurnReport,
    session: Option<&str>,
    totals: &ChatTotals,
) -> anyhow::Result<()> {
    let (reason, message) = end_words(&report.end);
    render::json_line(&json!({
        "type": "result",
        "reason": reason,
        "message": message,
        "text": report.text,
        "session": session,
        "requests": report.requests,
        "usage": totals.usage,
        "cost_usd": totals.cost(),
    }))
}

/// The exit code of a turn, with the reason for people.
fn ended(end: &TurnEnd) -> anyhow::Result<()> {
    match end {
        TurnEnd::Complete => Ok(()),
        TurnEnd::Interrupted => Err(Ended::silently(Code::Interrupted).into()),
        TurnEnd::Failed(why) => Err(Ended::new(Code::Failed, why.clone()).into()),
        TurnEnd::Limit(limit) => Err(Ended::new(Code::Failed, limit.to_string()).into()),
    }
}
