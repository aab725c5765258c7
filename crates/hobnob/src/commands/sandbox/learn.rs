//! `hobnob sandbox learn NAME`: runs a server once without a sandbox, watches which files and
//! addresses it uses, shows the narrowest sandbox for them, and writes it if the person agrees.
//!
//! It connects to the server and asks for its lists, as `doctor` does, and calls only the tools
//! that the person names.

use super::learn_call::LearnCall;
use super::propose::{Proposal, Surroundings, propose};
use crate::commands::completions;
use crate::commands::doctor::probe::Prober;
use crate::commands::person::require_person;
use crate::commands::scope::{typed_name, unknown};
use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::{
    Approvals, ConfiguredServer, Places, SandboxText, ServerName, Servers, SettingPlan, Settings,
    parse_duration, process_environment,
};
use hobnob_gateway::Phase;
use hobnob_hub::change_log::ChangeLog;
use hobnob_hub::compose;
use hobnob_mcp_engine::{Notes, Outcome, Service};
use hobnob_mcp_process::SCRATCH;
use hobnob_mcp_process::trace::TraceReport;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Confirmation, Output};
use hobnob_terminal::signals::Signals;
use hobnob_text::shell_word;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// The name of the server.
    #[arg(add = completions::servers())]
    name: String,

    /// How long to go on watching after the server has listed what it offers, such as 30s.
    #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
    time: Option<Duration>,

    /// Call this tool of the server meanwhile, so that what it uses counts, too (may be repeated).
    #[arg(long, value_name = "TOOL JSON", value_parser = LearnCall::parse)]
    call: Vec<LearnCall>,

    /// Write the sandbox without a question.
    #[arg(long)]
    yes: bool,
}

/// What was learnt, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Learnt {
    server: String,
    read: Vec<String>,
    write: Vec<String>,
    network: bool,
    /// The addresses that the server connected to.
    addresses: Vec<String>,
    /// The paths in `read` and `write` that may hold secrets.
    secrets: Vec<String>,
    /// Unix sockets that the server used; the sandbox does not grant them.
    sockets: Vec<String>,
    /// Folders in which the server changed something; the sandbox does not grant them as a whole.
    refused: Vec<String>,
    file: PathBuf,
    /// Whether the sandbox was written to the settings.
    written: bool,
}

pub(super) fn run(args: &LearnArgs, context: &CommandContext) -> anyhow::Result<()> {
    require_person("sandboxes are")?;
    let places = context.places.detect()?;
    places.create().context("the folders for settings and state cannot be made")?;
    let name = typed_name(&args.name)?;
    let servers = Servers::load(&places, &process_environment);
    let server = servers.get(name.as_str()).ok_or_else(|| unknown(&places, name.as_str()))?.clone();
    check(&server, &places)?;
    let settings = Settings::load(&places.settings())?;
    let accept = settings.servers.get(&name).and_then(|it| it.sandbox.as_ref()).map(|it| it.accept);
    let log = ChangeLog::with_settings(&places, &settings)?;
    let watching = watch(&places, servers, settings, &name, args);
    let report = runtime::multi_thread()?.block_on(watching)?;
    let proposal = propose(&report, &surroundings(&places));
    let home = places.home.canonicalize().unwrap_or_else(|_| places.home.clone());
    let names = |paths: &mut dyn Iterator<Item = &PathBuf>| -> Vec<String> {
        paths.filter_map(|path| shown(path, &home)).collect()
    };
    let sandbox = SandboxText {
        read: names(&mut proposal.read.iter()),
        write: names(&mut proposal.write.iter()),
        network: !proposal.addresses.is_empty(),
        accept: accept.unwrap_or_default(),
    };
    let mut learnt = Learnt {
        server: name.to_string(),
        network: sandbox.network,
        addresses: proposal.addresses.iter().cloned().collect(),
        secrets: names(&mut proposal.secrets.iter()),
        sockets: names(&mut proposal.sockets.iter()),
        refused: names(&mut proposal.refused.iter()),
        read: sandbox.read.clone(),
        write: sandbox.write.clone(),
        file: places.settings(),
        written: false,
    };
    if context.output == Output::People {
        show(&learnt, &proposal, &sandbox.table_of(&name))?;
    }
    let is_asked = context.output == Output::People && render::is_interactive();
    if args.yes || (is_asked && agreed(&learnt)?) {
        let plan = SettingPlan::sandbox(&learnt.file, &name, &sandbox)?;
        let text = format!("{name} {sandbox}");
        log.recorded("sandbox/write", &text, || plan.write())?;
        learnt.written = true;
    }
    finish(&learnt, context.output)
}

