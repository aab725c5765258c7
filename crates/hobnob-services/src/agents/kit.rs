//! The agents service as a `BuiltInService`: the tools a view lists, and what a changed grant ends.

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

    /// Lists no tools while the service is disabled, and only the reading tools while it is
    /// read-only: an agent cannot be kept from writing. Profiles with their own result shapes list
    /// every tool, and a refused call says what to grant.
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
