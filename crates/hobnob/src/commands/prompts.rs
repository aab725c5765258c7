//! `hobnob prompts`.

use crate::context::Context;
use clap::Args;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct PromptsArgs {}

/// Does it.
pub(crate) fn run(_args: PromptsArgs, _context: &Context) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
