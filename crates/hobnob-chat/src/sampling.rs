//! Lends the model of the chat to servers that ask for it (`sampling/createMessage`).
//!
//! `call_host` asks here. What must stay true: a person agrees first, or has agreed in the settings
//! or on the command line; all servers together stay within the budget of the chat; what they take
//! is counted; and they get nothing of the conversation.

mod request;

use super::call_origin::CallOrigin;
use hobnob_agent::{
    AgentEvent, AgentView, AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer, SharedTotals,
};
use hobnob_llm::{ModelRequest, ResolvedModel, TokenBudget};
use hobnob_mcp_types::sampling::CreateMessageParams;
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_policy::Glob;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::terminal::{ShownDecision, Terminal};
use parking_lot::Mutex;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashMap;
use std::sync::Arc;

/// The protocol's own code for a question that the person refused.
const REFUSED: ErrorCode = ErrorCode(-1);

const ANSWERS: &[&str] = &["Yes, once", "Yes, for this chat", "No", "No, never in this chat"];
const ONCE: usize = 0;
const FOR_CHAT: usize = 1;
const NO: usize = 2;
const NEVER: usize = 3;

/// What the person has said of a server, until the chat ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandingAnswer {
    Yes,
    Never,
}

/// Which servers may use the model without a question, and how many tokens all of them may use.
#[derive(Debug, Clone)]
pub(crate) struct SamplingRules {
    budget: TokenBudget,
    allow: Vec<Glob>,
}

impl SamplingRules {
    /// Reads the patterns of the settings and of the command line.
    pub(crate) fn new(tokens: u64, servers: &[String], allowed: &[String]) -> Result<Self, Ended> {
        let read = |(from, pattern): (&str, &String)| {
            let bad = |error| Ended::usage(format!("{from} {pattern}: {error}"));
            Glob::for_name(pattern).map_err(bad)
        };
        let settings = servers.iter().map(|it| ("sampling_servers of [chat]:", it));
        let options = allowed.iter().map(|it| ("--allow-sampling", it));
        let allow = settings.chain(options).map(read).collect::<Result<_, _>>()?;
        Ok(Self { budget: TokenBudget::new(tokens), allow })
    }

    fn allows(&self, origin: &CallOrigin) -> bool {
        match origin {
            // If refused, it would ask the model of the settings instead, also without a question.
            CallOrigin::Memory => true,
            CallOrigin::Server(server) => self.allow.iter().any(|glob| glob.matches(server)),
            CallOrigin::Behind(_) => false,
        }
    }
}

/// Lends the model of a chat to servers.
pub(crate) struct Sampling {
    terminal: Arc<Terminal>,
    rules: SamplingRules,
    model: Mutex<ResolvedModel>,
    answers: Arc<Mutex<HashMap<CallOrigin, StandingAnswer>>>,
    spent: SharedTotals,
}

impl Sampling {
    /// What servers take is counted in `spent`.
    pub(crate) fn new(
        terminal: Arc<Terminal>,
        model: ResolvedModel,
        rules: SamplingRules,
        spent: SharedTotals,
    ) -> Self {
        Self { terminal, rules, model: Mutex::new(model), answers: Arc::default(), spent }
    }

    /// Lets another model answer from now on.
    pub(crate) fn set_model(&self, model: ResolvedModel) {
        *self.model.lock() = model;
    }

    /// Whether servers may ask at all.
    pub(super) fn is_offered(&self) -> bool {
        0 < self.rules.budget.limit()
    }

