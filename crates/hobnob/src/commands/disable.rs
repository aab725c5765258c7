//! `hobnob disable`: switches one server off in its file. `main` runs it; `switch` does the work.
//!
//! What must stay true: the entry stays in the file, so `enable` restores it.

use super::switch::{self, SwitchArgs};
use crate::context::CommandContext;
use hobnob_config::Switch;

pub(crate) type DisableArgs = SwitchArgs;

pub(crate) fn run(args: DisableArgs, context: &CommandContext) -> anyhow::Result<()> {
    switch::run(args, Switch::Off, context)
}
