//! The service as a built-in: what a view lists of it, and what ends with a grant.

use super::service::{AgentService, PresentedAgents};
use super::tools::{with_changing, with_reading};
use crate::built_in::{BuiltInService, KitChange};
use crate::presentation::{Dialect, Presentation};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_policy::{MachineService, ServiceAccess};

impl BuiltInService for AgentService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Nothing while the service is off, and only what changes nothing while it may only read: an agent
    /// cannot be kept from writing. Profiles with shapes of their own list everything, and the answers
    /// say what to grant.
    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let agents = PresentedAgents { service: self.clone(), presentation: presentation.clone() };
        let kit = Kit::service(Self::NAME).with_state(agents);
        let access = match presentation.dialect {
            Dialect::Native => self.0.machine.grants().access(MachineService::Agents),
            Dialect::SysMcp => ServiceAccess::ReadWrite,
        };
        match access {
            ServiceAccess::Disabled => kit.build(),
            ServiceAccess::ReadOnly => with_reading(kit).build(),
            ServiceAccess::ReadWrite => with_reading(with_changing(kit)).build(),
        }
    }

    fn grants_changed(&self) -> KitChange {
        self.0.active.end_revoked(&self.0.machine.grants());
        KitChange::Changed
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.0.active.end_all() })
    }
}
