//! `hobnob enable`.

use super::switch::{self, SwitchArgs};
use crate::context::Context;
use hobnob_config::Switch;

/// What may be typed after it.
pub(crate) type EnableArgs = SwitchArgs;

/// Does it.
pub(crate) fn run(args: EnableArgs, context: &Context) -> anyhow::Result<()> {
    switch::run(args, Switch::On, context)
}
