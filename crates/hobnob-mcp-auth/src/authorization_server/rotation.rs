//! Refresh token rotation: judges the use of a token by its generation and by earlier uses.
//!
//! Every use of a refresh token creates one of the next generation. Two processes of a client, or a
//! retry on a bad network, may use one token at once, and each use gets a successor; once one
//! successor is used, the others have only the grace period left. Nothing here has side effects.

#[cfg(test)]
mod tests;

/// The uses of a grant's refresh tokens so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsedGeneration {
    /// The newest generation that was used; zero if none was.
    pub(super) generation: u64,
    /// When that generation was first used.
    pub(super) since: u64,
}

/// What the use of a token means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenUse {
    /// The first use of its generation, which becomes the newest used one.
    First(UsedGeneration),
    /// Another use within the grace period, most likely by the same client.
    Again,
    /// A use after the grace period, or of an older generation: the token may have been stolen.
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
