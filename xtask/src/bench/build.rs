//! Builds the load generator and everything that is compared in a run.
//!
//! A program that does not build, or a peer that cannot be installed, has no row and a line that
//! says why; only what all others need may fail the run.

use std::path::{Path, PathBuf};

use super::arguments::Args;
use super::artifact::{Artifact, Profile, build_bench};
use super::compile::Sources;
use super::gateways::Bare;
use super::plan::{Kind, Subject, Transport};
use super::server::Server;
use super::start::{OURS, RAW, text};
use super::{builtins, gateways, machine};
use crate::workspace::Workspace;

/// What a run works with.
pub(super) struct Built {
    pub(super) load: PathBuf,
    pub(super) servers: Vec<Server>,
    /// Why one of the servers is missing.
    pub(super) missing: Vec<(String, anyhow::Error)>,
}

/// An example of ours that measures one part or serves it.
struct PartProgram {
    subject: Subject,
    example: &'static str,
    package: &'static str,
    server: fn(String) -> Server,
}

const PARTS: [PartProgram; 3] = [
    PartProgram {
        subject: Subject::Part,
        example: "anonymiser_speed",
        package: "hobnob-secrets",
        server: |program| Server::part(OURS, program, Transport::Part),
    },
    PartProgram {
        subject: Subject::Streams,
        example: "bench_streams",
        package: "hobnob-rpc",
        server: |program| Server::events(OURS, program),
    },
    PartProgram {
        subject: Subject::Trees,
        example: "bench_trees",
        package: "hobnob-services",
        server: |program| Server::part(OURS, program, Transport::Trees),
    },
];

/// Builds all that is wanted.
pub(super) fn build(workspace: &Workspace, args: &Args, kinds: &[Kind]) -> anyhow::Result<Built> {
    let profile = Profile::SHIPPED;
    build_bench(workspace, profile, &[])?;
    let program = |name| profile.program(workspace, name);
    let (load, raw) = (program("load"), program("raw-echo"));
    let echo = |name: &str, program: &Path| Server::echo(name, vec![text(program)]);
    let (mut servers, mut missing) = (vec![echo(RAW, &raw)], Vec::new());
    let about = |subject| kinds.iter().any(|kind| kind.subject() == subject);
    if about(Subject::Servers) {
        servers.push(echo("rmcp 3.8", &program("rmcp-echo")));
        if args.wants(OURS) {
            match Artifact::Program("echo-server").build(
                workspace,
                profile,
                &["hobnob-mcp-fixtures"],
            ) {
                Ok(program) => servers.push(echo(OURS, &program)),
                Err(error) => missing.push((OURS.to_owned(), error)),
            }
        }
        let more = args.more_servers.iter();
        servers.extend(more.map(|(name, command)| Server::echo(name, command.clone())));
    }
    if about(Subject::Gateways) {
        let bare = Bare { raw: &raw, proxy: &program("raw-proxy") };
        for (name, gateway) in gateways::all(workspace, args, bare)? {
            match gateway {
                Ok(gateway) => servers.push(Server::gateway(&name, gateway)),
                Err(error) => missing.push((name, error)),
            }
        }
    }
    if about(Subject::BuiltIns) {
        let named = |(name, it): (String, _)| Server::built_ins(&name, it);
        let all = builtins::all(workspace, args).map(|all| all.into_iter().map(named));
        add(&mut servers, &mut missing, all);
    }
    if about(Subject::Machine) {
        match machine::all(workspace, args) {
            Ok(all) => {
                for (name, machine) in all {
                    match machine {
                        Ok(machine) => servers.push(Server::machine(&name, machine)),
                        Err(error) => missing.push((name, error)),
                    }
                }
            }
            Err(error) => missing.push((OURS.to_owned(), error)),
        }
    }
    if about(Subject::Streams) {
        servers.push(Server::events(RAW, text(&program("raw-stream"))));
    }
    for PartProgram { subject, example, package, server } in PARTS {
        if !about(subject) || !args.wants(OURS) {
            continue;
        }
        let built = Artifact::Example(example).build(workspace, profile, &[package]);
        add(&mut servers, &mut missing, built.map(|program| [server(text(&program))]));
    }
    if about(Subject::Tokens) {
        add(&mut servers, &mut missing, token_servers(workspace, profile));
    }
    if about(Subject::Sources) {
        servers.push(Server::sources(OURS, Sources::new(workspace)?));
    }
    servers.retain(|server| args.wants(&server.name));
    Ok(Built { load, servers, missing })
}

/// Adds what was built, or says why it is missing.
fn add(
    servers: &mut Vec<Server>,
    missing: &mut Vec<(String, anyhow::Error)>,
    built: anyhow::Result<impl IntoIterator<Item = Server>>,
) {
    match built {
        Ok(built) => servers.extend(built),
        Err(error) => missing.push((OURS.to_owned(), error)),
    }
}

/// One program that asks for tokens, and for none.
fn token_servers(workspace: &Workspace, profile: Profile) -> anyhow::Result<[Server; 2]> {
    let package = ["hobnob-mcp-auth", "--features", "server"];
    let program = Artifact::Example("token_server").build(workspace, profile, &package)?;
    Ok([RAW, OURS].map(|name| {
        let file = workspace.target().join(format!("bench-token-{name}"));
        Server::tokens(name, text(&program), text(&file))
    }))
}
