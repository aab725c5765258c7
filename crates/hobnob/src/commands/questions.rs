//! `hobnob questions`: lists the calls that wait for the owner's answer. `main` runs it.
//!
//! What must stay true: the owner sees all of a call that an answer lets run, and nothing in it
//! acts on the terminal or looks like something else.

use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use hobnob_config::Places;
use hobnob_gateway::{AfterYes, OwnerAnswer, OwnerQuestion, ShownArguments};
use hobnob_hub::control::WhichHubs;
use hobnob_hub::owner_questions;
use hobnob_hub::running_hubs::running_hubs;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Block, Output};
use hobnob_text::{quotable_name as name, shell_word, visible, visible_json};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct QuestionsArgs {}

/// One question, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(super) struct ListedQuestion<'a> {
    question: u64,
    /// Empty for a caller without a name.
    principal: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    /// Whether one of the owner's own clients makes the call.
    own: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    tool: &'a str,
    public: &'a str,
    /// The JSON text, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments_file: Option<&'a Path>,
    because: &'a str,
    age_seconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<OwnerAnswer>,
    /// The rules of the answers "always" and "never"; without them, neither is an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    always_writes: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    never_writes: Option<&'a str>,
    after_yes: AfterYes,
}

impl<'a> From<&'a OwnerQuestion> for ListedQuestion<'a> {
    fn from(question: &'a OwnerQuestion) -> Self {
        let (arguments, arguments_file) = match &question.arguments {
            ShownArguments::Absent => (None, None),
            ShownArguments::Text(text) => (Some(text.as_str()), None),
            ShownArguments::File { path, .. } => (None, Some(path.as_path())),
        };
        Self {
            question: question.number,
            principal: &question.principal,
            address: question.address.as_deref(),
            via: question.via.as_deref(),
            client: question.client.as_deref(),
            own: question.own,
            server: question.server.as_deref(),
            tool: &question.tool,
            public: &question.public,
            arguments,
            arguments_file,
            because: &question.because,
            age_seconds: question.age,
            answer: question.answer,
            always_writes: question.always_writes.as_deref(),
            never_writes: question.never_writes.as_deref(),
            after_yes: question.after_yes,
        }
    }
}

pub(crate) fn run(_args: QuestionsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let questions = runtime::current_thread()?.block_on(async {
        match owner_questions::list(&places).await? {
            Some(questions) => Ok(questions),
            None => Err(no_hub(&places).await),
        }
    })?;
    match context.output {
        Output::Json => {
            render::json(&questions.iter().map(ListedQuestion::from).collect::<Vec<_>>())
        }
        Output::People if questions.is_empty() => render::line("no call waits for your answer"),
        Output::People => {
            let blocks: Vec<String> = questions.iter().map(shown).collect();
            render::text(&blocks.join("\n"))
        }
    }
}

/// The error if no hub runs for this project, so that there is no question to list or to answer.
pub(super) async fn no_hub(places: &Places) -> anyhow::Error {
    let message = format!(
        "no `hobnob serve` runs for {}, so no question waits here{}",
        places.project.display(),
        elsewhere(places).await
    );
    Ended::new(Code::Failed, message).into()
}

/// Where other hubs of this user run, which may have the question, and how to reach them; begins
/// with a semicolon.
pub(super) async fn elsewhere(places: &Places) -> String {
    let hubs = running_hubs(places, WhichHubs::All).await;
    let projects: BTreeSet<PathBuf> = hubs.into_iter().map(|hub| hub.project).collect();
    let others = projects.iter().filter(|project| **project != places.project);
    let options: Vec<String> = others
        .map(|project| {
            format!("--project {}", shell_word(&visible(&project.display().to_string())))
        })
        .collect();
    match options.as_slice() {
        [] => "; if it runs for another project, add --project DIR".to_owned(),
        [one] => format!("; a hub runs for another project: add {one}"),
        several => format!("; hubs run for other projects: add {}", several.join(" or ")),
    }
}

/// Who would call what, in one line.
pub(super) fn call_of(question: &OwnerQuestion) -> String {
    let tool = match &question.server {
        Some(server) => format!("tool `{}` of server `{}`", name(&question.tool), name(server)),
        None => format!("Hobnob's own tool `{}`", name(&question.public)),
    };
    format!("{} calls {tool}", who(question))
}

fn shown(question: &OwnerQuestion) -> String {
    let number = question.number;
    let mut block = Block::new();
    block.pair("question", &format!("{number}, asked {} ago", render::span(question.age)));
    block.pair("call", &call_of(question));
    block.pair("as", &name(&question.public));
    block.pair("arguments", &arguments(question));
    block.pair("because", &visible(&question.because));
    if question.after_yes != AfterYes::CallAgain {
        block.pair("asked in", "its client as well; the first answer counts");
    }
    if let (None, Some(always), Some(never)) =
        (question.answer, &question.always_writes, &question.never_writes)
    {
        block.pair("or a rule", &format!("always: {}; never: {}", visible(always), visible(never)));
    }
    block.pair("answer", &answer(question));
    block.to_text()
}

/// The answer it has, or how to give one.
fn answer(question: &OwnerQuestion) -> String {
    let number = question.number;
    match question.answer {
        None if question.always_writes.is_some() => {
            format!("hobnob answer {number} yes; or: no, always, never")
        }
        None => format!("hobnob answer {number} yes, or: hobnob answer {number} no"),
        Some(OwnerAnswer::Yes) => "yes; the call has not been made again yet".to_owned(),
        Some(OwnerAnswer::No) => "no".to_owned(),
        Some(OwnerAnswer::Always) => "always; a rule allows the tool".to_owned(),
        Some(OwnerAnswer::Never) => "never; a rule denies the tool".to_owned(),
    }
}

fn who(question: &OwnerQuestion) -> String {
    let mut who = match (&*question.principal, &question.address) {
        _ if question.own => match &question.client {
            Some(client) => format!("your client `{}`", name(client)),
            None => "a client of yours".to_owned(),
        },
        ("", Some(address)) => format!("a caller without a name at {}", name(address)),
        ("", None) => "a caller without a name".to_owned(),
        (principal, Some(address)) => format!("{} at {}", name(principal), name(address)),
        (principal, None) => name(principal),
    };
    if let Some(via) = &question.via {
        who.push_str(&format!(" (through {})", name(via)));
    }
    who
}

/// All arguments, or the path of the file that has them.
fn arguments(question: &OwnerQuestion) -> String {
    match &question.arguments {
        ShownArguments::Absent => "none".to_owned(),
        ShownArguments::Text(text) => visible_json(text),
        ShownArguments::File { path, bytes } => format!(
            "NOT shown, since they are too long ({bytes} bytes); read them before you agree: {}",
            visible(&path.display().to_string())
        ),
    }
}
