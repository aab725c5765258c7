//! `hobnob enable`: switches one server on in its file. `main` runs it; `switch` does the work.
//!
//! What must stay true: it starts no server and approves nothing.

use super::switch::{self, SwitchArgs};
use crate::context::CommandContext;
use hobnob_config::Switch;

pub(crate) type EnableArgs = SwitchArgs;

pub(crate) fn run(args: EnableArgs, context: &CommandContext) -> anyhow::Result<()> {
    switch::run(args, Switch::On, context)
}
