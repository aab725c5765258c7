//! Builds the load generator and everything that a run compares.
//!
//! A program that does not build, or a peer that cannot be installed, has no row in the tables and
//! a line with the reason; only what all others need may fail the run.

use std::path::PathBuf;

use super::builder::{Builder, Named};
use super::server::{Program, Server};
use super::start::text;
use super::{gateways, hub, machine};
use crate::bench::arguments::Args;
use crate::bench::artifact::{Artifact, Profile, build_bench};
use crate::bench::kind::{Group, Kind, OURS, RAW};
use crate::workspace::Workspace;

/// The programs of a run.
pub(in crate::bench) struct Built {
    pub(in crate::bench) load: PathBuf,
    pub(in crate::bench) servers: Vec<Server>,
    /// The missing servers, with the reasons.
    pub(in crate::bench) missing: Vec<(String, anyhow::Error)>,
}

impl Built {
    /// Builds the programs that these kinds compare.
    pub(in crate::bench) fn new(
        workspace: &Workspace,
        args: &Args,
        kinds: &[&Kind],
    ) -> anyhow::Result<Self> {
        build_bench(workspace, Profile::SHIPPED, &[])?;
        let builder = Builder { workspace, args };
        let (servers, missing) = (Vec::new(), Vec::new());
        let mut built = Self { load: builder.bench("load"), servers, missing };
        for group in Group::ALL {
            if !kinds.iter().any(|kind| kind.group == group) {
                continue;
            }
            let programs = programs(builder, group);
            let programs = programs.unwrap_or_else(|error| vec![(OURS.to_owned(), Err(error))]);
            for (name, program) in programs.into_iter().filter(|(name, _)| args.wants(name)) {
                match program {
                    Ok(program) => built.servers.push(Server { name, group, program }),
                    Err(error) => built.missing.push((name, error)),
                }
            }
        }
        Ok(built)
    }
}

/// The programs of a group; the first one is the reference for the others.
fn programs(builder: Builder<'_>, group: Group) -> anyhow::Result<Vec<Named<Program>>> {
    let echo = |program: PathBuf| Program::Echo(vec![text(&program)]);
    let events = |program: PathBuf| Program::Events(text(&program));
    let named = |name: &str, program| (name.to_owned(), Ok(program));
    Ok(match group {
        Group::Servers => {
            let raw = named(RAW, echo(builder.bench("raw-echo")));
            let rmcp = named("rmcp 3.8", echo(builder.bench("rmcp-echo")));
            let ours = builder.ours(Artifact::Program("echo-server"), "hobnob-mcp-fixtures");
            [raw, rmcp].into_iter().chain(ours.map(|it| wrap(it, echo))).collect()
        }
        Group::Gateways => {
            let raw = builder.bench("raw-echo");
            let gateways = gateways::all(builder, &raw)?.into_iter();
            let gateways = gateways.map(|it| wrap(it, Program::Gateway));
            [named(RAW, echo(raw))].into_iter().chain(gateways).collect()
        }
        Group::Hub => hub::all(builder)?.into_iter().map(|it| wrap(it, Program::Hub)).collect(),
        Group::Machine => {
            machine::all(builder)?.into_iter().map(|it| wrap(it, Program::Machine)).collect()
        }
        Group::Streams => {
            let raw = named(RAW, events(builder.bench("raw-stream")));
            let ours = builder.ours(Artifact::Example("bench_streams"), "hobnob-rpc");
            [raw].into_iter().chain(ours.map(|it| wrap(it, events))).collect()
        }
    })
}

fn wrap<T>((name, built): Named<T>, program: impl FnOnce(T) -> Program) -> Named<Program> {
    (name, built.map(program))
}
