//! Notices that a file which decides about calls has changed, or an answer that holds until the hub
//! restarts, so that open pages read it again.
//!
//! The hub's check of its settings calls it every few seconds. What must stay true: it reads no
//! contents.

use hobnob_config::{Fingerprint, Places};
use hobnob_gateway::OwnerControls;
use parking_lot::Mutex;

/// The files as they were when pages were last told of a change.
pub(in crate::page) struct RuleFiles {
    places: Places,
    owner: OwnerControls,
    seen: Mutex<(Fingerprint, u64)>,
}

impl RuleFiles {
    pub(in crate::page) fn new(places: Places, owner: OwnerControls) -> Self {
        let seen = Mutex::new((fingerprint(&places), owner.lasting_consent_changes()));
        Self { places, owner, seen }
    }

    /// Whether a file or the list of lasting answers has changed since the last call.
    pub(in crate::page) fn changed(&self) -> bool {
        let now = (fingerprint(&self.places), self.owner.lasting_consent_changes());
        let mut seen = self.seen.lock();
        let is_other = *seen != now;
        *seen = now;
        is_other
    }
}

fn fingerprint(places: &Places) -> Fingerprint {
    let mut files = places.watched_files();
    files.extend([places.approvals(), places.grants(), places.tokens(), places.token_uses()]);
    files.push(places.login_changes());
    // A profile that is replaced changes its folder.
    files.push(places.profiles());
    Fingerprint::of(files)
}
