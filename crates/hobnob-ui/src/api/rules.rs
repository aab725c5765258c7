//! `/ui/api/rules…`: what decides about calls, what would happen to one, and changes of rules,
//! grants, tokens and approvals.
//!
//! What must stay true: only the hub's port changes anything, and a change that is not about what
//! the person saw is answered 409.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::routes::RulesAction;
use crate::rules::{PageRules, RulesChange, RulesProblem};
use std::sync::Arc;
use tokio::task::spawn_blocking;

pub(super) async fn read(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let report = blocking(request, |rules| Ok(rules.read())).await?;
    json(&report)
}

pub(super) async fn act(
    request: &SessionRequest<'_>,
    action: RulesAction,
) -> Result<PageResponse, PageProblem> {
    let rules = &request.page.options.rules;
    match action {
        RulesAction::Decide => {
            let question = request.body()?;
            json(&blocking(request, move |rules| rules.decide(question)).await?)
        }
        RulesAction::Preview => {
            let change = request.body()?;
            json(&blocking(request, move |rules| rules.preview(change)).await?)
        }
        RulesAction::Add => {
            let change = RulesChange::Add(request.body()?);
            json(&rules.change(change).await.map_err(problem)?)
        }
        RulesAction::TakeBack => {
            let change = RulesChange::TakeBack(request.body()?);
            json(&rules.change(change).await.map_err(problem)?)
        }
    }
}

async fn blocking<T: Send + 'static>(
    request: &SessionRequest<'_>,
    read: impl FnOnce(&dyn PageRules) -> Result<T, RulesProblem> + Send + 'static,
) -> Result<T, PageProblem> {
    let rules = Arc::clone(&request.page.options.rules);
    let read = spawn_blocking(move || read(&*rules)).await;
    let read = read.map_err(|_| PageProblem::internal("the rules cannot be read"))?;
    read.map_err(problem)
}

fn problem(problem: RulesProblem) -> PageProblem {
    match problem {
        RulesProblem::Changed(why) => PageProblem::conflict(why),
        RulesProblem::Wrong(why) => PageProblem::bad_input(why),
        RulesProblem::Failed(why) => PageProblem::internal(why),
    }
}
