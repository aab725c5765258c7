//! The lists of tools, resources, templates and prompts, each entry with its server.
//!
//! `tools`, `resources`, `prompts` and `find` read them. A first start or a download may be under
//! way, so the lists wait for it and tell the user what is missing.

use crate::hub::failure::listing_failed;
use crate::hub::names::check_server;
use crate::hub::reach::{Hub, Reached};
use crate::hub::status::{HubStatus, ServerStatus};
use crate::terminal::Spinner;
use hobnob_hub::names::{Names, ServerItem};
use hobnob_mcp_client::ListKind;
use hobnob_mcp_types::json::field;
use hobnob_text::shell_word;
use serde_json::{Map, Value};
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

/// How long a list waits for a download; the gateway itself aborts a longer one.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// How long a list waits for a first start; the gateway gives one up after this time by default.
const FIRST_START_TIMEOUT: Duration = Duration::from_secs(30);

/// How often the states of the servers are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A tool, a resource, a template or a prompt in a list.
#[derive(Debug, Clone)]
pub struct HubEntry {
    /// Its public name or URI.
    pub key: String,
    /// Its server, and its name there.
    pub owned: ServerItem,
    /// Its definition, as it is in the list.
    pub json: Box<str>,
}

impl HubEntry {
    /// A string member of the definition.
    pub fn text(&self, key: &str) -> Option<String> {
        field(&self.json, key).and_then(|raw| serde_json::from_str(raw).ok())
    }

    /// The server's name; `hobnob` for what Hobnob has itself.
    pub fn server(&self) -> &str {
        self.owned.server.as_deref().unwrap_or("hobnob")
    }

    /// For `--json`: these members of the definition, and the server.
    pub fn to_value(&self, members: &[&str]) -> Value {
        let mut value = Map::new();
        for member in members {
            if let Some(said) =
                field(&self.json, member).and_then(|raw| serde_json::from_str(raw).ok())
            {
                value.insert((*member).to_owned(), said);
            }
        }
        value.insert("server".into(), self.owned.server.clone().into());
        value.insert("original".into(), self.owned.original.clone().into());
        Value::Object(value)
    }
}

impl Hub {
    /// The lists, for a command that shows with this spinner which servers it waits for.
    pub fn lists<'a>(&'a self, spinner: &'a Spinner) -> HubLists<'a> {
        HubLists { hub: self, spinner }
    }

    /// The list as far as it is known now.
    pub async fn list(&self, list: ListKind) -> anyhow::Result<Vec<HubEntry>> {
        let entries = self.client().list_text(list).await;
        let entries = entries.map_err(|error| listing_failed(&error))?;
        let (names, key) = (self.names(), key_member(list));
        Ok(entries.into_iter().filter_map(|json| entry(&names, list, key, json)).collect())
    }

    /// The public names or URIs of the list as far as it is known now. Unlike `list`, it reads no catalogues.
    pub async fn keys(&self, list: ListKind) -> anyhow::Result<Vec<String>> {
        let entries = self.client().list_text(list).await;
        let entries = entries.map_err(|error| listing_failed(&error))?;
        let key = |json: &str| serde_json::from_str(field(json, key_member(list))?).ok();
        Ok(entries.iter().filter_map(|json| key(json)).collect())
    }
}

/// The lists of a hub, for a command that waits for servers that start.
pub struct HubLists<'a> {
    pub(super) hub: &'a Hub,
    spinner: &'a Spinner,
}

