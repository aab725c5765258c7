//! The servers that are compared, and how they are built.

use std::path::{Path, PathBuf};

use super::arguments::Args;
use super::builtins::{self, BuiltIns};
use super::gateways::{self, Gateway};
use super::plan::{Kind, Subject, Transport};
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
    /// It has tools of its own.
    BuiltIns(BuiltIns),
}

/// How the load generator starts a server and what it has to know about it.
#[derive(Clone, Default)]
pub(super) struct Start {
    /// It puts a free port into it.
    pub(super) command: Vec<String>,
    /// What differs from our own environment.
    pub(super) environment: Vec<(&'static str, String)>,
    /// What the echo tool is called there.
    pub(super) tool: String,
    /// A folder with files that a job's arguments name.
    pub(super) folder: String,
}

impl Server {
    pub(super) fn echo(name: &str, command: Vec<String>) -> Self {
        Self { name: name.to_owned(), program: Program::Echo(command) }
    }

    pub(super) fn gateway(name: &str, gateway: Gateway) -> Self {
        Self { name: name.to_owned(), program: Program::Gateway(gateway) }
    }

    pub(super) fn built_ins(name: &str, built_ins: BuiltIns) -> Self {
        Self { name: name.to_owned(), program: Program::BuiltIns(built_ins) }
    }

    /// How to start it, unless this is not for it.
    pub(super) fn start(&self, transport: Transport) -> anyhow::Result<Option<Start>> {
        match &self.program {
            Program::Gateway(gateway) => match transport {
                Transport::Gateway(era, payload) => gateway.start(era, payload),
                Transport::Upstreams => gateway.start_many(),
                _ => Ok(None),
            },
            Program::BuiltIns(built_ins) => built_ins.start(transport),
            Program::Echo(command) => Ok(self.start_echo(command, transport)),
        }
    }

    fn start_echo(&self, command: &[String], transport: Transport) -> Option<Start> {
        let words: &[&str] = match transport {
            Transport::Stdio => &["stdio"],
            Transport::Http => &["http", "{PORT}"],
            // The way without a gateway.
            Transport::Gateway(..) if self.name == RAW => &["http", "{PORT}"],
            _ => return None,
        };
        let words = words.iter().map(|word| (*word).to_owned());
        let command = command.iter().cloned().chain(words).collect();
        Some(Start { command, tool: "echo".to_owned(), ..Start::default() })
    }
}

/// Everything that was built.
pub(super) struct Built {
    pub(super) load: PathBuf,
    pub(super) servers: Vec<Server>,
    /// Why one of the servers is missing.
    pub(super) missing: Vec<(String, anyhow::Error)>,
}

/// What of a package is built.
#[derive(Clone, Copy)]
pub(super) enum Artifact {
    Program(&'static str),
    Example(&'static str),
}

impl Built {
    /// A program of ours in release mode, if it builds.
    pub(super) fn build_ours(
        &mut self,
        workspace: &Workspace,
        package: &str,
        artifact: Artifact,
    ) -> Option<PathBuf> {
        let target = workspace.root.join("target");
        let (option, name, built) = match artifact {
            Artifact::Program(name) => ("--bin", name, release(&target, name)),
            Artifact::Example(name) => {
                ("--example", name, target.join("release/examples").join(name))
            }
        };
        let mut cargo = workspace.cargo(["build", "--release", option, name]);
        cargo.args(["--package", package]).arg("--target-dir").arg(&target);
        match step(&format!("build our {name}"), &mut cargo) {
            Ok(()) => Some(built),
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
    let about = |subject| kinds.iter().any(|kind| kind.subject() == subject);
    if about(Subject::Servers) {
        built.servers.push(echo("rmcp 3.8", &release(&bench_target, "rmcp-echo")));
        if args.wants(OURS) {
            let ours = Artifact::Program("echo-server");
            let ours = built.build_ours(workspace, "hobnob-mcp-fixtures", ours);
            built.servers.extend(ours.map(|program| echo(OURS, &program)));
        }
        let more = args.more_servers.iter();
        built.servers.extend(more.map(|(name, command)| Server::echo(name, command.clone())));
    }
    if about(Subject::Gateways) {
        gateways::add(workspace, args, &raw, &mut built)?;
    }
    if about(Subject::BuiltIns) {
        builtins::add(workspace, args, &mut built)?;
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
