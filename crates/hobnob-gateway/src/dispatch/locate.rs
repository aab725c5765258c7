//! Looks up a public name or address in a view. If no list has it, this reads a changed configuration
//! and connects to the server that the name belongs to, or starts it. Suggests names similar to a wrong
//! one.
//!
//! Every request that names something comes here. A call waits only for the server that its name belongs
//! to; where the name does not tell, it waits as long as a list does.

use crate::catalog::{Catalogue, ListKind};
use crate::first_starts::tasks::FirstStartTasks;
use crate::names::{public_name, short_name};
use crate::nearest::did_you_mean;
use crate::reload::ConfigReader;
use crate::upstream::configured::Unavailable;
use crate::upstream::start_limiter::Urgency;
use crate::uris::PublicUris;
use crate::view::View;
use crate::view::snapshot::Snapshot;
use futures_util::future::join_all;
use hobnob_config::ToolNameLength;
use hobnob_mcp_engine::{BoxFuture, Caller, Notes, Principal};
use std::sync::{Arc, OnceLock};

/// What a caller asks for, by its public name or address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// A tool, by its name.
    Tool(&'a str),
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource's public address, or a template's pattern.
    Address(&'a str),
    /// A server, by its name in the configuration.
    Server(&'a str),
}

impl Wanted<'_> {
    /// The list that would contain it; a server is known once its tools are.
    fn list(self) -> ListKind {
        match self {
            Self::Tool(_) | Self::Server(_) => ListKind::Tools,
            Self::Prompt(_) => ListKind::Prompts,
            Self::Address(_) => ListKind::Resources,
        }
    }

    /// Whether it may belong to this server; `None` if its name does not tell.
    pub(super) fn may_be_of(self, server: &str) -> Option<bool> {
        match self {
            Self::Server(name) => Some(name == server),
            Self::Address(uri) => Some(PublicUris::of(server).original(uri).is_some()),
            Self::Tool(name) | Self::Prompt(name) => {
                let plain = public_name(server, "x");
                let head = plain.as_str().strip_suffix("__x")?;
                // A shortened name begins with the shortened server name.
                let short = short_name(head);
                let rest = name.strip_prefix(head).or_else(|| name.strip_prefix(&*short?));
                Some(rest.is_some_and(|rest| rest.starts_with("__")))
            }
        }
    }
}

/// The snapshot that answers a request, and the requested entry if the snapshot has it.
pub(crate) struct Located<T> {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) found: Option<T>,
    /// Why the server that should have the entry cannot be used.
    pub(crate) unavailable: Option<Unavailable>,
}

/// Keeps the lists of the views in step with what built-ins store: a caller sees its own writes in
/// the next list. The program that owns the gateway implements it.
pub trait StoredLists: Send + Sync + 'static {
    /// Returns once the views list everything that this process had written before the call, as far
    /// as the store can be read.
    fn catch_up(&self) -> BoxFuture<'_, ()>;
}

/// Given a disabled service, returns the command that enables it.
pub(crate) type SwitchedOff = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Brings views up to date and finds entries in them.
pub(crate) struct Locator {
    config_reader: Arc<ConfigReader>,
    pub(crate) first_starts: Arc<FirstStartTasks>,
    /// Set if lists depend on a store.
    pub(crate) stored_lists: OnceLock<Arc<dyn StoredLists>>,
    /// Set if built-in services can be disabled.
    pub(crate) switched_off: OnceLock<SwitchedOff>,
}

impl Locator {
    pub(crate) fn new(
        config_reader: Arc<ConfigReader>,
        first_starts: Arc<FirstStartTasks>,
    ) -> Self {
        let (stored_lists, switched_off) = (OnceLock::new(), OnceLock::new());
        Self { config_reader, first_starts, stored_lists, switched_off }
    }

    /// Reads what was configured, granted or stored since the views were made. Tools do not depend
    /// on the store.
    pub(crate) async fn catch_up(&self, kind: ListKind) {
        self.config_reader.read_if_changed();
        match (kind, self.stored_lists.get()) {
            (ListKind::Tools, _) | (_, None) => {}
            (_, Some(lists)) => lists.catch_up().await,
        }
    }

