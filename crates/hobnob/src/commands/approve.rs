//! `hobnob approve`.

use crate::context::Context;
use clap::Args;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {}

/// Does it.
pub(crate) fn run(_args: ApproveArgs, _context: &Context) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
