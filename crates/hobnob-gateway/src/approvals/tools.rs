//! What people have approved, as last read, and which tools differ from it.
//!
//! `servers` holds one [`ToolApprovals`] behind its lock and asks it about every list. A sighting
//! counts in this process at once; `writer` brings it to the disk.

use crate::approvals::sightings::{DefinitionSighting, Moved, Seen};
use crate::approvals::writer::SightingWriter;
use crate::pins::{self, Comparison};
use crate::upstream::configured::Configured;
use hobnob_config::{Approvals, Broken, Cause, PinMode, Pins, ServerKey};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a tool is held back.
const CHANGED: &str = "its definition changed since it was approved";
const NEW: &str = "it is new since the server was approved";
const UNREADABLE: &str = "the approvals cannot be read";

/// A tool that is held back, by the server's name for it, and why.
pub(crate) type HeldBackTool = (String, &'static str);

/// What people have approved, and what this process has seen since then.
pub(crate) struct ToolApprovals {
    /// The approvals as last read, or why they cannot be trusted.
    approvals: Result<Approvals, String>,
    /// Why the last read failed, while the approvals read before it still count.
    problem: Option<String>,
    /// What tools looked like when this process first saw them; the file may not have it yet.
    first_seen: Vec<(ServerKey, Pins)>,
    writer: Arc<SightingWriter>,
}

impl ToolApprovals {
    pub(crate) fn new(read: Result<Approvals, Broken>, writer: Arc<SightingWriter>) -> Self {
        if let Err(broken) = &read {
            tracing::error!(%broken, "approvals");
        }
        let approvals = read.map_err(|broken| broken.to_string());
        Self { approvals, problem: None, first_seen: Vec::new(), writer }
    }

    /// Takes the approvals as they were just read. What this process saw first counts even if it
    /// was never written down. If the file is unreadable for a reason that may pass, the earlier
    /// approvals stay in force; if its contents cannot be trusted, every tool is held back.
    pub(crate) fn replace(&mut self, read: Result<Approvals, Broken>) {
        self.problem = None;
        match read {
            Ok(mut approvals) => {
                for (key, pins) in &self.first_seen {
                    if approvals.pins(key).is_none() {
                        approvals.set_pins(key.clone(), pins.clone());
                    }
                }
                self.approvals = Ok(approvals);
            }
            Err(broken) => {
                tracing::error!(%broken, "approvals");
                if broken.0.cause == Cause::Unreadable && self.approvals.is_ok() {
                    let problem = format!("{}; what was approved before stays so", broken.0);
                    self.problem = Some(problem);
                } else {
                    self.approvals = Err(broken.to_string());
                }
            }
        }
    }

    /// The approvals, or why they cannot be trusted.
    pub(crate) fn current(&self) -> Result<&Approvals, &str> {
        self.approvals.as_ref().map_err(String::as_str)
    }

    /// What is wrong with reading the file, and with writing to it.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let reading = self.approvals.as_ref().err().or(self.problem.as_ref()).cloned();
        reading.into_iter().chain(self.writer.problem())
    }

    /// The tools of a server whose definitions differ from what was approved, with the reason. The
    /// first list of a server is accepted as a whole.
    pub(crate) fn held_back(
        &mut self,
        configured: &Configured,
        tools: &[(String, &str)],
    ) -> Vec<HeldBackTool> {
        let mode =
            configured.spec.as_ref().map_or(PinMode::Strict, |(_, effective)| effective.pins);
        if mode == PinMode::Off {
            return Vec::new();
        }
        // If two tools have one name, the first counts, as in the catalogue.
        let mut names = BTreeSet::new();
        let tools = tools.iter().filter(|(name, _)| names.insert(name.as_str()));
        let tools: Vec<(&str, &str)> = tools.map(|(name, text)| (name.as_str(), *text)).collect();
        let approvals = match &mut self.approvals {
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
                self.first_seen.push((key.clone(), seen.clone()));
                self.writer.write_soon(DefinitionSighting::new(key, Seen::First(seen), &tools));
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
            self.writer.write_soon(DefinitionSighting::new(key, Seen::Again(moved), &tools));
        }
        held
    }
}
