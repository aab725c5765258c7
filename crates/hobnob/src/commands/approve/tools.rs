//! Tools that are held back because they have changed since their server was approved. `approve`
//! shows them and asks.
//!
//! What must stay true: the definition that the user sees is the one whose digest is approved.

use super::decision::Decision;
use super::differences::{Difference, differences, to_lines};
use hobnob_config::{
    AcceptedDefinitions, Approvals, CatalogueCache, ConfiguredServer, Pin, PinMode, Places,
    ServerKey, ServerName, Servers, Settings, Switch,
};
use hobnob_gateway::pins::{self, Comparison};
use hobnob_policy::poison::{Suspicion, suspicious};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// One tool, as the user sees it before deciding.
#[derive(Debug, Serialize)]
pub(super) struct WaitingTool {
    pub(super) server: String,
    pub(super) name: String,
    pub(super) why: WaitReason,
    /// The definition as the server gives it now.
    pub(super) definition: Value,
    /// The differences from the approved definition, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<Vec<Difference>>,
    /// Signs of manipulation in its texts.
    pub(super) suspicions: Vec<&'static str>,
    #[serde(skip)]
    pub(super) key: ServerKey,
    /// The definition as text, and its pin.
    #[serde(skip)]
    pub(super) text: String,
    #[serde(skip)]
    pub(super) pin: Pin,
    pub(super) digest: String,
    pub(super) decision: Decision,
}

/// Why the tool is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WaitReason {
    Changed,
    New,
}

impl WaitingTool {
    pub(super) fn to_text(&self) -> String {
        let why = match self.why {
            WaitReason::Changed => "has changed since you approved it",
            WaitReason::New => "is new since you approved its server",
        };
        let mut text = format!("tool `{}` of server `{}` {why}:\n", self.name, self.server);
        let lines = match &self.changes {
            Some(changes) => to_lines(changes),
            None => {
                let shown = serde_json::to_string_pretty(&self.definition).unwrap_or_default();
                shown.lines().map(str::to_owned).collect()
            }
        };
        for line in lines {
            text.push_str(&format!("    {line}\n"));
        }
        if self.why == WaitReason::Changed && self.changes.is_none() {
            text.push_str(
                "    (the approved definition was not saved, so this is the whole new one)\n",
            );
        }
        if !self.suspicions.is_empty() {
            text.push_str(&format!("    SUSPICIOUS: {}\n", self.suspicions.join(", ")));
        }
        text
    }
}

/// The part of a cached catalogue that matters here.
#[derive(Deserialize)]
struct CachedCatalogue {
    tools: Vec<Box<RawValue>>,
}

/// What the search for waiting tools needs.
pub(super) struct Search<'a> {
    pub(super) servers: &'a Servers,
    pub(super) places: &'a Places,
    pub(super) settings: &'a Settings,
    pub(super) approvals: &'a Approvals,
}

impl Search<'_> {
    /// All tools that wait for approval.
    pub(super) fn waiting(&self, only: Option<&ServerName>) -> Vec<WaitingTool> {
        let mut waiting = Vec::new();
        for server in self.servers.iter().filter(|server| server.switch == Switch::On) {
            let wanted = only.is_none_or(|name| server.name == *name);
            if wanted && server.is_approved(&self.places.project, self.approvals) {
                waiting.extend(self.of_server(server));
            }
        }
        waiting
    }

    fn of_server(&self, server: &ConfiguredServer) -> Vec<WaitingTool> {
        let Ok(spec) = &server.state else { return Vec::new() };
        let mode = self.settings.for_server(&server.name, spec).pins;
        let key = server.key();
        if mode == PinMode::Off || self.approvals.is_trusted(&key) {
            return Vec::new();
        }
        let Some(pinned) = self.approvals.pins(&key) else { return Vec::new() };
        let cached = CatalogueCache::new(&self.places.catalogues()).load(&server.identity);
        let cached = cached.and_then(|text| serde_json::from_str::<CachedCatalogue>(&text).ok());
        let before = AcceptedDefinitions::new(&self.places.definitions()).load(&key);
        let (mut waiting, mut seen) = (Vec::new(), BTreeSet::new());
        for raw in cached.map(|cached| cached.tools).unwrap_or_default() {
            let Ok(definition) = serde_json::from_str::<Value>(raw.get()) else { continue };
            let Some(name) = definition.get("name").and_then(Value::as_str) else { continue };
            // Of two tools with one name the first counts, as in the catalogue.
            if !spec.tools.permits(name) || !seen.insert(name.to_owned()) {
                continue;
            }
            let name = name.to_owned();
            let (why, changes) = match pinned.get(&name) {
                None => (WaitReason::New, None),
                Some(pin) if pins::compare(pin, raw.get(), mode) != Comparison::Changed => continue,
                Some(pin) => (WaitReason::Changed, changes(pin, &before, &name, raw.get())),
            };
            let suspicions = suspicions(&definition).into_iter().map(Suspicion::as_str).collect();
            waiting.push(WaitingTool {
                server: server.name.to_string(),
                name,
                why,
                definition,
                changes,
                suspicions,
                key: key.clone(),
                pin: pins::pin(raw.get()),
                digest: pins::ToolDigest::of(raw.get()).to_string(),
                text: raw.get().to_owned(),
                decision: Decision::Waiting,
            });
        }
        waiting
    }
}

/// The differences from the accepted definition, if that is known for certain.
fn changes(
    pin: &Pin,
    before: &BTreeMap<String, String>,
    name: &str,
    now: &str,
) -> Option<Vec<Difference>> {
    let before = before.get(name).filter(|before| pins::is_accepted(pin, before))?;
    let value = |text: &str| serde_json::from_str::<Value>(&pins::canonical(text)).ok();
    Some(differences(&value(before)?, &value(now)?))
}

/// Signs of manipulation in any text of a definition, keys included.
pub(crate) fn suspicions(definition: &Value) -> BTreeSet<Suspicion> {
    let mut found = BTreeSet::new();
    let mut rest = vec![definition];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => found.extend(suspicious(text)),
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().flat_map(|key| suspicious(key)));
                rest.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}
