//! The running commands of a service: who asked for each, and the switch that ends it.
//!
//! A service keeps a list of them, so that revoking a grant ends the commands it permitted.

use super::stop_switch::{StopCause, StopSwitch};
use crate::machine_access::subject;
use hobnob_mcp_engine::Caller;
use hobnob_policy::{
    AgentWish, CommandWish, GrantSet, GrantSubject, NotGranted, Permit, RunCommand,
};
use parking_lot::{Mutex, MutexGuard};
use std::sync::{Arc, Weak};

/// A command that a caller asks for, in the form in which grants are asked about it.
pub(crate) trait CommandRequest: Clone {
    /// Asks the grants for a permit.
    fn decide(
        self,
        grants: &GrantSet,
        who: GrantSubject<'_>,
    ) -> Result<Permit<RunCommand>, NotGranted>;

    /// The same request without its input, which does not matter to grants.
    fn without_input(self) -> Self;
}

impl CommandRequest for CommandWish {
    fn decide(
        self,
        grants: &GrantSet,
        who: GrantSubject<'_>,
    ) -> Result<Permit<RunCommand>, NotGranted> {
        grants.permit_command(who, self)
    }

    fn without_input(self) -> Self {
        Self { input: Vec::new(), ..self }
    }
}

impl CommandRequest for AgentWish {
    fn decide(
        self,
        grants: &GrantSet,
        who: GrantSubject<'_>,
    ) -> Result<Permit<RunCommand>, NotGranted> {
        grants.permit_agent(who, self)
    }

    fn without_input(self) -> Self {
        Self { input: Vec::new(), ..self }
    }
}

/// A running command: its permit, and the switch that ends it.
pub(crate) struct ActiveCommand<W> {
    pub(crate) permit: Permit<RunCommand>,
    pub(crate) stop: StopSwitch,
    wish: W,
    caller: Caller,
}

impl<W: CommandRequest> ActiveCommand<W> {
    /// Whether these grants would still permit exactly this command.
    fn is_granted(&self, grants: &GrantSet) -> bool {
        let now = self.wish.clone().decide(grants, subject(&self.caller));
        now.is_ok_and(|now| is_same(now.request(), self.permit.request()))
    }
}

/// Whether two commands are equal apart from their input and time limit.
fn is_same(one: &RunCommand, other: &RunCommand) -> bool {
    one.program() == other.program()
        && one.arguments() == other.arguments()
        && one.environment() == other.environment()
        && one.working_folder() == other.working_folder()
        && one.folders() == other.folders()
        && one.sandbox() == other.sandbox()
}

/// All commands that are running now.
pub(crate) struct ActiveCommands<W>(Mutex<Vec<Weak<ActiveCommand<W>>>>);

impl<W> Default for ActiveCommands<W> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<W: CommandRequest> ActiveCommands<W> {
    /// Registers a command until the last `Arc` to it is dropped.
    pub(crate) fn add(
        &self,
        permit: Permit<RunCommand>,
        wish: W,
        caller: &Caller,
    ) -> Arc<ActiveCommand<W>> {
        let wish = wish.without_input();
        let (stop, caller) = (StopSwitch::default(), caller.clone());
        let active = Arc::new(ActiveCommand { permit, stop, wish, caller });
        let mut all = self.lock();
        all.retain(|it| it.strong_count() > 0);
        all.push(Arc::downgrade(&active));
        active
    }

    /// Ends every command that these grants no longer permit.
    pub(crate) fn end_revoked(&self, grants: &GrantSet) {
        let all: Vec<_> = self.lock().iter().filter_map(Weak::upgrade).collect();
        for active in all.iter().filter(|active| !active.is_granted(grants)) {
            active.stop.stop(StopCause::Revoked);
        }
    }

    /// Ends every command, because Hobnob is shutting down.
    pub(crate) fn end_all(&self) {
        for active in self.lock().iter().filter_map(Weak::upgrade) {
            active.stop.stop(StopCause::Closing);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<ActiveCommand<W>>>> {
        self.0.lock()
    }
}
