//! `hobnob disable`: switches one server off in its file, or a service of the machine in the
//! grants. `main` runs it; `switch` and `service_access` do the work.
//!
//! What must stay true: the entry of a server and the grants of a service stay, so `enable`
//! restores them.

use super::service_access::set_access;
use super::switch::{self, SwitchArgs, SwitchTarget};
use crate::context::CommandContext;
use hobnob_config::Switch;
use hobnob_policy::ServiceAccess;

pub(crate) type DisableArgs = SwitchArgs;

pub(crate) fn run(args: DisableArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    match switch::target(&args, &places)? {
        SwitchTarget::Service(service) => {
            set_access(service, ServiceAccess::Disabled, &places, context)
        }
        SwitchTarget::Server(name) => switch::run(&name, args.scope, Switch::Off, &places, context),
    }
}
