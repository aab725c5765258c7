//! A view: what one kind of client sees, its rules, and who is notified of changes.
//!
//! All views share the upstreams; each has its own built-ins, snapshot and hub.

pub(crate) mod error;
pub(crate) mod notes;
pub(crate) mod offer;
pub(crate) mod open_views;
pub(crate) mod own_resources;
pub(crate) mod snapshot;

use self::snapshot::Snapshot;
use crate::catalog::{BuiltIn, BuiltIns, Catalogue, EntryOverrides, EntrySwitch, ListKind};
use crate::names::management::is_subscribing;
use crate::permitted::GuardedToolbox;
use hobnob_config::{EntryOverride, Profile, ProfileName, ResourceOverride, ToolNameForm};
use hobnob_mcp_engine::{Change, ChangeHub, InterestSink, Principal};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_toolbox::{ArgumentErrors, Kit, KitError, Listing};
use hobnob_policy::RememberedConsents;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Identifies a view of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewId(pub(crate) usize);

/// The parts that a view is opened with.
pub struct ViewOptions {
    /// The profile's name; `None` for the plain view.
    pub name: Option<ProfileName>,
    /// The profile, if the view does not show everything unchanged.
    pub profile: Option<Profile>,
    /// The built-in services, as this view shows them.
    pub kits: Vec<Kit>,
    /// Which built-in tools are in the everyday list; ignored for a profile.
    pub everyday: EverydayTools,
    /// Where changes are published: the hub of the server that shows the view.
    pub hub: ChangeHub,
    /// The task store of that server.
    pub jobs: Tasks,
}

/// Whether a built-in tool, by its own name, is in the everyday list; called for every snapshot.
pub type EverydayTools = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// A view, and the state that belongs to its clients.
pub(crate) struct View {
    pub(crate) id: ViewId,
    pub(crate) name: Option<ProfileName>,
    pub(crate) profile: Option<Profile>,
    everyday: EverydayTools,
    pub(crate) hub: ChangeHub,
    pub(crate) jobs: Tasks,
    pub(crate) toolbox: GuardedToolbox,
    /// Lasting answers to "may it run?"; they apply to the view in which they were given.
    pub(crate) consents: RememberedConsents,
    snapshot: RwLock<Arc<Snapshot>>,
    /// The resources that its clients watch.
    pub(crate) watched: Mutex<BTreeSet<Box<str>>>,
    /// Keeps the sink alive: the hub holds it only weakly.
    pub(crate) interest_sink: OnceLock<Arc<dyn InterestSink>>,
    offered: Offered,
}

/// The kinds of entries that clients were ever offered. They are never withdrawn: a client that was
/// offered prompts may ask for them after the last one is gone.
#[derive(Default)]
struct Offered {
    resources: AtomicBool,
    prompts: AtomicBool,
}

impl View {
    /// A view with an empty snapshot.
    pub(crate) fn new(id: ViewId, options: ViewOptions) -> Result<Arc<Self>, KitError> {
        let ViewOptions { name, profile, kits, everyday, hub, jobs } = options;
        // The toolbox gets a hub without listeners: the next snapshot announces its changes.
        let errors = match uses_envelopes(profile.as_ref()) {
            true => ArgumentErrors::Raised,
            false => ArgumentErrors::ByRevision,
        };
        let toolbox = GuardedToolbox::new(ChangeHub::default(), jobs.clone(), errors);
        for kit in kits {
            toolbox.add(kit)?;
        }
        Ok(Arc::new(Self {
            id,
            name,
            profile,
            everyday,
            hub,
            jobs,
            toolbox,
            consents: RememberedConsents::default(),
            snapshot: RwLock::default(),
            watched: Mutex::default(),
            interest_sink: OnceLock::new(),
            offered: Offered::default(),
        }))
    }

