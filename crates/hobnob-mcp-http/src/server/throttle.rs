//! Rate limits for attempts: tokens, passwords, registrations, fetches of documents.
//!
//! Handlers call it before they do the work. What must stay true: the number of keys in memory is
//! bounded, and forgetting a key allows at most one more window of attempts.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;

#[cfg(test)]
mod tests;

/// How many keys are stored.
const MAX_KEYS: usize = 10_000;

/// Counts the attempts of each key within a fixed window of time.
#[derive(Debug)]
pub struct Throttle<K> {
    limit: u32,
    window: u64,
    attempts: Mutex<HashMap<K, Attempts>>,
}

#[derive(Debug, Clone, Copy)]
struct Attempts {
    count: u32,
    since: u64,
}

impl<K: Eq + Hash> Throttle<K> {
    /// Allows `limit` attempts of each key within `window` seconds.
    pub fn new(limit: u32, window: u64) -> Self {
        Self { limit, window, attempts: Mutex::default() }
    }

    /// Counts an attempt, unless there were too many.
    ///
    /// # Errors
    /// The number of seconds until the next attempt is allowed.
    pub fn attempt(&self, key: K, now: u64) -> Result<(), u64> {
        let mut attempts = self.attempts.lock();
        let is_over = |it: &Attempts| it.since.saturating_add(self.window) <= now;
        if MAX_KEYS <= attempts.len() && !attempts.contains_key(&key) {
            attempts.retain(|_, it| !is_over(it));
            if MAX_KEYS <= attempts.len() {
                return Err(self.window);
            }
        }
        let entry = attempts.entry(key).or_insert(Attempts { count: 0, since: now });
        if is_over(entry) {
            *entry = Attempts { count: 0, since: now };
        }
        if self.limit <= entry.count {
            return Err((entry.since + self.window).saturating_sub(now).max(1));
        }
        entry.count += 1;
        Ok(())
    }

    /// Checks whether an attempt is allowed, without counting one.
    ///
    /// # Errors
    /// The number of seconds until the next attempt is allowed.
    pub fn check(&self, key: &K, now: u64) -> Result<(), u64> {
        let attempts = self.attempts.lock();
        match attempts.get(key).map(|it| (it.count, it.since.saturating_add(self.window))) {
            Some((count, end)) if self.limit <= count && now < end => Err(end - now),
            _ => Ok(()),
        }
    }

    /// Forgets the attempts of a key, after one has succeeded.
    pub fn forgive(&self, key: &K) {
        let mut attempts = self.attempts.lock();
        attempts.remove(key);
    }
}
