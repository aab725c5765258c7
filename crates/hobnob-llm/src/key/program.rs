//! Runs a program that prints a key, and reads the first line of its output. `source` calls it and
//! limits its time.
//!
//! What must stay true: no process of the program outlives the call, its output is bounded, and its
//! standard error is never shown, because it may contain the secret.

#[cfg(unix)]
pub(super) use unix::first_line;

#[cfg(unix)]
mod unix {
    use hobnob_mcp_process::child::{Child, ChildSpec, Exit, Supervision, environment};
    use tokio::io::AsyncReadExt as _;

    /// More bytes than any key has.
    const MAX_OUTPUT_BYTES: u64 = 16 * 1024;

    /// Environment variables that password managers need, besides those that every child gets.
    const EXTRA_VARIABLES: [&str; 7] = [
        "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",
        "GNUPGHOME",
        "GPG_TTY",
        "PASSWORD_STORE_DIR",
        "SSH_AUTH_SOCK",
        "WAYLAND_DISPLAY",
    ];

    /// Returns the first line that the program prints. Dropping the future ends the program.
    pub(in crate::key) async fn first_line(words: &[&str]) -> Result<String, Box<str>> {
        let (program, args) = words.split_first().ok_or("it names no program")?;
        let spec = ChildSpec {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            env: environment(|name| EXTRA_VARIABLES.contains(&name), []),
            cwd: None,
            supervision: Supervision::Group,
        };
        let cannot_start = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => "the program was not found",
            _ => "the program cannot be started",
        };
        let (mut child, pipes) = Child::spawn(&spec).map_err(cannot_start)?;
        // The program gets no input.
        drop(pipes.stdin);
        let mut output = Vec::new();
        let read = pipes.stdout.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut output).await;
        read.map_err(|_| "what it writes cannot be read")?;
        if MAX_OUTPUT_BYTES < output.len() as u64 {
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

/// Other systems start no program, because only on Unix can Hobnob make sure that it ends.
#[cfg(not(unix))]
pub(super) async fn first_line(_words: &[&str]) -> Result<String, Box<str>> {
    Err("programs are asked for keys on Unix systems only; set a variable instead".into())
}
