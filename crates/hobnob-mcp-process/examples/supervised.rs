//! Runs a program so that nothing of it outlives us: `supervised LEVEL PROGRAM ARGUMENT…`, or
//! `supervised run LEVEL PROGRAM ARGUMENT…` as a command of a runner.
//!
//! Without arguments it says what this machine allows. The tests kill it and check what is left.

use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    use hobnob_mcp_process::supervisor;

    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        // This must come first: a process with threads cannot be a supervisor.
        Some(first) if first == supervisor::ARGUMENT => supervisor::run(arguments),
        first => match unix::owner(first, arguments) {
            Ok(code) => code,
            Err(error) => {
                // Without a standard error the message has nowhere to go.
                drop(std::io::Write::write_all(
                    &mut std::io::stderr(),
                    format!("supervised: {error}\n").as_bytes(),
                ));
                ExitCode::FAILURE
            }
        },
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    hobnob_mcp_process::supervisor::run(std::env::args_os().skip(1).map(OsString::from))
}

#[cfg(unix)]
mod unix {
    use super::{ExitCode, OsString};
    use hobnob_mcp_process::ProcessLimits;
    use hobnob_mcp_process::child::{Child, ChildSpec, Exit, Supervision, environment};
    use hobnob_mcp_process::runner::{
        CommandInput, PoolOptions, ProgramStart, RunnerPool, RunnerSpec, StartFolder,
    };
    use hobnob_mcp_process::supervisor::{Level, detect};
    use std::io;
    use std::path::PathBuf;
    use tokio::io::AsyncWriteExt;

    /// Starts the program, shows what it writes, and exits with the program's code.
    #[tokio::main]
    pub(super) async fn owner(
        level: Option<OsString>,
        mut rest: impl Iterator<Item = OsString>,
    ) -> io::Result<ExitCode> {
        let supervisor = std::env::current_exe()?;
        let mut output = tokio::io::stdout();
        let Some(level) = level else {
            output.write_all(detect(&supervisor).describes().as_bytes()).await?;
            output.write_all(b"\n").await?;
            output.flush().await?;
            return Ok(ExitCode::SUCCESS);
        };
        if level == "run" {
            let level = rest.next().unwrap_or_default();
            return command(supervisor, parse(&level)?, rest).await;
        }
        let level = parse(&level)?;
        let program = rest.next().ok_or_else(|| io::Error::other("no program"))?;
        let (mut child, mut pipes) = Child::spawn(&ChildSpec {
            program,
            args: rest.collect(),
            env: environment(|_| false, []),
            cwd: None,
            supervision: Supervision::Supervisor { program: supervisor, level },
        })?;
        tokio::io::copy(&mut pipes.stdout, &mut output).await?;
        output.flush().await?;
        match child.exited().await {
            Exit::Code(code) => Ok(u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)),
            Exit::Signal(_) | Exit::Unknown => Ok(ExitCode::FAILURE),
        }
    }

    fn parse(level: &OsString) -> io::Result<Level> {
        match level.to_str() {
            Some("namespace") => Ok(Level::Namespace),
            Some("subreaper") => Ok(Level::Subreaper),
            Some("group") => Ok(Level::Group),
            _ => Err(io::Error::other("no such level: namespace, subreaper, group")),
        }
    }

    /// Runs a program as a command of a runner, shows what it writes, and says how it ended.
    async fn command(
        supervisor: PathBuf,
        level: Level,
        mut rest: impl Iterator<Item = OsString>,
    ) -> io::Result<ExitCode> {
        let pool = RunnerPool::new(PoolOptions::new(supervisor));
        let (limits, key) = (ProcessLimits::default(), String::new());
        let spec = RunnerSpec { limits, sandbox: None, level, key };
        let start = ProgramStart {
            program: rest.next().ok_or_else(|| io::Error::other("no program"))?,
            arguments: rest.collect(),
            environment: environment(|_| false, []),
            folder: StartFolder::Opened(std::fs::File::open(".")?.into()),
            input: CommandInput::Nothing,
        };
        let (mut tree, mut pipes) = pool.start(&spec, start).await.map_err(io::Error::other)?;
        let mut output = tokio::io::stdout();
        tokio::io::copy(&mut pipes.stdout, &mut output).await?;
        let report = tree.ended().await;
        output.write_all(format!("{}\n", report.end).as_bytes()).await?;
        output.flush().await?;
        Ok(ExitCode::SUCCESS)
    }
}
