//! How many requests somebody known may send in a minute.
//!
//! The site asks once a token was found good. What must stay true: nobody's requests count for somebody
//! else, and a bounded number of principals is remembered.

use hobnob_mcp_engine::Principal;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// Principals that are remembered before those who have been quiet for a minute are forgotten.
const REMEMBERED: usize = 1024;

const MINUTE: f64 = 60.0;

/// What everybody has left.
#[derive(Debug)]
pub(crate) struct RequestRates {
    per_minute: f64,
    left: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    by_principal: HashMap<Principal, Allowance>,
    /// With that many in it, those who have all of their requests left are forgotten.
    crowded: usize,
}

/// What one principal has left. It grows with time, up to what a minute brings.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    requests: f64,
    at: Instant,
}

impl RequestRates {
    pub(crate) fn new(per_minute: NonZeroUsize) -> Self {
        let left = Table { by_principal: HashMap::new(), crowded: REMEMBERED };
        Self { per_minute: per_minute.get() as f64, left: Mutex::new(left) }
    }

    /// Counts a request; if there were too many, says when the next one may come.
    pub(crate) fn count(&self, who: &Principal, now: Instant) -> Result<(), Duration> {
        let each_second = self.per_minute / MINUTE;
        let grown = |it: &Allowance| {
            let since = now.saturating_duration_since(it.at).as_secs_f64();
            self.per_minute.min(it.requests + since * each_second)
        };
        let mut table = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let requests = table.by_principal.get(who).map_or(self.per_minute, grown);
        if requests < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - requests) / each_second));
        }
        if table.crowded <= table.by_principal.len() {
            table.by_principal.retain(|_, it| grown(it) < self.per_minute);
            table.crowded = REMEMBERED.max(2 * table.by_principal.len());
        }
        let left = Allowance { requests: requests - 1.0, at: now };
        match table.by_principal.get_mut(who) {
            Some(known) => *known = left,
            None => drop(table.by_principal.insert(who.clone(), left)),
        }
        Ok(())
    }
}
