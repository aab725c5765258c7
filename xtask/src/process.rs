//! Programs that a command starts: run to the end and timed, or running beside it and killed on drop.
//!
//! Nothing started here outlives the command.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;

/// Runs one step of a command in plain sight; a failing program fails the step.
pub(crate) fn step(title: &str, command: &mut Command) -> anyhow::Result<()> {
    eprintln!("\n▶ {title}");
    let began = Instant::now();
    let status = command.status().with_context(|| format!("{title}: cannot start {command:?}"))?;
    anyhow::ensure!(status.success(), "{title} failed ({status})");
    eprintln!("✓ {title}, {:.1} s", began.elapsed().as_secs_f32());
    Ok(())
}

/// Runs a program out of sight and returns what it printed; on failure what it wrote to stderr is the error.
pub(crate) fn quiet(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        // The first characters name the problem; what follows is advice and stack traces.
        let message: String =
            String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect();
        let program = command.get_program().to_string_lossy();
        anyhow::bail!("{program} failed ({}): {message}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Work that was begun beside other steps; a step that needs it waits for it with [`finish`].
pub(crate) type Pending<'scope, T> = ScopedJoinHandle<'scope, anyhow::Result<T>>;

/// Waits for such work and returns what came of it.
pub(crate) fn finish<T>(pending: Pending<'_, T>) -> anyhow::Result<T> {
    // A panic in it is one of ours.
    pending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A program that runs beside the command and dies with it.
pub(crate) struct Companion(Child);

impl Companion {
    /// How often a wait looks again.
    const PAUSE: Duration = Duration::from_millis(20);

    /// Starts it without input; what it says goes to a file.
    pub(crate) fn start(command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let output =
            File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let also = output.try_clone()?;
        let child = command.stdin(Stdio::null()).stdout(output).stderr(also).spawn();
        Ok(Self(child.with_context(|| format!("cannot start {command:?}"))?))
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        self.0.try_wait().context("cannot ask for the state of a child")
    }

    /// Waits for its end; one that takes longer than the limit is killed.
    pub(crate) fn finish(mut self, limit: Duration) -> anyhow::Result<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            thread::sleep(Self::PAUSE);
        }
        anyhow::bail!("not done after {limit:?}")
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        // Already ended is fine; there is nobody to tell about anything else.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