impl HubLists<'_> {
    /// The whole list, once servers that Hobnob has never seen have had time to start. Shows which
    /// servers it waits for, and notes what is missing at the end.
    pub(super) async fn settled(&self, list: ListKind) -> anyhow::Result<Vec<HubEntry>> {
        let Self { hub, spinner } = *self;
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        let mut listing = pin!(hub.list(list));
        // A list made during a first start lacks that server, even if it has become ready since.
        let mut seen_starting = false;
        let entries = loop {
            tokio::select! {
                entries = &mut listing => break entries?,
                _ = polls.tick() => seen_starting |= show_starting(&hub.status().await?, spinner),
            }
        };
        // A start that ends with this command has to begin again, so it gets more time than a list.
        let began = Instant::now();
        let status = loop {
            let status = hub.status().await?;
            let timeout = match status.is_downloading() {
                true => DOWNLOAD_TIMEOUT,
                false => FIRST_START_TIMEOUT,
            };
            let is_starting = status.servers.iter().any(ServerStatus::is_first_start);
            if !is_starting || hub.reached() == Reached::Running || timeout <= began.elapsed() {
                break status;
            }
            seen_starting |= show_starting(&status, spinner);
            polls.tick().await;
        };
        for server in status.servers.iter().filter(|it| it.is_first_start()) {
            let name = &server.name;
            spinner.note(&format!(
                "{name} is still starting, so its entries are missing here; \
                 `hobnob doctor {}` waits longer",
                shell_word(name)
            ));
        }
        unusable(&status).for_each(|words| spinner.note(&words));
        match seen_starting {
            false => Ok(entries),
            true => hub.list(list).await,
        }
    }

    /// The whole list, once all servers, or the named server, are known or have failed.
    pub async fn of(&self, server: Option<&str>, list: ListKind) -> anyhow::Result<Vec<HubEntry>> {
        let Some(server) = server else { return self.settled(list).await };
        self.hub.learn(Some(server));
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        loop {
            let status = self.hub.status().await?;
            let starting =
                status.servers.iter().find(|it| it.name == server && it.is_first_start());
            let Some(starting) = starting else { return self.hub.list(list).await };
            self.spinner.set_message(&format!("waiting for {}", starting.name_and_state()));
            polls.tick().await;
        }
    }
}

/// The member of an entry that identifies it.
fn key_member(list: ListKind) -> &'static str {
    match list {
        ListKind::Tools | ListKind::Prompts => "name",
        ListKind::Resources => "uri",
        ListKind::Templates => "uriTemplate",
    }
}

/// Shows the servers that start for the first time, and returns whether there are any.
fn show_starting(status: &HubStatus, spinner: &Spinner) -> bool {
    let starting = status.servers.iter().filter(|it| it.is_first_start());
    let names: Vec<_> = starting.map(ServerStatus::name_and_state).collect();
    if !names.is_empty() {
        spinner.set_message(&format!("waiting for {}", names.join(", ")));
    }
    !names.is_empty()
}

/// A sentence for each server that cannot be used.
fn unusable(status: &HubStatus) -> impl Iterator<Item = String> {
    let broken = |it: &&ServerStatus| {
        // The user needs no warning of a server that they disabled, or that is Hobnob itself.
        it.is_unusable() && !["disabled", "refused"].contains(&it.phase.as_str())
    };
    status.servers.iter().filter(broken).map(ServerStatus::sentence)
}

fn entry(names: &Names, list: ListKind, key: &str, json: Box<str>) -> Option<HubEntry> {
    let key: String = serde_json::from_str(field(&json, key)?).ok()?;
    let owned = match list {
        ListKind::Tools | ListKind::Prompts => names.owner(&key),
        ListKind::Resources | ListKind::Templates => names.owner_of_uri(&key),
    };
    Some(HubEntry { key, owned, json })
}

/// Removes the entries of all other servers. A server that is not configured is an error.
pub fn server_filter(
    hub: &Hub,
    wanted: Option<&str>,
    entries: &mut Vec<HubEntry>,
) -> anyhow::Result<()> {
    let Some(wanted) = wanted else { return Ok(()) };
    let names = hub.names();
    if wanted != "hobnob" {
        check_server(&names, wanted)?;
    }
    entries.retain(|entry| entry.server() == wanted);
    Ok(())
}
