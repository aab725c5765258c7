//! Compares instructions per call with their ceilings, for `cargo xtask ci` and for
//! `cargo xtask bench --ceilings`.
//!
//! It builds only our echo server, the bare loop and the load generator, and counts each case once,
//! or again if it is above its ceiling: on a busy machine counts barely vary, while times do.
//! Valgrind counts; `cargo xtask ci --valgrind` installs it with `apt-get` if it is missing. `run`
//! can also write new ceilings.

use std::process::Command;
use std::thread::Scope;

use anyhow::Context;

use super::arguments::CeilingsAction;
use super::artifact::{Artifact, Profile, build_bench};
use super::case::Case;
use super::ceilings::{Ceilings, Count};
use super::kind::{OURS, PER_CALL, RAW};
use super::measure::{Bench, has_valgrind};
use super::programs::{Server, text};
use super::{effort, kinds};
use crate::deny::IfMissing;
use crate::process::{Pending, finish, step};
use crate::timetable::Timetable;
use crate::workspace::Workspace;

/// Starts building the counted programs in the background; `None` if valgrind is missing. Their
/// crates build mostly one after another, so another step can use most of the second core
/// meanwhile; a separate profile keeps the two builds from blocking each other.
pub(crate) fn build_servers<'scope>(
    scope: &'scope Scope<'scope, '_>,
    workspace: &'scope Workspace,
    if_missing: IfMissing,
) -> Option<Pending<'scope, ()>> {
    let counts = has_valgrind() || if_missing == IfMissing::Install;
    counts.then(|| scope.spawn(|| servers(workspace)))
}

/// Counts and judges as steps of a longer command; returns what could not be checked.
pub(crate) fn check(
    workspace: &Workspace,
    timetable: &mut Timetable,
    built: Option<Pending<'_, ()>>,
) -> anyhow::Result<Vec<String>> {
    let Some(built) = built else {
        let line = "valgrind is not installed: instructions per call were not counted; \
                    `cargo xtask ci --valgrind` installs it with apt-get and counts";
        return Ok(vec![line.to_owned()]);
    };
    timetable.time("build what is counted", || {
        ensure_valgrind()?;
        finish(built)?;
        load(workspace)
    })?;
    timetable.time("instructions per call", || judge(workspace, CeilingsAction::Check))?;
    Ok(Vec::new())
}

/// Counts and judges alone, or writes new ceilings.
pub(super) fn run(workspace: &Workspace, action: CeilingsAction) -> anyhow::Result<()> {
    anyhow::ensure!(has_valgrind(), "valgrind is not installed, and nothing else counts");
    servers(workspace)?;
    load(workspace)?;
    judge(workspace, action)
}

/// Installs valgrind on Debian, which CI uses; on other systems a person must install it.
fn ensure_valgrind() -> anyhow::Result<()> {
    if has_valgrind() {
        return Ok(());
    }
    let mut install = Command::new("sh");
    install.args(["-c", INSTALL]);
    step("valgrind is missing: installing it", &mut install).context(
        "valgrind cannot be installed, and without it nothing counts the instructions of a call",
    )?;
    anyhow::ensure!(has_valgrind(), "valgrind was installed and does not start");
    Ok(())
}

/// Package lists may be missing or outdated; a user who is not root may have `sudo`.
const INSTALL: &str = "\
    as_root=; test \"$(id -u)\" = 0 || as_root='sudo -n'
    install() { $as_root apt-get -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends valgrind; }
    install || { $as_root apt-get update && install; }";

fn load(workspace: &Workspace) -> anyhow::Result<()> {
    build_bench(workspace, Profile::QUICK, &["load"])
}

fn servers(workspace: &Workspace) -> anyhow::Result<()> {
    build_bench(workspace, Profile::COUNTED, &["raw-echo"])?;
    // Without the client, whose TLS would take longer to compile than the server.
    let fixtures = ["hobnob-mcp-fixtures", "--no-default-features"];
    Artifact::Program("echo-server").build(workspace, Profile::COUNTED, &fixtures).map(drop)
}

fn judge(workspace: &Workspace, action: CeilingsAction) -> anyhow::Result<()> {
    eprintln!("\n▶ instructions per call");
    let bench = Bench::new(Profile::QUICK.program(workspace, "load"));
    let server = |name, program| {
        Server::echo(name, vec![text(&Profile::COUNTED.program(workspace, program))])
    };
    let (raw, ours) = (server(RAW, "raw-echo"), server(OURS, "echo-server"));
    let mut ceilings = Ceilings::load(&workspace.root)?;
    let mut counts = Vec::new();
    for case in (kinds::INSTRUCTIONS.cases)(&effort::COUNT) {
        counts.push(lowest(&ceilings, || {
            let (raw, ours) = (count(&bench, &case, &raw)?, count(&bench, &case, &ours)?);
            Ok(Count { case: case.name.clone(), raw, ours })
        })?);
    }
    match action {
        CeilingsAction::Check => ceilings.judge(&counts),
        CeilingsAction::Update => ceilings.update(&workspace.root, &counts),
    }
}

/// How often a case above its ceiling is counted.
const MAX_COUNTS: usize = 3;

/// The lowest count. Threads that wait for a lock spin before they sleep, more often on a busy
/// machine, so a count can be a few percent too high but never too low.
pub(super) fn lowest(
    ceilings: &Ceilings,
    mut count: impl FnMut() -> anyhow::Result<Count>,
) -> anyhow::Result<Count> {
    let mut lowest = count()?;
    for _ in 1..MAX_COUNTS {
        if ceilings.holds(&lowest) {
            break;
        }
        let again = count()?;
        lowest.raw = lowest.raw.min(again.raw);
        lowest.ours = lowest.ours.min(again.ours);
    }
    Ok(lowest)
}

fn count(bench: &Bench, case: &Case, server: &Server) -> anyhow::Result<f64> {
    let figures = bench.measure(case, server).with_context(|| case.name.clone())?;
    let count = figures.as_ref().and_then(|figures| figures.get(PER_CALL));
    count.copied().with_context(|| format!("{}: nothing was counted", case.name))
}
