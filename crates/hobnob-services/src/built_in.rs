//! The interface between a built-in service and the rest of Hobnob: one trait, in which everything
//! but the name and the kit is optional.
//!
//! The binary opens each registered service once, shows it in every view that includes it, forwards
//! the store's changes, runs its background task and closes it. A service never calls upward, and
//! no service knows another. `CONTRIBUTING.md` ("Add a service") walks through an example.

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
/// read configuration files. **Permission** needs no code either: callers reach a service only
/// through its kit, and the gateway asks the policy before it calls a kit. A built-in tool is
/// allowed unless a rule about its listed name says otherwise. A service that reaches beyond
/// Hobnob's own data must ask a person itself, as the memory service does before it runs git.
pub trait BuiltInService: Send + Sync + 'static {
    /// The name in `[services]`, in profiles and in front of the names of its tools.
    fn name(&self) -> &'static str;

    /// Which views show the service. By default, all views whose profile does not leave it out.
    fn visibility(&self) -> ServiceVisibility {
        ServiceVisibility::Everywhere
    }

    /// What one view shows of the service. Called when the view opens, and for every view after
    /// [`refresh`](Self::refresh) reports a change; the kit's name must be [`name`](Self::name).
    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError>;

    /// Whether the default list has this tool, named without the service, if the settings do not
    /// switch the service on by name. `find_tools` finds the other tools. The answer may depend on
    /// stored data only for the `listed` owner, or one caller would learn of another's records.
    fn is_everyday(&self, _tool: &str, _listed: ListedOwner) -> bool {
        true
    }

    /// Reads the stored entries that the kits list. Override it if the lists depend on the store.
    fn refresh(&self) -> BoxFuture<'_, Result<KitChange, StoreError>> {
        Box::pin(std::future::ready(Ok(KitChange::Same)))
    }

    /// Whether a change of the store may change what the kits list. Called for every change, so it
    /// must not read the store.
    fn staleness(&self, _change: &RecordChange) -> KitStaleness {
        KitStaleness::Current
    }

    /// The URIs of the resources whose contents a change affects, as this presentation spells them.
    /// Clients that subscribed to them are notified.
    fn changed_resources(
        &self,
        _presentation: &Presentation,
        _change: &RecordChange,
    ) -> Vec<String> {
        Vec::new()
    }

    /// Whether a principal may learn of a change: the record's owner, unless the service shares
    /// records. Called for every client that listens, so it must not block.
    fn may_learn(&self, change: &RecordChange, principal: &Principal) -> bool {
        change.owner.as_str() == principal.as_str()
    }

    /// The URIs of all resources, for when the store cannot say which records changed.
    fn all_resources(&self, _presentation: &Presentation) -> Vec<String> {
        Vec::new()
    }

    /// Reacts to changed grants: ends what is no longer granted, and reports whether the kits
    /// differ now. Only services that act on the machine need it; it must not block.
    fn grants_changed(&self) -> KitChange {
        KitChange::Same
    }

    /// The service's own event queue, for changes of resources outside the store. Taken once, by a
    /// long-running process.
    fn events(&self) -> Option<ServiceEvents> {
        None
    }

    /// Whether a principal may learn of such an event now. Called for every client that listens, so
    /// it must not block.
    fn may_learn_of_event(&self, _event: &ServiceEvent, _principal: &Principal) -> bool {
        true
    }

    /// Called when the clients of one view start or stop to watch a resource. The service counts
    /// the views. It must not block.
    fn interest(&self, _uri: &str, _interest: Interest) {}

    /// Works in the background until `stop`. Only a long-running process runs it; commands do not.
    fn run(&self, _stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Saves what must not be lost. Called once, after the last call and after [`run`](Self::run)
    /// has ended; the store is still usable.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Which views show a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceVisibility {
    /// All views whose profile does not leave it out, and the view without a profile.
    Everywhere,
    /// Only views whose profile names it.
    WhereNamed,
}

/// The events of a service, in a bounded queue.
pub type ServiceEvents = mpsc::Receiver<ServiceEvent>;

/// Something that the clients of every view with the service are notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceEvent {
    /// The resource with this URI may have new contents.
    Contents(Arc<str>),
}

/// Whether the kits would differ from the ones already made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KitChange {
    /// Views keep the kits they have.
    Same,
    /// Views get new kits, and their clients are notified that lists changed.
    Changed,
}

/// Whether kits may be out of date, and how urgent that is. The most urgent value wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KitStaleness {
    /// The kits list what they should.
    Current,
    /// An entry may have to leave the lists; such changes are collected and handled together.
    StaleSoon,
    /// An entry has to be added to the lists.
    Stale,
}
