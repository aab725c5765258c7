//! One job on one server: runs the load generator, which runs the server, or a program that
//! measures itself, and takes the figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::compile;
use super::findings::Figures;
use super::plan::{Job, MEGABYTES_PER_SECOND, MILLISECONDS_EACH, PER_CALL, Work};
use super::server::Server;
use super::start::{Start, StartCall, StartRole};
use crate::process::quiet;
use crate::workspace::Workspace;

/// Measures with one build of the load generator.
pub(super) struct Bench<'w> {
    workspace: &'w Workspace,
    load: PathBuf,
    /// Where valgrind writes its count.
    count: PathBuf,
}

impl<'w> Bench<'w> {
    pub(super) fn new(workspace: &'w Workspace, load: PathBuf) -> Self {
        let count = load.with_file_name(format!("instructions-{}.log", std::process::id()));
        Self { workspace, load, count }
    }

    /// The figures, or nothing where the job is not for this server.
    pub(super) fn measure(&self, job: &Job, server: &Server) -> anyhow::Result<Option<Figures>> {
        let Some(start) = server.start(job.transport)? else { return Ok(None) };
        let figures = match &job.work {
            Work::Report(arguments) => self.report(arguments, &start)?,
            Work::BesideProgram { requests, program } => match start.role {
                StartRole::Server => self.report(requests, &start)?,
                StartRole::Program(StartCall::Spawn) => self.report(program, &start)?,
                StartRole::Program(StartCall::Fork) => {
                    self.report(&[program.as_slice(), &["--fork".to_owned()]].concat(), &start)?
                }
            },
            Work::Instructions { arguments, few, many } => {
                let less = self.instructions(arguments, *few, &start)?;
                let more = self.instructions(arguments, *many, &start)?;
                let per_call = (more - less) / (many - few) as f64;
                Figures::from([(PER_CALL.to_owned(), per_call)])
            }
            Work::Twice(arguments) => {
                let cold = self.report(arguments, &start)?;
                let cached = self.report(arguments, &start)?;
                named("cold", cold).chain(named("cached", cached)).collect()
            }
            Work::Build => compile::measure(self.workspace, &start)?,
            Work::Speed => speed(&start)?,
            Work::Itself(arguments) => {
                let (program, first) = start.command.split_first().context("no program")?;
                figures(Command::new(program).args(first).args(arguments))?
            }
        };
        Ok(Some(figures))
    }

    fn report(&self, arguments: &[String], start: &Start) -> anyhow::Result<Figures> {
        let fill = |word: &String| {
            let word = word.replace("{TOOL}", &start.tool).replace("{FOLDER}", &start.folder);
            word.replace("{UPSTREAM}", &start.upstream)
        };
        let mut load = Command::new(&self.load);
        load.args(arguments.iter().map(fill)).arg("--").args(&start.command);
        // The server inherits it.
        figures(load.envs(start.environment.iter().cloned()))
    }

    /// The instructions of a server's whole life with so many calls in it.
    fn instructions(
        &self,
        arguments: &[String],
        calls: usize,
        start: &Start,
    ) -> anyhow::Result<f64> {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--calls".to_owned(), calls.to_string()]);
        let mut counted: Vec<String> =
            VALGRIND.iter().map(|argument| (*argument).to_owned()).collect();
        counted.push(format!("--log-file={}", self.count.display()));
        counted.extend_from_slice(&start.command);
        // The same number of threads everywhere, whatever the machine has: waking them counts.
        let mut start = Start { command: counted, ..start.clone() };
        start.environment.push(("TOKIO_WORKER_THREADS", "2".to_owned()));
        let run = self.report(&arguments, &start);
        let count = read_count(&self.count);
        // It is not there when valgrind did not start, and `run` says so.
        let _ = fs::remove_file(&self.count);
        run.and(count)
    }
}

/// Megabytes that a program says it worked on, by the processor time it took: others may use the
/// machine meanwhile.
fn speed(start: &Start) -> anyhow::Result<Figures> {
    let (program, arguments) = start.command.split_first().context("no program")?;
    let before = compile::children_seconds()?;
    let printed = quiet(Command::new(program).args(arguments))?;
    let seconds = compile::children_seconds()? - before;
    let megabytes = parse_megabytes(&printed).context("no number of megabytes was printed")?;
    anyhow::ensure!(0.0 < seconds && 0.0 < megabytes, "nothing was worked on");
    Ok(Figures::from([
        (MEGABYTES_PER_SECOND.to_owned(), megabytes / seconds),
        (MILLISECONDS_EACH.to_owned(), 1000.0 * seconds / megabytes),
    ]))
}

/// The number in `(268 MB`.
pub(super) fn parse_megabytes(printed: &str) -> Option<f64> {
    let (_, number) = printed.split_once(" MB ")?.0.rsplit_once('(')?;
    number.parse().ok()
}

/// What a program reports: one object of numbers.
fn figures(program: &mut Command) -> anyhow::Result<Figures> {
    let output = program
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.get_program().to_string_lossy()))?;
    // A server's own last words are in there too.
    let words = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{}", last_words(&words));
    serde_json::from_slice(&output.stdout).context("the report is not understood")
}

fn named(when: &str, figures: Figures) -> impl Iterator<Item = (String, f64)> {
    figures.into_iter().map(move |(name, figure)| (format!("{when}_{name}"), figure))
}

/// Cachegrind without its cache is a counter of instructions.
const VALGRIND: [&str; 4] =
    ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];

/// Whether this machine can count instructions.
pub(super) fn has_valgrind() -> bool {
    let probe = Command::new(VALGRIND[0]).arg("--version").output();
    probe.is_ok_and(|output| output.status.success())
}

fn read_count(log: &Path) -> anyhow::Result<f64> {
    let text = fs::read_to_string(log).context("valgrind left no count")?;
    parse_count(&text).context("valgrind left no count")
}

/// The number in `==7== I   refs:      1,234,567`.
pub(super) fn parse_count(log: &str) -> Option<f64> {
    let line = log.lines().find(|line| line.contains("refs:"))?;
    let digits: String = line.rsplit(':').next()?.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The end of what a program said, as one line.
pub(super) fn last_words(text: &str) -> String {
    const MOST: usize = 400;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = line.char_indices().rev().nth(MOST).map_or(0, |(at, _)| at);
    line[start..].to_owned()
}
