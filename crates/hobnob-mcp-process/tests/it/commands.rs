//! Helpers of the runner tests: a pool, and commands in it.
//!
//! Invariant: every level that the machine allows is tested, and each test has its own pool and its
//! own scratch folder.

use crate::support::{LONG, levels, supervisor};
use hobnob_mcp_process::runner::{
    CommandInput, CommandReport, OutputPipe, PoolOptions, ProcessPipes, ProcessTree, ProgramStart,
    RunnerPool, RunnerSpec, StartError, StartFolder,
};
use hobnob_mcp_process::supervisor::{Level, sandbox_support};
use hobnob_mcp_process::{ProcessLimits, Sandbox, SandboxLevel};
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

/// A pool with a scratch folder of its own.
pub(crate) struct TestPool {
    pub(crate) pool: RunnerPool,
    pub(crate) folder: TempDir,
}

/// A pool with the usual bounds.
pub(crate) fn pool() -> TestPool {
    pool_with(|_| ())
}

pub(crate) fn pool_with(change: impl FnOnce(&mut PoolOptions)) -> TestPool {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = PoolOptions::new(supervisor());
    change(&mut options);
    TestPool { pool: RunnerPool::new(options), folder }
}

/// The levels at which a runner works, strongest first.
pub(crate) fn runner_levels() -> Vec<Level> {
    let levels: Vec<_> = levels().into_iter().filter(|level| *level != Level::Group).collect();
    assert!(!levels.is_empty(), "a runner is possible wherever tests run");
    levels
}

/// The levels at which a runner works, and the process group, which needs none.
pub(crate) fn all_levels() -> Vec<Level> {
    let mut levels = runner_levels();
    levels.push(Level::Group);
    levels
}

/// Every sandbox that this machine supports, with each level of supervision, strongest first.
pub(crate) fn all_sandboxes() -> Vec<(Level, SandboxLevel)> {
    let strongest = sandbox_support(&supervisor()).level;
    let pairs = all_levels().into_iter().flat_map(|level| SandboxLevel::ALL.map(|it| (level, it)));
    let mut pairs: Vec<_> = pairs
        .filter(|(level, it)| {
            *it <= strongest && (*level == Level::Namespace || *it < SandboxLevel::Full)
        })
        .collect();
    pairs.sort_by_key(|(_, sandbox)| std::cmp::Reverse(*sandbox));
    pairs
}

/// A runner with the default limits and no sandbox.
pub(crate) fn plain(level: Level) -> RunnerSpec {
    RunnerSpec { limits: ProcessLimits::default(), sandbox: None, level, key: String::new() }
}

pub(crate) fn limited(level: Level, limits: ProcessLimits) -> RunnerSpec {
    RunnerSpec { limits, ..plain(level) }
}

pub(crate) fn sandboxed(level: Level, sandbox: Sandbox) -> RunnerSpec {
    RunnerSpec { sandbox: Some(sandbox), ..plain(level) }
}

/// A program in a folder, with only a `PATH` in its environment.
pub(crate) fn program(folder: &Path, words: &[&str]) -> ProgramStart {
    let mut words = words.iter().map(OsString::from);
    ProgramStart {
        program: words.next().expect("a program"),
        arguments: words.collect(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: StartFolder::Opened(File::open(folder).expect("a folder").into()),
        input: CommandInput::Pipe,
    }
}

impl TestPool {
    /// Starts a shell script; further arguments are `$1` and so on.
    pub(crate) async fn script(
        &self,
        spec: &RunnerSpec,
        script: &str,
        args: &[&str],
    ) -> (ProcessTree, ProcessPipes) {
        let words = [&["sh", "-c", script, "sh"], args].concat();
        self.start(spec, program(Path::new("/"), &words)).await.expect("a shell starts")
    }

    pub(crate) async fn start(
        &self,
        spec: &RunnerSpec,
        start: ProgramStart,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        timeout(LONG, self.pool.start(spec, start)).await.expect("in time")
    }

    /// Runs a script to its end, without any input; returns how it ended and what it wrote.
    pub(crate) async fn run(
        &self,
        spec: &RunnerSpec,
        script: &str,
        args: &[&str],
    ) -> (CommandReport, String, String) {
        finish(self.script(spec, script, args).await).await
    }
}

/// Waits for the end of a command that gets no input.
pub(crate) async fn finish(
    (mut tree, pipes): (ProcessTree, ProcessPipes),
) -> (CommandReport, String, String) {
    let ProcessPipes { stdin, stdout, stderr } = pipes;
    drop(stdin);
    finish_reading(&mut tree, stdout, stderr).await
}

/// Waits for the end of a command that has already had its input.
pub(crate) async fn finish_reading(
    tree: &mut ProcessTree,
    mut stdout: OutputPipe,
    mut stderr: OutputPipe,
) -> (CommandReport, String, String) {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let reading = async {
        tokio::try_join!(stdout.read_to_end(&mut output), stderr.read_to_end(&mut errors))
    };
    timeout(LONG, reading).await.expect("in time").expect("pipes can be read");
    let report = timeout(LONG, tree.ended()).await.expect("in time");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (report, text(output), text(errors))
}
