//! All grants at one moment, parsed: the only source of permits for the machine.
//!
//! A set is immutable; a change of the file makes a new one. A file that cannot be parsed makes no
//! set at all, and its reader uses [`GrantSet::nothing`].
//!
//! No other code makes such a permit, not even from the action of another one:
//!
//! ```compile_fail,E0624
//! use hobnob_policy::{FileAction, Permit};
//! fn again(action: FileAction) -> Permit<FileAction> {
//!     Permit::of_grant(action) // error[E0624]: the second door is private too
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use hobnob_policy::{Permit, RunCommand};
//! fn twice(permit: &Permit<RunCommand>) -> Permit<RunCommand> {
//!     permit.clone() // error[E0308]: a permit is no `Clone`
//! }
//! ```
//!
//! And rules alone never permit an action on the machine:
//!
//! ```compile_fail,E0277
//! use hobnob_policy::{Authorization, RuleSet, RunCommand, authorize};
//! fn by_rules(action: RunCommand) -> Authorization<RunCommand> {
//!     // error[E0277]: an action is no request that rules are asked about
//!     authorize(&RuleSet::default(), action)
//! }
//! ```
//!
//! The way to a permit is this:
//!
//! ```
//! use hobnob_policy::{CallerPlace, FileOperation, FileWish, GrantSet, GrantSubject};
//! let who = GrantSubject { principal: None, place: CallerPlace::Local };
//! let wish = FileWish { path: "/etc/hosts".into(), operation: FileOperation::Stat };
//! let denied = GrantSet::nothing().permit_file(who, wish).unwrap_err();
//! assert_eq!(
//!     denied.commands(),
//!     ["hobnob enable files --read-only", "hobnob grant files /etc"],
//! );
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::action::{FileAction, KeyAction, LogAction, LogListing, RunCommand};
use crate::grants::agent_grant::{self, AgentGrant, AgentWish};
use crate::grants::command_grant::{self, CommandGrant, CommandWish};
use crate::grants::denied::NotGranted;
use crate::grants::file_grant::{self, FileGrant, FileWish};
use crate::grants::file_root::FileRoot;
use crate::grants::key_grant::{self, KeyGrant, KeyWish};
use crate::grants::log_grant::{self, LogGrant, LogWish};
use crate::grants::memory_role::{self, MemoryRole, MemoryRoleGrant};
use crate::grants::source::GrantSources;
use crate::grants::subject::GrantSubject;
use crate::permit::Permit;

/// Maximum number of grants that one service may have.
const MAX_GRANTS: usize = 1024;

/// All grants at one moment, cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct GrantSet(Arc<Grants>);

#[derive(Debug, Default)]
struct Grants {
    access: Vec<(MachineService, ServiceAccess)>,
    files: Vec<FileGrant>,
    commands: Vec<CommandGrant>,
    logs: Vec<LogGrant>,
    keys: Vec<KeyGrant>,
    agents: Vec<AgentGrant>,
    memory_roles: Vec<MemoryRoleGrant>,
    own_program: Option<PathBuf>,
}

/// A row that cannot be used. Its whole set is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{row}: {problem}")]
pub struct GrantError {
    /// The row's position, such as `files grant 2`.
    row: String,
    problem: String,
}

impl GrantError {
    /// The problem, without the row's position.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl GrantSet {
    /// The set without any grant: every service is off.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Parses all rows, or names the first that is wrong.
    ///
    /// # Errors
    /// When a row cannot be parsed, or there are too many.
    pub fn parse(sources: &GrantSources) -> Result<Self, GrantError> {
        use MachineService::{Agents, Files, Logs, Registry, Shell};
        Ok(Self(Arc::new(Grants {
            access: parse_access(&sources.services)?,
            files: parse_rows(Files.as_str(), &sources.files, FileGrant::parse)?,
            commands: parse_rows(Shell.as_str(), &sources.commands, CommandGrant::parse)?,
            logs: parse_rows(Logs.as_str(), &sources.logs, LogGrant::parse)?,
            keys: parse_rows(Registry.as_str(), &sources.keys, KeyGrant::parse)?,
            agents: parse_rows(Agents.as_str(), &sources.agents, AgentGrant::parse)?,
            memory_roles: parse_rows("memory", &sources.memory_roles, MemoryRoleGrant::parse)?,
            own_program: sources.own_program.clone(),
        })))
    }

    /// How far a service is switched on.
    #[must_use]
    pub fn access(&self, service: MachineService) -> ServiceAccess {
        let row = self.0.access.iter().find(|(it, _)| *it == service);
        row.map_or(ServiceAccess::Disabled, |(_, access)| *access)
    }

    /// The grants of a service, one line each, for the person who gave them.
    #[must_use]
    pub fn texts(&self, service: MachineService) -> Vec<Arc<str>> {
        let Grants { files, commands, logs, keys, agents, .. } = &*self.0;
        match service {
            MachineService::Files => files.iter().map(|it| Arc::clone(it.text())).collect(),
            MachineService::Shell => commands.iter().map(|it| Arc::clone(it.text())).collect(),
            MachineService::Logs => logs.iter().map(|it| Arc::clone(it.text())).collect(),
            MachineService::Registry => keys.iter().map(|it| Arc::clone(it.text())).collect(),
            MachineService::Agents => agents.iter().map(|it| Arc::clone(it.text())).collect(),
        }
    }

