//! The agents service: its parts, and the checks and errors that all its handlers share.

use super::catalog::AgentCatalog;
use super::description::AgentDescription;
use super::limits::{AgentNesting, AgentOptions, CHATS};
use super::names::shown_name;
use super::session_lock::{SessionLock, SessionLockError};
use crate::commands::{ActiveCommand, ActiveCommands, CommandLauncher, LaunchError};
use crate::machine_access::MachineAccess;
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_engine::{Share, Shares};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{AgentWish, Permit, RunCommand};
use hobnob_store::agents::{AgentSession, AgentSessionError, AgentSessionRepository};
use hobnob_store::{Owner, StoreError};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Runs the agent programs that a person granted. Cheap to clone: each view's kit holds a clone.
#[derive(Clone)]
pub struct AgentService(pub(super) Arc<AgentParts>);

/// The state that all clones share.
pub(super) struct AgentParts {
    pub(super) machine: MachineAccess,
    pub(super) catalog: AgentCatalog,
    pub(super) sessions: Arc<dyn AgentSessionRepository>,
    pub(super) launcher: CommandLauncher,
    pub(super) options: AgentOptions,
    /// All chats that are running now.
    pub(super) active: ActiveCommands<AgentWish>,
    chats: Arc<Shares>,
}

impl AgentService {
    /// The service's name in settings and profiles. Grants call it `agents`.
    pub const NAME: &'static str = "claudecode";

    /// Makes the service. No process is started before the first chat.
    pub fn new(
        machine: MachineAccess,
        catalog: AgentCatalog,
        sessions: Arc<dyn AgentSessionRepository>,
        options: AgentOptions,
    ) -> Self {
        Self(Arc::new(AgentParts {
            machine,
            catalog,
            sessions,
            launcher: CommandLauncher::new(options.launch.clone()),
            options,
            active: ActiveCommands::default(),
            chats: Shares::new(CHATS.0, CHATS.1),
        }))
    }
}

impl fmt::Debug for AgentService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentService").field("machine", &self.0.machine).finish_non_exhaustive()
    }
}

/// The service as one view shows it; every handler works with this.
pub(super) struct PresentedAgents {
    pub(super) service: AgentService,
    pub(super) presentation: Presentation,
}

impl PresentedAgents {
    pub(super) fn sessions(&self) -> &dyn AgentSessionRepository {
        &*self.service.0.sessions
    }

    /// The caller's session with this name.
    pub(super) async fn session(
        &self,
        context: &CallContext,
        name: &str,
    ) -> Result<AgentSession, ToolError> {
        let found = self.sessions().find_session(owner(context), name.to_owned()).await;
        found.map_err(|error| self.store_error(&error))?.ok_or_else(|| self.not_found(name))
    }

    /// Locks a session against all other callers and processes.
    pub(super) fn lock(&self, context: &CallContext, name: &str) -> Result<SessionLock, ToolError> {
        let folder = &self.service.0.options.locks;
        SessionLock::acquire(folder, &owner(context), name).map_err(|error| match error {
            SessionLockError::Busy => {
                self.invalid(format!("Session '{}' is busy: {error}", shown_name(name)))
            }
            SessionLockError::Io(ref why) => {
                tracing::warn!(error = %why, "the locks of agents' sessions cannot be used");
                self.presentation.fail(Failure::Storage, error.to_string())
            }
        })
    }

    /// The description of the agent with this name.
    pub(super) fn agent(&self, name: &str) -> Result<Arc<AgentDescription>, ToolError> {
        let catalog = &self.service.0.catalog;
        catalog.get(name).cloned().ok_or_else(|| {
            let known = catalog.names().collect::<Vec<_>>().join(", ");
            self.invalid(format!("there is no agent `{}`; known: {known}", shown_name(name)))
        })
    }

    /// Asks the current grants to permit one run of a program.
    pub(super) fn permit(
        &self,
        context: &CallContext,
        wish: AgentWish,
    ) -> Result<Permit<RunCommand>, ToolError> {
        if self.service.0.options.nesting == AgentNesting::InsideAgent {
            let problem = "this Hobnob was started by an agent that Hobnob runs, and an agent \
                           cannot start another one";
            return Err(self.invalid(problem));
        }
        let machine = &self.service.0.machine;
        machine.permit(context, &self.presentation, |grants, who| grants.permit_agent(who, wish))
    }

    /// The same for a chat, which is also registered so that it can be ended from elsewhere.
    pub(super) fn permit_chat(
        &self,
        context: &CallContext,
        wish: AgentWish,
    ) -> Result<Arc<ActiveCommand<AgentWish>>, ToolError> {
        let permit = self.permit(context, wish.clone())?;
        Ok(self.service.0.active.add(permit, wish, context.caller()))
    }

    /// Reserves a place among the running chats.
    pub(super) fn place(&self, context: &CallContext) -> Result<Share, ToolError> {
        let share = self.service.0.chats.take(context.caller().share());
        share.ok_or_else(|| self.invalid("too many chats run at once: wait for one to end"))
    }

    pub(super) fn not_found(&self, name: &str) -> ToolError {
        let name = shown_name(name);
        self.presentation.fail(Failure::NotFound, format!("Session '{name}' not found"))
    }

    pub(super) fn invalid(&self, problem: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, problem)
    }

    /// The error for a program that could not be started.
    pub(super) fn not_started(&self, error: &LaunchError) -> ToolError {
        self.invalid(error.to_string())
    }

    pub(super) fn store_error(&self, error: &StoreError) -> ToolError {
        tracing::warn!(%error, "the store failed in a session with an agent");
        self.presentation.fail(Failure::Storage, error.to_string())
    }

    /// The error for a session that could not be made.
    pub(super) fn refused(
        &self,
        error: AgentSessionError,
        name: &str,
        new_name: &str,
    ) -> ToolError {
        match error {
            AgentSessionError::NotFound => self.not_found(name),
            AgentSessionError::NameTaken => {
                self.invalid(format!("Session '{}' exists already", shown_name(new_name)))
            }
            AgentSessionError::TooMany => self.invalid(error.to_string()),
            AgentSessionError::Store(error) => self.store_error(&error),
        }
    }
}

/// The owner of the sessions that the caller sees.
pub(super) fn owner(context: &CallContext) -> Owner {
    Owner::named(context.caller().principal.as_str())
}

/// A run without arguments, input or time, to ask whether an agent may work in a folder.
pub(super) fn bare_wish(agent: &str, folder: Option<String>) -> AgentWish {
    let (agent, timeout) = (agent.to_owned(), Duration::ZERO);
    AgentWish { agent, arguments: Vec::new(), folder, input: Vec::new(), timeout }
}
