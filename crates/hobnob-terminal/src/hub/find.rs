//! Resolves what the user typed to a tool, prompt or resource. It lists entries through the hub,
//! which may start servers for that.
//!
//! What must stay true: only the server that can have it is started, and an unknown name is
//! answered at once with the nearest known ones.

use crate::ended::{Code, Ended};
use crate::hub::lists::{HubEntry, HubLists};
use crate::hub::names::check_server;
use hobnob_gateway::names::public_name;
use hobnob_gateway::nearest::{did_you_mean, nearest};
use hobnob_mcp_client::ListKind;

/// The result of a search for a tool or a prompt.
#[derive(Debug)]
pub enum FoundEntry {
    /// A server lists it, so its definition is known.
    Listed(HubEntry),
    /// The public name that the entry would have; the gateway answers a call with the reason.
    Unlisted(String),
}

impl FoundEntry {
    /// The public name to call it by.
    pub fn name(&self) -> &str {
        match self {
            Self::Listed(entry) => &entry.key,
            Self::Unlisted(name) => name,
        }
    }
}

impl HubLists<'_> {
    /// Finds a tool or a prompt by its public name, as SERVER/NAME, or by the name that its server
    /// gives it, if that is unambiguous.
    pub async fn find(&self, list: ListKind, meant: &str) -> anyhow::Result<FoundEntry> {
        let what = noun(list);
        let names = self.hub.names();
        let owned = names.server_meant(meant);
        // A gateway in this process answers at once with what it has cached.
        let mut entries = self.hub.list(list).await?;
        if let Some(entry) = pick(&entries, meant, what)? {
            return Ok(FoundEntry::Listed(entry.clone()));
        }
        if let Some((server, original)) = owned.and_then(|it| Some((it.server?, it.original))) {
            entries = self.of(Some(&server), list).await?;
            let public = public_name(&server, &original);
            let found = pick(&entries, meant, what)?.cloned();
            return Ok(
                found.map_or_else(|| FoundEntry::Unlisted(public.to_string()), FoundEntry::Listed)
            );
        }
        if let Some((server, _)) = meant.split_once('/')
            && !nearest(server, names.servers().iter().map(String::as_str)).is_empty()
        {
            check_server(&names, server)?;
        }
        self.hub.learn(None);
        entries = self.settled(list).await?;
        match pick(&entries, meant, what)? {
            Some(entry) => Ok(FoundEntry::Listed(entry.clone())),
            None => Err(absent(&entries, meant, what).into()),
        }
    }

    /// The public URI of a resource that the user named by its server's own URI.
    pub async fn find_resource(&self, meant: &str) -> anyhow::Result<String> {
        let known = self.hub.list(ListKind::Resources).await?;
        if let Some(entry) = pick(&known, meant, "resource")? {
            return Ok(entry.key.clone());
        }
        self.hub.learn(None);
        let entries = self.settled(ListKind::Resources).await?;
        match pick(&entries, meant, "resource")? {
            Some(entry) => Ok(entry.key.clone()),
            None => {
                let absent = absent(&entries, meant, "resource");
                let message = format!(
                    "{absent}; to read a resource that is not listed: hobnob read SERVER {meant}"
                );
                Err(Ended::new(Code::Failed, message).into())
            }
        }
    }
}

fn noun(list: ListKind) -> &'static str {
    match list {
        ListKind::Tools => "tool",
        ListKind::Prompts => "prompt",
        ListKind::Resources | ListKind::Templates => "resource",
    }
}

/// The error for an unknown name, with the nearest known names.
fn absent(entries: &[HubEntry], meant: &str, what: &str) -> Ended {
    let public = entries.iter().map(|entry| entry.key.as_str());
    let own = entries.iter().map(|entry| entry.owned.original.as_str());
    let near = did_you_mean(meant, public.chain(own));
    let message = format!("there is no {what} `{meant}`; `hobnob {what}s` lists all of them{near}");
    Ended::new(Code::Failed, message)
}

/// The entry with this public name, this SERVER/NAME, or this name on exactly one server.
fn pick<'a>(
    entries: &'a [HubEntry],
    meant: &str,
    what: &str,
) -> anyhow::Result<Option<&'a HubEntry>> {
    if let Some(entry) = entries.iter().find(|entry| entry.key == meant) {
        return Ok(Some(entry));
    }
    let whole = |entry: &&HubEntry| {
        let rest = meant.strip_prefix(entry.server()).and_then(|rest| rest.strip_prefix('/'));
        rest == Some(&*entry.owned.original)
    };
    if let Some(entry) = entries.iter().find(whole) {
        return Ok(Some(entry));
    }
    let same: Vec<&HubEntry> = entries.iter().filter(|it| it.owned.original == meant).collect();
    match same[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let keys = same.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>().join(", ");
            let message =
                format!("several {what}s are called `{meant}`; use one of these names: {keys}");
            Err(Ended::usage(message).into())
        }
    }
}
