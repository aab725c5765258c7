//! Turns with a scripted model, scripted tools and a real store.

use super::{Agent, AgentParts, AskOptions, TurnReport};
use crate::agent_event::{AgentEvent, AgentView};
use crate::agent_tools::{AgentTools, CallScope, ToolReport};
use crate::chat_totals::SharedTotals;
use crate::conversation::Conversation;
use crate::effective_call::EffectiveCall;
use crate::history::PastCalls;
use crate::hooks::{AgentHooks, HookVerdict, NoHooks};
use crate::sub_agents::SubAgents;
use crate::turn::{TurnEnd, TurnLimit, TurnLimits};
use futures_util::future::BoxFuture;
use hobnob_llm::{
    ModelBlock, ModelCompletion, ModelEvent, ModelInfo, ModelRequest, ModelStream, ModelTool,
    Provider, ProviderError, ResolvedModel, StopReason, ThinkingWish, TokenUsage, ToolInput,
    ToolUse,
};
use hobnob_store::model_sessions::{ModelSessionName, NewModelSession};
use hobnob_store::{Owner, Store};
use hobnob_store_sqlite::SqliteStore;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the scripted model does when it is asked.
enum Reply {
    Says(&'static str),
    Calls(&'static [(&'static str, &'static str)]),
    Fails,
    /// Says this, and never ends.
    Hangs(&'static str),
    /// Says this, with this many tokens in the prompt.
    Counts(&'static str, u64),
    /// Says this, and is cut off at its maximum length.
    IsCut(&'static str),
    /// Asks for a call of `echo` with arguments that are no object.
    CallsBadly,
    /// The provider says that the request is too long.
    IsTooLong,
    /// Counts this many tokens of the prompt, says this, and never ends.
    CountsAndHangs(&'static str, u64),
    /// Counts this many tokens of the prompt, says this, and fails.
    CountsAndFails(&'static str, u64),
}

#[derive(Default)]
struct ScriptedModel {
    replies: Mutex<VecDeque<Reply>>,
    /// What the model does in a sub-agent.
    for_sub_agents: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Provider for ScriptedModel {
    fn name(&self) -> &str {
        "test"
    }

    fn models(&self) -> Vec<ModelInfo> {
        Vec::new()
    }

    fn chat(&self, request: ModelRequest) -> ModelStream {
        let of_sub_agent = request.system.as_deref().is_some_and(|it| it.contains("sub-agent"));
        let replies = if of_sub_agent { &self.for_sub_agents } else { &self.replies };
        self.asked.lock().push(request);
        let reply = replies.lock().pop_front().expect("the script has ended");
        ModelStream::start(|events| async move {
            let finish = |stop, tokens| {
                let usage = TokenUsage { input: tokens, output: 1, ..TokenUsage::default() };
                ModelEvent::Finished(ModelCompletion { stop, usage: Some(usage), cost: None })
            };
            match reply {
                Reply::Says(text) => {
                    events.send(ModelEvent::Text(text.into())).await;
                    events.send(finish(StopReason::End, 10)).await;
                }
                Reply::Counts(text, tokens) => {
                    events.send(ModelEvent::Text(text.into())).await;
                    events.send(finish(StopReason::End, tokens)).await;
                }
                Reply::Calls(calls) => {
                    for (at, (name, input)) in calls.iter().enumerate() {
                        let input = ToolInput::parse(input).unwrap();
                        let id = format!("{name}{at}").into();
                        let call = ToolUse { id, name: (*name).into(), input };
                        events.send(ModelEvent::ToolUse(call)).await;
                    }
                    events.send(finish(StopReason::ToolUse, 10)).await;
                }
                Reply::IsCut(text) => {
                    events.send(ModelEvent::Text(text.into())).await;
                    events.send(finish(StopReason::Length, 10)).await;
                }
                Reply::CallsBadly => {
                    let input = ToolInput::unusable("not an object: [1]".into());
                    let call = ToolUse { id: "bad".into(), name: "echo".into(), input };
                    events.send(ModelEvent::ToolUse(call)).await;
                    events.send(finish(StopReason::ToolUse, 10)).await;
                }
                Reply::IsTooLong => events.fail(ProviderError::TooLong("9 > 8".into())).await,
                Reply::CountsAndHangs(text, input) => {
                    let usage = TokenUsage { input, ..TokenUsage::default() };
                    events.send(ModelEvent::Usage(usage)).await;
                    events.send(ModelEvent::Text(text.into())).await;
                    std::future::pending::<()>().await;
                }
                Reply::CountsAndFails(text, input) => {
                    let usage = TokenUsage { input, ..TokenUsage::default() };
                    events.send(ModelEvent::Usage(usage)).await;
                    events.send(ModelEvent::Text(text.into())).await;
                    events.fail(ProviderError::Failed("connection lost".into())).await;
                }
                Reply::Fails => events.fail(ProviderError::Failed("overloaded".into())).await,
                Reply::Hangs(text) => {
                    events.send(ModelEvent::Text(text.into())).await;
                    std::future::pending::<()>().await;
                }
            }
        })
    }
}

/// `echo` returns its input; `hang` never ends, and `hanging` counts its running calls.
#[derive(Default)]
struct ScriptedTools {
    hanging: Arc<Mutex<usize>>,
}

struct Hanging(Arc<Mutex<usize>>);

impl Drop for Hanging {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
    }
}

impl AgentTools for ScriptedTools {
    fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>> {
        let tool = |name| ModelTool::new(name, "", r#"{"type":"object"}"#).unwrap();
        Box::pin(async move { vec![tool("echo"), tool("hang")] })
    }

    fn call<'a>(&'a self, call: &'a EffectiveCall, _scope: CallScope) -> BoxFuture<'a, ToolReport> {
        Box::pin(async move {
            match call.tool() {
                "echo" => ToolReport::done(call.arguments()),
                "hang" => {
                    *self.hanging.lock() += 1;
                    let _hanging = Hanging(Arc::clone(&self.hanging));
                    std::future::pending().await
                }
                other => ToolReport::failed(format!("no tool `{other}`")),
            }
        })
    }
}

#[derive(Default)]
struct Watched {
    events: Mutex<Vec<String>>,
    /// Cancelled when an event begins with this text.
    cancel_at: Option<(&'static str, CancellationToken)>,
}

impl AgentView for Watched {
    fn show(&self, event: &AgentEvent) {
        let line = match event {
            AgentEvent::Text(text) => format!("text {text}"),
            AgentEvent::CallStarted(call) => format!("call {}", call.name),
            AgentEvent::CallEnded { call, text, .. } => format!("result {} {text}", call.name),
            AgentEvent::TurnEnded(end) => format!("end {end:?}"),
            AgentEvent::Summarised(text) => format!("summary {text}"),
            AgentEvent::NotSummarised(why) => format!("no summary {why}"),
            AgentEvent::OfAgent { agent, event } => match &**event {
                AgentEvent::Text(text) => format!("{agent}: {text}"),
                AgentEvent::CallStarted(call) => format!("{agent}: call {}", call.name),
                _ => return,
            },
            _ => return,
        };
        if let Some((begin, cancel)) = &self.cancel_at
            && line.starts_with(begin)
        {
            cancel.cancel();
        }
        self.events.lock().push(line);
    }
}

struct Scene {
    agent: Agent,
    model: Arc<ScriptedModel>,
    tools: Arc<ScriptedTools>,
    spent: SharedTotals,
    _folder: tempfile::TempDir,
}

impl Scene {
    async fn with(replies: Vec<Reply>) -> Self {
        Self::with_hooks(replies, Arc::new(NoHooks)).await
    }

    async fn with_hooks(replies: Vec<Reply>, hooks: Arc<dyn AgentHooks>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&folder.path().join("s.db")).unwrap());
        let new = NewModelSession {
            name: ModelSessionName::parse("s").unwrap(),
            model: None,
            system_prompt: Some("system".into()),
            settings: None,
            metadata: None,
        };
        let conversation = Conversation::begin(store, Owner::default(), new).await.unwrap();
        let model =
            Arc::new(ScriptedModel { replies: Mutex::new(replies.into()), ..Default::default() });
        let tools = Arc::new(ScriptedTools::default());
        let spent = SharedTotals::default();
        let parts = AgentParts {
            model: resolved(&model),
            hooks,
            scanner: None,
            options: options(),
            spent: spent.clone(),
        };
        let agent = Agent::new(conversation, Arc::clone(&tools) as Arc<dyn AgentTools>, parts);
        Self { agent, model, tools, spent, _folder: folder }
    }

    async fn turn(&mut self, question: &str) -> (TurnReport, Vec<String>) {
        self.turn_until(question, None).await
    }

    /// Runs a turn that is cancelled when an event begins with this text.
    async fn turn_until(
        &mut self,
        question: &str,
        begin: Option<&'static str>,
    ) -> (TurnReport, Vec<String>) {
        let cancel = CancellationToken::new();
        let cancel_at = begin.map(|begin| (begin, cancel.clone()));
        let watched = Arc::new(Watched { cancel_at, ..Watched::default() });
        let view = Arc::clone(&watched) as Arc<dyn AgentView>;
        let report = self.agent.turn(question.into(), &view, &cancel).await.unwrap();
        let events = watched.events.lock().clone();
        (report, events)
    }

    /// The history that the model would see next, with one line for each message.
    fn history(&self) -> Vec<String> {
        let turns = self.agent.conversation().history(PastCalls::Calls).turns;
        let block = |block: &ModelBlock| match block {
            ModelBlock::Text(text) => text.clone(),
            ModelBlock::ToolUse(call) => format!("<{}>", call.name),
            ModelBlock::ToolResult(result) => format!("={}", result.text),
            ModelBlock::Image(_) | ModelBlock::Thinking(_) => String::new(),
        };
        turns
            .iter()
            .map(|turn| turn.blocks.iter().map(block).collect::<Vec<_>>().join(" "))
            .collect()
    }
}

fn resolved(model: &Arc<ScriptedModel>) -> ResolvedModel {
    resolved_with(model, 1_000)
}

fn resolved_with(model: &Arc<ScriptedModel>, context: u64) -> ResolvedModel {
    let info = ModelInfo { id: "m".into(), context: Some(context), ..ModelInfo::default() };
    ResolvedModel { provider: Arc::clone(model) as Arc<dyn Provider>, model: info }
}

fn options() -> AskOptions {
    let limits = TurnLimits { requests: 4, repeats: None, cost: None, tokens: None };
    AskOptions { limits, parallel: 2, max_tokens: None, thinking: ThinkingWish::Default }
}

#[tokio::test]
async fn a_turn_calls_what_the_model_wants_and_tells_it_what_came() {
    let calls = Reply::Calls(&[("echo", r#"{"a":1}"#), ("nope", "{}"), ("echo", "{}")]);
    let mut scene = Scene::with(vec![calls, Reply::Says("done")]).await;
    let (report, events) = scene.turn("go").await;
    assert_eq!((report.end, report.text.as_str()), (TurnEnd::Complete, "done"));
    assert_eq!((report.requests, report.kept), (2, true));
    let results = r#"={"a":1} =no tool `nope` ={}"#;
    assert_eq!(scene.history(), ["go", "<echo> <nope> <echo>", results, "done"]);
    assert_eq!(events.last().unwrap(), "end Complete");
    assert_eq!(events.iter().filter(|line| line.starts_with("call ")).count(), 3);
    let asked = scene.model.asked.lock();
    assert_eq!(asked[1].messages.len(), 3);
    assert_eq!(asked[1].tools.len(), 2);
    assert_eq!(scene.agent.totals().usage.unwrap().total(), 22);
}

#[tokio::test]
async fn a_failure_leaves_no_half_turn() {
    let mut scene = Scene::with(vec![Reply::Fails, Reply::Says("hello")]).await;
    let (report, _) = scene.turn("lost").await;
    assert!(matches!(&report.end, TurnEnd::Failed(why) if why.contains("overloaded")));
    assert!(!report.kept);
    assert_eq!(scene.history(), [""; 0]);
    scene.turn("again").await;
    assert_eq!(scene.history(), ["again", "hello"]);
}

#[tokio::test]
async fn an_interruption_leaves_a_whole_history_wherever_it_comes() {
    // While the model speaks.
    let mut scene = Scene::with(vec![Reply::Hangs("I wi"), Reply::Says("yes")]).await;
    let (report, _) = scene.turn_until("go", Some("text")).await;
    assert_eq!((report.end, report.kept), (TurnEnd::Interrupted, true));
    assert_eq!(scene.history(), ["go", "I wi\n\n[interrupted by the person]"]);
    scene.turn("on").await;
    assert_eq!(scene.history().last().unwrap(), "yes");

    // While tools run: both are cancelled, each has a result, and the next turn works.
    let calls = Reply::Calls(&[("echo", "{}"), ("hang", "{}"), ("hang", "{}")]);
    let mut scene = Scene::with(vec![calls, Reply::Says("yes")]).await;
    let (report, _) = scene.turn_until("go", Some("result echo")).await;
    assert_eq!(report.end, TurnEnd::Interrupted);
    assert_eq!(*scene.tools.hanging.lock(), 0);
    let history = scene.history();
    assert_eq!(history[..2], ["go", "<echo> <hang> <hang>"]);
    assert_eq!(history[2].matches("interrupted by the person").count(), 2, "{}", history[2]);
    scene.turn("on").await;
    assert_eq!(scene.history().last().unwrap(), "yes");

    // Before any part of the answer: the question may be asked again.
    let mut scene = Scene::with(vec![]).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let view: Arc<dyn AgentView> = Arc::new(Watched::default());
    let report = scene.agent.turn("go".into(), &view, &cancel).await.unwrap();
    assert_eq!((report.end, report.kept), (TurnEnd::Interrupted, false));
    assert_eq!(scene.history(), [""; 0]);
}

#[tokio::test]
async fn a_model_that_never_ends_is_stopped_and_told_why() {
    let call = |input| {
        Reply::Calls(match input {
            0 => &[("echo", r#"{"at":0}"#)],
            1 => &[("echo", r#"{"at":1}"#)],
            2 => &[("echo", r#"{"at":2}"#)],
            _ => &[("echo", r#"{"at":3}"#)],
        })
    };
    let mut scene = Scene::with((0..4).map(call).collect()).await;
    let (report, _) = scene.turn("go").await;
    assert_eq!(report.end, TurnEnd::Limit(TurnLimit::Requests(4)));
    let last = scene.history().pop().unwrap();
    assert_eq!(last, "=the call was not made: the model was asked 4 times in this turn");
}

/// The texts of a request, one for each block.
fn said(request: &ModelRequest) -> Vec<String> {
    let blocks = request.messages.iter().flat_map(|message| &message.blocks);
    blocks
        .map(|block| match block {
            ModelBlock::Text(text) => text.clone(),
            ModelBlock::ToolUse(call) => format!("<{}>", call.name),
            ModelBlock::ToolResult(result) => format!("={}", result.text),
            ModelBlock::Image(_) | ModelBlock::Thinking(_) => String::new(),
        })
        .collect()
}

/// How a summary of `text` looks to the model.
fn summary(text: &str) -> String {
    format!("[What was said until here, in short]\n{text}")
}

#[tokio::test]
async fn a_full_context_becomes_a_summary_and_the_question_stays() {
    let replies = vec![Reply::Counts("one", 900), Reply::Says("they said one"), Reply::Says("two")];
    let mut scene = Scene::with(replies).await;
    scene.turn("first").await;
    let (report, events) = scene.turn("second").await;
    assert_eq!((report.text.as_str(), report.kept), ("two", true));
    assert!(events.contains(&"summary they said one".to_owned()), "{events:?}");
    let asked = scene.model.asked.lock();
    let to_sum_up = asked[1].messages[0].text();
    assert!(asked[1].tools.is_empty() && to_sum_up.contains("first"), "{to_sum_up}");
    assert!(!to_sum_up.contains("second"), "{to_sum_up}");
    assert_eq!(said(&asked[2]), [summary("they said one"), "second".into()]);
    assert_eq!(asked[2].system.as_deref(), Some("system"));
    drop(asked);
    assert_eq!(scene.history(), [format!("{} second", summary("they said one")), "two".into()]);
}

#[tokio::test]
async fn a_long_question_or_result_fills_the_context_too() {
    // The question: the model is never asked about more than it takes.
    let replies = vec![Reply::Counts("one", 600), Reply::Says("sum"), Reply::Says("two")];
    let mut scene = Scene::with(replies).await;
    scene.turn("first").await;
    let long = "why ".repeat(300);
    let (_, events) = scene.turn(&long).await;
    assert!(events.contains(&"summary sum".to_owned()), "{events:?}");
    assert_eq!(said(&scene.model.asked.lock()[2]), [summary("sum"), long]);

    // A result in the middle of a turn: the summary covers the calls, and the question stays.
    let input: &'static str = r#"{"a":"0123456789012345678901234567890123456789"}"#;
    let calls: &'static [(&str, &str)] = vec![("echo", input); 70].leak();
    let replies = vec![Reply::Calls(&calls[..64]), Reply::Says("sum"), Reply::Says("done")];
    let mut scene = Scene::with(replies).await;
    scene.agent.set_model(resolved_with(&scene.model, 900));
    let (report, _) = scene.turn("what is it?").await;
    assert_eq!((report.end, report.text.as_str()), (TurnEnd::Complete, "done"));
    let asked = scene.model.asked.lock();
    assert!(asked[1].messages[0].text().contains("0123456789"), "{:?}", asked[1]);
    let open = summary("sum\n\n[What is being answered now]\nwhat is it?");
    assert_eq!(said(&asked[2]), [open]);
}

#[tokio::test]
async fn a_provider_that_says_the_prompt_is_too_long_is_asked_with_a_summary() {
    let replies = vec![
        Reply::Says("one"),
        Reply::IsTooLong,
        // At first, even the request for a summary is too long.
        Reply::IsTooLong,
        Reply::Says("sum"),
        Reply::Says("two"),
    ];
    let mut scene = Scene::with(replies).await;
    scene.turn("first").await;
    let (report, _) = scene.turn("second").await;
    assert_eq!((report.end, report.text.as_str()), (TurnEnd::Complete, "two"));
    assert_eq!(scene.history(), [format!("{} second", summary("sum")), "two".into()]);

    // Without anything to summarise, the person learns why the turn failed, and may ask for less.
    let mut scene = Scene::with(vec![Reply::IsTooLong, Reply::Says("one")]).await;
    let (report, _) = scene.turn("all of it").await;
    assert!(matches!(&report.end, TurnEnd::Failed(why) if why.contains("9 > 8")), "{report:?}");
    assert_eq!((report.kept, scene.history()), (false, Vec::new()));

    // If no summary can be made, an event says so, and the turn continues with the whole history.
    let fails = vec![Reply::Counts("one", 900), Reply::Fails, Reply::Says("two")];
    let mut scene = Scene::with(fails).await;
    scene.turn("first").await;
    let (report, events) = scene.turn("second").await;
    assert_eq!(report.text, "two");
    assert!(events.iter().any(|line| line.starts_with("no summary")), "{events:?}");
    assert_eq!(scene.history(), ["first", "one", "second", "two"]);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_no_complete_turn() {
    let mut scene = Scene::with(vec![Reply::IsCut("half an ans"), Reply::Says("wer")]).await;
    let (report, _) = scene.turn("go").await;
    assert_eq!(report.end, TurnEnd::Limit(TurnLimit::AnswerLength));
    assert!(report.kept);
    scene.turn("on").await;
    assert_eq!(scene.history(), ["go", "half an ans", "on", "wer"]);
}

#[tokio::test]
async fn an_empty_end_after_calls_is_an_end() {
    let calls = || Reply::Calls(&[("echo", "{}")]);
    let mut scene = Scene::with(vec![calls(), Reply::Says(""), Reply::Says("yes")]).await;
    let (report, _) = scene.turn("go").await;
    assert_eq!((report.end, report.kept), (TurnEnd::Complete, true));
    scene.turn("and?").await;
    assert_eq!(scene.history(), ["go", "<echo>", "={} and?", "yes"]);
    // Without a call before it, nothing was answered.
    let mut scene = Scene::with(vec![Reply::Says(" ")]).await;
    let (report, _) = scene.turn("go").await;
    assert!(matches!(&report.end, TurnEnd::Failed(why) if why.contains("without any text")));
}

#[tokio::test]
async fn the_model_hears_of_arguments_that_are_no_object() {
    let mut scene = Scene::with(vec![Reply::CallsBadly, Reply::Says("sorry")]).await;
    let (report, _) = scene.turn("go").await;
    assert_eq!((report.end, report.text.as_str()), (TurnEnd::Complete, "sorry"));
    let result = "=not an object: [1]; nothing was called";
    assert_eq!(scene.history(), ["go", "<echo>", result, "sorry"]);
}

#[tokio::test]
async fn an_interrupted_answer_counts() {
    // The provider's counts, and an estimate of what it has not counted.
    for (reply, input) in [
        (Reply::CountsAndHangs("so many words", 70), 70),
        (Reply::Hangs("so many words"), u64::try_from("system".len() / 4 + 4 / 4).unwrap()),
    ] {
        let mut scene = Scene::with(vec![reply]).await;
        scene.turn_until("why?", Some("text")).await;
        let usage = scene.agent.totals().usage.unwrap();
        assert_eq!((usage.input, usage.output), (input, 13 / 4));
    }
}

#[tokio::test]
async fn a_conversation_that_is_left_fills_no_other() {
    let replies = vec![Reply::Counts("one", 900), Reply::Says("two")];
    let mut scene = Scene::with(replies).await;
    let root = scene.agent.conversation().path()[0].shape.id.clone();
    scene.turn("first").await;
    assert_eq!(scene.agent.context(), (901, 1_000));
    scene.agent.move_to(root).await.unwrap();
    let (_, events) = scene.turn("second").await;
    assert!(!events.iter().any(|line| line.starts_with("summary")), "{events:?}");
    assert_eq!(scene.history(), ["second", "two"]);
}

/// Blocks `hang`, and adds to every result.
struct Strict;

impl AgentHooks for Strict {
    fn before_call<'a>(&'a self, call: &'a EffectiveCall) -> BoxFuture<'a, HookVerdict> {
        let block = (call.tool() == "hang").then(|| "too slow".to_owned());
        Box::pin(async move { HookVerdict { block, add: None } })
    }

    fn after_call<'a>(
        &'a self,
        _call: &'a EffectiveCall,
        _report: &'a ToolReport,
    ) -> BoxFuture<'a, HookVerdict> {
        Box::pin(async { HookVerdict { block: None, add: Some("seen".into()) } })
    }
}

#[tokio::test]
async fn hooks_block_and_add() {
    let calls = Reply::Calls(&[("echo", "{}"), ("hang", "{}")]);
    let mut scene = Scene::with_hooks(vec![calls, Reply::Says("ok")], Arc::new(Strict)).await;
    scene.turn("go").await;
    let results = &scene.history()[2];
    assert!(results.contains("={}\n[From a hook of the person] seen"), "{results}");
    assert!(results.contains("=a hook of the person blocked this call: too slow"), "{results}");
}

#[tokio::test]
async fn hooks_and_views_get_the_tool_that_call_tool_runs() {
    let calls = Reply::Calls(&[
        ("call_tool", r#"{"name":"hang","arguments":{}}"#),
        ("call_tool", r#"{"name":"echo","arguments":{"n":1}}"#),
        ("call_tool", r#"{"name":"call_tool","arguments":{"name":"hang"}}"#),
    ]);
    let mut scene = Scene::with_hooks(vec![calls, Reply::Says("ok")], Arc::new(Strict)).await;
    let (_, events) = scene.turn("go").await;
    let results = &scene.history()[2];
    assert!(results.contains("=a hook of the person blocked this call: too slow"), "{results}");
    assert!(results.contains("={\"n\":1}"), "{results}");
    assert!(results.contains("=`call_tool` cannot call itself"), "{results}");
    for shown in ["call hang", "call echo", "call call_tool"] {
        assert!(events.contains(&shown.to_owned()), "{events:?}");
    }
}

fn with_sub_agents(scene: &mut Scene, replies: Vec<Reply>) -> Arc<SubAgents> {
    *scene.model.for_sub_agents.lock() = replies.into();
    let tools = Arc::clone(&scene.tools) as Arc<dyn AgentTools>;
    let parts = AgentParts {
        model: resolved(&scene.model),
        hooks: Arc::new(NoHooks),
        scanner: None,
        options: options(),
        spent: scene.spent.clone(),
    };
    let sub_agents = Arc::new(SubAgents::new(tools, parts, "here"));
    scene.agent.tools = Arc::clone(&sub_agents) as Arc<dyn AgentTools>;
    sub_agents
}

#[tokio::test]
async fn a_sub_agent_has_its_own_context_and_no_more_tools() {
    let replies = vec![
        Reply::Calls(&[("agent", r#"{"task":"look","name":"scout","tools":["ec*","call_*"]}"#)]),
        Reply::Says("thanks"),
    ];
    let mut scene = Scene::with(replies).await;
    let calls = Reply::Calls(&[
        ("echo", "{}"),
        ("hang", "{}"),
        ("agent", r#"{"task":"x"}"#),
        ("call_tool", r#"{"name":"hang"}"#),
    ]);
    with_sub_agents(&mut scene, vec![calls, Reply::Says("found it")]);
    let (report, events) = scene.turn("go").await;
    assert_eq!(report.end, TurnEnd::Complete);
    assert_eq!(scene.history(), ["go", "<agent>", "=found it", "thanks"]);
    assert!(events.contains(&"scout: found it".to_owned()), "{events:?}");
    let asked = scene.model.asked.lock();
    let names: Vec<&str> = asked[1].tools.iter().map(ModelTool::name).collect();
    assert_eq!(names, ["echo"]);
    assert_eq!(asked[1].messages.len(), 1);
    let results = format!("{:?}", asked[2].messages[2]);
    assert_eq!(results.matches("is not among the tools of this sub-agent").count(), 3, "{results}");
    // Two requests of its own and two of its parent.
    assert_eq!(scene.agent.totals().usage.unwrap().total(), 44);
}

#[tokio::test]
async fn what_sub_agents_take_counts_before_the_next_request() {
    let start = Reply::Calls(&[("agent", r#"{"task":"look"}"#)]);
    let mut scene = Scene::with(vec![start, Reply::Says("too late")]).await;
    // Each request takes 11 tokens.
    let limit = TurnEnd::Limit(TurnLimit::Tokens(33));
    let replies = vec![Reply::Calls(&[("echo", "{}")]), Reply::Says("found it")];
    with_sub_agents(&mut scene, replies);
    scene.agent.parts.options.limits.tokens = Some(30);
    let (report, _) = scene.turn("go").await;
    assert_eq!(report.end, limit);
    assert_eq!(scene.history(), ["go", "<agent>", "=found it"]);
}

#[tokio::test]
async fn a_sub_agent_ends_with_the_turn_or_stays_in_the_background() {
    let replies = vec![
        Reply::Calls(&[("agent", r#"{"task":"wait"}"#)]),
        Reply::Calls(&[("agent", r#"{"task":"wait","background":true}"#)]),
        Reply::Says("it runs"),
    ];
    let mut scene = Scene::with(replies).await;
    let hang = || Reply::Calls(&[("hang", "{}")]);
    let sub_agents = with_sub_agents(&mut scene, vec![hang(), hang()]);
    let (report, _) = scene.turn_until("go", Some("agent: call hang")).await;
    assert_eq!(report.end, TurnEnd::Interrupted);
    assert_eq!(*scene.tools.hanging.lock(), 0);

    let (report, _) = scene.turn("again").await;
    assert_eq!(report.end, TurnEnd::Complete);
    assert_eq!(sub_agents.running(), 1);
    sub_agents.shut_down().await;
    assert_eq!((sub_agents.running(), *scene.tools.hanging.lock()), (0, 0));
}

#[tokio::test]
async fn an_answer_that_fails_midway_is_paid_for() {
    let mut scene = Scene::with(vec![Reply::CountsAndFails("12345678", 90)]).await;
    let (report, _) = scene.turn("go").await;
    assert!(matches!(report.end, TurnEnd::Failed(_)), "{:?}", report.end);
    let usage = scene.agent.totals().usage.unwrap();
    assert!(usage.input == 90 && 0 < usage.output, "{usage:?}");
}