    /// A caller's role in the memories of scope `org`: the one that a person gave it, or none. The
    /// person's own programs have every role.
    #[must_use]
    pub fn memory_role(&self, who: GrantSubject<'_>) -> Option<MemoryRole> {
        memory_role::role_of(&self.0.memory_roles, who)
    }

    /// The roles of principals, one line each, for the person who gave them.
    #[must_use]
    pub fn memory_role_texts(&self) -> Vec<Arc<str>> {
        self.0.memory_roles.iter().map(|it| Arc::clone(it.text())).collect()
    }

    /// The folders granted to this caller, unless the service `files` is off.
    #[must_use]
    pub fn file_roots(&self, who: GrantSubject<'_>) -> Vec<Arc<FileRoot>> {
        match self.access(MachineService::Files) {
            ServiceAccess::Disabled => Vec::new(),
            ServiceAccess::ReadOnly | ServiceAccess::ReadWrite => {
                file_grant::roots_of(&self.0.files, who).into_iter().map(Arc::clone).collect()
            }
        }
    }

    /// The folders granted to any caller, unless the service `files` is off.
    #[must_use]
    pub fn all_file_roots(&self) -> Vec<Arc<FileRoot>> {
        match self.access(MachineService::Files) {
            ServiceAccess::Disabled => Vec::new(),
            ServiceAccess::ReadOnly | ServiceAccess::ReadWrite => {
                self.0.files.iter().map(|grant| Arc::clone(grant.root())).collect()
            }
        }
    }

    /// Decides about an operation on files.
    ///
    /// # Errors
    /// When no grant covers it; the error says what the person can type.
    pub fn permit_file(
        &self,
        who: GrantSubject<'_>,
        wish: FileWish,
    ) -> Result<Permit<FileAction>, NotGranted> {
        let access = self.access(MachineService::Files);
        file_grant::decide(&self.0.files, access, who, wish).map(Permit::of_grant)
    }

    /// Decides about a command: its words, its folder and its variables together.
    ///
    /// # Errors
    /// When no grant covers it; the error says what the person can type.
    pub fn permit_command(
        &self,
        who: GrantSubject<'_>,
        wish: CommandWish,
    ) -> Result<Permit<RunCommand>, NotGranted> {
        let access = self.access(MachineService::Shell);
        let own = self.0.own_program.as_deref();
        command_grant::decide(&self.0.commands, own, access, who, wish).map(Permit::of_grant)
    }

    /// Decides about a query of one log.
    ///
    /// # Errors
    /// When no grant covers it; the error says what the person can type.
    pub fn permit_log(
        &self,
        who: GrantSubject<'_>,
        wish: LogWish,
    ) -> Result<Permit<LogAction>, NotGranted> {
        let access = self.access(MachineService::Logs);
        log_grant::decide(&self.0.logs, access, who, wish).map(Permit::of_grant)
    }

    /// Decides about the list of logs, which shows the granted ones.
    ///
    /// # Errors
    /// When none is granted; the error says what the person can type.
    pub fn permit_log_list(&self, who: GrantSubject<'_>) -> Result<Permit<LogListing>, NotGranted> {
        let access = self.access(MachineService::Logs);
        log_grant::decide_listing(&self.0.logs, access, who).map(Permit::of_grant)
    }

    /// Decides about an operation on a registry key.
    ///
    /// # Errors
    /// When no grant covers it; the error says what the person can type.
    pub fn permit_key(
        &self,
        who: GrantSubject<'_>,
        wish: KeyWish,
    ) -> Result<Permit<KeyAction>, NotGranted> {
        let access = self.access(MachineService::Registry);
        key_grant::decide(&self.0.keys, access, who, wish).map(Permit::of_grant)
    }

    /// Decides about one run of an agent's program: which agent, its words and its folder together.
    ///
    /// # Errors
    /// When no grant covers it; the error says what the person can type.
    pub fn permit_agent(
        &self,
        who: GrantSubject<'_>,
        wish: AgentWish,
    ) -> Result<Permit<RunCommand>, NotGranted> {
        let access = self.access(MachineService::Agents);
        let own = self.0.own_program.as_deref();
        agent_grant::decide(&self.0.agents, own, access, who, wish).map(Permit::of_grant)
    }
}

fn parse_access(
    rows: &[(String, String)],
) -> Result<Vec<(MachineService, ServiceAccess)>, GrantError> {
    let mut access: Vec<(MachineService, ServiceAccess)> = Vec::new();
    for (service, word) in rows {
        let wrong = |problem: &str| GrantError {
            row: format!("service `{service}`"),
            problem: problem.into(),
        };
        let service = MachineService::parse(service).ok_or_else(|| wrong("there is none"))?;
        let word = ServiceAccess::parse(word)
            .ok_or_else(|| wrong("its access is not disabled, read-only or read-write"))?;
        if access.iter().any(|(it, _)| *it == service) {
            return Err(wrong("it has two rows"));
        }
        access.push((service, word));
    }
    Ok(access)
}

fn parse_rows<S, G>(
    service: &str,
    rows: &[S],
    parse: impl Fn(&S) -> Result<G, String>,
) -> Result<Vec<G>, GrantError> {
    let wrong = |number: usize, problem: String| {
        let row = format!("{service} grant {number}");
        GrantError { row, problem }
    };
    if MAX_GRANTS < rows.len() {
        return Err(wrong(MAX_GRANTS + 1, "a service has more grants than can be used".into()));
    }
    let numbered = rows.iter().zip(1..);
    numbered.map(|(row, number)| parse(row).map_err(|problem| wrong(number, problem))).collect()
}
