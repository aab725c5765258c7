//! Whether a refresh token may be used: pure, from its generation and what was used before.
//!
//! Every use of a refresh token makes one of the next generation. Several processes of a client, or two
//! ways out of a network, may use the same one at once, and each gets a successor; when one of these is
//! used, time runs out for the others.

#[cfg(test)]
mod tests;

/// What was used of a grant so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsedGeneration {
    /// The newest generation that was used; zero if none was.
    pub(super) generation: u64,
    /// When it was used first.
    pub(super) since: u64,
}

/// What the use of a token means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenUse {
    /// The first use of its generation, from now on the newest that was used.
    First(UsedGeneration),
    /// Another use while the grace period lasts: the same client, most likely.
    Again,
    /// A use that came too late: somebody else has the token too.
    Reuse,
}

/// Judges the use of a token of this generation.
pub(super) fn judge(generation: u64, used: UsedGeneration, now: u64, grace: u64) -> TokenUse {
    if used.generation < generation {
        return TokenUse::First(UsedGeneration { generation, since: now });
    }
    let in_time = now <= used.since.saturating_add(grace);
    match generation == used.generation && in_time {
        true => TokenUse::Again,
        false => TokenUse::Reuse,
    }
}
