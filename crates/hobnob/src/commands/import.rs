//! `hobnob import`.

use crate::context::Context;
use clap::Args;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {}

/// Does it.
pub(crate) fn run(_args: ImportArgs, _context: &Context) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
