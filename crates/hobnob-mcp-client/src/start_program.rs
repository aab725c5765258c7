//! Starts a server's program and performs the handshake; no program stays running on failure.
//!
//! The builder calls it. A server that ends at the modern discovery is started once more with the
//! legacy handshake; an error quotes what the program wrote to standard error.

use crate::connect::{ConnectError, Connection, connect_lines};
use crate::greet::GreetError;
use crate::options::EraHint;
use crate::remote::Remote;
use hobnob_mcp_process::child::{Child, ChildSpec, StopGrace};
use std::sync::Arc;
use std::time::Duration;

/// How long a program whose handshake failed has to write the reason to standard error.
const STDERR_GRACE: Duration = Duration::from_millis(300);

/// How many lines of standard error an error quotes.
const MAX_STDERR_LINES: usize = 5;

/// Starts the program and performs the handshake. `connection` is called for each start.
pub(crate) async fn start_program(
    spec: &ChildSpec,
    mut connection: impl FnMut(Option<EraHint>) -> Connection,
) -> Result<(Arc<Remote>, Child), ConnectError> {
    let first = connection(None);
    let era = first.options.era;
    match start_once(spec, first).await {
        Err(failed) if era == EraHint::Unknown && failed.died_of_greeting => {
            let again = start_once(spec, connection(Some(EraHint::Legacy)));
            again.await.map_err(|failed| failed.error)
        }
        done => done.map_err(|failed| failed.error),
    }
}

struct StartFailure {
    error: ConnectError,
    died_of_greeting: bool,
}

async fn start_once(
    spec: &ChildSpec,
    connection: Connection,
) -> Result<(Arc<Remote>, Child), StartFailure> {
    let started = Child::spawn(spec).map_err(|error| StartFailure {
        error: ConnectError::Start(error),
        died_of_greeting: false,
    });
    let (child, pipes) = started?;
    match connect_lines(connection, pipes.stdout, pipes.stdin).await {
        Ok(remote) => Ok((remote, child)),
        Err(error) => Err(explain(child, error).await),
    }
}

/// Ends a program whose handshake failed, and adds its output to the error.
async fn explain(mut child: Child, error: ConnectError) -> StartFailure {
    let died_of_greeting = matches!(error, ConnectError::Greet(GreetError::EndedEarly(_)));
    let stderr = child.stderr();
    let _may_go_on = tokio::time::timeout(STDERR_GRACE, child.exited()).await;
    let grace = StopGrace { eof: Duration::from_millis(200), term: Duration::from_millis(500) };
    child.stop(grace).await;
    let tail = stderr.tail(MAX_STDERR_LINES);
    let error = match tail.is_empty() {
        true => error,
        false => ConnectError::Program { source: Box::new(error), stderr: tail.into() },
    };
    StartFailure { error, died_of_greeting }
}
