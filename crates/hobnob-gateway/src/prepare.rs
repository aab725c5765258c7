//! One upstream's lists as the catalogue wants them: filtered, and without what has changed since
//! it was approved.

use crate::catalog::{Mirroring, PreparedServer, ServerLists};
use crate::gateway::Gateway;
use crate::pins;
use crate::state::{Config, Prepared, approved};
use crate::upstream::lists::Lists;
use crate::upstream::pool::Upstream;
use hobnob_config::{Digest, Pins, ServerKey, Target};
use mcp_types::json::field;
use mcp_types::{Era, Revision};
use std::sync::Arc;

impl Gateway {
    /// Prepares what an upstream lists.
    pub(crate) fn prepare(
        &self,
        config: &mut Config,
        upstream: &Upstream,
        lists: &Lists,
    ) -> Prepared {
        let configured = upstream.configured();
        let spec = configured.spec.as_ref().ok().map(|(spec, _)| spec);
        let named = |tool: &str| {
            let raw = field(tool, "name")?;
            serde_json::from_str::<String>(raw).ok()
        };
        let mut tools: Vec<(String, &str)> =
            lists.tools.iter().filter_map(|tool| Some((named(tool)?, &**tool))).collect();
        // Of all tools, so that another filter does not make an old tool look new.
        let mut quarantine = match config.settings.gateway.pins {
            true => self.quarantine(config, upstream, &tools),
            false => Vec::new(),
        };
        let permits = |name: &str| spec.is_none_or(|spec| spec.tools.permits(name));
        quarantine.retain(|(name, _)| permits(name));
        let held = |name: &str| quarantine.iter().any(|(held, _)| held == name);
        tools.retain(|(name, _)| permits(name) && !held(name));
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
        Prepared { entries: Arc::new(PreparedServer::new(lists)), quarantine }
    }

    /// Which tools differ from what was approved. The first time, all of them are.
    fn quarantine(
        &self,
        config: &mut Config,
        upstream: &Upstream,
        tools: &[(String, &str)],
    ) -> Vec<(String, &'static str)> {
        let configured = upstream.configured();
        let mut seen = Pins::new();
        for (name, text) in tools {
            // Of two with one name the first counts, here as in the catalogue.
            seen.entry(name.clone()).or_insert_with(|| definition_digest(text));
        }
        let key = ServerKey::new(&configured.name, configured.digest);
        let approvals = match &mut config.approvals {
            Ok(approvals) => approvals,
            Err(why) => {
                tracing::error!(why, "approvals cannot be read; no tool is trusted");
                let why = "the approvals cannot be read";
                return seen.into_keys().map(|name| (name, why)).collect();
            }
        };
        let Some(pinned) = approvals.pins(&key) else {
            if !seen.is_empty() {
                approvals.set_pins(key.clone(), seen.clone());
                config.first_seen.push((key.clone(), seen.clone()));
                self.keep_pins(key, seen);
            }
            return Vec::new();
        };
        seen.into_iter()
            .filter_map(|(name, digest)| match pinned.get(&name) {
                Some(pin) if *pin == digest => None,
                Some(_) => Some((name, "its definition changed since it was approved")),
                None => Some((name, "it is new since the server was approved")),
            })
            .collect()
    }

    /// Writes down what a server's tools looked like at first; nobody waits for the disk.
    fn keep_pins(&self, key: ServerKey, pins: Pins) {
        let file = self.places.approvals();
        self.tasks.spawn_blocking(move || {
            let kept = approved(&file).and_then(|mut approvals| {
                if approvals.pins(&key).is_some() {
                    // Another process was first, and what it saw counts.
                    return Ok(());
                }
                approvals.set_pins(key, pins);
                approvals.save().map_err(|error| error.to_string())
            });
            if let Err(error) = kept {
                tracing::warn!(error, "what tools looked like cannot be remembered");
            }
        });
    }
}

/// The digest of a tool's definition, as the approvals keep it.
pub(crate) fn definition_digest(definition: &str) -> Digest {
    // It is one already, only under another name; the digest of nothing is never one of a tool's.
    pins::Digest::of(definition).as_str().parse().unwrap_or_else(|_| Digest::of(b""))
}
