//! One upstream's lists as the catalogue wants them: filtered, and without what has changed since
//! it was approved.

use crate::catalog::{Mirroring, PreparedServer, ServerLists};
use crate::gateway::Gateway;
use crate::pins::{self, Comparison};
use crate::servers::config::{Config, ServerCatalogue};
use crate::servers::sightings::{DefinitionSighting, Moved, Seen};
use crate::upstream::configured::Configured;
use crate::upstream::lists::Lists;
use crate::upstream::server::Upstream;
use hobnob_config::{PinMode, Pins, ServerKey, Target};
use hobnob_mcp_types::json::field;
use hobnob_mcp_types::{Era, Revision};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a tool is held back.
const CHANGED: &str = "its definition changed since it was approved";
const NEW: &str = "it is new since the server was approved";
const UNREADABLE: &str = "the approvals cannot be read";

impl Gateway {
    /// Prepares what an upstream lists.
    pub(crate) fn prepare(
        &self,
        config: &mut Config,
        upstream: &Upstream,
        lists: &Lists,
    ) -> ServerCatalogue {
        let configured = upstream.configured();
        let spec = configured.spec.as_ref().ok().map(|(spec, _)| spec);
        let named = |tool: &str| {
            let raw = field(tool, "name")?;
            serde_json::from_str::<String>(raw).ok()
        };
        let mut tools: Vec<(String, &str)> =
            lists.tools.iter().filter_map(|tool| Some((named(tool)?, &**tool))).collect();
        // Of all tools, so that another filter does not make an old tool look new.
        let mut quarantine = self.quarantine(config, &configured, &tools);
        let permits = |name: &str| spec.is_none_or(|spec| spec.tools.permits(name));
        quarantine.retain(|(name, _)| permits(name));
        log_held_back(config, upstream.name(), &quarantine);
        let held: BTreeSet<&str> = quarantine.iter().map(|(held, _)| held.as_str()).collect();
        tools.retain(|(name, _)| permits(name) && !held.contains(name.as_str()));
        let texts = |list: &[Box<str>]| list.iter().map(|text| text.to_string()).collect();
        let over_http = matches!(spec.map(|spec| &spec.target), Some(Target::Url { .. }));
        let modern = Revision::parse(&lists.about.revision).map(Revision::era) == Some(Era::Modern);
        let lists = ServerLists {
            server: upstream.name().into(),
            mirroring: if over_http && modern { Mirroring::Required } else { Mirroring::Ignored },
            tools: tools.into_iter().map(|(_, text)| text.to_owned()).collect(),
            resources: texts(&lists.resources),
            templates: texts(&lists.templates),
            prompts: texts(&lists.prompts),
        };
        ServerCatalogue { entries: Arc::new(PreparedServer::new(lists)), quarantine }
    }

    /// Which tools differ from what was approved. The first time, all of them are.
    fn quarantine(
        &self,
        config: &mut Config,
        configured: &Configured,
        tools: &[(String, &str)],
    ) -> Vec<(String, &'static str)> {
        let mode =
            configured.spec.as_ref().map_or(PinMode::Strict, |(_, effective)| effective.pins);
        if mode == PinMode::Off {
            return Vec::new();
        }
        // Of two with one name the first counts, here as in the catalogue.
        let mut names = BTreeSet::new();
        let tools = tools.iter().filter(|(name, _)| names.insert(name.as_str()));
        let tools: Vec<(&str, &str)> = tools.map(|(name, text)| (name.as_str(), *text)).collect();
        let approvals = match &mut config.approvals {
            Ok(approvals) => approvals,
            Err(_) => {
                return tools.iter().map(|(name, _)| (name.to_string(), UNREADABLE)).collect();
            }
        };
        let key = ServerKey::new(&configured.name, configured.identity);
        if approvals.is_trusted(&key) {
            return Vec::new();
        }
        let Some(pinned) = approvals.pins(&key) else {
            if !tools.is_empty() {
                let seen: Pins =
                    tools.iter().map(|(name, text)| (name.to_string(), pins::pin(text))).collect();
                approvals.set_pins(key.clone(), seen.clone());
                config.first_seen.push((key.clone(), seen.clone()));
                self.remember(config, sighting(key, Seen::First(seen), &tools));
            }
            return Vec::new();
        };
        let (mut held, mut moved) = (Vec::new(), Vec::new());
        for (name, text) in &tools {
            match pinned.get(*name) {
                None => held.push((name.to_string(), NEW)),
                Some(pin) => match pins::compare(pin, text, mode) {
                    Comparison::Same => {}
                    Comparison::SameAs(to) => {
                        moved.push(Moved { tool: name.to_string(), from: *pin, to });
                    }
                    Comparison::Changed => held.push((name.to_string(), CHANGED)),
                },
            }
        }
        if !moved.is_empty() {
            for Moved { tool, from, to } in &moved {
                approvals.replace_pin(key.clone(), tool, *from, *to);
            }
            self.remember(config, sighting(key, Seen::Again(moved), &tools));
        }
        held
    }
}

fn sighting(key: ServerKey, what: Seen, tools: &[(&str, &str)]) -> DefinitionSighting {
    let concerns = |name: &str| match &what {
        Seen::First(_) => true,
        Seen::Again(moved) => moved.iter().any(|it| it.tool == name),
    };
    let tools = tools.iter().filter(|(name, _)| concerns(name));
    let definitions = tools.map(|(name, text)| (name.to_string(), text.to_string())).collect();
    DefinitionSighting { key, definitions, what }
}

/// What is held back from now on is told to the person who reads the log.
fn log_held_back(config: &Config, server: &str, held: &[(String, &'static str)]) {
    let before = config.prepared.get(server).map(|prepared| prepared.quarantine.as_slice());
    let before = before.unwrap_or_default();
    let new: Vec<&str> =
        held.iter().filter(|it| !before.contains(it)).map(|(name, _)| name.as_str()).collect();
    if !new.is_empty() {
        let (tools, look) = (new.join(", "), format!("hobnob approve {server}"));
        tracing::warn!(server, tools, look, "new or changed tools are held back until approved");
    }
}
