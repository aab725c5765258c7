//! A command that was permitted and runs: by whom it was asked for, and the switch that ends it.
//!
//! The service keeps a list of them, so that a grant that a person takes back ends what it granted.

use super::stop_switch::{StopCause, StopSwitch};
use crate::machine_access::subject;
use hobnob_mcp_engine::Caller;
use hobnob_policy::{CommandWish, GrantSet, Permit, RunCommand};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A command that runs, with its pipes; dropping it ends everything it started.
pub(super) struct ActiveCommand {
    pub(super) permit: Permit<RunCommand>,
    pub(super) stop: StopSwitch,
    /// What was asked for, without its input, which no grant is about.
    wish: CommandWish,
    caller: Caller,
}

impl ActiveCommand {
    /// Whether these grants would let the very same command run.
    fn is_granted(&self, grants: &GrantSet) -> bool {
        let now = grants.permit_command(subject(&self.caller), self.wish.clone());
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
#[derive(Default)]
pub(super) struct ActiveCommands(Mutex<Vec<Weak<ActiveCommand>>>);

impl ActiveCommands {
    /// Remembers a command for as long as somebody holds it.
    pub(super) fn add(
        &self,
        permit: Permit<RunCommand>,
        wish: CommandWish,
        caller: &Caller,
    ) -> Arc<ActiveCommand> {
        let wish = CommandWish { input: Vec::new(), ..wish };
        let (stop, caller) = (StopSwitch::default(), caller.clone());
        let active = Arc::new(ActiveCommand { permit, stop, wish, caller });
        let mut all = self.lock();
        all.retain(|it| it.strong_count() > 0);
        all.push(Arc::downgrade(&active));
        active
    }

    /// Ends every command that these grants do not cover any more.
    pub(super) fn end_revoked(&self, grants: &GrantSet) {
        let all: Vec<Arc<ActiveCommand>> = self.lock().iter().filter_map(Weak::upgrade).collect();
        for active in all.iter().filter(|active| !active.is_granted(grants)) {
            active.stop.stop(StopCause::Revoked);
        }
    }

    /// Ends every command, because Hobnob ends.
    pub(super) fn end_all(&self) {
        for active in self.lock().iter().filter_map(Weak::upgrade) {
            active.stop.stop(StopCause::Closing);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<ActiveCommand>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
