//! Approves a project's server or a changed tool on the page, as `hobnob approve` does.
//!
//! `server_changes` calls it. What must stay true: the digest of an approval stands for everything
//! that was shown, and what is different by now is not approved; the approval is in the audit log
//! before it is stored.

use crate::change_log::ChangeLog;
use crate::waiting_approvals::{
    ServerToApprove, ToolToApprove, ToolsToApprove, WaitReason, servers_to_approve,
};
use hobnob_config::{
    AcceptedDefinitions, Approvals, Digest, Places, ServerName, Servers, Settings,
    process_environment,
};
use hobnob_gateway::pins;
use hobnob_ui::{NotDone, ReviewedServer, ReviewedTool, ServerApproval, ServerReview};
use serde_json::Value;

/// A longer definition is not shown, and so not approved here.
const MAX_DEFINITION_BYTES: usize = 128 << 10;

/// How many tools are shown at once.
const MAX_TOOLS: usize = 50;

/// What of a server waits for an approval.
pub(super) fn review(places: &Places, name: &str) -> Result<ServerReview, NotDone> {
    let Waiting { server, problem, tools, .. } = Waiting::read(places, name)?;
    let more = tools.len().saturating_sub(MAX_TOOLS);
    Ok(ServerReview {
        server: server.map(|server| ReviewedServer {
            digest: digest_of_server(&server).to_string(),
            file: server.file.display().to_string(),
            lines: server.lines,
            replaces_yours: server.replaces_yours,
        }),
        problem,
        tools: tools.iter().take(MAX_TOOLS).map(shown_tool).collect(),
        more,
    })
}

/// Approves what the digest stands for.
pub(super) fn approve(
    places: &Places,
    log: &ChangeLog,
    name: &str,
    approval: &ServerApproval,
) -> Result<(), NotDone> {
    let Waiting { server, tools, approvals, .. } = Waiting::read(places, name)?;
    match &approval.tool {
        None => {
            let is_shown =
                |it: &ServerToApprove| digest_of_server(it).to_string() == approval.digest;
            let server = server.filter(is_shown).ok_or_else(differs)?;
            approve_server(places, log, approvals, &server)
        }
        Some(tool) => {
            let is_shown = |it: &&ToolToApprove| {
                it.name == *tool && digest_of_tool(it).to_string() == approval.digest
            };
            let tool = tools.iter().find(is_shown).ok_or_else(differs)?;
            if shown_definition(tool).is_none() {
                let why = "the definition is too long to be shown, so it cannot be approved here";
                return Err(NotDone::Failed(why.to_owned()));
            }
            approve_tool(places, log, approvals, tool)
        }
    }
}

/// What waits, and the approvals to add to.
struct Waiting {
    server: Option<ServerToApprove>,
    problem: Option<String>,
    tools: Vec<ToolToApprove>,
    approvals: Approvals,
}

impl Waiting {
    fn read(places: &Places, name: &str) -> Result<Self, NotDone> {
        let failed = |why: String| NotDone::Failed(why);
        let name = ServerName::parse(name).map_err(|_| NotDone::Unknown)?;
        let servers = Servers::load(places, &process_environment);
        servers.get(name.as_str()).ok_or(NotDone::Unknown)?;
        let settings = Settings::load(&places.settings());
        let settings = settings.map_err(|problem| failed(problem.to_string()))?;
        let approvals = Approvals::load(&places.approvals());
        let approvals = approvals.map_err(|broken| failed(broken.to_string()))?;
        let (waiting, problems) = servers_to_approve(&servers, places, &approvals, Some(&name));
        let search = ToolsToApprove {
            servers: &servers,
            places,
            settings: &settings,
            approvals: &approvals,
        };
        let tools = search.find(Some(&name));
        let (server, problem) = (waiting.into_iter().next(), problems.into_iter().next());
        Ok(Self { server, problem, tools, approvals })
    }
}

fn approve_server(
    places: &Places,
    log: &ChangeLog,
    mut approvals: Approvals,
    server: &ServerToApprove,
) -> Result<(), NotDone> {
    approvals.approve(&places.project, &server.name, server.digest);
    let text = format!("{} {}", server.name, server.digest);
    let saved = log.recorded("approvals/server", &text, || approvals.save());
    saved.map_err(|error| NotDone::Failed(format!("{error:#}")))
}

fn approve_tool(
    places: &Places,
    log: &ChangeLog,
    mut approvals: Approvals,
    tool: &ToolToApprove,
) -> Result<(), NotDone> {
    approvals.set_pin(tool.key.clone(), &tool.name, tool.pin);
    let text = format!("{}/{} {}", tool.server, tool.name, tool.digest);
    let saved = log.recorded("approvals/tool", &text, || approvals.save());
    saved.map_err(|error| NotDone::Failed(format!("{error:#}")))?;
    let accepted = AcceptedDefinitions::new(&places.definitions());
    if let Err(error) = accepted.add(&tool.key, [(&*tool.name, &*tool.text)]) {
        tracing::warn!(%error, "the next change cannot be shown as a difference");
    }
    Ok(())
}

fn shown_tool(tool: &ToolToApprove) -> ReviewedTool {
    let short = |text: String| Some(text).filter(|text| text.len() <= MAX_DEFINITION_BYTES);
    ReviewedTool {
        name: tool.name.clone(),
        is_new: tool.why == WaitReason::New,
        before: tool.change.as_ref().and_then(|(before, _)| short(format!("{before:#}"))),
        now: shown_definition(tool),
        suspicions: tool.suspicions.iter().map(|it| (*it).to_owned()).collect(),
        digest: digest_of_tool(tool).to_string(),
    }
}

/// The current definition in the form in which it is compared, if it is short enough.
fn shown_definition(tool: &ToolToApprove) -> Option<String> {
    let canonical = serde_json::from_str::<Value>(&pins::canonical(&tool.text)).ok()?;
    Some(format!("{canonical:#}")).filter(|text| text.len() <= MAX_DEFINITION_BYTES)
}

fn digest_of_server(server: &ServerToApprove) -> Digest {
    let (file, entry) = (server.file.display().to_string(), server.digest.to_string());
    let yours = server.replaces_yours.to_string();
    let first = ["approve server", server.name.as_str(), &file, &entry, &yours];
    Digest::of_parts(first.into_iter().chain(server.lines.iter().map(String::as_str)))
}

fn digest_of_tool(tool: &ToolToApprove) -> Digest {
    let key = tool.key.to_string();
    Digest::of_parts(["approve tool", &key, &tool.name, &tool.text])
}

fn differs() -> NotDone {
    let why = "it is not as it was shown any more, so nothing was approved; look at it again";
    NotDone::Failed(why.to_owned())
}
