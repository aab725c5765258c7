//! The servers that are compared, and how they are built.

use std::path::{Path, PathBuf};

use super::arguments::Args;
use super::gateways::{self, Gateway};
use super::plan::{Kind, Transport};
use crate::process::step;
use crate::workspace::Workspace;

/// The bare loop that all others are compared with.
pub(super) const RAW: &str = "raw";
/// The only server that is held to targets.
pub(super) const OURS: &str = "ours";

/// What is measured under one name.
pub(super) struct Server {
    pub(super) name: String,
    program: Program,
}

enum Program {
    /// It has the echo tool itself; a word for the transport is added to its command.
    Echo(Vec<String>),
    /// It has the tool from another server.
    Gateway(Gateway),
}

/// How the load generator starts a server and what it has to know about it.
pub(super) struct Start {
    /// It puts a free port into it.
    pub(super) command: Vec<String>,
    /// What the echo tool is called there.
    pub(super) tool: String,
}

impl Server {
    pub(super) fn echo(name: &str, command: Vec<String>) -> Self {
        Self { name: name.to_owned(), program: Program::Echo(command) }
    }

    pub(super) fn gateway(name: &str, gateway: Gateway) -> Self {
        Self { name: name.to_owned(), program: Program::Gateway(gateway) }
    }

    /// How to start it, unless this is not for it.
    pub(super) fn start(&self, transport: Transport) -> anyhow::Result<Option<Start>> {
        let (command, words): (_, &[&str]) = match (&self.program, transport) {
            (Program::Gateway(gateway), Transport::Gateway(era, payload)) => {
                return gateway.start(era, payload);
            }
            (Program::Gateway(gateway), Transport::Upstreams) => return gateway.start_many(),
            (Program::Echo(command), Transport::Stdio) => (command, &["stdio"]),
            (Program::Echo(command), Transport::Http) => (command, &["http", "{PORT}"]),
            // The way without a gateway.
            (Program::Echo(command), Transport::Gateway(..)) if self.name == RAW => {
                (command, &["http", "{PORT}"])
            }
            (Program::Echo(_), Transport::Gateway(..) | Transport::Upstreams)
            | (Program::Gateway(_), Transport::Stdio | Transport::Http) => return Ok(None),
        };
        let words = words.iter().map(|word| (*word).to_owned());
        let command = command.iter().cloned().chain(words).collect();
        Ok(Some(Start { command, tool: "echo".to_owned() }))
    }
}

/// Everything that was built.
pub(super) struct Built {
    pub(super) load: PathBuf,
    pub(super) servers: Vec<Server>,
    /// Why one of the servers is missing.
    pub(super) missing: Vec<(String, anyhow::Error)>,
}

impl Built {
    /// A program of ours in release mode, if it builds.
    pub(super) fn build_ours(
        &mut self,
        workspace: &Workspace,
        package: &str,
        program: &str,
    ) -> Option<PathBuf> {
        let target = workspace.root.join("target");
        let mut cargo = workspace.cargo(["build", "--release", "--bin", program]);
        cargo.args(["--package", package]).arg("--target-dir").arg(&target);
        match step(&format!("build our {program}"), &mut cargo) {
            Ok(()) => Some(release(&target, program)),
            Err(error) => {
                self.missing.push((OURS.to_owned(), error));
                None
            }
        }
    }
}

/// Builds all that is wanted. Only what all others need may fail the run.
pub(super) fn build(workspace: &Workspace, args: &Args, kinds: &[Kind]) -> anyhow::Result<Built> {
    let bench = workspace.root.join("bench");
    let bench_target = bench.join("target");
    let mut cargo = workspace.cargo(["build", "--release", "--locked"]);
    cargo.arg("--manifest-path").arg(bench.join("Cargo.toml"));
    step("build the load generator and the peers", cargo.arg("--target-dir").arg(&bench_target))?;

    let raw = release(&bench_target, "raw-echo");
    let load = release(&bench_target, "load");
    let echo = |name: &str, program: &Path| Server::echo(name, vec![text(program)]);
    let mut built = Built { load, servers: vec![echo(RAW, &raw)], missing: Vec::new() };
    if kinds.iter().any(|kind| !kind.is_about_gateways()) {
        built.servers.push(echo("rmcp 3.8", &release(&bench_target, "rmcp-echo")));
        if args.wants(OURS) {
            let ours = built.build_ours(workspace, "hobnob-mcp-fixtures", "echo-server");
            built.servers.extend(ours.map(|program| echo(OURS, &program)));
        }
        let more = args.more_servers.iter();
        built.servers.extend(more.map(|(name, command)| Server::echo(name, command.clone())));
    }
    if kinds.iter().any(|kind| kind.is_about_gateways()) {
        gateways::add(workspace, args, &raw, &mut built)?;
    }
    built.servers.retain(|server| args.wants(&server.name));
    Ok(built)
}

fn release(target: &Path, program: &str) -> PathBuf {
    target.join("release").join(program)
}

/// A path as a word of a command.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
