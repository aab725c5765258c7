//! Finds the server behind a name that no list has yet, and suggests names similar to a wrong one.
//!
//! Every request that names something looks the name up here. A call waits only for the server that
//! its name belongs to; where the name does not tell, it waits as long as a list does.

use crate::catalog::{Catalogue, ListKind};
use crate::dispatch::service::GatewayService;
use crate::names::{public_name, short_name};
use crate::nearest::did_you_mean;
use crate::upstream::configured::Unavailable;
use crate::upstream::start_limiter::Urgency;
use crate::uris::Prefix;
use crate::view::snapshot::Snapshot;
use futures_util::future::join_all;
use hobnob_config::ToolNameLength;
use hobnob_mcp_engine::{Caller, Notes, Principal};
use std::sync::Arc;

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
            Self::Address(uri) => Some(uri.starts_with(Prefix::of(server).as_str())),
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

impl GatewayService {
    /// Looks an entry up. If no list has it, reads a changed configuration, learns what its server
    /// offers and looks again.
    pub(crate) async fn locate<T>(
        &self,
        wanted: Wanted<'_>,
        look: impl Fn(&Catalogue) -> Option<T>,
        caller: &Caller,
        notes: &Notes,
    ) -> Located<T> {
        let snapshot = self.view.snapshot();
        let found = look(&snapshot.catalogue);
        if found.is_some() {
            return Located { snapshot, found, unavailable: None };
        }
        self.context.catch_up(wanted.list()).await;
        let unavailable = self.learn_owner(wanted, caller, notes).await.err();
        let snapshot = self.view.snapshot();
        let found = look(&snapshot.catalogue);
        Located { snapshot, found, unavailable }
    }

    /// Learns what the server of `wanted` offers, if the name tells which server that is; otherwise
    /// waits as long as a list does. The error says why the server cannot be used.
    pub(crate) async fn learn_owner(
        &self,
        wanted: Wanted<'_>,
        caller: &Caller,
        notes: &Notes,
    ) -> Result<(), Unavailable> {
        let snapshot = self.view.snapshot();
        let shortened = snapshot.settings.gateway.tool_names == ToolNameLength::Short;
        let mut undecided = self.view.profile.is_some() || shortened;
        for (name, upstream) in &snapshot.upstreams {
            let lacking = match wanted {
                Wanted::Tool(_) => upstream.lacks_tools(),
                Wanted::Prompt(_) | Wanted::Address(_) | Wanted::Server(_) => upstream.is_unknown(),
            };
            // A starting server may have listed its entries already, though no view shows them.
            let coming = lacking || upstream.is_starting();
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
            self.context.first_starts.wait(&self.view, notes).await;
        }
        Ok(())
    }

    /// Learns servers that the gateway itself cannot log in to: it lists them with this caller's
    /// login and waits no longer than a list may.
    pub(crate) async fn learn_by_login(&self, caller: &Caller) {
        if caller.principal == Principal::anonymous() {
            return;
        }
        let snapshot = self.view.snapshot();
        let lacking = snapshot.upstreams.values().filter(|it| it.lacks_tools());
        let starts = lacking.filter(|it| it.has_login(&caller.principal)).map(|upstream| async {
            // The error is reported when the caller calls the server.
            drop(upstream.connection(&upstream.key(caller), Urgency::Call).await);
        });
        let starts = join_all(starts);
        drop(tokio::time::timeout(snapshot.settings.gateway.first_list_wait, starts).await);
    }

    /// What to do about an unknown name, or names similar to it, as the end of a sentence. A
    /// profile's view suggests no names: it reveals only what it lists.
    pub(crate) fn hint(&self, snapshot: &Snapshot, kind: ListKind, wanted: &str) -> String {
        if kind == ListKind::Tools
            && let Some(command) = self.enabling(wanted)
        {
            return format!("; its service is disabled: `{command}`");
        }
        if self.view.profile.is_some() {
            return String::new();
        }
        let shown = snapshot.catalogue.entries(kind).map(|(key, _)| key);
        did_you_mean(wanted, shown)
    }

    /// The command that enables the service of a built-in tool, if the service is disabled.
    fn enabling(&self, tool: &str) -> Option<String> {
        let own = match &self.view.profile {
            Some(profile) => profile.row_of_tool(tool)?,
            None => tool,
        };
        let (service, _) = own.split_once('_')?;
        self.context.switched_off.get()?(service)
    }
}
