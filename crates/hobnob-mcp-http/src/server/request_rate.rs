//! How many requests somebody known may send in a minute, and how many bytes in them.
//!
//! The site asks once a token was found good. What must stay true: nobody's requests count for somebody
//! else, and a bounded number of principals is remembered.

use crate::server::limits::HttpLimits;
use hobnob_mcp_engine::Principal;
use std::collections::HashMap;
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
    /// What a minute brings, and what anybody has at most. Without a limit it is infinite.
    each_minute: Amount,
    left: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    by_principal: HashMap<Principal, Allowance>,
    /// With that many in it, those who have all of their allowance left are forgotten.
    crowded: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Amount {
    requests: f64,
    /// Below zero after a body that was larger than what was left: it had begun in time.
    bytes: f64,
}

/// What one principal has left. It grows with time, up to what a minute brings.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    left: Amount,
    at: Instant,
}

/// Which limit a principal has reached, and when there is room again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateExceeded {
    Requests(Duration),
    Bytes(Duration),
}

impl RequestRates {
    /// Nothing is counted where nothing is limited.
    pub(crate) fn new(limits: &HttpLimits) -> Option<Self> {
        let (requests, bytes) = (limits.requests_per_minute, limits.bytes_per_minute);
        if requests.is_none() && bytes.is_none() {
            return None;
        }
        let number = |limit: Option<std::num::NonZeroUsize>| {
            limit.map_or(f64::INFINITY, |limit| limit.get() as f64)
        };
        let left = Table { by_principal: HashMap::new(), crowded: REMEMBERED };
        let each_minute = Amount { requests: number(requests), bytes: number(bytes) };
        Some(Self { each_minute, left: Mutex::new(left) })
    }

    /// Counts a request with a body of so many bytes, as far as they were announced; if there was too
    /// much before it, says what, and when the next one may come.
    pub(crate) fn count(
        &self,
        who: &Principal,
        bytes: u64,
        now: Instant,
    ) -> Result<(), RateExceeded> {
        let mut table = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let known = table.by_principal.get(who);
        let left = known.map_or(self.each_minute, |it| self.grown(it, now));
        let until = |missing: f64, each_minute: f64| {
            Duration::try_from_secs_f64(missing * MINUTE / each_minute).unwrap_or(Duration::MAX)
        };
        if left.requests < 1.0 {
            let wait = until(1.0 - left.requests, self.each_minute.requests);
            return Err(RateExceeded::Requests(wait));
        }
        if left.bytes < 1.0 {
            return Err(RateExceeded::Bytes(until(1.0 - left.bytes, self.each_minute.bytes)));
        }
        if table.crowded <= table.by_principal.len() {
            table.by_principal.retain(|_, it| self.grown(it, now) != self.each_minute);
            table.crowded = REMEMBERED.max(2 * table.by_principal.len());
        }
        let left = Amount { requests: left.requests - 1.0, bytes: left.bytes - bytes as f64 };
        let allowance = Allowance { left, at: now };
        match table.by_principal.get_mut(who) {
            Some(known) => *known = allowance,
            None => drop(table.by_principal.insert(who.clone(), allowance)),
        }
        Ok(())
    }

    /// Counts bytes of a request that was counted before they were known.
    pub(crate) fn add_bytes(&self, who: &Principal, bytes: usize) {
        let mut table = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = table.by_principal.get_mut(who) {
            known.left.bytes -= bytes as f64;
        }
    }

    fn grown(&self, allowance: &Allowance, now: Instant) -> Amount {
        let minutes = now.saturating_duration_since(allowance.at).as_secs_f64() / MINUTE;
        // No time times an infinite rate is not a number, and the smaller of that and the limit is the limit.
        let grown = |left: f64, each_minute: f64| each_minute.min(left + minutes * each_minute);
        Amount {
            requests: grown(allowance.left.requests, self.each_minute.requests),
            bytes: grown(allowance.left.bytes, self.each_minute.bytes),
        }
    }
}
