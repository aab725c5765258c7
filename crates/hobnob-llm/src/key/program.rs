//! Runs the program that gives a key, and takes the first line it writes.
//!
//! What must stay true: nothing of the program survives the reading, what it writes is bounded, and
//! what it says on standard error is not shown, because it may name the secret.

#[cfg(unix)]
pub(super) use unix::first_line;

#[cfg(unix)]
mod unix {
    use hobnob_mcp_process::child::{Child, ChildSpec, Exit, Supervision, environment};
    use tokio::io::AsyncReadExt as _;

    /// More than any key has.
    const LONGEST: u64 = 16 * 1024;

    /// Variables that programs which keep secrets need, besides those that every child gets.
    const EXTRA: [&str; 7] = [
        "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",
        "GNUPGHOME",
        "GPG_TTY",
        "PASSWORD_STORE_DIR",
        "SSH_AUTH_SOCK",
        "WAYLAND_DISPLAY",
    ];

    /// The first line that the program writes. Dropping the future ends the program.
    pub(in crate::key) async fn first_line(words: &[&str]) -> Result<String, Box<str>> {
        let (program, args) = words.split_first().ok_or("it names no program")?;
        let spec = ChildSpec {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            env: environment(|name| EXTRA.contains(&name), []),
            cwd: None,
            supervision: Supervision::Group,
        };
        let cannot_start = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => "the program was not found",
            _ => "the program cannot be started",
        };
        let (mut child, pipes) = Child::spawn(&spec).map_err(cannot_start)?;
        // It has nothing to read.
        drop(pipes.stdin);
        let mut output = Vec::new();
        let read = pipes.stdout.take(LONGEST + 1).read_to_end(&mut output).await;
        read.map_err(|_| "what it writes cannot be read")?;
        if LONGEST < output.len() as u64 {
            return Err("it writes more than a key".into());
        }
        match child.exited().await {
            Exit::Code(0) => {}
            exit => return Err(format!("it {exit}").into()),
        }
        let text = String::from_utf8(output).map_err(|_| "it is not text")?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }
}

/// Elsewhere nothing makes sure that a program ends, so none is started.
#[cfg(not(unix))]
pub(super) async fn first_line(_words: &[&str]) -> Result<String, Box<str>> {
    Err("programs are asked for keys on Unix systems only; set a variable instead".into())
}
