//! `hobnob enable`: switches one server on in its file.

use super::switch::{self, SwitchArgs};
use crate::context::CommandContext;
use hobnob_config::Switch;

pub(crate) type EnableArgs = SwitchArgs;

pub(crate) fn run(args: EnableArgs, context: &CommandContext) -> anyhow::Result<()> {
    switch::run(args, Switch::On, context)
}
