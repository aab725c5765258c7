//! Rules as a test scripts them. What the page asks for is written down.

use crate::page_hub::ScriptedHub;
use hobnob_mcp_engine::BoxFuture;
use hobnob_ui::{
    ChangePreview, PageRules, RuleAnswer, RuleQuestion, RulesChange, RulesChanged, RulesProblem,
    RulesReport, ThoughtChange,
};
use std::future::ready;

impl PageRules for ScriptedHub {
    fn read(&self) -> RulesReport {
        RulesReport { file: "/c/config.toml".into(), digest: "d".into(), ..RulesReport::default() }
    }

    fn decide(&self, question: RuleQuestion) -> Result<RuleAnswer, RulesProblem> {
        self.done.lock().push(format!("decide {} for {:?}", question.tool, question.principal));
        Err(RulesProblem::Wrong("there is no tool".into()))
    }

    fn preview(&self, change: ThoughtChange) -> Result<ChangePreview, RulesProblem> {
        self.done.lock().push(format!("preview {change:?}"));
        Err(RulesProblem::Changed("the rules changed".into()))
    }

    fn change(&self, change: RulesChange) -> BoxFuture<'_, Result<RulesChanged, RulesProblem>> {
        self.done.lock().push(format!("{change:?}"));
        let failed = || Err(RulesProblem::Failed("the disk is full".into()));
        Box::pin(ready(match change {
            RulesChange::Add(rule) if rule.tool == "full" => failed(),
            RulesChange::Add(_) => Ok(RulesChanged::default()),
            RulesChange::TakeBack(_) => Err(RulesProblem::Changed("it changed".into())),
        }))
    }
}
