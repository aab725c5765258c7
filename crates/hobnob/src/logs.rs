//! Logs go to standard error: for people on a terminal, as JSON lines otherwise.

use std::io::{self, IsTerminal as _};
use tracing_subscriber::EnvFilter;

/// Starts logging. `RUST_LOG` wins over `-v`.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => "info",
        1 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    if io::stderr().is_terminal() {
        logs.with_target(false).init();
    } else {
        logs.json().init();
    }
}
