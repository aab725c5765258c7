//! Tools that are held back, because they are not what they were when their server was approved.
//!
//! Only digests are kept of the old definitions, so a person is shown the new one.

use super::Decision;
use hobnob_config::{
    Approvals, CatalogueCache, Digest, Origin, Places, Server, ServerKey, ServerName, Servers,
    Settings, Switch,
};
use hobnob_gateway::pins;
use hobnob_policy::poison::{Suspicion, suspicious};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// One tool, as a person sees it before deciding.
#[derive(Debug, Serialize)]
pub(super) struct Looked {
    pub(super) server: String,
    pub(super) name: String,
    pub(super) why: Why,
    /// The definition as the server gives it now.
    pub(super) definition: Value,
    /// Tricks that its texts seem to play.
    pub(super) suspicions: Vec<&'static str>,
    #[serde(skip)]
    pub(super) key: ServerKey,
    pub(super) digest: Digest,
    pub(super) decision: Decision,
}

/// Why it is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Why {
    Changed,
    New,
}

impl Looked {
    pub(super) fn to_text(&self) -> String {
        let why = match self.why {
            Why::Changed => "is not what it was when it was approved",
            Why::New => "is new since its server was approved",
        };
        let mut text = format!("tool `{}` of server `{}` {why}:\n", self.name, self.server);
        let shown = serde_json::to_string_pretty(&self.definition).unwrap_or_default();
        for line in shown.lines() {
            text.push_str(&format!("    {line}\n"));
        }
        if !self.suspicions.is_empty() {
            text.push_str(&format!("    SUSPICIOUS: {}\n", self.suspicions.join(", ")));
        }
        text
    }
}

/// What was kept of a server's lists, as far as it matters here.
#[derive(Deserialize)]
struct Kept {
    tools: Vec<Box<RawValue>>,
}

/// All tools that wait.
pub(super) fn waiting(
    servers: &Servers,
    places: &Places,
    settings: &Settings,
    approvals: &Approvals,
    only: Option<&ServerName>,
) -> Vec<Looked> {
    if !settings.gateway.pins {
        return Vec::new();
    }
    let cache = CatalogueCache::new(&places.catalogues());
    let mut waiting = Vec::new();
    for server in servers.iter().filter(|server| server.switch == Switch::On) {
        let wanted = only.is_none_or(|name| server.name == *name);
        let approved = server.origin != Origin::Project
            || approvals.is_approved(&places.project, &server.name, &server.digest);
        if wanted && approved {
            waiting.extend(of_server(server, &cache, approvals));
        }
    }
    waiting
}

fn of_server(server: &Server, cache: &CatalogueCache, approvals: &Approvals) -> Vec<Looked> {
    let Ok(spec) = &server.state else { return Vec::new() };
    let key = ServerKey::new(&server.name, server.digest);
    let Some(pinned) = approvals.pins(&key) else { return Vec::new() };
    let kept = cache.load(&server.digest);
    let kept = kept.and_then(|text| serde_json::from_str::<Kept>(&text).ok());
    let (mut looked, mut seen) = (Vec::new(), BTreeSet::new());
    for raw in kept.map(|kept| kept.tools).unwrap_or_default() {
        let Ok(definition) = serde_json::from_str::<Value>(raw.get()) else { continue };
        let Some(name) = definition.get("name").and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        // Of two with one name the first counts, here as in the catalogue.
        if !spec.tools.permits(&name) || !seen.insert(name.clone()) {
            continue;
        }
        // It is a digest under another name, so this cannot fail.
        let Ok(digest) = pins::Digest::of(raw.get()).as_str().parse::<Digest>() else { continue };
        let why = match pinned.get(&name) {
            Some(pin) if *pin == digest => continue,
            Some(_) => Why::Changed,
            None => Why::New,
        };
        let suspicions = suspicions(&definition).into_iter().map(Suspicion::as_str).collect();
        looked.push(Looked {
            server: server.name.to_string(),
            name,
            why,
            definition,
            suspicions,
            key: key.clone(),
            digest,
            decision: Decision::Waiting,
        });
    }
    looked
}

/// Tricks in any text of a definition, keys included.
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
