//! `hobnob call`.

use crate::context::Context;
use clap::Args;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {}

/// Does it.
pub(crate) fn run(_args: CallArgs, _context: &Context) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
