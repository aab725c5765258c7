//! Runs one turn, which Ctrl-C stops. Ctrl-C arrives as a signal even while a question is open.

use hobnob_agent::{Agent, AgentView, TurnReport};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::signals::Signals;
use std::pin::pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Takes a turn to its end. The first signal cancels it gracefully, a second one ends the command.
pub(super) async fn run_turn(
    agent: &mut Agent,
    question: String,
    view: &Arc<dyn AgentView>,
    signals: &mut Signals,
) -> anyhow::Result<TurnReport> {
    let cancel = CancellationToken::new();
    let mut turn = pin!(agent.turn(question, view, &cancel));
    loop {
        tokio::select! {
            report = &mut turn => return Ok(report?),
            () = signals.next() => match cancel.is_cancelled() {
                false => cancel.cancel(),
                true => return Err(Ended::silently(Code::Interrupted).into()),
            },
        }
    }
}
