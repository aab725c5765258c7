//! One kind of client: what it sees, by which rules, and who is notified when that changes.
//!
//! All views share the upstreams; each has built-ins, a snapshot and a hub of its own.

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
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// Which view of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewId(pub(crate) usize);

/// What a view is made of.
pub struct ViewOptions {
    /// The profile's name; the plain view has none.
    pub name: Option<ProfileName>,
    /// What clients see, if not everything as it is.
    pub profile: Option<Profile>,
    /// The built-in services, as this view shows them.
    pub kits: Vec<Kit>,
    /// Which of their tools the usual list has, where there is no profile.
    pub everyday: EverydayTools,
    /// Where changes are published: the hub of the server that shows the view.
    pub hub: ChangeHub,
    /// Where that server keeps its tasks.
    pub jobs: Tasks,
}

/// Whether a built-in tool, by its own name, is in the usual list of tools. Asked whenever a list is made.
pub type EverydayTools = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What one profile shows, and the state that belongs to its clients.
pub(crate) struct View {
    pub(crate) id: ViewId,
    pub(crate) name: Option<ProfileName>,
    pub(crate) profile: Option<Profile>,
    everyday: EverydayTools,
    pub(crate) hub: ChangeHub,
    pub(crate) jobs: Tasks,
    pub(crate) toolbox: GuardedToolbox,
    /// What people have answered to "may it run?": it holds for the view it was asked in.
    pub(crate) consents: RememberedConsents,
    snapshot: RwLock<Arc<Snapshot>>,
    /// The resources that its clients watch.
    pub(crate) watched: Mutex<BTreeSet<Box<str>>>,
    /// Keeps the sink alive that follows it: the hub holds it weakly.
    pub(crate) interest_sink: OnceLock<Arc<dyn InterestSink>>,
    offered: Offered,
}

/// Kinds of things that were ever offered to clients. They are never taken back: a client that was
/// offered prompts may ask for them when the last one is gone.
#[derive(Default)]
struct Offered {
    resources: AtomicBool,
    prompts: AtomicBool,
}

impl View {
    /// A view that shows nothing yet.
    pub(crate) fn new(id: ViewId, options: ViewOptions) -> Result<Arc<Self>, KitError> {
        let ViewOptions { name, profile, kits, everyday, hub, jobs } = options;
        // What the toolbox lists is announced when a snapshot shows it, and not before.
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

    /// Whether the usual list has this built-in tool. A profile says itself what it lists.
    pub(crate) fn lists_usually(&self, own: &str) -> bool {
        self.profile.is_some() || (!is_subscribing(own) && (self.everyday)(own))
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a new snapshot in place and hands out the one before.
    pub(crate) fn replace(&self, snapshot: Arc<Snapshot>) -> Arc<Snapshot> {
        let catalogue = &snapshot.catalogue;
        let has = |kind| catalogue.entries(kind).len() > 0;
        if has(ListKind::Resources) || has(ListKind::Templates) {
            self.offered.resources.store(true, Ordering::Relaxed);
        }
        if has(ListKind::Prompts) {
            self.offered.prompts.store(true, Ordering::Relaxed);
        }
        let mut current = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, snapshot)
    }

    /// Notifies this view's clients, unless they were promised silence.
    pub(crate) fn announce(&self, change: &Change) {
        if self.announces() {
            self.hub.publish(change);
        }
    }

    /// Notifies those of this view's clients whose principal may learn of it.
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

    /// Whether a server could be part of it, now or later.
    pub(crate) fn has_servers(&self) -> bool {
        self.profile.as_ref().is_none_or(Profile::has_servers)
    }

    /// Whether the tools and resources are there that are about servers themselves.
    pub(crate) fn has_hobnob_tools(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.hobnob_tools)
    }

    pub(crate) fn announces(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.server.announce_changes)
    }

    pub(crate) fn logs(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.server.logging)
    }

    /// Entries on one page of a list, if this view has a number of its own.
    pub(crate) fn page(&self) -> Option<NonZeroUsize> {
        self.profile.as_ref().and_then(|profile| profile.server.page)
    }

    /// The form that names of tools have here.
    pub(crate) fn tool_names(&self) -> ToolNameForm {
        self.profile.as_ref().map_or(ToolNameForm::Any, |profile| profile.errors.tool_names)
    }

    /// Whether results of tools say `success`, with `data` or `error`.
    pub(crate) fn uses_envelopes(&self) -> bool {
        uses_envelopes(self.profile.as_ref())
    }

    /// Whether there are resources or templates, were, or may be.
    pub(crate) fn offers_resources(&self) -> bool {
        self.offered.resources.load(Ordering::Relaxed)
            || self.has_servers() && self.profile.as_ref().is_none_or(Profile::may_list_resources)
    }

    /// Whether there are prompts, were, or may be.
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

    /// Where a name that no list has leads: `service.method`, for a built-in that has its usual
    /// name here.
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

/// Members of a tool that are not true where its results are in envelopes: the schema of the data
/// inside, and that it may run as a task, which an envelope cannot hold.
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
