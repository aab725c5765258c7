//! What there is, entry by entry, with the server that has it.

use crate::exit::{Code, Ended};
use crate::hub::names::{Names, Owned};
use crate::hub::reach::Hub;
use crate::hub::status::{ServerStatus, Status};
use crate::hub::trouble::listing_failed;
use crate::terminal::Terminal;
use mcp_client::List;
use mcp_types::json::field;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::Instant;

/// How long servers that nothing is known of may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often it is looked whether they are there.
const LOOK: Duration = Duration::from_millis(50);

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
    /// What is missing then is told to the person.
    pub(crate) async fn settled_list(
        &self,
        list: List,
        terminal: &Terminal,
    ) -> anyhow::Result<Vec<Entry>> {
        let entries = self.list(list).await?;
        let deadline = Instant::now() + PATIENCE;
        let mut waited = Waited::No;
        loop {
            let status = self.status().await?;
            if unknown(&status).next().is_none() || Instant::now() >= deadline {
                unknown(&status).for_each(|name| {
                    terminal
                        .note(&format!("{name} is still starting: what it has is missing here"));
                });
                unusable(&status).for_each(|words| terminal.note(&words));
                break;
            }
            waited = Waited::Yes;
            tokio::time::sleep(LOOK).await;
        }
        match waited {
            Waited::No => Ok(entries),
            Waited::Yes => self.list(list).await,
        }
    }

    /// A whole list, as far as it is known within a moment.
    pub(crate) async fn list(&self, list: List) -> anyhow::Result<Vec<Entry>> {
        let entries = match list {
            List::Tools => self.client().tools().await,
            other => self.client().remote().list(other).await,
        };
        let entries = entries.map_err(|error| listing_failed(&error))?;
        let names = self.names();
        let key = match list {
            List::Tools | List::Prompts => "name",
            List::Resources => "uri",
            List::Templates => "uriTemplate",
        };
        Ok(entries.into_iter().filter_map(|json| entry(&names, list, key, json)).collect())
    }
}

/// Whether a list has to be asked for again.
enum Waited {
    Yes,
    No,
}

/// Servers that are being started and were never listed.
fn unknown(status: &Status) -> impl Iterator<Item = &str> {
    let fresh = |it: &&ServerStatus| it.phase == "starting" && it.revision.is_none();
    status.servers.iter().filter(fresh).map(|it| it.name.as_str())
}

/// What to tell of servers that cannot be used.
fn unusable(status: &Status) -> impl Iterator<Item = String> {
    let broken = |it: &&ServerStatus| it.is_in_trouble() && it.phase != "disabled";
    status.servers.iter().filter(broken).map(ServerStatus::sentence)
}

fn entry(names: &Names, list: List, key: &str, json: Box<str>) -> Option<Entry> {
    let key: String = serde_json::from_str(field(&json, key)?).ok()?;
    let owned = match list {
        List::Tools | List::Prompts => names.owner(&key),
        List::Resources | List::Templates => names.owner_of_uri(&key),
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
    if wanted != "hobnob" && !names.servers().iter().any(|server| server == wanted) {
        let known = names.servers().join(", ");
        let message = format!("there is no server `{wanted}`; there are: {known}");
        return Err(Ended::new(Code::Usage, message).into());
    }
    entries.retain(|entry| entry.server() == wanted);
    Ok(())
}
