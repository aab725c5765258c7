//! The run itself: rounds over all jobs and servers, then the tables.

use std::fs;

use anyhow::Context;
use clap::ValueEnum;

use super::arguments::Args;
use super::build::build;
use super::findings::{Failure, Findings, Sample};
use super::gate;
use super::measure::{Bench, has_valgrind};
use super::page::{self, Section};
use super::plan::{self, Job, Kind};
use super::server::Server;
use super::stamp::Stamp;
use super::table;
use crate::workspace::Workspace;

/// Builds, measures side by side and prints a table for each kind.
pub fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    if let Some(action) = args.ceilings {
        return gate::run(&workspace, action);
    }
    let kinds = wanted_kinds(&args.kinds);
    let stamp = Stamp::now(&workspace)?;
    let built = build(&workspace, &args, &kinds)?;
    let effort = if args.quick { &plan::QUICK } else { &plan::FULL };
    let rounds = args.rounds.unwrap_or(effort.rounds).max(1);
    let jobs = plan::jobs(&kinds, effort);

    let mut findings = Findings::default();
    for (server, error) in built.missing {
        let (case, reason) = ("build".to_owned(), format!("{error:#}"));
        findings.failures.push(Failure { server, case, reason });
    }
    let before = load_average();
    let bench = Bench::new(&workspace, built.load);
    for round in 0..rounds {
        eprintln!("\n▶ round {} of {rounds}", round + 1);
        for job in jobs.iter().filter(|job| round == 0 || !job.kind.is_steady()) {
            measure(&bench, job, &built.servers, round, &mut findings);
        }
    }
    let load = format!("load average {before} before, {} after", load_average());
    println!("Medians of {rounds} rounds; {load}.\n");
    println!("{}", table::render(&kinds, &jobs, &findings));
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&findings)?;
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &args.write {
        let sections = kinds.iter().map(|kind| {
            let rounds = if kind.is_steady() { 1 } else { rounds };
            let rounds = if rounds == 1 {
                "One round".into()
            } else {
                format!("Medians of {rounds} rounds")
            };
            let stamp = stamp.with(&format!("{rounds}; {load}."));
            Section { kind: *kind, stamp, table: table::table(*kind, &jobs, &findings.samples) }
        });
        page::write(path, sections.collect())?;
    }
    let failed = findings.failures.len();
    anyhow::ensure!(failed == 0, "{failed} measurements failed, the others are above");
    Ok(())
}

fn wanted_kinds(asked: &[Kind]) -> Vec<Kind> {
    let usual = || Kind::value_variants().iter().copied().filter(|kind| kind.is_usual()).collect();
    let mut kinds: Vec<Kind> = if asked.is_empty() { usual() } else { asked.to_vec() };
    if kinds.iter().any(|kind| kind.counts_instructions()) && !has_valgrind() {
        eprintln!("valgrind is not on this machine: instructions are left out");
        kinds.retain(|kind| !kind.counts_instructions());
    }
    kinds
}

/// The servers take turns, and another one begins each round, so that no one always meets the
/// machine in the same mood.
fn measure(
    bench: &Bench<'_>,
    job: &Job,
    servers: &[Server],
    round: usize,
    findings: &mut Findings,
) {
    let turns = servers.iter().cycle().skip(round % servers.len().max(1)).take(servers.len());
    for server in turns {
        let case = format!("{:?}, {}", job.kind, job.case).to_lowercase();
        // What failed once costs only time.
        let failed = |it: &Failure| it.server == server.name && it.case == case;
        if findings.failures.iter().any(failed) {
            continue;
        }
        match bench.measure(job, server) {
            Ok(None) => {}
            Ok(Some(figures)) => findings.samples.push(Sample {
                kind: job.kind,
                case: job.case.clone(),
                server: server.name.clone(),
                round,
                figures,
            }),
            Err(error) => {
                eprintln!("✗ {}: {case}: {error:#}", server.name);
                let (server, reason) = (server.name.clone(), format!("{error:#}"));
                findings.failures.push(Failure { server, case, reason });
            }
        }
    }
}

/// Others on the same machine are the usual cause of odd figures.
fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}
