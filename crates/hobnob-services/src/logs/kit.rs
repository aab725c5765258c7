//! The log service as a `BuiltInService`: the tools that a view lists under the current grants.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::{LogService, PresentedLogs};
use super::{native, sysmcp};
use crate::built_in::{BuiltInService, KitChange};
use crate::presentation::{Dialect, Presentation};
use hobnob_mcp_toolbox::{Kit, KitBuilder, KitError, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use hobnob_policy::{MachineService, ServiceAccess};
use std::sync::Arc;

impl BuiltInService for LogService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let access = self.machine.grants().access(MachineService::Logs);
        let presentation = Arc::new(presentation.clone());
        let dialect = presentation.dialect;
        let presented = PresentedLogs { service: self.clone(), presentation };
        let kit = Kit::service(Self::NAME).with_state(presented);
        match (dialect, access) {
            (Dialect::SysMcp, _) => with_sysmcp(kit),
            (Dialect::Native, ServiceAccess::Disabled) => kit,
            (Dialect::Native, ServiceAccess::ReadOnly | ServiceAccess::ReadWrite) => {
                with_native(kit)
            }
        }
        .build()
    }

    fn grants_changed(&self) -> KitChange {
        self.close_all();
        KitChange::Changed
    }
}

/// The specification of a tool. All of them only read, but entries come and go between calls.
fn spec(title: &str, description: &str) -> ToolSpec {
    let annotations = ToolAnnotations {
        read_only_hint: Some(true),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(description).title(title).annotations(annotations)
}

fn with_native(kit: KitBuilder<PresentedLogs>) -> KitBuilder<PresentedLogs> {
    kit.tool(
        "list",
        spec("List logs", "List the logs of this machine that may be read: files and the system's"),
        native::list,
    )
    .tool(
        "query",
        spec(
            "Query a log",
            "Read entries of a log, the newest first, a page at a time. Users, hosts, addresses and \
             home folders appear as tokens such as USER-GHJKLMNPQRST, the same one for the same \
             value; conditions look at the text with tokens",
        ),
        native::query,
    )
    .tool(
        "tail",
        spec(
            "Follow a log",
            "Wait for new entries of a log and report them as they come, until there are enough or \
             the time is over",
        ),
        native::tail,
    )
}

fn with_sysmcp(kit: KitBuilder<PresentedLogs>) -> KitBuilder<PresentedLogs> {
    kit.tool("query", spec("Query event log", "Query Windows Event Log"), sysmcp::query).tool(
        "list_logs",
        spec("List event logs", "List all available Windows Event Logs"),
        sysmcp::list_logs,
    )
}
