//! How the servers are, as `hobnob://status` tells it.

use crate::hub::reach::{Hub, Reached};
use crate::hub::trouble::failed;
use anyhow::Context as _;
use hobnob_gateway::STATUS;
use hobnob_mcp_types::resources::ResourceContents;
use serde::Deserialize;
use serde_json::{Map, Value};

/// As much of it as commands decide by.
#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    /// Every server.
    pub(crate) servers: Vec<ServerStatus>,
}

impl Status {
    /// Whether a server may be being downloaded.
    pub(crate) fn is_downloading(&self) -> bool {
        self.servers.iter().any(|it| it.is_coming() && it.phase == "installing")
    }
}

/// One server.
#[derive(Debug, Deserialize)]
pub(crate) struct ServerStatus {
    /// Its name.
    pub(crate) name: String,
    /// Where it is; a newer `hobnob serve` may know more phases than we do.
    pub(crate) phase: String,
    /// Why it is there.
    pub(crate) reason: Option<String>,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// What is spoken with it; nothing if it was never listed.
    pub(crate) revision: Option<String>,
}

impl ServerStatus {
    /// Whether it cannot be used as it is.
    pub(crate) fn is_in_trouble(&self) -> bool {
        let fine = ["ready", "sleeping", "stopped", "unknown", "starting", "installing"];
        !fine.contains(&self.phase.as_str())
    }

    /// Whether it is being started for the first time.
    pub(crate) fn is_coming(&self) -> bool {
        self.revision.is_none() && matches!(self.phase.as_str(), "starting" | "installing")
    }

    /// Its name, and that it is being downloaded if it may be.
    pub(crate) fn name_and_state(&self) -> String {
        match self.phase.as_str() {
            "installing" => format!("{} (installing)", self.name),
            _ => self.name.clone(),
        }
    }

    /// What to tell of it.
    pub(crate) fn sentence(&self) -> String {
        let mut words = format!("server `{}` is {}", self.name, self.phase);
        if let Some(reason) = &self.reason {
            words.push_str(&format!(": {reason}"));
        }
        if let Some(hint) = &self.hint {
            words.push_str(&format!("; try: {hint}"));
        }
        words
    }
}

impl Hub {
    /// How the servers are now.
    pub(crate) async fn status(&self) -> anyhow::Result<Status> {
        serde_json::from_str(&self.status_text().await?)
            .with_context(|| format!("{STATUS} does not hold what it should"))
    }

    /// Whether a gateway of our own may be downloading a server.
    pub(crate) async fn is_downloading(&self) -> anyhow::Result<bool> {
        Ok(self.reached() == Reached::Own && self.status().await?.is_downloading())
    }

    /// All that is told, with `running` for whether a `hobnob serve` was asked.
    pub(crate) async fn whole_status(&self) -> anyhow::Result<Value> {
        let told: Map<String, Value> = serde_json::from_str(&self.status_text().await?)
            .with_context(|| format!("{STATUS} does not hold what it should"))?;
        let mut status = Map::new();
        status.insert("running".into(), Value::Bool(self.reached() == Reached::Running));
        status.extend(told);
        Ok(Value::Object(status))
    }

    async fn status_text(&self) -> anyhow::Result<String> {
        let read = self.client().read_resource(STATUS).await.map_err(|error| failed(&error))?;
        match read.contents.into_iter().next() {
            Some(ResourceContents::Text(contents)) => Ok(contents.text),
            _ => anyhow::bail!("{STATUS} does not hold what it should"),
        }
    }
}
