//! How often each tool was called since this hub started, so that `find_tools` prefers what is used.
//!
//! `dispatch/call` counts, for all clients together; `tool_search` reads. Nothing is written to the
//! disk. What must stay true: no more than `MAX_TOOLS` names are kept, whatever is called.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names that are kept. When there are more, all counts are halved and the smallest forgotten.
const MAX_TOOLS: usize = 4096;

/// The counts of all tools, by server and by the name that the server gave them.
#[derive(Debug, Default)]
pub(crate) struct ToolUses(Mutex<UseCounts>);

#[derive(Debug, Default)]
struct UseCounts {
    servers: HashMap<Box<str>, HashMap<Box<str>, u32>>,
    /// How many names all of them have together.
    names: usize,
}

impl ToolUses {
    /// Counts a call that was answered; with too many names, rare ones are forgotten.
    pub(crate) fn count(&self, server: &str, tool: &str) {
        let mut counts = self.counts();
        let known = counts.servers.get_mut(server).and_then(|tools| tools.get_mut(tool));
        match known {
            Some(count) => *count = count.saturating_add(1),
            None => counts.add(server, tool),
        }
    }

    /// The counts of these tools, in their order; empty if nothing was called yet.
    pub(crate) fn of<'a>(&self, tools: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<u32> {
        let counts = self.counts();
        if counts.names == 0 {
            return Vec::new();
        }
        let count = |(server, tool)| counts.servers.get(server)?.get(tool).copied();
        tools.map(|tool| count(tool).unwrap_or_default()).collect()
    }

    fn counts(&self) -> MutexGuard<'_, UseCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
