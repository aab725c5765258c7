//! The shell service as a `BuiltInService`: its tools, and what ends with a grant or a client.

use super::service::{PresentedShell, ShellService};
use super::tools::with_tools;
use crate::built_in::{BuiltInService, KitChange};
use crate::presentation::Presentation;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_policy::{MachineService, ServiceAccess};

impl BuiltInService for ShellService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Lists no tools while the service is disabled. While it is read-only, commands run with
    /// read-only access, so the tools are the same.
    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let presentation = presentation.clone();
        let shell = PresentedShell { service: self.clone(), presentation };
        let kit = Kit::service(Self::NAME).with_state(shell).on_client_gone(
            |shell: &PresentedShell, client| shell.service.0.background.client_gone(client),
        );
        match self.0.machine.grants().access(MachineService::Shell) {
            ServiceAccess::Disabled => kit.build(),
            ServiceAccess::ReadOnly | ServiceAccess::ReadWrite => with_tools(kit).build(),
        }
    }

    fn grants_changed(&self) -> KitChange {
        self.0.active.end_revoked(&self.0.machine.grants());
        KitChange::Changed
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.0.active.end_all();
            self.0.background.close().await;
        })
    }
}
