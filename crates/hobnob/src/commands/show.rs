//! `hobnob show NAME`: one server as it is configured, and what it offered when it last ran. `main`
//! runs it.
//!
//! What must stay true: it starts nothing, and values of variables and headers are not shown.

use super::completions;
use super::held_back::held_back_variables;
use super::list::{FileProblem, Row, row};
use super::scope::{typed_name, unknown};
use crate::context::CommandContext;
use clap::Args;
use hobnob_config::{
    Approvals, CatalogueCache, ConfiguredServer, EffectiveServer, Places, ServerSpec, Servers,
    Settings, process_environment,
};
use hobnob_gateway::names::public_name;
use hobnob_gateway::permission_rules;
use hobnob_hub::server_entries::literal_secrets::masked_lines;
use hobnob_mcp_types::json::{elements, field};
use hobnob_policy::{RuleSet, Subject, SubjectCaller, SubjectKind, hidden};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Block};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The name of the server.
    #[arg(add = completions::servers())]
    name: String,
}

/// One server, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Shown {
    server: Row,
    /// Exactly what is started or reached.
    starts: Vec<String>,
    /// Variables that are set here and that the server may need, but does not get.
    not_passed: Vec<String>,
    /// What it offered when it last ran; absent if it never did.
    #[serde(skip_serializing_if = "Option::is_none")]
    offers: Option<Offers>,
    problems: Vec<FileProblem>,
}

#[derive(Debug, Serialize)]
struct Offers {
    tools: Vec<String>,
    /// Tools that are not listed, because the entry or a rule denies them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    denied: Vec<String>,
    prompts: Vec<String>,
    resources: Vec<String>,
}

pub(crate) fn run(args: ShowArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let servers = Servers::load(&places, &process_environment);
    let Some(server) = servers.get(name.as_str()) else {
        return Err(unknown(&places, name.as_str()));
    };
    let approvals = Approvals::load(&places.approvals());
    let settings = Settings::load(&places.settings());
    let not_passed = match (&server.state, &settings) {
        (Ok(spec), Ok(settings)) => held_back_variables(spec, settings),
        _ => Vec::new(),
    };
    let starts = match (&server.state, &settings) {
        (Ok(spec), Ok(settings)) => {
            let EffectiveServer { sandbox, .. } = settings.for_server(&server.name, spec);
            masked_lines(&ServerSpec { sandbox, ..spec.clone() })
        }
        (Ok(spec), Err(_)) => masked_lines(spec),
        (Err(_), _) => Vec::new(),
    };
    let offers = offers(&places, server, settings.as_ref().ok());
    let settings = settings.err();
    let shown = Shown {
        server: row(server, &places, &approvals),
        starts,
        not_passed,
        offers,
        problems: servers.problems().iter().chain(&settings).map(FileProblem::from).collect(),
    };
    match context.output {
        Output::Json => render::json(&shown),
        Output::People => show(&shown),
    }
}

/// The names in the cached catalogue.
fn offers(
    places: &Places,
    server: &ConfiguredServer,
    settings: Option<&Settings>,
) -> Option<Offers> {
    let catalogue = CatalogueCache::new(&places.catalogues()).load(&server.identity)?;
    let names = |list: &str, key: &str| -> Vec<String> {
        let entries = field(&catalogue, list).map(elements).unwrap_or_default();
        let names = entries.into_iter().filter_map(|entry| field(entry, key));
        names.filter_map(|raw| serde_json::from_str(raw).ok()).collect()
    };
    let rules = settings.and_then(|settings| permission_rules(settings, None).ok());
    let (denied, tools) = names("tools", "name")
        .into_iter()
        .partition(|tool| is_denied(server, rules.as_ref(), tool));
    Some(Offers {
        tools,
        denied,
        prompts: names("prompts", "name"),
        resources: names("resources", "uri"),
    })
}

/// Whether the server's entry or a rule denies a tool, so that it is not listed.
fn is_denied(server: &ConfiguredServer, rules: Option<&RuleSet>, tool: &str) -> bool {
    let name = server.name.as_str();
    let public = public_name(name, tool);
    let subject = Subject {
        tool: public.as_str(),
        usual: None,
        server: Some(name),
        original: Some(tool),
        caller: SubjectCaller::Anybody,
        kind: SubjectKind::Upstream,
        arguments: None,
    };
    server.state.as_ref().is_ok_and(|spec| !spec.tools.permits(tool))
        || rules.is_some_and(|rules| hidden(rules, &subject))
}

fn show(shown: &Shown) -> anyhow::Result<()> {
    let mut block = Block::new();
    block.pair("name", &shown.server.name).pair("state", shown.server.state.as_str());
    block.maybe("why", shown.server.reason.as_deref());
    block.maybe("transport", shown.server.transport);
    if !shown.starts.is_empty() {
        block.pair("starts", &shown.starts.join("\n"));
    }
    if !shown.not_passed.is_empty() {
        // `doctor` says how to pass them if the server fails.
        block.pair("not passed", &shown.not_passed.join("\n"));
    }
    block.pair("file", &shown.server.file.display().to_string());
    match &shown.offers {
        None => {
            block.pair("offers", "not known: it has never run");
        }
        Some(offers) => {
            let lists = [
                ("tools", &offers.tools),
                ("denied", &offers.denied),
                ("prompts", &offers.prompts),
                ("resources", &offers.resources),
            ];
            for (key, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
                block.pair(key, &names.join("\n"));
            }
        }
    }
    render::text(&block.to_text())
}
