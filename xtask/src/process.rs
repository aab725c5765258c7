//! Child processes: run to the end and timed, or running in the background until dropped.
//!
//! No process started here outlives the command.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Deserialize;

/// Runs one visible step of a command; the step fails if the program fails.
pub(crate) fn step(title: &str, command: &mut Command) -> anyhow::Result<()> {
    eprintln!("\n▶ {title}");
    let began = Instant::now();
    let status = command.status().with_context(|| format!("{title}: cannot start {command:?}"))?;
    anyhow::ensure!(status.success(), "{title} failed ({status})");
    eprintln!("✓ {title}, {:.1} s", began.elapsed().as_secs_f32());
    Ok(())
}

/// Runs a program and returns its output; an error contains what it wrote to stderr.
pub(crate) fn quiet(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        // The first characters name the problem; advice and stack traces follow.
        let message: String =
            String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect();
        let program = command.get_program().to_string_lossy();
        anyhow::bail!("{program} failed ({}): {message}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds with cargo, which must print JSON, and returns the program of the target of this name.
pub(crate) fn built_program(cargo: &mut Command, name: &str) -> anyhow::Result<PathBuf> {
    #[derive(Deserialize)]
    struct Built {
        executable: Option<PathBuf>,
        target: Option<Target>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let said = quiet(cargo)?;
    let built = said.lines().filter_map(|line| serde_json::from_str::<Built>(line).ok());
    let mut named = built.filter(|it| it.target.as_ref().is_some_and(|it| it.name == name));
    let found = named.find_map(|it| it.executable);
    found.with_context(|| format!("cargo names no program `{name}`"))
}

/// Work started in the background; a step that needs it waits for it with [`finish`].
pub(crate) type Pending<'scope, T> = ScopedJoinHandle<'scope, anyhow::Result<T>>;

/// Waits for background work and returns its result.
pub(crate) fn finish<T>(pending: Pending<'_, T>) -> anyhow::Result<T> {
    // A panic in it is passed on.
    pending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A program that runs in the background and is killed on drop.
pub(crate) struct Companion(Child);

impl Companion {
    /// The interval at which a wait polls.
    const POLL_INTERVAL: Duration = Duration::from_millis(20);

    /// Starts it without input; its output goes to a file.
    pub(crate) fn start(command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let output =
            File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let also = output.try_clone()?;
        let child = command.stdin(Stdio::null()).stdout(output).stderr(also).spawn();
        Ok(Self(child.with_context(|| format!("cannot start {command:?}"))?))
    }

    /// The exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        self.0.try_wait().context("cannot ask for the state of a child")
    }

    /// Waits for it to end, and kills it if it exceeds the limit.
    pub(crate) fn finish(mut self, limit: Duration) -> anyhow::Result<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            thread::sleep(Self::POLL_INTERVAL);
        }
        anyhow::bail!("not done after {limit:?}")
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        // The process may have ended already; no other error matters here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
