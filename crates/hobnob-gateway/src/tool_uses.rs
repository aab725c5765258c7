//! How often each tool was called since this hub started: `find_tools` prefers tools in use.
//!
//! `dispatch/call` counts, for all clients together; `tool_search` reads. Nothing is written to the
//! disk. What must stay true: at most `MAX_TOOLS` names are kept.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;

/// The most names kept. At the limit, all counts are halved and names that reach zero are dropped.
const MAX_TOOLS: usize = 4096;

/// The call counts of all tools, by server and by the server's own name of the tool.
#[derive(Debug, Default)]
pub(crate) struct ToolUses(Mutex<UseCounts>);

#[derive(Debug, Default)]
struct UseCounts {
    servers: HashMap<Box<str>, HashMap<Box<str>, u32>>,
    /// The number of names of all servers together.
    names: usize,
}

impl ToolUses {
    /// Counts an answered call; at the limit, rarely used names are dropped.
    pub(crate) fn count(&self, server: &str, tool: &str) {
        let mut counts = self.counts();
        let known = counts.servers.get_mut(server).and_then(|tools| tools.get_mut(tool));
        match known {
            Some(count) => *count = count.saturating_add(1),
            None => counts.add(server, tool),
        }
    }

    /// The counts of these tools, in their order; empty if no tool was called yet.
    pub(crate) fn of<'a>(&self, tools: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<u32> {
        let counts = self.counts();
        if counts.names == 0 {
            return Vec::new();
        }
        let count = |(server, tool)| counts.servers.get(server)?.get(tool).copied();
        tools.map(|tool| count(tool).unwrap_or_default()).collect()
    }

    fn counts(&self) -> MutexGuard<'_, UseCounts> {
        self.0.lock()
    }
}

impl UseCounts {
    fn add(&mut self, server: &str, tool: &str) {
        if MAX_TOOLS <= self.names {
            self.halve();
        }
        if self.names < MAX_TOOLS {
            self.servers.entry(server.into()).or_default().insert(tool.into(), 1);
            self.names += 1;
        }
    }

    fn halve(&mut self) {
        for tools in self.servers.values_mut() {
            tools.retain(|_, count| {
                *count /= 2;
                0 < *count
            });
        }
        self.servers.retain(|_, tools| !tools.is_empty());
        self.names = self.servers.values().map(HashMap::len).sum();
    }
}

#[cfg(test)]
mod tests;
