//! The shell service: its parts, and the checks and errors that all its handlers share.

use super::background::BackgroundProcesses;
use super::limits::{COMMANDS, ShellOptions};
use crate::commands::{ActiveCommand, ActiveCommands, CommandLauncher, LaunchError};
use crate::machine_access::MachineAccess;
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_engine::{Share, Shares};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::CommandWish;
use std::fmt;
use std::sync::Arc;

/// Runs the commands that a person granted. Cheap to clone: each view's kit holds a clone.
#[derive(Clone)]
pub struct ShellService(pub(super) Arc<ShellParts>);

/// The state that all clones share.
pub(super) struct ShellParts {
    pub(super) machine: MachineAccess,
    pub(super) launcher: CommandLauncher,
    pub(super) options: ShellOptions,
    /// Every running command, in the foreground and in the background.
    pub(super) active: ActiveCommands<CommandWish>,
    pub(super) background: BackgroundProcesses,
    commands: Arc<Shares>,
}

impl ShellService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "shell";

    /// Makes the service. No process is started before the first command.
    pub fn new(machine: MachineAccess, options: ShellOptions) -> Self {
        Self(Arc::new(ShellParts {
            machine,
            launcher: CommandLauncher::new(options.launch()),
            options,
            active: ActiveCommands::default(),
            background: BackgroundProcesses::default(),
            commands: Shares::new(COMMANDS.0, COMMANDS.1),
        }))
    }
}

impl fmt::Debug for ShellService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShellService").field("machine", &self.0.machine).finish_non_exhaustive()
    }
}

/// The service as one view shows it; every handler works with this.
pub(super) struct PresentedShell {
    pub(super) service: ShellService,
    pub(super) presentation: Presentation,
}

impl PresentedShell {
    /// Asks the grants about a command, and registers it so that it can be ended from elsewhere.
    pub(super) fn permit(
        &self,
        context: &CallContext,
        wish: CommandWish,
    ) -> Result<Arc<ActiveCommand<CommandWish>>, ToolError> {
        let parts = &self.service.0;
        let asked = wish.clone();
        let decide = |grants: &hobnob_policy::GrantSet, who: hobnob_policy::GrantSubject<'_>| {
            grants.permit_command(who, asked)
        };
        let permit = parts.machine.permit(context, &self.presentation, decide)?;
        Ok(parts.active.add(permit, wish, context.caller()))
    }

    /// Reserves a place among the commands whose callers wait.
    pub(super) fn place(&self, context: &CallContext) -> Result<Share, ToolError> {
        let share = self.service.0.commands.take(context.caller().share());
        share.ok_or_else(|| self.failed(&LaunchError::Busy))
    }

    /// The error for a command that could not be started.
    pub(super) fn failed(&self, error: &LaunchError) -> ToolError {
        self.invalid(error.to_string())
    }

    pub(super) fn invalid(&self, problem: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, problem)
    }
}
