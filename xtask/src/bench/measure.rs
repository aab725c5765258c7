//! Measures one case on one server: runs the load generator, which runs the server, or a program
//! that measures itself, and reads the figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::case::{Case, Work};
use super::findings::Figures;
use super::kind::PER_CALL;
use super::programs::{Server, Start};

/// Instructions are counted with few calls, and with this many times as many.
const CALL_FACTOR: usize = 6;

/// Measures with one build of the load generator.
pub(super) struct Bench {
    load: PathBuf,
    /// The file to which valgrind writes its count.
    count: PathBuf,
}

impl Bench {
    pub(super) fn new(load: PathBuf) -> Self {
        let count = load.with_file_name(format!("instructions-{}.log", std::process::id()));
        Self { load, count }
    }

    /// The figures, or `None` if the case does not apply to this server.
    pub(super) fn measure(&self, case: &Case, server: &Server) -> anyhow::Result<Option<Figures>> {
        let Some(start) = server.start(case.setup)? else { return Ok(None) };
        let figures = match &case.work {
            Work::Report(arguments) => self.report(arguments, &start)?,
            Work::Count { arguments, few } => {
                let many = CALL_FACTOR * few;
                let less = self.instructions(arguments, *few, &start)?;
                let more = self.instructions(arguments, many, &start)?;
                let per_call = (more - less) / (many - few) as f64;
                Figures::from([(PER_CALL.to_owned(), per_call)])
            }
            Work::Twice(arguments) => {
                let cold = self.report(arguments, &start)?;
                let cached = self.report(arguments, &start)?;
                named("cold", cold).chain(named("cached", cached)).collect()
            }
            Work::Itself(arguments) => {
                let (program, first) = start.command.split_first().context("no program")?;
                figures(Command::new(program).args(first).args(arguments.split_whitespace()))?
            }
        };
        Ok(Some(figures))
    }

    fn report(&self, arguments: &str, start: &Start) -> anyhow::Result<Figures> {
        let words = arguments.split_whitespace();
        let words =
            words.map(|word| word.replace("{TOOL}", start.tool).replace("{FOLDER}", &start.folder));
        let mut load = Command::new(&self.load);
        load.args(&start.mode).args(words).arg("--").args(&start.command);
        // The server inherits the environment.
        figures(load.envs(start.environment.iter().cloned()))
    }

    /// The instructions of a server's whole life that includes this number of calls.
    fn instructions(&self, arguments: &str, calls: usize, start: &Start) -> anyhow::Result<f64> {
        let mut counted: Vec<String> =
            VALGRIND.iter().map(|argument| (*argument).to_owned()).collect();
        counted.push(format!("--log-file={}", self.count.display()));
        counted.extend_from_slice(&start.command);
        // The same number of threads on every machine: waking them costs instructions.
        let mut start = Start { command: counted, ..start.clone() };
        start.environment.push(("TOKIO_WORKER_THREADS", "2".to_owned()));
        let run = self.report(&format!("{arguments} --calls {calls}"), &start);
        let count = read_count(&self.count);
        // If valgrind did not start, there is no file, and `run` has the error.
        let _ = fs::remove_file(&self.count);
        run.and(count)
    }
}

/// The report of a program: one object of numbers.
fn figures(program: &mut Command) -> anyhow::Result<Figures> {
    let output = program
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.get_program().to_string_lossy()))?;
    // A server's own error messages are in there too.
    let words = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{}", last_words(&words));
    serde_json::from_slice(&output.stdout).context("the report is not understood")
}

fn named(when: &str, figures: Figures) -> impl Iterator<Item = (String, f64)> {
    figures.into_iter().map(move |(name, figure)| (format!("{when}_{name}"), figure))
}

/// Cachegrind without its cache simulation counts instructions.
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

/// The end of a program's output, as one line.
pub(super) fn last_words(text: &str) -> String {
    const MAX_CHARACTERS: usize = 400;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = line.char_indices().rev().nth(MAX_CHARACTERS).map_or(0, |(at, _)| at);
    line[start..].to_owned()
}
