//! Runs the benchmark: rounds over all cases and servers, then the tables.

use std::fs;

use super::arguments::Args;
use super::case::Case;
use super::findings::{Failure, Findings, Sample};
use super::kind::{Kind, Rounds};
use super::measure::{Bench, has_valgrind};
use super::page::{self, Section};
use super::programs::{Built, Server};
use super::stamp::Stamp;
use super::{effort, gate, kinds, table};
use crate::workspace::Workspace;

/// Builds the programs, measures them side by side and prints one table per kind.
pub fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    if let Some(action) = args.ceilings {
        return gate::run(&workspace, action);
    }
    let kinds = wanted_kinds(&args.kinds);
    let stamp = Stamp::now(&workspace)?;
    let built = Built::new(&workspace, &args, &kinds)?;
    let effort = if args.quick { &effort::QUICK } else { &effort::FULL };
    let rounds = args.rounds.unwrap_or(effort.rounds).max(1);
    let plan: Vec<(&'static Kind, Vec<Case>)> =
        kinds.into_iter().map(|kind| (kind, (kind.cases)(effort))).collect();

    let mut findings = Findings::default();
    for (server, error) in built.missing {
        let (case, reason) = ("build".to_owned(), format!("{error:#}"));
        findings.failures.push(Failure { server, case, reason });
    }
    let before = load_average();
    let bench = Bench::new(built.load);
    for round in 0..rounds {
        eprintln!("\n▶ round {} of {rounds}", round + 1);
        for (kind, cases) in &plan {
            let its: Vec<&Server> =
                built.servers.iter().filter(|server| server.group == kind.group).collect();
            for case in cases.iter().filter(|_| round == 0 || kind.rounds == Rounds::Every) {
                measure(&bench, (kind, case), &its, round, &mut findings);
            }
        }
    }
    let load = format!("load average {before} before, {} after", load_average());
    println!("Medians of {rounds} rounds; {load}.\n");
    println!("{}", table::render(&plan, &findings));
    if let Some(path) = &args.write {
        let sections = plan.iter().map(|(kind, cases)| {
            let how = match kind.rounds {
                Rounds::Every if 1 < rounds => format!("Medians of {rounds} rounds"),
                _ => "One round".to_owned(),
            };
            let stamp = stamp.with(&format!("{how}; {load}."));
            Section { kind, stamp, table: table::table(kind, cases, &findings.samples) }
        });
        page::write(path, sections.collect())?;
    }
    let failed = findings.failures.len();
    anyhow::ensure!(failed == 0, "{failed} measurements failed, the others are above");
    Ok(())
}

fn wanted_kinds(asked: &[&'static Kind]) -> Vec<&'static Kind> {
    let mut kinds = if asked.is_empty() { kinds::ALL.to_vec() } else { asked.to_vec() };
    if kinds.iter().any(|kind| kind.rounds == Rounds::FirstCounted) && !has_valgrind() {
        eprintln!("valgrind is not on this machine: instructions are left out");
        kinds.retain(|kind| kind.rounds != Rounds::FirstCounted);
    }
    kinds
}

/// Measures a case on all servers in turn. Each round begins with another server, so that none
/// always meets the machine in the same state.
fn measure(
    bench: &Bench,
    (kind, case): (&Kind, &Case),
    servers: &[&Server],
    round: usize,
    findings: &mut Findings,
) {
    let turns = servers.iter().cycle().skip(round % servers.len().max(1)).take(servers.len());
    for server in turns {
        let title = format!("{}, {}", kind.name, case.name);
        // A measurement that failed once would only cost time again.
        let failed = |it: &Failure| it.server == server.name && it.case == title;
        if findings.failures.iter().any(failed) {
            continue;
        }
        match bench.measure(case, server) {
            Ok(None) => {}
            Ok(Some(figures)) => findings.samples.push(Sample {
                kind: kind.name,
                case: case.name.clone(),
                server: server.name.clone(),
                round,
                figures,
            }),
            Err(error) => {
                eprintln!("✗ {}: {title}: {error:#}", server.name);
                let (server, reason) = (server.name.clone(), format!("{error:#}"));
                findings.failures.push(Failure { server, case: title, reason });
            }
        }
    }
}

/// Other load on the machine is the usual cause of odd figures.
fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}
