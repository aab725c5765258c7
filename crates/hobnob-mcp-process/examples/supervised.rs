//! Runs a program so that nothing of it outlives us: `supervised LEVEL PROGRAM ARGUMENT…`.
//!
//! Without arguments it says what this machine allows. The tests kill it and look what is left.

use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    use hobnob_mcp_process::supervisor;

    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        // First of all: a process with threads cannot be a supervisor.
        Some(first) if first == supervisor::ARGUMENT => supervisor::run(arguments),
        first => match unix::owner(first, arguments) {
            Ok(code) => code,
            Err(error) => {
                // Without a standard error there is nowhere to report that.
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
    use hobnob_mcp_process::child::{Child, ChildSpec, Exit, Supervision, environment};
    use hobnob_mcp_process::supervisor::{Level, detect};
    use std::io;
    use tokio::io::AsyncWriteExt;

    /// Starts the program, shows what it writes, and exits as it does.
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
        let level = match level.to_str() {
            Some("namespace") => Level::Namespace,
            Some("subreaper") => Level::Subreaper,
            Some("group") => Level::Group,
            _ => return Err(io::Error::other("no such level: namespace, subreaper, group")),
        };
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
}
