//! A command that was permitted and runs: by whom it was asked for, and the switch that ends it.
//!
//! A service keeps a list of them, so that a grant that a person takes back ends what it granted.

use super::stop_switch::{StopCause, StopSwitch};
use crate::machine_access::subject;
use hobnob_mcp_engine::Caller;
use hobnob_policy::{
    AgentWish, CommandWish, GrantSet, GrantSubject, NotGranted, Permit, RunCommand,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a caller wants run, in the words that grants are asked about.
pub(crate) trait CommandRequest: Clone {
    /// What the grants say to it.
    fn decide(
        self,
        grants: &GrantSet,
        who: GrantSubject<'_>,
    ) -> Result<Permit<RunCommand>, NotGranted>;

    /// The same without its input, which no grant is about.
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

/// A command that runs, with its pipes; dropping it ends everything it started.
pub(crate) struct ActiveCommand<W> {
    pub(crate) permit: Permit<RunCommand>,
    pub(crate) stop: StopSwitch,
    wish: W,
    caller: Caller,
}

impl<W: CommandRequest> ActiveCommand<W> {
    /// Whether these grants would let the very same command run.
    fn is_granted(&self, grants: &GrantSet) -> bool {
        let now = self.wish.clone().decide(grants, subject(&self.caller));
        now.is_ok_and(|now| is_same(now.request(), self.permit.request()))
    }
}

/// Whether two actions are the same but for their input and time.
fn is_same(one: &RunCommand, other: &RunCommand) -> bool {
    one.program() == other.program()
        && one.arguments() == other.arguments()
        && one.environment() == other.environment()
        && one.working_folder() == other.working_folder()
        && one.folders() == other.folders()
        && one.sandbox() == other.sandbox()
}

/// All commands that run now.
pub(crate) struct ActiveCommands<W>(Mutex<Vec<Weak<ActiveCommand<W>>>>);

impl<W> Default for ActiveCommands<W> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<W: CommandRequest> ActiveCommands<W> {
    /// Remembers a command for as long as somebody holds it.
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

    /// Ends every command that these grants do not cover any more.
    pub(crate) fn end_revoked(&self, grants: &GrantSet) {
        let all: Vec<_> = self.lock().iter().filter_map(Weak::upgrade).collect();
        for active in all.iter().filter(|active| !active.is_granted(grants)) {
            active.stop.stop(StopCause::Revoked);
        }
    }

    /// Ends every command, because Hobnob ends.
    pub(crate) fn end_all(&self) {
        for active in self.lock().iter().filter_map(Weak::upgrade) {
            active.stop.stop(StopCause::Closing);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<ActiveCommand<W>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
