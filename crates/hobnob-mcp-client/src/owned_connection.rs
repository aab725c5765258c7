//! A connection that belongs to a client, together with the program that was started for it.
//!
//! The builder makes it and `Client` holds it. Dropping it closes the connection and kills the
//! program, so that nothing outlives the last client.

use crate::remote::Remote;
#[cfg(all(unix, feature = "stdio"))]
use hobnob_mcp_process::child::{Child, StderrLog, StopGrace};
#[cfg(all(unix, feature = "stdio"))]
use parking_lot::Mutex;
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// The connection, the tasks and the program that must end with a client.
pub(crate) struct OwnedConnection {
    remote: Arc<Remote>,
    tasks: TaskTracker,
    #[cfg(all(unix, feature = "stdio"))]
    program: Option<RunningProgram>,
}

/// A program that was started for a connection.
#[cfg(all(unix, feature = "stdio"))]
struct RunningProgram {
    stderr: Arc<StderrLog>,
    /// `None` once it has been stopped.
    child: Mutex<Option<Child>>,
}

impl OwnedConnection {
    pub(crate) fn new(remote: Arc<Remote>, tasks: TaskTracker) -> Self {
        Self {
            remote,
            tasks,
            #[cfg(all(unix, feature = "stdio"))]
            program: None,
        }
    }

    /// Makes this program end with the connection.
    #[cfg(all(unix, feature = "stdio"))]
    pub(crate) fn hold_program(&mut self, child: Child) {
        let (stderr, child) = (child.stderr(), Mutex::new(Some(child)));
        self.program = Some(RunningProgram { stderr, child });
    }

    /// The end of what the program wrote to its standard error.
    #[cfg(all(unix, feature = "stdio"))]
    pub(crate) fn stderr(&self, lines: usize) -> Option<String> {
        self.program.as_ref().map(|program| program.stderr.tail(lines))
    }

    pub(crate) fn remote(&self) -> &Arc<Remote> {
        &self.remote
    }

    /// Closes the connection, lets the program end, and waits for all tasks of the connection.
    pub(crate) async fn close(&self) {
        self.remote.close();
        #[cfg(all(unix, feature = "stdio"))]
        if let Some(program) = &self.program {
            let child = program.child.lock().take();
            if let Some(child) = child {
                child.stop(StopGrace::default()).await;
            }
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for OwnedConnection {
    fn drop(&mut self) {
        self.remote.close();
    }
}
