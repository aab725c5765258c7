//! What a built-in service is to the rest of Hobnob: one trait, with everything optional but a name
//! and a kit.
//!
//! The binary opens each registered service once, shows it in every view that includes it, passes
//! on the store's changes, runs its background work and closes it. A service never calls up, and
//! none knows another. `CONTRIBUTING.md` ("Add a service") walks through an example.

use crate::presentation::{ListedOwner, Presentation};
use hobnob_mcp_engine::{BoxFuture, Interest, Principal};
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_store::StoreError;
use hobnob_store::changes::RecordChange;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A built-in service, opened and ready.
///
/// **Settings** go into the constructor, as plain values of the service's own: this crate does not
/// read configuration files. **Permission** needs no code either: a service can only be called
/// through the kit in a view, and the gateway asks the policy before it calls a kit. A built-in tool
/// is allowed unless a rule about its listed name says otherwise. Whatever goes beyond Hobnob's own
/// data must ask a person itself, as the memory service does before it runs git.
pub trait BuiltInService: Send + Sync + 'static {
    /// The name in `[services]`, in profiles and in front of the names of its tools.
    fn name(&self) -> &'static str;

    /// Which views show it; all that do not leave it out, unless it says otherwise.
    fn visibility(&self) -> ServiceVisibility {
        ServiceVisibility::Everywhere
    }

    /// What one view shows of the service. Called when the view opens, and again for every view
    /// after [`refresh`](Self::refresh) says so; the kit's name must be [`name`](Self::name).
    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError>;

    /// Whether the usual list has this tool, by its name without the service's, as long as the settings
    /// do not switch the service on by name. The others are found by `find_tools`. What is stored may
    /// count only for those whose records lists name, or one caller would learn of another's.
    fn is_everyday(&self, _tool: &str, _listed: ListedOwner) -> bool {
        true
    }

    /// Reads again what the kits list of what is stored. Override it if lists depend on the store.
    fn refresh(&self) -> BoxFuture<'_, Result<KitChange, StoreError>> {
        Box::pin(std::future::ready(Ok(KitChange::Same)))
    }

    /// Whether the kits may list something else after a change of the store. Called for every
    /// change, so it must not read the store.
    fn staleness(&self, _change: &RecordChange) -> KitStaleness {
        KitStaleness::Current
    }

    /// The addresses of resources whose contents a change made new, as this presentation spells
    /// them. Clients that subscribed to them are notified.
    fn changed_resources(
        &self,
        _presentation: &Presentation,
        _change: &RecordChange,
    ) -> Vec<String> {
        Vec::new()
    }

    /// Whether a principal may learn of a change: whoever owns the record, unless the service shares
    /// records. Asked for every client that listens, so it must not wait.
    fn may_learn(&self, change: &RecordChange, principal: &Principal) -> bool {
        change.owner.as_str() == principal.as_str()
    }

    /// The addresses to read again when the store cannot say what changed.
    fn all_resources(&self, _presentation: &Presentation) -> Vec<String> {
        Vec::new()
    }

    /// Hears that a person changed the grants, and says whether its kits differ now. What is no longer
    /// granted is closed. Only what acts on the machine needs it; it must not wait.
    fn grants_changed(&self) -> KitChange {
        KitChange::Same
    }

    /// What happens to its resources, where that is not a change of the store. Taken once, by a
    /// process that stays.
    fn events(&self) -> Option<ServiceEvents> {
        None
    }

    /// Whether a principal may learn of such an event at this moment. Asked for every client that
    /// listens, so it must not wait.
    fn may_learn_of_event(&self, _event: &ServiceEvent, _principal: &Principal) -> bool {
        true
    }

    /// Hears that clients of one view watch a resource, or no longer do; views are counted by the
    /// service. It must not wait.
    fn interest(&self, _uri: &str, _interest: Interest) {}

    /// Works in the background until `stop`. Only a process that stays runs it; commands do not.
    fn run(&self, _stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Writes down what must not be lost. Called once, after the last call and after
    /// [`run`](Self::run) has ended; the store can still be used.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Which views show a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceVisibility {
    /// All whose profile does not leave it out, and the view without a profile.
    Everywhere,
    /// Only those whose profile names it.
    WhereNamed,
}

/// The events of a service, in a bounded queue.
pub type ServiceEvents = mpsc::Receiver<ServiceEvent>;

/// Something that clients of every view with the service are notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceEvent {
    /// The resource at this address may have other contents now.
    Contents(Arc<str>),
}

/// Whether kits made now differ from those made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KitChange {
    /// Views keep the kits they have.
    Same,
    /// Views get new kits, and their clients are notified that lists changed.
    Changed,
}

/// Whether kits may be out of date, and how soon that matters. The most urgent of several counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KitStaleness {
    /// Kits list what they should.
    Current,
    /// Something may have to go from the lists; many such changes are looked at together.
    StaleSoon,
    /// Something has to come into the lists.
    Stale,
}
