//! The servers that are compared, and how they are built.

use std::path::{Path, PathBuf};

use super::arguments::Args;
use super::plan::Transport;
use crate::process::step;
use crate::workspace::Workspace;

/// The bare loop that all others are compared with.
pub(super) const RAW: &str = "raw";
/// The only server that is held to targets.
pub(super) const OURS: &str = "ours";

/// A server with the echo tool.
pub(super) struct Server {
    pub(super) name: String,
    command: Vec<String>,
}

impl Server {
    /// The command for one transport; the load generator puts a free port into it.
    pub(super) fn command(&self, transport: Transport) -> Vec<String> {
        let arguments: &[&str] = match transport {
            Transport::Stdio => &["stdio"],
            Transport::Http => &["http", "{PORT}"],
        };
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        self.command.iter().cloned().chain(arguments).collect()
    }
}

/// Everything that was built.
pub(super) struct Built {
    pub(super) load: PathBuf,
    pub(super) servers: Vec<Server>,
    /// Why one of the servers is missing.
    pub(super) missing: Vec<(String, anyhow::Error)>,
}

/// Builds all that is wanted. Only what all others need may fail the run.
pub(super) fn build(workspace: &Workspace, args: &Args) -> anyhow::Result<Built> {
    let bench = workspace.root.join("bench");
    let bench_target = bench.join("target");
    let mut cargo = workspace.cargo(["build", "--release", "--locked"]);
    cargo.arg("--manifest-path").arg(bench.join("Cargo.toml"));
    step("build the load generator and the peers", cargo.arg("--target-dir").arg(&bench_target))?;

    let program = |target: &Path, name: &str| target.join("release").join(name);
    let server = |name: &str, program: PathBuf| Server {
        name: name.to_owned(),
        command: vec![program.to_string_lossy().into_owned()],
    };
    let mut servers = vec![
        server(RAW, program(&bench_target, "raw-echo")),
        server("rmcp 3.8", program(&bench_target, "rmcp-echo")),
    ];
    let mut missing = Vec::new();
    if args.wants(OURS) {
        let target = workspace.root.join("target");
        let mut cargo = workspace.cargo(["build", "--release", "--bin", "echo-server"]);
        cargo.args(["--package", "hobnob-mcp-fixtures"]).arg("--target-dir").arg(&target);
        match step("build our echo server", &mut cargo) {
            Ok(()) => servers.push(server(OURS, program(&target, "echo-server"))),
            Err(error) => missing.push((OURS.to_owned(), error)),
        }
    }
    let more = args.more_servers.iter();
    servers.extend(
        more.map(|(name, command)| Server { name: name.clone(), command: command.clone() }),
    );
    servers.retain(|server| args.wants(&server.name));
    Ok(Built { load: program(&bench_target, "load"), servers, missing })
}
