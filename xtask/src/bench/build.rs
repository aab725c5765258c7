//! Builds the load generator and everything that is compared in a run.
//!
//! A program that does not build, or a peer that cannot be installed, has no row and a line that
//! says why; only what all others need may fail the run.

use std::path::{Path, PathBuf};

use super::arguments::Args;
use super::artifact::{Artifact, released};
use super::plan::{Kind, Subject};
use super::server::Server;
use super::start::{OURS, RAW, text};
use super::{builtins, gateways};
use crate::process::step;
use crate::workspace::Workspace;

/// What a run works with.
pub(super) struct Built {
    pub(super) load: PathBuf,
    pub(super) servers: Vec<Server>,
    /// Why one of the servers is missing.
    pub(super) missing: Vec<(String, anyhow::Error)>,
}

/// Builds all that is wanted.
pub(super) fn build(workspace: &Workspace, args: &Args, kinds: &[Kind]) -> anyhow::Result<Built> {
    let bench = workspace.root.join("bench");
    let bench_target = bench.join("target");
    let mut cargo = workspace.cargo(["build", "--release", "--locked"]);
    cargo.arg("--manifest-path").arg(bench.join("Cargo.toml"));
    step("build the load generator and the peers", cargo.arg("--target-dir").arg(&bench_target))?;

    let raw = released(&bench_target, "raw-echo");
    let load = released(&bench_target, "load");
    let echo = |name: &str, program: &Path| Server::echo(name, vec![text(program)]);
    let mut servers = vec![echo(RAW, &raw)];
    let mut missing = Vec::new();
    let about = |subject| kinds.iter().any(|kind| kind.subject() == subject);
    if about(Subject::Servers) {
        servers.push(echo("rmcp 3.8", &released(&bench_target, "rmcp-echo")));
        if args.wants(OURS) {
            match Artifact::Program("echo-server").build(workspace, "hobnob-mcp-fixtures") {
                Ok(program) => servers.push(echo(OURS, &program)),
                Err(error) => missing.push((OURS.to_owned(), error)),
            }
        }
        let more = args.more_servers.iter();
        servers.extend(more.map(|(name, command)| Server::echo(name, command.clone())));
    }
    if about(Subject::Gateways) {
        for (name, gateway) in gateways::all(workspace, args, &raw)? {
            match gateway {
                Ok(gateway) => servers.push(Server::gateway(&name, gateway)),
                Err(error) => missing.push((name, error)),
            }
        }
    }
    if about(Subject::BuiltIns) {
        match builtins::all(workspace, args) {
            Ok(all) => {
                servers.extend(all.into_iter().map(|(name, it)| Server::built_ins(&name, it)))
            }
            Err(error) => missing.push((OURS.to_owned(), error)),
        }
    }
    servers.retain(|server| args.wants(&server.name));
    Ok(Built { load, servers, missing })
}
