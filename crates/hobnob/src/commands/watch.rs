//! `hobnob watch`.

use crate::context::Context;
use clap::Args;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {}

/// Does it.
pub(crate) fn run(_args: WatchArgs, _context: &Context) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
