//! What there is, entry by entry, with the server that has it.

use crate::hub::names::{Names, Owned};
use crate::hub::reach::{Hub, Reached};
use crate::hub::status::{ServerStatus, Status};
use crate::hub::trouble::listing_failed;
use crate::terminal::Terminal;
use hobnob_mcp_client::ListKind;
use hobnob_mcp_types::json::field;
use serde_json::{Map, Value};
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

/// How long a download is waited for; the gateway ends one that takes longer by itself.
const DOWNLOAD: Duration = Duration::from_secs(15 * 60);

/// How often it is looked who is there.
const LOOK: Duration = Duration::from_millis(100);

/// A tool, a resource, a template or a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Its public name or address.
    pub(crate) key: String,
    /// Whose it is.
    pub(crate) owned: Owned,
    /// All that is said of it.
    pub(crate) json: Box<str>,
}

impl Entry {
    /// A text among what is said of it.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        field(&self.json, key).and_then(|raw| serde_json::from_str(raw).ok())
    }

    /// The server's name; Hobnob's own things have none.
    pub(crate) fn server(&self) -> &str {
        self.owned.server.as_deref().unwrap_or("hobnob")
    }

    /// For programs: whose it is, and these members of what is said of it.
    pub(crate) fn to_value(&self, members: &[&str]) -> Value {
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
    /// A whole list, once servers that nothing is known of yet have had time to say something.
    /// Who is waited for is shown, and what is missing then is told to the person.
    pub(crate) async fn settled_list(
        &self,
        list: ListKind,
        terminal: &Terminal,
    ) -> anyhow::Result<Vec<Entry>> {
        let mut looks = tokio::time::interval(LOOK);
        let mut listing = pin!(self.list(list));
        let entries = loop {
            tokio::select! {
                entries = &mut listing => break entries?,
                _ = looks.tick() => say_who_is_coming(&self.status().await?, terminal),
            }
        };
        // A download that is broken off has to begin anew, so it gets more time than a list.
        let deadline = Instant::now() + DOWNLOAD;
        let mut waited = Waited::No;
        let status = loop {
            let status = self.status().await?;
            if !status.is_downloading()
                || self.reached() == Reached::Running
                || deadline <= Instant::now()
            {
                break status;
            }
            waited = Waited::Yes;
            say_who_is_coming(&status, terminal);
            looks.tick().await;
        };
        for server in status.servers.iter().filter(|it| it.is_coming()) {
            let name = &server.name;
            terminal.note(&format!(
                "{name} is still starting: what it has is missing here; \
                 `hobnob doctor {name}` waits longer"
            ));
        }
        unusable(&status).for_each(|words| terminal.note(&words));
        match waited {
            Waited::No => Ok(entries),
            Waited::Yes => self.list(list).await,
        }
    }

    /// A whole list, once the servers are known: all of them, or the one that is asked for.
    pub(crate) async fn list_of(
        &self,
        server: Option<&str>,
        list: ListKind,
        terminal: &Terminal,
    ) -> anyhow::Result<Vec<Entry>> {
        match server {
            None => self.settled_list(list, terminal).await,
            Some(server) => {
                self.learn(Some(server));
                self.list_with(server, list, terminal).await
            }
        }
    }

    /// A whole list, once this server is known or has failed: whoever names it waits for it alone.
    pub(crate) async fn list_with(
        &self,
        server: &str,
        list: ListKind,
        terminal: &Terminal,
    ) -> anyhow::Result<Vec<Entry>> {
        let mut looks = tokio::time::interval(LOOK);
        loop {
            let status = self.status().await?;
            let coming = status.servers.iter().find(|it| it.name == server && it.is_coming());
            let Some(coming) = coming else { return self.list(list).await };
            terminal.say(&format!("waiting for {}", coming.name_and_state()));
            looks.tick().await;
        }
    }

    /// A whole list, as far as it is known within a moment.
    pub(crate) async fn list(&self, list: ListKind) -> anyhow::Result<Vec<Entry>> {
        let entries = match list {
            ListKind::Tools => self.client().tools().await,
            other => self.client().remote().list(other).await,
        };
        let entries = entries.map_err(|error| listing_failed(&error))?;
        let names = self.names();
        let key = match list {
            ListKind::Tools | ListKind::Prompts => "name",
            ListKind::Resources => "uri",
            ListKind::Templates => "uriTemplate",
        };
        Ok(entries.into_iter().filter_map(|json| entry(&names, list, key, json)).collect())
    }
}

/// Whether a list has to be asked for again.
enum Waited {
    Yes,
    No,
}

fn say_who_is_coming(status: &Status, terminal: &Terminal) {
    let coming = status.servers.iter().filter(|it| it.is_coming());
    let names: Vec<_> = coming.map(ServerStatus::name_and_state).collect();
    if !names.is_empty() {
        terminal.say(&format!("waiting for {}", names.join(", ")));
    }
}

/// What to tell of servers that cannot be used.
fn unusable(status: &Status) -> impl Iterator<Item = String> {
    let broken = |it: &&ServerStatus| {
        // Who was switched off, or is this very hub, is not missed.
        it.is_in_trouble() && !["disabled", "refused"].contains(&it.phase.as_str())
    };
    status.servers.iter().filter(broken).map(ServerStatus::sentence)
}

fn entry(names: &Names, list: ListKind, key: &str, json: Box<str>) -> Option<Entry> {
    let key: String = serde_json::from_str(field(&json, key)?).ok()?;
    let owned = match list {
        ListKind::Tools | ListKind::Prompts => names.owner(&key),
        ListKind::Resources | ListKind::Templates => names.owner_of_uri(&key),
    };
    Some(Entry { key, owned, json })
}

/// Keeps what one server has. A server that is not configured is an error.
pub(crate) fn server_filter(
    hub: &Hub,
    wanted: Option<&str>,
    entries: &mut Vec<Entry>,
) -> anyhow::Result<()> {
    let Some(wanted) = wanted else { return Ok(()) };
    let names = hub.names();
    if wanted != "hobnob" {
        names.check_server(wanted)?;
    }
    entries.retain(|entry| entry.server() == wanted);
    Ok(())
}
