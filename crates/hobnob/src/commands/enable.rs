//! `hobnob enable`: switches one server on in its file, or a service of the machine in the grants.
//! `main` runs it; `switch` and `service_access` do the work.
//!
//! What must stay true: it starts no server and approves nothing.

use super::service_access::set_access;
use super::switch::{self, SwitchArgs, SwitchTarget};
use crate::context::CommandContext;
use clap::Args;
use hobnob_config::Switch;
use hobnob_policy::ServiceAccess;

#[derive(Debug, Args)]
pub(crate) struct EnableArgs {
    #[command(flatten)]
    target: SwitchArgs,

    /// Let the service read what it was granted, and change nothing.
    #[arg(long, conflicts_with_all = ["server", "scope"])]
    read_only: bool,
}

pub(crate) fn run(args: EnableArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    // Only a service can be read-only, so the name is a service's.
    let target = SwitchArgs { service: args.target.service || args.read_only, ..args.target };
    match switch::target(&target, &places)? {
        SwitchTarget::Service(service) => {
            let access = match args.read_only {
                true => ServiceAccess::ReadOnly,
                false => ServiceAccess::ReadWrite,
            };
            set_access(service, access, &places, context)
        }
        SwitchTarget::Server(name) => {
            switch::run(&name, target.scope, Switch::On, &places, context)
        }
    }
}