    /// Answers a server that asks while this tool runs.
    pub(super) async fn answer(
        &self,
        origin: &CallOrigin,
        tool: &str,
        params: &CreateMessageParams,
        view: &Arc<dyn AgentView>,
    ) -> Result<Box<RawValue>, RpcError> {
        self.check_budget()?;
        let model = self.model.lock().clone();
        let mut request =
            request::model_request(&model.model.id, params).map_err(RpcError::invalid_params)?;
        request.budget = Some(self.rules.budget.clone());
        self.consent(origin, || {
            let used = (self.rules.budget.taken(), self.rules.budget.limit());
            request::consent_text(&request, origin, tool, &model.full_name(), used)
        })
        .await?;
        let answer = self.ask(&model, request).await?;
        let (usage, cost) = (answer.completion.usage, answer.completion.cost);
        view.show(&AgentEvent::Sampled { by: origin.words(), usage, cost });
        let result = request::result(&model.model.id, &answer);
        to_raw_value(&result).map_err(|_| RpcError::internal())
    }

    fn check_budget(&self) -> Result<(), RpcError> {
        let (taken, limit) = (self.rules.budget.taken(), self.rules.budget.limit());
        match taken < limit {
            true => Ok(()),
            false => Err(refused(format!(
                "the model is not lent any more: servers have used {taken} of {limit} tokens in \
                 this chat (sampling_tokens of [chat] in config.toml)"
            ))),
        }
    }

    /// Returns once the person agrees, or has agreed before.
    async fn consent(
        &self,
        origin: &CallOrigin,
        text: impl FnOnce() -> String,
    ) -> Result<(), RpcError> {
        let by_person = || refused("the person refused to lend the model");
        if let Some(answer) = self.answers.lock().get(origin) {
            return match answer {
                StandingAnswer::Yes => Ok(()),
                StandingAnswer::Never => Err(by_person()),
            };
        }
        if self.rules.allows(origin) {
            return Ok(());
        }
        if !self.terminal.is_attended() {
            return Err(refused(match origin.server() {
                Some(server) => format!(
                    "{} asks for the model of this chat, and nobody is there to agree: pass \
                     `--allow-sampling {server}`, or name it in sampling_servers of [chat] in \
                     config.toml",
                    origin.words()
                ),
                None => format!(
                    "{} asks for the model of this chat, and nobody is there to agree",
                    origin.words()
                ),
            }));
        }
        let decision = ShownDecision {
            text: text(),
            question: "May it use the model?",
            answers: ANSWERS,
            refusal: NO,
        };
        let (answers, asker) = (Arc::clone(&self.answers), origin.clone());
        let known = move || match answers.lock().get(&asker)? {
            StandingAnswer::Yes => Some(ONCE),
            StandingAnswer::Never => Some(NO),
        };
        let (answers, asker) = (Arc::clone(&self.answers), origin.clone());
        let remember = move |answer: usize| {
            let standing = match answer {
                FOR_CHAT => StandingAnswer::Yes,
                NEVER => StandingAnswer::Never,
                _ => return,
            };
            answers.lock().insert(asker, standing);
        };
        match self.terminal.keyboard.decide(decision, known, remember).await? {
            ONCE | FOR_CHAT => Ok(()),
            _ => Err(by_person()),
        }
    }

    async fn ask(
        &self,
        model: &ResolvedModel,
        request: ModelRequest,
    ) -> Result<ModelAnswer, RpcError> {
        let stream = model.provider.chat(request);
        let mut receiver = AnswerReceiver::new(stream, AnswerLimits::default());
        let answered = loop {
            match receiver.next().await {
                Ok(AnswerPart::Complete(answer)) => {
                    self.spent.add(&answer.completion);
                    break answer.not_empty();
                }
                Ok(AnswerPart::Event(_)) => {}
                Err(why) => break Err(why),
            }
        };
        match answered {
            Ok(answer) => Ok(answer),
            Err(why) => {
                // Another question may have used up the budget meanwhile.
                self.check_budget()?;
                let words = format!("the model gave no answer: {why}");
                Err(RpcError::new(ErrorCode::INTERNAL, words))
            }
        }
    }
}

fn refused(words: impl Into<std::borrow::Cow<'static, str>>) -> RpcError {
    RpcError::new(REFUSED, words)
}
