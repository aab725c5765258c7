//! The states of the servers, read from the resource `hobnob://status`.
//!
//! `status` and `doctor`-like hints use it. A newer `hobnob serve` may send phases unknown here, so
//! a phase stays text.

use crate::hub::failure::failed;
use crate::hub::reach::{Hub, Reached};
use anyhow::Context as _;
use hobnob_gateway::STATUS;
use hobnob_mcp_types::resources::ResourceContents;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The part of the status that commands base decisions on.
#[derive(Debug, Deserialize)]
pub struct HubStatus {
    pub servers: Vec<ServerStatus>,
}

impl HubStatus {
    /// Whether a server is possibly being downloaded.
    pub(crate) fn is_downloading(&self) -> bool {
        self.servers.iter().any(|it| it.is_first_start() && it.phase == "installing")
    }
}

/// The state of one server.
#[derive(Debug, Deserialize)]
pub struct ServerStatus {
    /// Its name in the settings.
    pub name: String,
    /// Its phase; a newer `hobnob serve` may have more phases than this version knows.
    pub phase: String,
    /// Why it is in this phase.
    pub(crate) reason: Option<String>,
    /// What the user can do about it.
    pub(crate) hint: Option<String>,
    /// Present while it is being started for the first time.
    first_start: Option<String>,
    /// Tools that have changed and are not offered until a person approves them.
    #[serde(default)]
    pub quarantined: Vec<String>,
}

impl ServerStatus {
    /// Whether it cannot be used in this phase.
    pub fn is_unusable(&self) -> bool {
        let fine = ["ready", "sleeping", "stopped", "unknown", "starting", "installing"];
        !fine.contains(&self.phase.as_str())
    }

    /// Whether it is being started for the first time, so that what it offers is in no list yet.
    pub(crate) fn is_first_start(&self) -> bool {
        self.first_start.is_some()
    }

    /// Its name, with a remark if it is possibly being downloaded.
    pub(crate) fn name_and_state(&self) -> String {
        match self.phase.as_str() {
            "installing" => format!("{} (installing)", self.name),
            _ => self.name.clone(),
        }
    }

    /// State, reason and hint in one sentence.
    pub fn sentence(&self) -> String {
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
    /// The current states of the servers.
    pub async fn status(&self) -> anyhow::Result<HubStatus> {
        serde_json::from_str(&self.status_text().await?)
            .with_context(|| format!("cannot understand the contents of {STATUS}"))
    }

    /// Whether a gateway in this process is possibly downloading a server.
    pub async fn is_downloading(&self) -> anyhow::Result<bool> {
        Ok(self.reached() == Reached::Own && self.status().await?.is_downloading())
    }

    /// The whole status; its member `running` says whether it comes from a `hobnob serve`.
    pub async fn full_status(&self) -> anyhow::Result<Value> {
        let received: Map<String, Value> = serde_json::from_str(&self.status_text().await?)
            .with_context(|| format!("cannot understand the contents of {STATUS}"))?;
        let mut status = Map::new();
        status.insert("running".into(), Value::Bool(self.reached() == Reached::Running));
        status.extend(received);
        // The build is more exact than the release that the hub itself names there.
        if let Some(build) = &self.build {
            status.insert("version".into(), build.as_str().into());
        }
        Ok(Value::Object(status))
    }

    async fn status_text(&self) -> anyhow::Result<String> {
        let read = self.client().read_resource(STATUS).await.map_err(|error| failed(&error))?;
        match read.contents.into_iter().next() {
            Some(ResourceContents::Text(contents)) => Ok(contents.text),
            _ => anyhow::bail!("cannot understand the contents of {STATUS}"),
        }
    }
}
