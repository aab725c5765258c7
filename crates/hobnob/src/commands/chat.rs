//! `hobnob chat`: a model with all tools, in the terminal or for a script. `main` runs it.
//!
//! What must stay true: root cannot let a chat answer every question with yes without a terminal.

use super::chat_folder::{self, RunWords};
use super::person::is_root;
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_lasting_hub};
use anyhow::Context as _;
use clap::Args;
use hobnob_chat::{
    ChatOptions, ChatRules, OpenChat, PermissionMode, SessionChoice, converse, run_once,
};
use hobnob_llm::ModelCost;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{Hub, Needs};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::is_interactive;
use hobnob_terminal::signals::Signals;
use hobnob_terminal::terminal::{Consent, Terminal};
use std::io::{self, IsTerminal as _, Read as _};
use std::sync::Arc;

/// The most bytes of a question.
const MAX_QUESTION: u64 = 4 << 20;

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Ask this, print the answer and end. What is piped in is added to it.
    #[arg(short, long, value_name = "TEXT")]
    prompt: Option<String>,

    /// The model to ask: PROVIDER/MODEL, or the id of a model.
    #[arg(short, long)]
    model: Option<String>,

    /// Go on with the last chat of this project.
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    go_on: bool,

    /// Go on with the chat of this name, or begin it.
    #[arg(short, long, value_name = "NAME")]
    session: Option<String>,

    /// Run tools whose names match without asking, unless a rule denies them (may be repeated).
    #[arg(long, value_name = "GLOB")]
    allow: Vec<String>,

    /// Never run tools whose names match (may be repeated).
    #[arg(long, value_name = "GLOB")]
    deny: Vec<String>,

    /// Let servers whose names match use the model without asking (may be repeated).
    #[arg(long, value_name = "GLOB")]
    allow_sampling: Vec<String>,

    /// Only look: run no tool that may change something.
    #[arg(long, conflicts_with = "dangerously_skip_permissions")]
    plan: bool,

    /// Answer every question whether a tool may run with yes. Rules that deny still hold.
    #[arg(long)]
    dangerously_skip_permissions: bool,

    /// How often the model may be asked for one answer.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    max_turns: Option<u32>,

    /// End once this many dollars are spent, such as 0.50; needs a model with known prices.
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost: Option<ModelCost>,

    /// End once this many tokens are used.
    #[arg(long, value_name = "COUNT")]
    max_tokens: Option<u64>,

    /// Tell the model this besides the instructions of the project.
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
}

fn dollars(text: &str) -> Result<ModelCost, String> {
    let wrong = || "write dollars, such as 2 or 0.50".to_owned();
    let dollars: f64 = text.trim_start_matches('$').parse().map_err(|_| wrong())?;
    match (0.0..=1_000_000.0).contains(&dollars) {
        // The bounds make it fit into a `u64`.
        true => Ok(ModelCost::from_nano_dollars((dollars * 1e9).round() as u64)),
        false => Err(wrong()),
    }
}

pub(crate) fn run(
    args: ChatArgs,
    context: &CommandContext,
    run_words: RunWords<'_>,
) -> anyhow::Result<()> {
    let mode = match (args.plan, args.dangerously_skip_permissions) {
        (true, _) => PermissionMode::Plan,
        (_, true) => PermissionMode::Skip,
        (false, false) => PermissionMode::Ask,
    };
    if mode == PermissionMode::Skip && !is_interactive() && is_root() {
        return Err(Ended::new(
            Code::Denied,
            "as root, --dangerously-skip-permissions needs somebody at the terminal: run it as \
             another user, or name the tools with --allow",
        )
        .into());
    }
    let rules = ChatRules::new(mode, &args.allow, &args.deny)?;
    let question = question(args.prompt.as_deref())?;
    let typed = is_interactive() && context.output == Output::People;
    if question.is_none() && !typed {
        return Err(Ended::usage("nothing to ask: pass -p TEXT, or pipe a question in").into());
    }
    let options = ChatOptions {
        model: args.model,
        session: match (args.go_on, args.session) {
            (_, Some(name)) => SessionChoice::Named(name),
            (true, None) => SessionChoice::Last,
            (false, None) => SessionChoice::New,
        },
        rules,
        allow_sampling: args.allow_sampling,
        max_requests: args.max_turns,
        max_cost: args.max_cost,
        max_tokens: args.max_tokens,
        instructions: args.instructions,
        sets_up: question.is_none(),
    };
    if question.is_none() {
        chat_folder::offer(context, run_words)?;
    }
    let hub = HubOptions { needs: Needs::Lasting, consent: Consent::Ask, message: "chat" };
    let places = context.places.detect()?;
    with_lasting_hub(
        context,
        &hub,
        async |hub: &Hub, terminal: &Arc<Terminal>, signals: &mut Signals| {
            let chat = tokio::select! {
                opened = OpenChat::open(hub, terminal, &places, options) => opened?,
                () = signals.next() => return Err(Ended::silently(Code::Interrupted).into()),
            };
            match question {
                Some(question) => {
                    run_once(chat, question, context.output, hub, terminal, signals).await
                }
                None => converse(chat, hub, &places, terminal, signals).await,
            }
        },
    )
}

/// The question to ask once, from `-p`, piped input, or both; `None` for an interactive chat.
fn question(prompt: Option<&str>) -> anyhow::Result<Option<String>> {
    let stdin = io::stdin();
    let piped = match stdin.is_terminal() {
        true => String::new(),
        false => {
            let mut piped = String::new();
            let read = stdin.lock().take(MAX_QUESTION + 1).read_to_string(&mut piped);
            read.context("standard input is not text")?;
            if MAX_QUESTION < piped.len() as u64 {
                return Err(
                    Ended::usage(format!("more than {MAX_QUESTION} bytes are piped in")).into()
                );
            }
            piped
        }
    };
    let question = match (prompt, piped.trim()) {
        (None, "") => return Ok(None),
        (Some(prompt), "") => prompt.to_owned(),
        (None, piped) => piped.to_owned(),
        (Some(prompt), piped) => format!("{prompt}\n\n{piped}"),
    };
    Ok(Some(question))
}
