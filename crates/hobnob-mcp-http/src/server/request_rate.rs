//! Rate limits for each principal: requests a minute, and bytes a minute (token buckets).
//!
//! The site counts a request once its token is verified. What must stay true: each principal has
//! its own allowance, and the number of principals in memory is bounded.

use crate::server::limits::HttpLimits;
use hobnob_mcp_engine::Principal;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// How many principals are stored before those with a full allowance are removed.
const MIN_PRUNE_SIZE: usize = 1024;

const MINUTE: f64 = 60.0;

/// The allowances of all principals.
#[derive(Debug)]
pub(crate) struct RequestRates {
    /// The refill of a minute, which is also the capacity; infinite without a limit.
    each_minute: Amount,
    left: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    by_principal: HashMap<Principal, Allowance>,
    /// The number of entries at which those with a full allowance are removed.
    prune_size: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Amount {
    requests: f64,
    /// Negative after a body that was larger than the rest of the allowance, but began in time.
    bytes: f64,
}

/// A token bucket: what one principal has left. It refills with time, up to its capacity.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    left: Amount,
    at: Instant,
}

/// Which limit a principal has reached, and when to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateExceeded {
    Requests(Duration),
    Bytes(Duration),
}

impl RequestRates {
    /// `None` if the settings have no limits.
    pub(crate) fn new(limits: &HttpLimits) -> Option<Self> {
        let (requests, bytes) = (limits.requests_per_minute, limits.bytes_per_minute);
        if requests.is_none() && bytes.is_none() {
            return None;
        }
        let number = |limit: Option<std::num::NonZeroUsize>| {
            limit.map_or(f64::INFINITY, |limit| limit.get() as f64)
        };
        let left = Table { by_principal: HashMap::new(), prune_size: MIN_PRUNE_SIZE };
        let each_minute = Amount { requests: number(requests), bytes: number(bytes) };
        Some(Self { each_minute, left: Mutex::new(left) })
    }

    /// Counts a request with a body of this announced size. If the principal has used up a limit,
    /// returns which one, and when the next request may come.
    pub(crate) fn count(
        &self,
        who: &Principal,
        bytes: u64,
        now: Instant,
    ) -> Result<(), RateExceeded> {
        let mut table = self.left.lock();
        let known = table.by_principal.get(who);
        let left = known.map_or(self.each_minute, |it| self.refilled(it, now));
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
        if table.prune_size <= table.by_principal.len() {
            table.by_principal.retain(|_, it| self.refilled(it, now) != self.each_minute);
            table.prune_size = MIN_PRUNE_SIZE.max(2 * table.by_principal.len());
        }
        let left = Amount { requests: left.requests - 1.0, bytes: left.bytes - bytes as f64 };
        let allowance = Allowance { left, at: now };
        match table.by_principal.get_mut(who) {
            Some(known) => *known = allowance,
            None => drop(table.by_principal.insert(who.clone(), allowance)),
        }
        Ok(())
    }

    /// Counts bytes of a request that was counted before its size was known.
    pub(crate) fn add_bytes(&self, who: &Principal, bytes: usize) {
        let mut table = self.left.lock();
        if let Some(known) = table.by_principal.get_mut(who) {
            known.left.bytes -= bytes as f64;
        }
    }

    fn refilled(&self, allowance: &Allowance, now: Instant) -> Amount {
        let minutes = now.saturating_duration_since(allowance.at).as_secs_f64() / MINUTE;
        // Zero time at an infinite rate is NaN, and `min` of NaN and the limit is the limit.
        let refilled = |left: f64, each_minute: f64| each_minute.min(left + minutes * each_minute);
        Amount {
            requests: refilled(allowance.left.requests, self.each_minute.requests),
            bytes: refilled(allowance.left.bytes, self.each_minute.bytes),
        }
    }
}
