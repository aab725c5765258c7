//! Tools that are held back because they have changed since their server was approved.
//!
//! What must stay true: the definition that a person sees is the one whose digest is approved.

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

/// One tool, as a person sees it before deciding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolToApprove {
    /// The name of its server.
    pub server: ServerName,
    /// The name that the server gives it.
    pub name: String,
    /// Why it is held back.
    pub why: WaitReason,
    /// The definition as the server gives it now.
    pub definition: Value,
    /// The approved definition and the current one, both canonical, if the approved one is known
    /// for certain.
    pub change: Option<(Value, Value)>,
    /// Signs of manipulation in its texts.
    pub suspicions: Vec<&'static str>,
    /// The key of its server's pins.
    pub key: ServerKey,
    /// The definition as text.
    pub text: String,
    /// What is stored when it is approved.
    pub pin: Pin,
    /// The digest of the definition.
    pub digest: String,
}

/// Why a tool is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitReason {
    /// Its definition is not the approved one.
    Changed,
    /// Its server was approved without it.
    New,
}

/// The part of a cached catalogue that matters here.
#[derive(Deserialize)]
struct CachedCatalogue {
    tools: Vec<Box<RawValue>>,
}

/// Where tools that wait are looked for.
#[derive(Debug)]
pub struct ToolsToApprove<'a> {
    /// The servers whose tools are looked at.
    pub servers: &'a Servers,
    /// The folders with the cached catalogues and the accepted definitions.
    pub places: &'a Places,
    /// The settings about pins.
    pub settings: &'a Settings,
    /// The pins with which definitions are compared.
    pub approvals: &'a Approvals,
}

impl ToolsToApprove<'_> {
    /// All tools that wait for an approval, or those of one server.
    pub fn find(&self, only: Option<&ServerName>) -> Vec<ToolToApprove> {
        let mut waiting = Vec::new();
        for server in self.servers.iter().filter(|server| server.switch == Switch::On) {
            let wanted = only.is_none_or(|name| server.name == *name);
            if wanted && server.is_approved(&self.places.project, self.approvals) {
                waiting.extend(self.of_server(server));
            }
        }
        waiting
    }

    fn of_server(&self, server: &ConfiguredServer) -> Vec<ToolToApprove> {
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
            let (why, change) = match pinned.get(&name) {
                None => (WaitReason::New, None),
                Some(pin) if pins::compare(pin, raw.get(), mode) != Comparison::Changed => continue,
                Some(pin) => (WaitReason::Changed, change(pin, &before, &name, raw.get())),
            };
            let suspicions = suspicions(&definition).into_iter().map(Suspicion::as_str).collect();
            waiting.push(ToolToApprove {
                server: server.name.clone(),
                name,
                why,
                definition,
                change,
                suspicions,
                key: key.clone(),
                pin: pins::pin(raw.get()),
                digest: pins::ToolDigest::of(raw.get()).to_string(),
                text: raw.get().to_owned(),
            });
        }
        waiting
    }
}

/// The accepted definition and the current one, if the accepted one is known for certain.
fn change(
    pin: &Pin,
    before: &BTreeMap<String, String>,
    name: &str,
    now: &str,
) -> Option<(Value, Value)> {
    let before = before.get(name).filter(|before| pins::is_accepted(pin, before))?;
    let value = |text: &str| serde_json::from_str::<Value>(&pins::canonical(text)).ok();
    Some((value(before)?, value(now)?))
}

/// Signs of manipulation in any text of a definition, keys included.
pub fn suspicions(definition: &Value) -> BTreeSet<Suspicion> {
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
