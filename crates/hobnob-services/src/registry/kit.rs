//! The registry service as a `BuiltInService`: the tools of a view under the current grants.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::{PresentedRegistry, RegistryService};
use super::{native, sysmcp};
use crate::built_in::{BuiltInService, KitChange};
use crate::presentation::{Dialect, Presentation};
use crate::tool_effect::{ToolEffect, tool_spec};
use hobnob_mcp_toolbox::{Kit, KitBuilder, KitError};
use hobnob_policy::{MachineService, ServiceAccess};
use std::sync::Arc;

impl BuiltInService for RegistryService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let access = match self.registry {
            Some(_) => self.machine.grants().access(MachineService::Registry),
            None => ServiceAccess::Disabled,
        };
        let presented = PresentedRegistry {
            service: self.clone(),
            presentation: Arc::new(presentation.clone()),
        };
        let kit = Kit::service(Self::NAME).with_state(presented);
        match (presentation.dialect, access) {
            (Dialect::SysMcp, _) => with_sysmcp(kit),
            (Dialect::Native, ServiceAccess::Disabled) => kit,
            (Dialect::Native, ServiceAccess::ReadOnly) => with_looks(kit),
            (Dialect::Native, ServiceAccess::ReadWrite) => with_changes(with_looks(kit)),
        }
        .build()
    }

    fn grants_changed(&self) -> KitChange {
        KitChange::Changed
    }
}

fn with_looks(kit: KitBuilder<PresentedRegistry>) -> KitBuilder<PresentedRegistry> {
    kit.tool(
        "read",
        tool_spec(
            ToolEffect::Reads,
            "Read a registry key",
            "Read one value or all values of a key of the Windows registry. In an answer that is \
             not exact, letters beyond ASCII and line breaks may differ",
        ),
        native::read,
    )
    .tool(
        "list",
        tool_spec(
            ToolEffect::Reads,
            "List registry keys",
            "List the names of the keys right below a key of the Windows registry",
        ),
        native::list,
    )
}

fn with_changes(kit: KitBuilder<PresentedRegistry>) -> KitBuilder<PresentedRegistry> {
    kit.tool(
        "write",
        tool_spec(
            ToolEffect::Removes,
            "Write a registry value",
            "Set one value of a key of the Windows registry; the key is made if it is missing",
        ),
        native::write,
    )
    .tool(
        "delete",
        tool_spec(
            ToolEffect::Removes,
            "Delete from the registry",
            "Delete one value of a key of the Windows registry, or the key with all that is below \
             it. Nothing of it can be brought back",
        ),
        native::delete,
    )
}

fn with_sysmcp(kit: KitBuilder<PresentedRegistry>) -> KitBuilder<PresentedRegistry> {
    let read =
        tool_spec(ToolEffect::Reads, "Read registry", "Read a Windows registry key or value");
    let write = tool_spec(ToolEffect::Removes, "Write registry", "Write a Windows registry value");
    kit.tool("read", read, sysmcp::read).tool("write", write, sysmcp::write)
}
