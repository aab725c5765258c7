//! `hobnob enable`: switches one server on in its file, or a service of the machine in the grants.
//! `main` runs it; `switch` and `service_access` do the work.
//!
//! What must stay true: it starts no server and approves nothing.

use super::service_access::set_access;
use super::switch::{self, SwitchArgs, SwitchTarget};
use crate::context::CommandContext;
use crate::exit::Ended;
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
    match switch::target(&args.target, &places)? {
        SwitchTarget::Service(service) => {
            let access = match args.read_only {
                true => ServiceAccess::ReadOnly,
                false => ServiceAccess::ReadWrite,
            };
            set_access(service, access, &places, context)
        }
        SwitchTarget::Server(_) if args.read_only => {
            Err(Ended::usage("--read-only is for services: shell, files, logs, registry").into())
        }
        SwitchTarget::Server(name) => {
            switch::run(&name, args.target.scope, Switch::On, &places, context)
        }
    }
}