    /// Looks an entry up. If no list has it, reads a changed configuration, learns what its server
    /// offers and looks again.
    pub(crate) async fn locate<T>(
        &self,
        view: &View,
        wanted: Wanted<'_>,
        look: impl Fn(&Catalogue) -> Option<T>,
        caller: &Caller,
        notes: &Notes,
    ) -> Located<T> {
        let snapshot = view.snapshot();
        let found = look(&snapshot.catalogue);
        if found.is_some() {
            return Located { snapshot, found, unavailable: None };
        }
        self.catch_up(wanted.list()).await;
        let unavailable = self.learn_owner(view, wanted, caller, notes).await.err();
        let snapshot = view.snapshot();
        let found = look(&snapshot.catalogue);
        Located { snapshot, found, unavailable }
    }

    /// Learns what the server of `wanted` offers, if the name tells which server that is; otherwise
    /// waits as long as a list does. The error says why the server cannot be used.
    pub(crate) async fn learn_owner(
        &self,
        view: &View,
        wanted: Wanted<'_>,
        caller: &Caller,
        notes: &Notes,
    ) -> Result<(), Unavailable> {
        let snapshot = view.snapshot();
        let shortened = snapshot.settings.gateway.tool_names == ToolNameLength::Short;
        let mut undecided = view.profile.is_some() || shortened;
        for (name, upstream) in &snapshot.upstreams {
            let lacking = match wanted {
                Wanted::Tool(_) => upstream.lists.lacks_tools(),
                Wanted::Prompt(_) | Wanted::Address(_) | Wanted::Server(_) => {
                    upstream.lists.is_unknown()
                }
            };
            // A starting server may have listed its entries already, though no view shows them.
            let coming = lacking || upstream.connections.is_starting();
            if !coming || !upstream.configured().is_startable() {
                continue;
            }
            match wanted.may_be_of(name) {
                Some(false) => {}
                None => undecided = true,
                Some(true) => {
                    upstream.connection(&upstream.key(caller), Urgency::Call).await?;
                    return Ok(());
                }
            }
        }
        if undecided {
            self.first_starts.wait(view, notes).await;
        }
        Ok(())
    }

    /// What to do about an unknown name, or names similar to it, as the end of a sentence. A
    /// profile's view suggests no names: it reveals only what it lists.
    pub(crate) fn hint(
        &self,
        view: &View,
        snapshot: &Snapshot,
        kind: ListKind,
        wanted: &str,
    ) -> String {
        if kind == ListKind::Tools
            && let Some(command) = self.enabling(view, wanted)
        {
            return format!("; its service is disabled: `{command}`");
        }
        if view.profile.is_some() {
            return String::new();
        }
        let shown = snapshot.catalogue.list(kind).entries().map(|(key, _)| key);
        did_you_mean(wanted, shown)
    }

    /// The command that enables the service of a built-in tool, if the service is disabled.
    fn enabling(&self, view: &View, tool: &str) -> Option<String> {
        let own = match &view.profile {
            Some(profile) => profile.row_of_tool(tool)?,
            None => tool,
        };
        let (service, _) = own.split_once('_')?;
        self.switched_off.get()?(service)
    }
}

/// Learns servers that the gateway itself cannot log in to: it lists them with this caller's
/// login and waits no longer than a list may.
pub(super) async fn learn_by_login(view: &View, caller: &Caller) {
    if caller.principal == Principal::anonymous() {
        return;
    }
    let snapshot = view.snapshot();
    let lacking = snapshot.upstreams.values().filter(|it| it.lists.lacks_tools());
    let starts = lacking.filter(|it| it.logins.is_usable(&it.configured(), &caller.principal)).map(
        |upstream| async {
            // The error is reported when the caller calls the server.
            drop(upstream.connection(&upstream.key(caller), Urgency::Call).await);
        },
    );
    let starts = join_all(starts);
    drop(tokio::time::timeout(snapshot.settings.gateway.first_list_wait, starts).await);
}