/// Fails unless the server is a program, correctly configured and approved.
fn check(server: &ConfiguredServer, places: &Places) -> anyhow::Result<()> {
    let name = &server.name;
    let spec =
        server.state.as_ref().map_err(|problem| Ended::new(Code::Failed, problem.to_string()))?;
    if !spec.is_program() {
        let message = format!("server `{name}` is at an address: only programs have a sandbox");
        return Err(Ended::usage(message).into());
    }
    let approvals = Approvals::load(&places.approvals())?;
    if !server.is_approved(&places.project, &approvals) {
        let message = format!(
            "server `{name}` was never approved; try: hobnob approve {}",
            shell_word(name.as_str())
        );
        return Err(Ended::new(Code::Denied, message).into());
    }
    Ok(())
}

/// Runs the server and returns what it used.
async fn watch(
    places: &Places,
    servers: Servers,
    settings: Settings,
    name: &ServerName,
    args: &LearnArgs,
) -> anyhow::Result<TraceReport> {
    let launcher = compose::launcher(places, &settings)?;
    let mut prober = Prober::new(places, settings, servers, launcher)?;
    let report = prober.trace()?;
    render::note(&format!("`{name}` runs now without a sandbox, and is watched"));
    let mut signals = Signals::new()?;
    let status = tokio::select! {
        status = prober.run_with(name, async |service| use_server(service, name, args).await) => status?,
        // What was seen until then is still worth showing.
        () = signals.next() => None,
    };
    if let Some(status) = status.filter(|status| status.phase != Phase::Ready) {
        let why = status.reason.unwrap_or_else(|| "it did not become ready in time".into());
        let message = format!("server `{name}` could not be watched: {why}");
        return Err(Ended::new(Code::Failed, message).into());
    }
    TraceReport::read(&report).context("what the server used cannot be read")
}

/// Makes the calls that the options name, and waits as long as `--for` says.
async fn use_server(service: Arc<dyn Service>, server: &ServerName, args: &LearnArgs) {
    for call in &args.call {
        let failed = match service.call(call.of(server), Notes::silent()).await {
            Ok(Outcome::Complete(answer)) if !answer.body.contains("\"isError\":true") => None,
            Ok(Outcome::Complete(answer)) => Some(answer.body.to_string()),
            Ok(Outcome::NeedsInput(_)) => Some("it asks a question".into()),
            Ok(Outcome::Started(_)) => Some("it goes on as a task".into()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = failed {
            render::warn(&format!("the call of `{}` did not succeed: {why}", call.tool));
        }
    }
    tokio::time::sleep(args.time.unwrap_or_default()).await;
}

fn surroundings(places: &Places) -> Surroundings {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let temporary = std::env::var_os("TMPDIR").map(PathBuf::from);
    Surroundings {
        home: real(&places.home),
        own_folders: places.own_folders().iter().map(real).collect(),
        scratch: temporary.into_iter().chain([PathBuf::from(SCRATCH)]).collect(),
    }
}

/// A path as a person writes it; `None` if it is not Unicode.
fn shown(path: &Path, home: &Path) -> Option<String> {
    match path.strip_prefix(home) {
        Ok(inside) => Some(format!("~/{}", inside.to_str()?)),
        Err(_) => path.to_str().map(str::to_owned),
    }
}

fn show(learnt: &Learnt, proposal: &Proposal, table: &str) -> anyhow::Result<()> {
    render::text(table)?;
    for (paths, why) in [
        (&learnt.secrets, "may hold secrets: remove it if the server can do without"),
        (&learnt.sockets, "is a socket that the server used, and that the sandbox does not give"),
        (&learnt.refused, "is a folder that the server changed, and too much to give away"),
    ] {
        paths.iter().for_each(|path| render::note(&format!("{path} {why}")));
    }
    if !proposal.addresses.is_empty() {
        let all = learnt.addresses.join(", ");
        render::note(&format!("it connected to {all}, so it has the network"));
    }
    Ok(())
}

fn agreed(learnt: &Learnt) -> anyhow::Result<bool> {
    let question = format!("Write this to {}?", learnt.file.display());
    Ok(render::confirm(&question, "")? == Confirmation::Yes)
}

fn finish(learnt: &Learnt, output: Output) -> anyhow::Result<()> {
    let (name, file) = (&learnt.server, learnt.file.display());
    match (output, learnt.written) {
        (Output::Json, _) => render::json(learnt),
        (Output::People, true) => render::line(&format!(
            "`{name}` runs in this sandbox from now on, by {file}; check it with: hobnob doctor {}",
            shell_word(name)
        )),
        (Output::People, false) => {
            render::note(&format!(
                "nothing was written; to keep it: hobnob sandbox learn {} --yes",
                shell_word(name)
            ));
            Ok(())
        }
    }
}
