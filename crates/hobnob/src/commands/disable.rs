//! `hobnob disable`.

use super::switch::{self, SwitchArgs};
use crate::context::Context;
use hobnob_config::Switch;

/// What may be typed after it.
pub(crate) type DisableArgs = SwitchArgs;

/// Does it.
pub(crate) fn run(args: DisableArgs, context: &Context) -> anyhow::Result<()> {
    switch::run(args, Switch::Off, context)
}