    /// Whether the everyday list has this built-in tool. A profile decides by itself what it lists.
    pub(crate) fn lists_usually(&self, own: &str) -> bool {
        self.profile.is_some() || (!is_subscribing(own) && (self.everyday)(own))
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read())
    }

    /// Installs a new snapshot and returns the one before.
    pub(crate) fn replace(&self, snapshot: Arc<Snapshot>) -> Arc<Snapshot> {
        let catalogue = &snapshot.catalogue;
        let has = |kind| catalogue.list(kind).entries().len() > 0;
        if has(ListKind::Resources) || has(ListKind::Templates) {
            self.offered.resources.store(true, Ordering::Relaxed);
        }
        if has(ListKind::Prompts) {
            self.offered.prompts.store(true, Ordering::Relaxed);
        }
        let mut current = self.snapshot.write();
        std::mem::replace(&mut *current, snapshot)
    }

    /// Notifies this view's clients, unless they were promised silence.
    pub(crate) fn announce(&self, change: &Change) {
        if self.announces() {
            self.hub.publish(change);
        }
    }

    /// Notifies the clients of this view whose principal may learn of the change.
    pub(crate) fn announce_to(&self, change: &Change, may_learn: impl Fn(&Principal) -> bool) {
        if self.announces() {
            self.hub.publish_to(change, may_learn);
        }
    }

    /// Whether clients of this view may learn of changes at a server.
    pub(crate) fn shows_server(&self, server: &str) -> bool {
        let snapshot = self.snapshot();
        snapshot.upstreams.contains_key(server) && !snapshot.denied.contains(server)
    }

    pub(crate) fn includes_server(&self, server: &str) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.includes_server(server))
    }

    /// Whether any server could be part of it, now or later.
    pub(crate) fn has_servers(&self) -> bool {
        self.profile.as_ref().is_none_or(Profile::has_servers)
    }

    /// Whether it has the tools and resources about servers themselves.
    pub(crate) fn has_hobnob_tools(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.hobnob_tools)
    }

    pub(crate) fn announces(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.server.announce_changes)
    }

    pub(crate) fn logs(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.server.logging)
    }

    /// Entries on one page of a list, if the profile sets a number.
    pub(crate) fn page(&self) -> Option<NonZeroUsize> {
        self.profile.as_ref().and_then(|profile| profile.server.page)
    }

    /// The required form of tool names in this view.
    pub(crate) fn tool_names(&self) -> ToolNameForm {
        self.profile.as_ref().map_or(ToolNameForm::Any, |profile| profile.errors.tool_names)
    }

    /// Whether results of tools have `success`, with `data` or `error`.
    pub(crate) fn uses_envelopes(&self) -> bool {
        uses_envelopes(self.profile.as_ref())
    }

    /// Whether there are, were or may be resources or templates.
    pub(crate) fn offers_resources(&self) -> bool {
        self.offered.resources.load(Ordering::Relaxed)
            || self.has_servers() && self.profile.as_ref().is_none_or(Profile::may_list_resources)
    }

    /// Whether there are, were or may be prompts.
    pub(crate) fn offers_prompts(&self) -> bool {
        self.offered.prompts.load(Ordering::Relaxed)
            || self.profile.as_ref().is_some_and(|profile| profile.server.offer_prompts)
            || self.has_servers() && self.profile.as_ref().is_none_or(Profile::may_list_prompts)
    }

    /// Hobnob's own entries of the catalogue.
    pub(crate) fn built_ins(&self) -> BuiltIns {
        let own = |listed: Vec<Listing>| {
            let entry = |one: Listing| BuiltIn { key: one.key.into(), json: one.json.into() };
            listed.into_iter().map(entry).collect::<Vec<_>>()
        };
        let mut built_ins = BuiltIns {
            tools: own(self.toolbox.tools()),
            resources: own(self.toolbox.resources()),
            templates: own(self.toolbox.templates()),
            prompts: own(self.toolbox.prompts()),
        };
        if self.has_hobnob_tools() {
            built_ins.resources.extend(own_resources::resources());
            built_ins.templates.extend(own_resources::templates());
        }
        built_ins
    }

    /// What the profile changes about one entry.
    pub(crate) fn overrides(&self, kind: ListKind, key: &str) -> EntryOverrides {
        let Some(profile) = &self.profile else { return EntryOverrides::default() };
        match kind {
            ListKind::Tools if self.uses_envelopes() => {
                EntryOverrides { omitted: &NOT_ENVELOPED, ..of_entry(profile.tool(key)) }
            }
            ListKind::Tools => of_entry(profile.tool(key)),
            ListKind::Prompts => of_entry(profile.prompt(key)),
            ListKind::Resources => of_resource(profile.resource(key)),
            ListKind::Templates => of_resource(profile.template(key)),
        }
    }

    /// Resolves an unlisted name of the form `service.method`, for a built-in that has its usual
    /// name in this view.
    pub(crate) fn dotted_built_in<'a>(
        &self,
        catalogue: &'a Catalogue,
        name: &str,
    ) -> Option<&'a str> {
        if !self.toolbox.has_tool(name) {
            return None;
        }
        let listed = name.replacen('.', "_", 1);
        catalogue.listed_built_in(&listed)
    }
}

/// Members of a tool that envelopes make untrue: the schema of its data, and its support for tasks,
/// which an envelope cannot hold.
const NOT_ENVELOPED: [&str; 2] = ["outputSchema", "execution"];

fn uses_envelopes(profile: Option<&Profile>) -> bool {
    profile.is_some_and(|profile| profile.results.envelope)
}

fn of_entry(row: EntryOverride) -> EntryOverrides {
    let arguments = row.arguments.map(|all| all.into_iter().map(Box::from).collect());
    EntryOverrides {
        switch: switch(row.enabled),
        rename: row.name,
        title: None,
        description: row.description,
        arguments,
        always: row.always,
        omitted: &[],
    }
}

fn of_resource(row: ResourceOverride) -> EntryOverrides {
    EntryOverrides {
        switch: switch(row.enabled),
        rename: row.name,
        title: row.title,
        description: row.description,
        arguments: None,
        always: None,
        omitted: &[],
    }
}

fn switch(enabled: Option<bool>) -> EntrySwitch {
    if enabled == Some(false) { EntrySwitch::Off } else { EntrySwitch::On }
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(f, "View({name})"),
            None => f.write_str("View"),
        }
    }
}

impl std::fmt::Debug for ViewOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewOptions").field("name", &self.name).finish_non_exhaustive()
    }
}
